/*
 * Exception vectors (SDM vol. 3, Table 6-1).
 */
#ifndef SIM_CPU_EXCEPTIONS_H
#define SIM_CPU_EXCEPTIONS_H

enum {
    EXCEPTION_DE = 0,
    EXCEPTION_DB = 1,
    EXCEPTION_NMI = 2,
    EXCEPTION_UD = 6,
    EXCEPTION_DF = 8,
    EXCEPTION_TS = 10,
    EXCEPTION_NP = 11,
    EXCEPTION_SS = 12,
    EXCEPTION_GP = 13,
    EXCEPTION_PF = 14,
    EXCEPTION_AC = 17,
    EXCEPTION_MC = 18
};

#endif

/*
 * Exception vectors (SDM vol. 3, Table 6-1).
 */
#ifndef SIM_CPU_VECTORS_H
#define SIM_CPU_VECTORS_H

enum {
    VECTOR_DE = 0,
    VECTOR_DB = 1,
    VECTOR_NMI = 2,
    VECTOR_UD = 6,
    VECTOR_DF = 8,
    VECTOR_TS = 10,
    VECTOR_NP = 11,
    VECTOR_SS = 12,
    VECTOR_GP = 13,
    VECTOR_PF = 14,
    VECTOR_AC = 17,
    VECTOR_MC = 18
};

#endif

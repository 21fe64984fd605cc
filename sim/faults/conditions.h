/*
 * The second feature of a double fault: the deviation strikes while it is in use on the counter at hand or
 * around it (conditions.c).
 */
#ifndef SIM_FAULTS_CONDITIONS_H
#define SIM_FAULTS_CONDITIONS_H

enum nbpmu_fault_while {
    WHILE_ALWAYS, /* a fault that needs no second feature */
    /* in its CCCR */
    WHILE_COMPARE,
    WHILE_COMPLEMENT,
    WHILE_THRESHOLD,
    WHILE_EDGE,
    WHILE_FORCE_OVF,
    WHILE_PMI_T0,
    WHILE_PMI_T1,
    WHILE_CASCADE,
    WHILE_BIT_11,
    WHILE_GATED,
    WHILE_OVF,
    /* in its ESCR */
    WHILE_OS_ALONE,
    WHILE_USR_ALONE,
    WHILE_T1_ALONE,
    WHILE_ESCR_SHARED,
    /* its state, and other counters */
    WHILE_STARTED,
    WHILE_AWAITED,
    WHILE_NEGATIVE,
    WHILE_POSITIVE,
    WHILE_PARTNER_OVF,
    WHILE_BLOCK_OVF,
    WHILE_FOREIGN_OVF,
    WHILE_OVERFLOWS_MEET,
    WHILE_SEVERAL,
    /* the logical processors */
    WHILE_LP1_ACTIVE,
    WHILE_LP_HALTED,
    WHILE_ABOVE_CPL_0,
    FAULT_CONDITIONS
};

#endif

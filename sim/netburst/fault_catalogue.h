/*
 * What a line of the fault catalogue is. For faults.c alone.
 */
#ifndef SIM_NETBURST_FAULT_CATALOGUE_H
#define SIM_NETBURST_FAULT_CATALOGUE_H

#include "faults.h"

#define FAULT_SUFFIX_SIZE 24

/* One member of a family: which register, bit, counter or pair. */
struct fault_member {
    uint8_t at, to;
    char suffix[FAULT_SUFFIX_SIZE]; /* of the name */
    const char *unseen;             /* why software cannot see this member; null when it can */
};

/* A row of the catalogue that stands for several faults. */
struct fault_family {
    unsigned members;
    /* Fill in member 0..members-1. False: there is no such member, the number is skipped. */
    bool (*member)(unsigned number, struct fault_member *member);
};

struct fault_row {
    const char *name, *rule, *text;
    enum pmu_fault_kind kind;
    uint8_t at, to;
    enum pmu_fault_part part;
    bool keeps_skipping_valid; /* the fault does not change which counters a clock affects: those that have
                                  nothing to count may still be passed over (clock.c) */
    const char *unseen;        /* why software cannot see it; null when it can */
    const struct fault_family *family;
};

extern const struct fault_row PMU_FAULTS[];
extern const size_t PMU_FAULT_ROWS;

/* fault_families.c */
extern const struct fault_family FAULT_EVERY_COUNTER, FAULT_EVERY_ALIAS, FAULT_EVERY_COUNTER_BIT,
    FAULT_EVERY_CCCR_BIT, FAULT_EVERY_ESCR_BIT, FAULT_EVERY_ACTIVE_CELL, FAULT_EVERY_ESCR,
    FAULT_EVERY_ESCR_ALIAS, FAULT_EVERY_QUALIFIED_ESCR, FAULT_EVERY_SIBLING_ESCR, FAULT_EVERY_MASK_BIT,
    FAULT_EVERY_IOQ_MEMBER, FAULT_EVERY_SELECT_BIT, FAULT_EVERY_LINE, FAULT_EVERY_CASCADE, FAULT_EVERY_CASCNT,
    FAULT_EVERY_SWAPPED_PARTNER, FAULT_EVERY_FOREIGN_PARTNER, FAULT_EVERY_WRONG_CASCNT,
    FAULT_EVERY_FOREIGN_CASCNT;

#endif

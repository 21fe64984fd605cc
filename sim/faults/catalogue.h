/*
 * The rows of the fault catalogue and their families. Only faults.c, catalogue.c, double.c and the
 * families use it.
 */
#ifndef SIM_FAULTS_CATALOGUE_H
#define SIM_FAULTS_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "conditions.h"
#include "kinds.h"
#include "nbpmu_fault.h"

#define FAULT_SUFFIX_SIZE 28

/* One member of a family: which register, bit, counter or pair. */
struct fault_member {
    uint8_t at, to;
    uint8_t condition;              /* enum nbpmu_fault_while, */
    const char *text;               /* in words; null without one */
    enum nbpmu_fault_part part;     /* what it needs */
    char suffix[FAULT_SUFFIX_SIZE]; /* what follows the row's name in the fault's name */
    const char *unseen;             /* why software cannot see this member; null when it can */
};

/* A row of the catalogue that stands for several faults. */
struct fault_family {
    unsigned members;
    /* Fill in member `number`, 0 to members - 1, which begins with at, to and part of its row. False when
     * that number has no member. */
    bool (*member)(unsigned number, struct fault_member *member);
};

struct fault_row {
    const char *name, *rule, *text;
    enum nbpmu_fault_kind kind;   /* of the PMU, */
    enum nbpmu_lvtpc_fault lvtpc; /* or of the local APIC */
    uint8_t at, to;
    enum nbpmu_fault_part part; /* what it needs */
    bool keeps_skipping_valid;  /* the fault does not change which counters a clock affects: those that have
                                   nothing to count may still be passed over (clock.c) */
    const char *unseen;         /* why software cannot see it; null when it can */
    const struct fault_family *family;
    uint64_t without; /* of nbpmu_every_condition: the conditions to leave out, bit enum nbpmu_fault_while */
};

/* catalogue.c, and double.c: the double faults */
extern const struct fault_row nbpmu_fault_rows[], nbpmu_double_rows[];
extern const size_t nbpmu_fault_row_count, nbpmu_double_row_count;

/* conditions.c */
extern const struct fault_family nbpmu_every_condition;

/* families.c */
extern const struct fault_family nbpmu_every_counter, nbpmu_every_counter_of_several, nbpmu_every_alias,
    nbpmu_every_beside, nbpmu_every_paired, nbpmu_every_twins, nbpmu_every_threshold_bit,
    nbpmu_every_threshold_of_a_bit, nbpmu_every_increment_bit, nbpmu_every_counter_bit, nbpmu_every_cccr_bit,
    nbpmu_every_escr_bit, nbpmu_every_active_cell, nbpmu_every_escr, nbpmu_every_route,
    nbpmu_every_escr_alias, nbpmu_every_qualified_escr, nbpmu_every_sibling_escr, nbpmu_every_mask_bit,
    nbpmu_every_ioq_member, nbpmu_every_select_bit, nbpmu_every_of_4, nbpmu_every_cascade, nbpmu_every_cascnt,
    nbpmu_every_swapped_partner, nbpmu_every_foreign_partner, nbpmu_every_wrong_cascnt,
    nbpmu_every_foreign_cascnt, nbpmu_every_reserved_cascnt, nbpmu_every_lvtpc_bit, nbpmu_every_vector_bit,
    nbpmu_every_counter_carry, nbpmu_every_third_carry, nbpmu_every_counter_losing, nbpmu_every_ts_escr,
    nbpmu_every_ts_flag, nbpmu_every_ti_flag, nbpmu_every_register, nbpmu_every_ts_event,
    nbpmu_every_ti_event, nbpmu_every_member, nbpmu_every_excluded_member, nbpmu_every_nth,
    nbpmu_every_beside_x, nbpmu_every_counter_field, nbpmu_every_counting_escr, nbpmu_every_meanwhile,
    nbpmu_every_gap, nbpmu_every_held_escr, nbpmu_every_of_15, nbpmu_every_of_16, nbpmu_every_stop,
    nbpmu_every_stop_by_flags, nbpmu_every_lvtpc_field, nbpmu_every_several_members_escr,
    nbpmu_every_flagged_escr;

#endif

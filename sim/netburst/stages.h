/*
 * The stages of the model: what one file states and another one asks for. They are called through a table, so
 * that a room above can put something in front of them (sim/faults). A PMU has nbpmu_sound_stages, unless it
 * is given another table. sim/README.md has the rules of each.
 *
 * NBPMU_STAGES lists them: type, name, parameters and arguments of each. The table, the prototypes of the
 * functions in it, nbpmu_NAME(), and what sim/faults needs for each stage are made of this list.
 */
#ifndef SIM_NETBURST_STAGES_H
#define SIM_NETBURST_STAGES_H

#include "state.h"

/* clang-format off */
/* ==== Stages of one counter ==== */

/* ---- Access: registers.c ---- */

/* Bits of the CCCR of counter n that a write keeps (R3). */
#define NBPMU_STAGE_cccr_kept(S, ...) \
    S(uint64_t, cccr_kept, (const struct nbpmu *pmu, unsigned n), (pmu, n), __VA_ARGS__)

/* ---- From an event to the increment: qualify.c, filter.c ---- */

/* Value 0..15 that counter n gets from its ESCR in this clock (R6, R8 to R10). */
#define NBPMU_STAGE_value(S, ...) \
    S(unsigned, value, (const struct nbpmu *pmu, unsigned n), (pmu, n), __VA_ARGS__)
/* Does ACTIVE_THREAD let counter n count with so many active logical processors (R18, R19)? */
#define NBPMU_STAGE_gate_open(S, ...) \
    S(bool, gate_open, (struct nbpmu *pmu, unsigned n, unsigned active), (pmu, n, active), __VA_ARGS__)
/* Increment 0..15 of counter n for a value; keeps the edge filter's state (R21 to R26). */
#define NBPMU_STAGE_filter(S, ...) \
    S(unsigned, filter, (struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open), \
      (pmu, n, value, gate_open), __VA_ARGS__)

/* ---- Overflow and PMI: count.c ---- */

/* Advance counter n by increment (1..15). Returns the logical processors that get a PMI. */
#define NBPMU_STAGE_count(S, ...) \
    S(unsigned, count, (struct nbpmu *pmu, unsigned n, unsigned increment), (pmu, n, increment), __VA_ARGS__)
/* Add the increment (R27). True: the sum carries out of bit 39 (R28). */
#define NBPMU_STAGE_add(S, ...) \
    S(bool, add, (struct nbpmu *pmu, unsigned n, unsigned increment), (pmu, n, increment), __VA_ARGS__)
/* Set OVF (R29). */
#define NBPMU_STAGE_overflow(S, ...) \
    S(void, overflow, (struct nbpmu *pmu, unsigned n), (pmu, n), __VA_ARGS__)
/* Logical processors that a PMI of counter n reaches, as a bit mask (R45). */
#define NBPMU_STAGE_pmi_targets(S, ...) \
    S(unsigned, pmi_targets, (struct nbpmu *pmu, unsigned n), (pmu, n), __VA_ARGS__)

/* ---- Who counts: enable.c ---- */

/* Address of the ESCR that counter n selects, 0 when there is none (R17). */
#define NBPMU_STAGE_route(S, ...) \
    S(uint32_t, route, (struct nbpmu *pmu, unsigned n), (pmu, n), __VA_ARGS__)
/* The counter that can start n through this link, or -1 (R34, R35). */
#define NBPMU_STAGE_link_source(S, ...) \
    S(int, link_source, (const struct nbpmu *pmu, unsigned n, enum nbpmu_link link), (pmu, n, link), __VA_ARGS__)
/* Is counter n started through this link (R33, R36 to R40)? */
#define NBPMU_STAGE_link_runs(S, ...) \
    S(bool, link_runs, (struct nbpmu *pmu, unsigned n, enum nbpmu_link link), (pmu, n, link), __VA_ARGS__)
/* Does counter n count: is it enabled or started (R2, R33), and its ESCR powered (R44)? */
#define NBPMU_STAGE_counts(S, ...) \
    S(bool, counts, (struct nbpmu *pmu, unsigned n), (pmu, n), __VA_ARGS__)

/* ---- Time: fast_forward.c ---- */

/* How far counter n can advance without anything but its value changing. */
#define NBPMU_STAGE_distance(S, ...) \
    S(uint64_t, distance, (const struct nbpmu *pmu, unsigned n), (pmu, n), __VA_ARGS__)

/* ==== The others ==== */

/* ---- Access: registers.c, reset.c, clock.c ---- */

/* Logical processor lp writes value to a register, or reads one (R3 to R5, R32). False: #GP(0). */
#define NBPMU_STAGE_write(S, ...) \
    S(bool, write, (struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value), (pmu, lp, msr, value), __VA_ARGS__)
#define NBPMU_STAGE_read(S, ...) \
    S(bool, read, (struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t *value), (pmu, lp, msr, value), __VA_ARGS__)
#define NBPMU_STAGE_read_counter(S, ...) \
    S(bool, read_counter, (struct nbpmu *pmu, unsigned lp, bool cr4_pce, uint32_t ecx, uint64_t *value), \
      (pmu, lp, cr4_pce, ecx, value), __VA_ARGS__)
/* INIT# (R1); and HLT or another change of what a logical processor does (R42). */
#define NBPMU_STAGE_init(S, ...) \
    S(void, init, (struct nbpmu *pmu), (pmu), __VA_ARGS__)
#define NBPMU_STAGE_change_lp(S, ...) \
    S(void, change_lp, (struct nbpmu *pmu, unsigned lp, bool active, unsigned cpl), \
      (pmu, lp, active, cpl), __VA_ARGS__)

/* ---- From an event to the value of an ESCR: match.c, qualify.c, tags.c ---- */

/* Work out which event and mask the ESCR at address msr selects (R7). */
#define NBPMU_STAGE_decode_escr(S, ...) \
    S(void, decode_escr, (const struct nbpmu *pmu, struct nbpmu_escr *escr, uint32_t msr), \
      (pmu, escr, msr), __VA_ARGS__)
/* Does the ESCR select an occurrence with these mask bits (R7, R9)? */
#define NBPMU_STAGE_matches(S, ...) \
    S(bool, matches, (const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned bits), \
      (pmu, escr, bits), __VA_ARGS__)
/* May the ESCR count what lp causes at cpl (R11, R12, R14)? Yes for thread-independent events, which
 * clock_qualifies() decides about. */
#define NBPMU_STAGE_qualifies(S, ...) \
    S(bool, qualifies, (const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp, unsigned cpl), \
      (pmu, escr, lp, cpl), __VA_ARGS__)
/* Does the state of this clock let the ESCR count (R13)? Yes for thread-specific events. */
#define NBPMU_STAGE_clock_qualifies(S, ...) \
    S(bool, clock_qualifies, (const struct nbpmu *pmu, const struct nbpmu_escr *escr), (pmu, escr), __VA_ARGS__)
/* The tags that the ESCR puts on a uop of lp that its mask selects (R15). */
#define NBPMU_STAGE_tag(S, ...) \
    S(unsigned, tag, (const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp), \
      (pmu, escr, lp), __VA_ARGS__)

/* LVTPC of lp was unmasked. Does a standing PMI come again (R49)? count.c */
#define NBPMU_STAGE_pmi_again(S, ...) \
    S(bool, pmi_again, (struct nbpmu *pmu, unsigned lp), (pmu, lp), __VA_ARGS__)
/* A clock begins: the running counters in which it may change anything. clock.c */
#define NBPMU_STAGE_due(S, ...) \
    S(uint32_t, due, (struct nbpmu *pmu), (pmu), __VA_ARGS__)

#define NBPMU_STAGES_OF_COUNTERS(S) \
    NBPMU_STAGE_cccr_kept(S) NBPMU_STAGE_value(S) NBPMU_STAGE_gate_open(S) NBPMU_STAGE_filter(S) \
    NBPMU_STAGE_count(S) NBPMU_STAGE_add(S) NBPMU_STAGE_overflow(S) NBPMU_STAGE_pmi_targets(S) \
    NBPMU_STAGE_route(S) NBPMU_STAGE_link_source(S) NBPMU_STAGE_link_runs(S) NBPMU_STAGE_counts(S) \
    NBPMU_STAGE_distance(S)
#define NBPMU_STAGES_OF_ALL(S) \
    NBPMU_STAGE_write(S) NBPMU_STAGE_read(S) NBPMU_STAGE_read_counter(S) NBPMU_STAGE_init(S) \
    NBPMU_STAGE_change_lp(S) NBPMU_STAGE_decode_escr(S) NBPMU_STAGE_matches(S) NBPMU_STAGE_qualifies(S) \
    NBPMU_STAGE_clock_qualifies(S) NBPMU_STAGE_tag(S) NBPMU_STAGE_pmi_again(S) NBPMU_STAGE_due(S)
#define NBPMU_STAGES(S) NBPMU_STAGES_OF_COUNTERS(S) NBPMU_STAGES_OF_ALL(S)
/* clang-format on */

/* A member for each stage, which is a pointer to a function of its type. */
#define NBPMU_STAGE_MEMBER(type, name, parameters, arguments, ...) type(*name) parameters;

struct nbpmu_stages {
    NBPMU_STAGES(NBPMU_STAGE_MEMBER)
    /* May clocks matter although nothing says that they do? */
    bool every_clock;
    /* Counters that a clock without an event may move, as a bit mask. */
    uint32_t clocked;
};

extern const struct nbpmu_stages nbpmu_sound_stages;

#define STAGE(type, name, parameters, arguments, ...) type nbpmu_##name parameters;
NBPMU_STAGES(STAGE)
#undef STAGE

#endif

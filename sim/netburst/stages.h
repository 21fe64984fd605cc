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
/* What concerns one counter. */
#define NBPMU_STAGES_OF_COUNTERS(STAGE) \
    /* ---- Access: registers.c ---- */ \
\
    /* Bits of the CCCR of counter n that a write keeps (R3). */ \
    STAGE(uint64_t, cccr_kept, (const struct nbpmu *pmu, unsigned n), (pmu, n)) \
\
    /* ---- From an event to the increment: qualify.c, filter.c ---- */ \
\
    /* Value 0..15 that counter n gets from its ESCR in this clock (R6, R8 to R10). */ \
    STAGE(unsigned, value, (const struct nbpmu *pmu, unsigned n), (pmu, n)) \
    /* Does ACTIVE_THREAD let counter n count with so many active logical processors (R18, R19)? */ \
    STAGE(bool, gate_open, (struct nbpmu *pmu, unsigned n, unsigned active), (pmu, n, active)) \
    /* Increment 0..15 of counter n for a value; keeps the edge filter's state (R21 to R26). */ \
    STAGE(unsigned, filter, (struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open), \
          (pmu, n, value, gate_open)) \
\
    /* ---- Overflow and PMI: count.c ---- */ \
\
    /* Advance counter n by increment (1..15). Returns the logical processors that get a PMI. */ \
    STAGE(unsigned, count, (struct nbpmu *pmu, unsigned n, unsigned increment), (pmu, n, increment)) \
    /* Add the increment (R27). True: the sum carries out of bit 39 (R28). */ \
    STAGE(bool, add, (struct nbpmu *pmu, unsigned n, unsigned increment), (pmu, n, increment)) \
    /* Set OVF (R29). */ \
    STAGE(void, overflow, (struct nbpmu *pmu, unsigned n), (pmu, n)) \
    /* Logical processors that a PMI of counter n reaches, as a bit mask (R45). */ \
    STAGE(unsigned, pmi_targets, (struct nbpmu *pmu, unsigned n), (pmu, n)) \
\
    /* ---- Who counts: enable.c ---- */ \
\
    /* Address of the ESCR that counter n selects, 0 when there is none (R17). */ \
    STAGE(uint32_t, route, (struct nbpmu *pmu, unsigned n), (pmu, n)) \
    /* The counter that can start n through this link, or -1 (R34, R35). */ \
    STAGE(int, link_source, (const struct nbpmu *pmu, unsigned n, enum nbpmu_link link), (pmu, n, link)) \
    /* Is counter n started through this link (R33, R36 to R40)? */ \
    STAGE(bool, link_runs, (struct nbpmu *pmu, unsigned n, enum nbpmu_link link), (pmu, n, link)) \
    /* Does counter n count: is it enabled or started (R2, R33), and its ESCR powered (R44)? */ \
    STAGE(bool, counts, (struct nbpmu *pmu, unsigned n), (pmu, n)) \
\
    /* ---- Time: fast_forward.c ---- */ \
\
    /* How far counter n can advance without anything but its value changing. */ \
    STAGE(uint64_t, distance, (const struct nbpmu *pmu, unsigned n), (pmu, n))

/* The others. */
#define NBPMU_STAGES_OF_ALL(STAGE) \
    /* ---- Access: registers.c, rdpmc.c, reset.c, clock.c ---- */ \
\
    /* Logical processor lp writes value to a register, or reads one (R3 to R5, R32). False: #GP(0). */ \
    STAGE(bool, write, (struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value), (pmu, lp, msr, value)) \
    STAGE(bool, read, (struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t *value), (pmu, lp, msr, value)) \
    STAGE(bool, read_counter, (struct nbpmu *pmu, unsigned lp, bool cr4_pce, uint32_t ecx, uint64_t *value), \
          (pmu, lp, cr4_pce, ecx, value)) \
    /* INIT# (R1); and HLT or another change of what a logical processor does (R42). */ \
    STAGE(void, init, (struct nbpmu *pmu), (pmu)) \
    STAGE(void, change_lp, (struct nbpmu *pmu, unsigned lp, bool active, unsigned cpl), (pmu, lp, active, cpl)) \
\
    /* ---- From an event to the value of an ESCR: match.c, qualify.c, tags.c ---- */ \
\
    /* Work out which event and mask the ESCR at address msr selects (R7). */ \
    STAGE(void, decode_escr, (const struct nbpmu *pmu, struct nbpmu_escr *escr, uint32_t msr), (pmu, escr, msr)) \
    /* Does the ESCR select an occurrence with these mask bits (R7, R9)? */ \
    STAGE(bool, matches, (const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned bits), \
          (pmu, escr, bits)) \
    /* May the ESCR count what lp causes at cpl (R11, R12, R14)? Yes for thread-independent events, which \
     * clock_qualifies() decides about. */ \
    STAGE(bool, qualifies, \
          (const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp, unsigned cpl), \
          (pmu, escr, lp, cpl)) \
    /* Does the state of this clock let the ESCR count (R13)? Yes for thread-specific events. */ \
    STAGE(bool, clock_qualifies, (const struct nbpmu *pmu, const struct nbpmu_escr *escr), (pmu, escr)) \
    /* The tags that the ESCR puts on a uop of lp that its mask selects (R15). */ \
    STAGE(unsigned, tag, (const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp), (pmu, escr, lp)) \
\
    /* LVTPC of lp was unmasked. Does a standing PMI come again (R49)? count.c */ \
    STAGE(bool, pmi_again, (struct nbpmu *pmu, unsigned lp), (pmu, lp)) \
    /* A clock begins: the running counters in which it may change anything. clock.c */ \
    STAGE(uint32_t, due, (struct nbpmu *pmu), (pmu))

#define NBPMU_STAGES(STAGE) NBPMU_STAGES_OF_COUNTERS(STAGE) NBPMU_STAGES_OF_ALL(STAGE)
/* clang-format on */

/* A member for each stage, which is a pointer to a function of its type. */
#define NBPMU_STAGE_MEMBER(type, name, parameters, arguments) type(*name) parameters;

struct nbpmu_stages {
    NBPMU_STAGES(NBPMU_STAGE_MEMBER)
    /* May clocks matter although nothing says that they do? */
    bool every_clock;
};

extern const struct nbpmu_stages nbpmu_sound_stages;

#define STAGE(type, name, parameters, arguments) type nbpmu_##name parameters;
NBPMU_STAGES(STAGE)
#undef STAGE

#endif

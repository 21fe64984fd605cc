/*
 * The stages of the model: what one file states and another one asks for. They are called through a table, so
 * that a room above can put something in front of them (sim/faults). A PMU has nbpmu_sound_stages, unless it
 * is given another table. README.md has the rules of each.
 */
#ifndef SIM_NETBURST_STAGES_H
#define SIM_NETBURST_STAGES_H

#include "state.h"

struct nbpmu_stages {
    /* ---- Access: registers.c, rdpmc.c, reset.c ---- */

    /* Logical processor lp writes value to a register, or reads one (R3 to R5, R32). False: #GP(0). */
    bool (*write)(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value);
    bool (*read)(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t *value);
    /* Bits of the CCCR of counter n that a write keeps (R3). */
    uint64_t (*cccr_kept)(const struct nbpmu *pmu, unsigned n);
    bool (*rdpmc)(struct nbpmu *pmu, unsigned lp, bool cr4_pce, uint32_t ecx, uint64_t *value);
    /* INIT# (R1); and HLT or another change of what a logical processor does (R42). */
    void (*init)(struct nbpmu *pmu);
    void (*set_lp)(struct nbpmu *pmu, unsigned lp, bool active, unsigned cpl);

    /* ---- From an event to the value of an ESCR: match.c, qualify.c, tags.c ---- */

    /* Work out which event and mask the ESCR at address msr selects (R7). */
    void (*decode)(const struct nbpmu *pmu, struct nbpmu_escr *escr, uint32_t msr);
    /* Does the ESCR select an occurrence with these mask bits (R7, R9)? */
    bool (*match)(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned bits);
    /* May the ESCR count what lp causes at cpl (R11, R12, R14)? Yes for thread-independent events, which
     * qualify_clock() decides about. */
    bool (*qualify)(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp, unsigned cpl);
    /* Does the state of this clock let the ESCR count (R13)? Yes for thread-specific events. */
    bool (*qualify_clock)(const struct nbpmu *pmu, const struct nbpmu_escr *escr);
    /* Value 0..15 that counter n gets from its ESCR in this clock (R6, R8 to R10). */
    unsigned (*value)(const struct nbpmu *pmu, unsigned n);
    /* The tags that the ESCR puts on a uop of lp that its mask selects (R15). */
    unsigned (*tag)(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp);

    /* ---- From the value to the increment: qualify.c, filter.c ---- */

    /* Does ACTIVE_THREAD let counter n count with so many active logical processors (R18, R19)? */
    bool (*gate)(struct nbpmu *pmu, unsigned n, unsigned active);
    /* Increment 0..15 of counter n for a value; keeps the edge filter's state (R21 to R26). */
    unsigned (*filter)(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open);

    /* ---- Overflow and PMI: count.c ---- */

    /* Advance counter n by increment (1..15). Returns the logical processors that get a PMI. */
    unsigned (*count)(struct nbpmu *pmu, unsigned n, unsigned increment);
    /* Add the increment (R27). True: the sum carries out of bit 39 (R28). */
    bool (*add)(struct nbpmu *pmu, unsigned n, unsigned increment);
    /* Set OVF (R29). */
    void (*overflow)(struct nbpmu *pmu, unsigned n);
    /* Logical processors that a PMI of counter n reaches, as a bit mask (R45). */
    unsigned (*targets)(struct nbpmu *pmu, unsigned n);
    /* LVTPC of lp was unmasked. Does a standing PMI come again (R49)? */
    bool (*unmasked)(struct nbpmu *pmu, unsigned lp);

    /* ---- Who counts: enable.c ---- */

    /* Address of the ESCR that counter n selects, 0 when there is none (R17). */
    uint32_t (*route)(struct nbpmu *pmu, unsigned n);
    /* The counter that can start n through this link, or -1 (R34, R35). */
    int (*source)(const struct nbpmu *pmu, unsigned n, enum nbpmu_link link);
    /* Is counter n started through this link (R33, R36 to R40)? */
    bool (*link)(struct nbpmu *pmu, unsigned n, enum nbpmu_link link);
    /* Does counter n count: is it enabled or started (R2, R33), and its ESCR powered (R44)? */
    bool (*counts)(struct nbpmu *pmu, unsigned n);

    /* ---- Time: clock.c, fast_forward.c ---- */

    /* A clock begins: the running counters in which it may change anything. */
    uint32_t (*due)(struct nbpmu *pmu);
    /* How far counter n can advance without anything but its value changing. */
    uint64_t (*distance)(const struct nbpmu *pmu, unsigned n);
    /* May clocks matter although nothing says that they do? */
    bool every_clock;
};

extern const struct nbpmu_stages nbpmu_sound_stages;

/* The functions in it. */
bool nbpmu_write(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value);
bool nbpmu_read(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t *value);
uint64_t nbpmu_cccr_kept(const struct nbpmu *pmu, unsigned n);
bool nbpmu_read_counter(struct nbpmu *pmu, unsigned lp, bool cr4_pce, uint32_t ecx, uint64_t *value);
void nbpmu_init(struct nbpmu *pmu);
void nbpmu_change_lp(struct nbpmu *pmu, unsigned lp, bool active, unsigned cpl);
void nbpmu_decode_escr(const struct nbpmu *pmu, struct nbpmu_escr *escr, uint32_t msr);
bool nbpmu_matches(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned bits);
bool nbpmu_qualifies(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp, unsigned cpl);
bool nbpmu_clock_qualifies(const struct nbpmu *pmu, const struct nbpmu_escr *escr);
unsigned nbpmu_value(const struct nbpmu *pmu, unsigned n);
unsigned nbpmu_tag(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp);
bool nbpmu_gate_open(struct nbpmu *pmu, unsigned n, unsigned active);
unsigned nbpmu_filter(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open);
unsigned nbpmu_count(struct nbpmu *pmu, unsigned n, unsigned increment);
bool nbpmu_add(struct nbpmu *pmu, unsigned n, unsigned increment);
void nbpmu_overflow(struct nbpmu *pmu, unsigned n);
unsigned nbpmu_pmi_targets(struct nbpmu *pmu, unsigned n);
bool nbpmu_pmi_again(struct nbpmu *pmu, unsigned lp);
uint32_t nbpmu_route(struct nbpmu *pmu, unsigned n);
int nbpmu_link_source(const struct nbpmu *pmu, unsigned n, enum nbpmu_link link);
bool nbpmu_link_runs(struct nbpmu *pmu, unsigned n, enum nbpmu_link link);
bool nbpmu_counts(struct nbpmu *pmu, unsigned n);
uint32_t nbpmu_due(struct nbpmu *pmu);
uint64_t nbpmu_distance(const struct nbpmu *pmu, unsigned n);

#endif

/*
 * What a real board adds to a measurement (pmu-rules 8.4), all of it decided by one seed: SMIs, the skid of
 * PMIs (R54), wrong-path uops (pmu-rules 8.3), spurious interrupts and stray NMIs, uneven turns of the two
 * logical processors, and what a BIOS leaves behind in the PMU and the local APICs. Without a seed none of it
 * happens and every function here does nothing.
 */
#ifndef SIM_INJECT_NOISE_H
#define SIM_INJECT_NOISE_H

#include <stdbool.h>
#include <stdint.h>

struct machine;
struct core;
struct processor;
struct pmu_config;

struct noise {
    bool on;
    uint64_t state; /* of the generator */
};

/* Power-up: start from seed when on, and leave the PMUs and local APICs as a BIOS might (docs/noise.md). */
void noise_init(struct machine *machine, bool on, uint32_t seed);

/* The errata that strike at random moments: E1 and E2, known of every NetBurst part, and E9. Before the PMUs
 * are made. */
void noise_add_errata(struct pmu_config *config);

/* A number below limit, which is at least 1. */
uint32_t noise_below(struct noise *noise, uint32_t limit);

/* Length of the next turn on a core with two active logical processors; usual without noise. */
uint64_t noise_turn(struct machine *machine, uint64_t usual);

/* Core clock at which noise_run() has something to do. */
uint64_t noise_next(const struct machine *machine, const struct core *core);
/* Between two instructions: the disturbance whose time has come, and PMIs that arrive now. */
void noise_run(struct machine *machine, struct core *core);

/* The PMU raised a PMI for this processor: true when it is on its way and arrives later (R54). */
bool noise_delays_pmi(struct processor *processor);

/* A register write made counters of this core start to count: a disturbance may be due in the middle of it.
 */
void noise_counting(struct processor *processor);

/* A branch retired: now and then it was mispredicted and uops of the wrong path were counted. */
void noise_branch(const struct processor *processor);

#endif

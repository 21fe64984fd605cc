/*
 * What a real board adds to a measurement (pmu-rules 8.4), all of it decided by one seed: SMIs, the skid of
 * PMIs (R54), wrong-path uops (pmu-rules 8.3), spurious and unexpected interrupts, reads of other agents of
 * the bus, uneven quanta of the two logical processors, and what a BIOS leaves behind in the PMU and the
 * local APICs (docs/campaign.md). The errata that strike at random moments belong to it: E1 and E2,
 * known of every NetBurst part, and E9.
 */
#ifndef SIM_INJECT_NOISE_H
#define SIM_INJECT_NOISE_H

#include <stdint.h>
#include "sim/cpu/injector.h"
#include "sim/lib/random.h"
#include "sim/machine/machine.h"
#include "throttle.h"

struct noise {
    struct random random;
    struct machine *machine;
    uint64_t disturbance[MACHINE_CORES]; /* core clock of the next one */
    /* What kind of board the seed makes. */
    uint32_t interval_us, smi_us; /* between two disturbances, on average; of an SMI, at most */
    unsigned skid_log2;           /* a PMI comes up to 2^skid_log2 clocks late */
    uint32_t port_us;             /* by which an access to an I/O port takes longer */
    bool hot;                     /* so that TM1 stops the clocks now and then */
    struct throttle throttle;
    uint32_t agents_one_in; /* another agent of the bus reads at one branch of so many */
};

/* The noise of this seed, for machine_config.injectors. Fills in *noise, which must live as long as the
 * machine. */
struct injector noise_injector(struct noise *noise, uint32_t seed);

#endif

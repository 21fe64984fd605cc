/*
 * A second, deliberately naive statement of the PMU's rules (docs/pmu-rules.md, sections 2, 3, 4.1 to 4.5 and
 * 5), to hold the model against: one clock at a time, everything worked out from the registers again in every
 * clock, nothing remembered but what a rule says the hardware remembers. It is slow and obvious. It shares
 * with the model the register layout and the names in sim/netburst/nbpmu.h, variants included, and no line of
 * code.
 */
#ifndef TESTS_HOST_SECOND_MODEL_NAIVE_H
#define TESTS_HOST_SECOND_MODEL_NAIVE_H

#include <stdbool.h>
#include <stdint.h>
#include "pmc/netburst/regs.h"
#include "tests/host/support/model_kit.h"

#define NAIVE_POSTS 16   /* occurrences of one clock, at most */
#define NAIVE_MSRS  0x43 /* addresses 3A0H to 3E1H, indexed from the first */

struct naive_post {
    enum nbpmu_event event;
    uint16_t bits;
    unsigned lp, cpl, count;
};

/* The two ways in which one counter can be started by another (R34, R35). */
enum { NAIVE_CASCADE, NAIVE_CASCNT, NAIVE_LINKS };

struct naive_counter {
    uint64_t value, cccr;
    bool latched[NAIVE_LINKS]; /* latch reading of R33: the overflow has started this counter */
    bool was_running;          /* R25: not starting now */
    bool was_true;             /* R23: the comparison in the previous clock */
    bool overflowed;           /* OVF comes from an overflow, not from a write (R30) */
    bool awaits_count;         /* R46: the next count raises the PMI */
    bool raised;               /* R49: that count has come, OVF still stands */
    bool carried;              /* E2: its latest clock carried into bit 32 */
    unsigned early;            /* E20: counts that come without an event */
};

struct naive {
    struct model_config config;
    struct naive_counter counter[PMC_COUNTERS];
    uint64_t escr[NAIVE_MSRS];
    uint64_t other[3]; /* 3F0H to 3F2H */
    struct naive_post post[NAIVE_POSTS];
    unsigned posts;
};

/* ---- naive.c ---- */

/* Power-up state of the part (R1). */
void naive_reset(struct naive *naive, const struct model_config *config);
/* RDMSR and WRMSR; false means #GP(0). */
bool naive_rdmsr(const struct naive *naive, uint32_t msr, uint64_t *value);
bool naive_wrmsr(struct naive *naive, uint32_t msr, uint64_t value);

/* Report an event of the next clock, as nbpmu_event() takes it. */
void naive_post(struct naive *naive, struct naive_post post);
/* One clock. Returns the logical processors that get a PMI, bit 0 for LP0. */
unsigned naive_clock(struct naive *naive, const struct lp_state lps[NBPMU_LPS]);
/* LVTPC of lp is unmasked: does it get a PMI at once (R49)? */
bool naive_lvtpc_unmasked(const struct naive *naive, unsigned lp);

/* ---- naive_events.c ---- */

struct naive_event {
    enum nbpmu_event event;
    uint32_t escr0;   /* address of the unit's even ESCR; the odd one is next to it */
    uint8_t select;   /* event select */
    uint16_t members; /* mask bits that mean something */
    bool thread_independent;
    uint16_t level_members; /* members that are states of a clock: they are ORed, not added (R9) */
    uint8_t sides;          /* 1 = only the even ESCR has it, 2 = only the odd one, 3 = both */
};

/* The events of pmu-rules 4, ended by a row of NBPMU_NO_EVENT. */
extern const struct naive_event NAIVE_EVENTS[];

/* Address of the ESCR that the counter counts with this ESCR select; 0 for none (pmu-rules 2.2). */
uint32_t naive_route(unsigned counter, unsigned select);
/* Is this the address of an ESCR (pmu-rules 2.3)? */
bool naive_is_escr(uint32_t msr);
/* The value 0..15 that the ESCR at this address shows to its counters in this clock (pmu-rules 5.2). */
unsigned naive_value(const struct naive *naive, uint32_t msr, const struct lp_state lps[NBPMU_LPS]);

#endif

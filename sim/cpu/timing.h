/*
 * What instructions and accesses cost in clocks, by the model of the processor: measured costs (T1, pmu-rules
 * F1 and F5 to F7), or cheap ones in whole clocks, which no processor has (TIMING_KIND). With a seed, the
 * machine is one of those that silicon showed, and its accesses vary.
 *
 * Fractions of a clock are twelfths: thirds are needed for uops, and quarters for stores.
 */
#ifndef SIM_CPU_TIMING_H
#define SIM_CPU_TIMING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "sim/decode/cost.h"
#include "sim/decode/insn.h"
#include "sim/lib/random.h"

#define TWELFTHS 12u /* of a clock */

enum timing_kind {
    TIMING_KIND,    /* cheap accesses; no instruction takes a fraction of a clock */
    TIMING_TYPICAL, /* the costs that are usual on a processor of this model, always the same */
    TIMING_DRAWN    /* a machine drawn by a seed */
};

/* How the cost of an access of one machine varies from one access to the next. */
enum timing_spread {
    SPREAD_NONE,
    SPREAD_READ,  /* by 5 percent */
    SPREAD_WRMSR, /* by 3 percent; one in a hundred takes up to 30 percent longer (F2) */
    SPREAD_WIDE   /* over a part of the row's range, which the machine draws */
};

/* Processors with costs of their own: models 0 to 2; models 3 and 4; model 6. */
enum timing_group { TIMING_WILLAMETTE, TIMING_PRESCOTT, TIMING_CEDAR_MILL, TIMING_GROUPS };

struct timing_row {
    const char *name;
    double kind; /* clocks with TIMING_KIND; 0 for the clocks of the uops */
    struct {
        double typical, least, most; /* clocks, or microseconds */
    } of[TIMING_GROUPS];
    enum timing_spread spread;
    bool microseconds;
};

/* The table, by enum cost. A row of COST_UOPS is per uop. */
extern const struct timing_row TIMING_ROWS[COSTS];

struct timing {
    enum timing_kind kind;
    uint32_t cost[COSTS];               /* twelfths */
    uint32_t least[COSTS], most[COSTS]; /* of a drawn machine's rows of SPREAD_WIDE, in twelfths */
    unsigned fp_window;  /* instructions by which a floating-point or SIMD uop may execute late */
    unsigned sibling;    /* percent that an access to an MSR takes longer while the sibling is active (F2) */
    unsigned wrmsr_acts; /* percent of a WRMSR's clocks that pass before it takes effect (F3) */
    struct random random;
};

/* The group of a model number. */
enum timing_group timing_group(unsigned model);

/*
 * The timing of a processor of this model number with this core clock. The seed matters to TIMING_DRAWN
 * alone.
 */
void timing_init(struct timing *timing, enum timing_kind kind, uint32_t seed, unsigned model, uint32_t mhz);

/*
 * Set the clocks of a decoded instruction from its row and uops. An instruction of a row from COST_DRAWN on
 * gets 0: timing_draw() says what one execution costs.
 */
void timing_price(const struct timing *timing, struct insn *insn);

/* Clocks of one access of a row from COST_DRAWN on. */
uint32_t timing_draw(struct timing *timing, enum cost cost);
/* As timing_draw(), for an access that an active sibling slows down (F2). */
uint32_t timing_draw_shared(struct timing *timing, enum cost cost, bool sibling_active);

/* The row of a read or a write of this MSR. */
enum cost timing_of_rdmsr(uint32_t msr);
enum cost timing_of_wrmsr(uint32_t msr);

/* Write the table for this model number, a line for each row: usual costs, what machines and accesses vary
 * in. */
void timing_list(FILE *out, unsigned model);

#endif

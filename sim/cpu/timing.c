/*
 * What instructions and accesses cost in clocks on the machine that is simulated: as measured, or drawn from
 * a seed within what was measured (timing_table.c).
 */
#include "models.h"

#include "core.h"
#include "pmc/netburst/regs.h"

#define ACTS_TYPICAL    50u /* percent: nobody measured it (F3) */
#define ACTS_KIND       95u
#define SIBLING_TYPICAL 25u /* percent */
#define SIBLING_MOST    50u
#define WINDOW_TYPICAL  4u /* instructions: E, schedulers hold about a dozen uops */
#define WINDOW_MOST     12u
#define RARE            100u /* one access of so many is far off */

/* The group of a model number. */
static enum timing_group timing_group(unsigned model)
{
    return model <= 2 ? TIMING_WILLAMETTE : model <= 4 ? TIMING_PRESCOTT : TIMING_CEDAR_MILL;
}

/* ---- The machine ---- */

static uint32_t twelfths(const struct timing_row *row, double cost, uint32_t mhz)
{
    return (uint32_t)(cost * (row->microseconds ? mhz : 1) * TWELFTHS + 0.5);
}

static uint32_t between(struct random *random, uint32_t least, uint32_t most)
{
    return least + random_below(random, most - least + 1);
}

/* As between(), with small and large numbers equally likely: the range may span more than a factor of ten. */
static uint32_t between_log(struct random *random, uint32_t least, uint32_t most)
{
    uint32_t low = least, high = most;
    while (least > 0 && high / 2 > low) /* keep one of the halves by length in bits */
        if (random_below(random, 2))
            low *= 2;
        else
            high /= 2;
    return between(random, low, high);
}

static void draw_row(struct timing *timing, enum cost cost, uint32_t least, uint32_t most)
{
    if (TIMING_ROWS[cost].spread != SPREAD_WIDE) {
        timing->cost[cost] = between(&timing->random, least, most);
        return;
    }
    uint32_t one = between_log(&timing->random, least, most);
    uint32_t other = between_log(&timing->random, least, most);
    timing->least[cost] = one < other ? one : other;
    timing->most[cost] = one < other ? other : one;
}

void timing_init(struct timing *timing, enum timing_kind kind, uint32_t seed, unsigned model, uint32_t mhz)
{
    enum timing_group group = timing_group(model);
    *timing = (struct timing){.kind = kind, .random = random_of_seed(seed), .wrmsr_acts = ACTS_KIND};
    if (kind == TIMING_TYPICAL) {
        timing->wrmsr_acts = ACTS_TYPICAL;
        timing->sibling = SIBLING_TYPICAL;
        timing->fp_window = WINDOW_TYPICAL;
    } else if (kind == TIMING_DRAWN) {
        timing->wrmsr_acts = between(&timing->random, 0, 100);
        timing->sibling = between(&timing->random, 0, SIBLING_MOST);
        timing->fp_window = between(&timing->random, 0, WINDOW_MOST);
    }
    for (unsigned cost = 0; cost < COSTS; cost++) {
        const struct timing_row *row = &TIMING_ROWS[cost];
        double usual = kind == TIMING_KIND ? row->kind : row->of[group].typical;
        timing->cost[cost] = twelfths(row, usual, mhz);
        if (kind == TIMING_DRAWN)
            draw_row(timing, cost, twelfths(row, row->of[group].least, mhz),
                     twelfths(row, row->of[group].most, mhz));
    }
}

/* ---- Costs ---- */

void timing_price(const struct timing *timing, struct insn *insn)
{
    uint32_t uops = insn->uops * timing->cost[COST_UOPS], cost = timing->cost[insn->cost];
    if (insn->cost >= COST_DRAWN)
        cost = 0;
    else if (timing->kind == TIMING_KIND && cost == 0)
        cost = (insn->uops + UOPS_PER_CLOCK - 1) / UOPS_PER_CLOCK * TWELFTHS;
    else if (timing->kind != TIMING_KIND && cost < uops && !(insn->flags & INSN_MICROCODED))
        cost = uops;
    insn->clocks = (uint16_t)(cost / TWELFTHS);
    insn->twelfths = (uint8_t)(cost % TWELFTHS);
}

static uint32_t varied(struct timing *timing, enum timing_spread spread, uint32_t cost)
{
    struct random *random = &timing->random;
    if (spread == SPREAD_READ)
        return cost * between(random, 95, 105) / 100;
    uint32_t percent = random_below(random, RARE) == 0 ? between(random, 100, 130) : between(random, 97, 103);
    return cost * percent / 100;
}

uint32_t timing_draw(struct timing *timing, enum cost cost)
{
    enum timing_spread spread = TIMING_ROWS[cost].spread;
    uint32_t drawn = timing->cost[cost];
    if (timing->kind == TIMING_DRAWN)
        drawn = spread == SPREAD_WIDE ? between(&timing->random, timing->least[cost], timing->most[cost])
                                      : varied(timing, spread, drawn);
    return (drawn + TWELFTHS / 2) / TWELFTHS;
}

uint32_t timing_draw_shared(struct timing *timing, enum cost cost, bool sibling_active)
{
    uint32_t clocks = timing_draw(timing, cost);
    return sibling_active ? clocks * (100 + timing->sibling) / 100 : clocks;
}

static bool is_counter(uint32_t msr)
{
    return msr >= MSR_COUNTER(0) && msr < MSR_COUNTER(NBPMU_COUNTERS);
}

static bool is_cccr(uint32_t msr)
{
    return msr >= MSR_CCCR(0) && msr < MSR_CCCR(NBPMU_COUNTERS);
}

static bool is_escr(uint32_t msr)
{
    return msr >= MSR_BSU_ESCR0 && msr <= MSR_CRU_ESCR5;
}

enum cost timing_of_rdmsr(uint32_t msr)
{
    if (is_counter(msr))
        return COST_RDMSR_COUNTER;
    return is_cccr(msr) || is_escr(msr) ? COST_RDMSR_SELECT : COST_RDMSR_OTHER;
}

enum cost timing_of_wrmsr(uint32_t msr)
{
    if (is_counter(msr))
        return COST_WRMSR_COUNTER;
    if (is_cccr(msr))
        return COST_WRMSR_CCCR;
    return is_escr(msr) ? COST_WRMSR_ESCR : COST_WRMSR_OTHER;
}

/* ---- The list ---- */

void timing_list(FILE *out, unsigned model)
{
    static const char *const SPREADS[] = {
        [SPREAD_NONE] = "",
        [SPREAD_READ] = "each by 5 %",
        [SPREAD_WRMSR] = "each by 3 %, one in 100 up to 30 % longer",
        [SPREAD_WIDE] = "each within a part of the range",
    };
    enum timing_group group = timing_group(model);
    fprintf(out, "%-26s %8s %8s %8s\n", "clocks", "typical", "least", "most");
    for (unsigned cost = 0; cost < COSTS; cost++) {
        const struct timing_row *row = &TIMING_ROWS[cost];
        fprintf(out, "%-26s %8.4g %8.4g %8.4g  %s%s\n", row->name, row->of[group].typical,
                row->of[group].least, row->of[group].most, row->microseconds ? "us; " : "",
                SPREADS[row->spread]);
    }
    fprintf(out, "%-26s %8u %8u %8u  percent of its clocks, once for a machine\n", "point where WRMSR acts",
            ACTS_TYPICAL, 0u, 100u);
    fprintf(out, "%-26s %8u %8u %8u  percent, once for a machine\n", "MSRs with an active sibling",
            SIBLING_TYPICAL, 0u, SIBLING_MOST);
    fprintf(out, "%-26s %8u %8u %8u  instructions, once for a machine\n", "uops of FLAME out of order",
            WINDOW_TYPICAL, 0u, WINDOW_MOST);
}

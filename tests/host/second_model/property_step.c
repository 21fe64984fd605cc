/*
 * Steps that make things happen: ESCRs that select a few "hot" events, counters preset just below their
 * overflow and routed to those ESCRs, CCCR bits in all combinations; and now and then anything at all.
 */
#include "property.h"

#include <inttypes.h>
#include <stdio.h>
#include "pmc/count_of.h"

/* ---- Chance ---- */

uint64_t race_random(struct race *race)
{
    return random_bits(&race->random);
}

unsigned race_below(struct race *race, unsigned n)
{
    return random_below(&race->random, n);
}

bool race_chance(struct race *race, unsigned percent)
{
    return race_below(race, 100) < percent;
}

static uint64_t maybe(struct race *race, unsigned percent, uint64_t bits)
{
    return race_chance(race, percent) ? bits : 0;
}

unsigned property_counter(uint32_t escr, unsigned from, unsigned *select)
{
    for (unsigned i = 0; i < PMC_COUNTERS; i++)
        for (*select = 0; *select < 8; ++*select)
            if (naive_route((from + i) % PMC_COUNTERS, *select) == escr)
                return (from + i) % PMC_COUNTERS;
    return 0;
}

/* ---- Steps ---- */

static void write_both(struct race *race, uint32_t msr, uint64_t value)
{
    bool model = nbpmu_wrmsr(race->model, 0, msr, value), naive = naive_wrmsr(&race->naive, msr, value);

    if (race->narrate)
        fprintf(stderr, "  write %03" PRIX32 "H := %" PRIX64 "H%s\n", msr, value, naive ? "" : " (#GP)");
    if (model != naive)
        snprintf(race->result.difference, sizeof race->result.difference,
                 "writing %" PRIX64 "H to %" PRIX32 "H: the model says %s", value, msr,
                 model ? "good" : "#GP");
}

static void step_escr(struct race *race)
{
    const struct naive_event *row = race->hot[race_below(race, HOT)];
    uint32_t msr = row->escr0 + (row->sides == 3 ? race_below(race, 2) : row->sides - 1u);
    bool bsq = row->event == NBPMU_BSQ_ALLOCATION || row->event == NBPMU_BSQ_ACTIVE_ENTRIES;
    uint64_t mask = race_chance(race, 30) ? row->members
                    : bsq                 ? race->code
                                          : race_random(race) & row->members;
    uint64_t value = ESCR_EVENT_SELECT(race_chance(race, 92) ? row->select : race_random(race)) |
                     ESCR_EVENT_MASK(race_chance(race, 92) ? mask : race_random(race)) |
                     maybe(race, 10, ESCR_TAG_ENABLE) | ESCR_TAG_VALUE(maybe(race, 10, race_random(race)));

    value |= race_chance(race, 60) ? (race->naive.config.part.lps == 2 ? ESCR_CPL_MASK : ESCR_T0_ALL)
                                   : race_random(race) & 0xF;
    if (race_chance(race, 3))
        value ^= 1ull << race_below(race, 64);
    write_both(race, msr, value);
    if (row->sides == 2 &&
        race_chance(race, 90)) /* the odd ones want the allocation event beside them (pmu-rules 4.1) */
        write_both(race, msr - 1,
                   ESCR_EVENT_SELECT(row->event == NBPMU_IOQ_ACTIVE_ENTRIES ? 0x03 : 0x05) |
                       (value & ~ESCR_SELECT_MASK & FIELD_MASK(30, 0)));
}

static void step_cccr(struct race *race)
{
    const struct naive_event *row = race->hot[race_below(race, HOT)];
    unsigned select,
        n = property_counter(row->escr0 + race_below(race, 2), race_below(race, PMC_COUNTERS), &select);
    uint64_t value = CCCR_ESCR_SELECT(race_chance(race, 92) ? select : race_random(race));

    value |= CCCR_ACTIVE_THREAD(race_chance(race, 75) ? ACTIVE_ANY : race_random(race)) |
             maybe(race, 60, CCCR_ENABLE) | maybe(race, 40, CCCR_CASCADE) |
             maybe(race, n >= 12 ? 30 : 2, CCCR_CASCNT) | maybe(race, 30, CCCR_COMPARE) |
             maybe(race, 30, CCCR_COMPLEMENT) |
             CCCR_THRESHOLD(race_chance(race, 70) ? race_below(race, 4) : race_random(race)) |
             maybe(race, 30, CCCR_EDGE) | maybe(race, 8, CCCR_FORCE_OVF) | maybe(race, 40, CCCR_OVF_PMI_T0) |
             maybe(race, race->naive.config.part.lps == 2 ? 40 : 2, CCCR_OVF_PMI_T1) |
             maybe(race, 12, CCCR_OVF);
    if (race_chance(race, 4))
        value ^= 1ull << race_below(race, 64);
    write_both(race, MSR_CCCR(n), value);
}

/* Read a CCCR, change one bit, write it back, as software does while counters run. */
static void step_modify(struct race *race)
{
    static const uint64_t BITS[] = {CCCR_OVF,        CCCR_OVF,       CCCR_ENABLE,    CCCR_ENABLE,
                                    CCCR_CASCADE,    CCCR_CASCNT,    CCCR_COMPARE,   CCCR_EDGE,
                                    CCCR_COMPLEMENT, CCCR_FORCE_OVF, CCCR_OVF_PMI_T0};
    unsigned n = race_below(race, PMC_COUNTERS);
    uint64_t value = 0;

    for (unsigned i = 0; i < PMC_COUNTERS && value == 0; i++, n = (n + 1) % PMC_COUNTERS)
        naive_rdmsr(&race->naive, MSR_CCCR(n), &value);
    write_both(race, MSR_CCCR((n + PMC_COUNTERS - 1) % PMC_COUNTERS),
               value ^ BITS[race_below(race, COUNT_OF(BITS))]);
}

static void step_counter(struct race *race)
{
    unsigned select, n = property_counter(race->hot[race_below(race, HOT)]->escr0 + race_below(race, 2),
                                          race_below(race, PMC_COUNTERS), &select);
    uint64_t below_a_carry = (1ull << race_below(race, COUNTER_BITS)) - race_below(race, 6);
    uint64_t value = race_chance(race, 80)   ? COUNTER_OVERFLOW_IN(1 + race_below(race, 6))
                     : race_chance(race, 40) ? below_a_carry & COUNTER_MASK
                     : race_chance(race, 90) ? race_random(race) & COUNTER_MASK
                                             : race_random(race);

    write_both(race, MSR_COUNTER(n), value);
}

/* Write a random value to a random register. */
static void step_anything(struct race *race)
{
    uint32_t msr = MSR_COUNTER(0) + race_below(race, MSR_PEBS_MATRIX_VERT + 1 - MSR_COUNTER(0));

    write_both(race, msr, race_random(race) & race_random(race));
}

static void step_processors(struct race *race)
{
    for (unsigned lp = 0; lp < (race->naive.config.part.lps == 2 ? NBPMU_LPS : 1u); lp++)
        race->lps[lp] =
            (struct lp_state){race_chance(race, 75), race_chance(race, 60) ? 0 : 1 + race_below(race, 3)};
}

/* Random mask bits for an occurrence of the event (see nbpmu_event()). */
static uint16_t occurrence(struct race *race, const struct naive_event *row)
{
    unsigned bits;

    switch (row->event) {
    case NBPMU_IOQ_ALLOCATION:
    case NBPMU_IOQ_ACTIVE_ENTRIES:
        return (uint16_t)(1u << race_below(race, 5) | 1u << (5 + race_below(race, 2)) |
                          1u << (7 + race_below(race, 5)) | 1u << (13 + race_below(race, 2)) |
                          maybe(race, 10, 0x8000));
    case NBPMU_BSQ_ALLOCATION:
    case NBPMU_BSQ_ACTIVE_ENTRIES:
        return (race->code | maybe(race, 20, 1u << race_below(race, 16))) & row->members;
    case NBPMU_EXECUTION_EVENT:
        return (uint16_t)((race_random(race) & row->members) | 1);
    default: /* mostly of one member, else of several, states and counted ones mixed (R9) */
        do
            bits = race_chance(race, 75) ? 1u << race_below(race, 16) : (unsigned)race_random(race);
        while ((bits & row->members) == 0);
        return bits & row->members;
    }
}

/* Draw the events of a clock. */
static void draw_posts(struct race *race)
{
    race->posts = 0;
    for (unsigned draws = race_below(race, 4); draws > 0; draws--) {
        const struct naive_event *row = race->hot[race_below(race, HOT)];
        struct naive_post post = {row->event, occurrence(race, row),
                                  race->naive.config.part.lps == 2 ? race_below(race, NBPMU_LPS) : 0,
                                  race_chance(race, 60) ? 0 : 1 + race_below(race, 3),
                                  race_chance(race, 70) ? 1 : 1 + race_below(race, 15)};

        if (row->event == NBPMU_GLOBAL_POWER_EVENTS)
            continue; /* both sides make it themselves */
        race->post[race->posts++] = post;
        if (race->narrate)
            fprintf(stderr, "  post %s %XH x %u by LP%u at CPL %u\n", nbpmu_event_name(post.event), post.bits,
                    post.count, post.lp, post.cpl);
    }
}

/* Report them to the model, but only half of those that are not active (nbpmu_active_events()). Returns
 * whether any was reported. */
static bool report(struct race *race)
{
    uint64_t active = nbpmu_active_events(race->model);
    bool reported = false;

    for (unsigned i = 0; i < race->posts; i++) {
        struct naive_post post = race->post[i];

        if ((active >> post.event & 1) == 0 && race_chance(race, 50))
            continue;
        drive_events(race->model, post.event, post.bits, post.lp, post.cpl, post.count);
        reported = true;
    }
    return reported;
}

/* Let as many of these clocks pass at once as one of the ways allows; *clocks says how many. Returns who gets
 * a PMI. */
static unsigned pass(struct race *race, bool repeated, unsigned *clocks)
{
    bool reported = report(race);
    uint64_t passed = *clocks;
    unsigned raised;

    if (!reported && (nbpmu_active_events(race->model) >> NBPMU_NO_EVENT & 1) == 0 && race_chance(race, 50))
        return 0;
    drive_states(race->model, race->lps);
    if (race->singly) {
        *clocks = 1;
        return nbpmu_advance(race->model, 1);
    }
    if (repeated) {
        raised = nbpmu_repeat(race->model, &passed);
        *clocks = (unsigned)passed;
        return raised;
    }
    if (!reported && nbpmu_quiet(race->model) > 0 && race_chance(race, 75)) {
        if (nbpmu_quiet(race->model) < *clocks)
            *clocks = (unsigned)nbpmu_quiet(race->model);
        nbpmu_skip(race->model, *clocks);
        return 0;
    }
    if (race_chance(race, 50))
        *clocks = 1;
    raised = nbpmu_advance(race->model, *clocks);
    if (raised && race_chance(race, 25)) {
        nbpmu_pmi_undelivered(race->model);
        race->undelivered = nbpmu_quiet(race->model) > 0;
    }
    return raised;
}

/* The events happen in the first of the clocks, or, if they are repeated, in each. */
static void step_clocks(struct race *race)
{
    unsigned clocks = race_chance(race, 75) ? 1 : 1 + race_below(race, 40), model = 0, naive = 0;
    bool repeated = race_chance(race, 30);

    draw_posts(race);
    if (race->narrate)
        fprintf(stderr, "  %u %sclock%s, LP0 %s at CPL %u, LP1 %s at CPL %u\n", clocks,
                repeated ? "repeated " : "", clocks > 1 ? "s" : "", race->lps[0].active ? "active" : "halted",
                race->lps[0].cpl, race->lps[1].active ? "active" : "halted", race->lps[1].cpl);
    for (unsigned i = 0; i < clocks; i++) {
        for (unsigned post = 0; post < race->posts && (repeated || i == 0); post++)
            naive_post(&race->naive, race->post[post]);
        naive |= naive_clock(&race->naive, race->lps);
    }
    const struct random next = race->random; /* what comes after these clocks is the same in every way */
    /* While the clocks are quiet, a PMI that was not delivered need not be raised again. */
    race->undelivered = race->undelivered && nbpmu_quiet(race->model) > 0;
    for (unsigned left = clocks, passed; left > 0; left -= passed) {
        passed = left;
        model |= pass(race, repeated, &passed);
        race->posts = repeated ? race->posts : 0;
    }
    race->random = next;
    race->result.clocks += clocks;
    if (race->undelivered ? (model & ~naive) != 0 : model != naive)
        snprintf(race->result.difference, sizeof race->result.difference,
                 "PMIs to (bit 0 = LP0): %u from the model, %u by the rules", model, naive);
}

static void step_unmask(struct race *race)
{
    unsigned lp = race_below(race, race->naive.config.part.lps == 2 ? NBPMU_LPS : 1);
    bool naive = naive_lvtpc_unmasked(&race->naive, lp), model = nbpmu_lvtpc_unmasked(race->model, lp);

    if (race->narrate)
        fprintf(stderr, "  LVTPC of LP%u unmasked\n", lp);
    if (model != naive)
        snprintf(race->result.difference, sizeof race->result.difference,
                 "LVTPC of LP%u unmasked: %s PMI from the model", lp, model ? "a" : "no");
}

/* A counter that is enabled passes a carry into bit 32 or out of bit 39, or nearly so, and is stopped (E2).
 */
static void step_stop(struct race *race)
{
    unsigned n = race_below(race, PMC_COUNTERS);
    uint64_t cccr = 0, top = race_chance(race, 75) ? 1ull << 32 : COUNTER_MASK + 1;

    for (unsigned i = 0; i < PMC_COUNTERS && (cccr & CCCR_ENABLE) == 0; i++) {
        n = (n + 1) % PMC_COUNTERS;
        naive_rdmsr(&race->naive, MSR_CCCR(n), &cccr);
    }
    write_both(race, MSR_COUNTER(n), top - 1 - race_below(race, 3));
    for (unsigned clocks = 1 + race_below(race, 4); clocks > 0; clocks--)
        step_clocks(race);
    write_both(race, MSR_CCCR(n), cccr & ~CCCR_ENABLE);
}

static void step_reset(struct race *race)
{
    struct model_config config = race->naive.config;

    if (race->narrate)
        fprintf(stderr, "  RESET\n");
    nbpmu_reset(race->model);
    naive_reset(&race->naive, &config);
}

void property_step(struct race *race, bool setting_up)
{
    static const struct {
        unsigned setup, later; /* share of the steps, in 1000 */
        void (*go)(struct race *);
    } STEP[] = {{320, 40, step_escr},   {400, 60, step_cccr},   {180, 40, step_counter},
                {20, 110, step_modify}, {5, 10, step_anything}, {30, 60, step_processors},
                {5, 40, step_unmask},   {0, 40, step_stop},     {0, 4, step_reset},
                {40, 596, step_clocks}};
    unsigned kind = 0, dice = race_below(race, 1000);

    for (; dice >= (setting_up ? STEP[kind].setup : STEP[kind].later); kind++)
        dice -= setting_up ? STEP[kind].setup : STEP[kind].later;
    STEP[kind].go(race);
}

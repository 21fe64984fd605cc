/*
 * Register programs: can software notice a fault at all? A program is a drawn sequence of accesses, events
 * and clocks, which a sound PMU and one with the fault both go through. What software can read is compared
 * after each step: the registers, what an access gives, #GP, PMIs, and tags, by which a uop is counted later.
 */
#include "faults.h"

#include <string.h>

#define HOT   4  /* counters that a program uses most */
#define STEPS 60 /* of a program, but for a history that takes longer */

struct program {
    uint64_t random;
    struct nbpmu *pmu[2]; /* sound, with the fault */
    const struct nbpmu_part *part;
    const struct nbpmu_composition *composition;
    uint32_t cccr, flags; /* what the conditions of the fault ask for */
    bool no_mask, no_flags;
    unsigned counter[HOT];
    uint32_t escr[HOT]; /* that each of them selects, */
    unsigned select[HOT];
    enum nbpmu_event event[HOT]; /* and the event there */
    bool differs;
};

static unsigned below(struct program *program, unsigned n)
{
    return nbpmu_drawn_below(&program->random, n);
}

static bool chance(struct program *program, unsigned percent)
{
    return below(program, 100) < percent;
}

static uint64_t maybe(struct program *program, unsigned percent, uint64_t bits)
{
    return chance(program, percent) ? bits : 0;
}

/* ---- What a program uses ---- */

/* With FORCE_OVF a counter overflows at each count, and its PMI is due at the next one. */
#define FORCES CCCR_FORCE_OVF

/* What the CCCR of a counter has, so that the fault can act at all. */
static uint32_t cccr_of_fault(const struct nbpmu_composition *composition)
{
    const enum deviation deviation = deviation_of(composition);
    const enum stage stage = stage_of(composition);
    const uint32_t of_overflows =
        stage == STAGE_OVF || stage == STAGE_REQUEST || stage == STAGE_TARGETS ? FORCES : 0;
    switch (stage) {
    case STAGE_THRESHOLD:
    case STAGE_COMPLEMENT:
        return CCCR_COMPARE;
    case STAGE_EDGE:
        return CCCR_COMPARE | CCCR_EDGE;
    default:
        return deviation == DEVIATION_RESTARTS_EDGE    ? CCCR_COMPARE | CCCR_EDGE
               : deviation == DEVIATION_CLEARS_CASCADE ? CCCR_CASCADE
               : deviation == DEVIATION_CLEARS_BIT_11  ? CCCR_CASCNT
               : deviation == DEVIATION_CLEARS_REQUEST ? FORCES
               : deviation == DEVIATION_DELAYS_REQUEST ? FORCES
               : composition->history == HISTORY_AFTER ? of_overflows
                                                       : 0;
    }
}

/* Make it likely that the conditions hold. */
static void look_at_conditions(struct program *program)
{
    const struct nbpmu_composition *composition = program->composition;
    program->cccr = cccr_of_fault(composition);
    if (nbpmu_fault_asks_for(composition, "due"))
        program->cccr |= FORCES;
    if (nbpmu_fault_asks_for(composition, "awaited x-ovf x-enabled x-armed x-started"))
        program->cccr |= CCCR_CASCADE;
    program->flags = ESCR_CPL_MASK;
    program->no_mask = program->no_flags = false;
    for (unsigned i = 0; i < NBPMU_FAULT_CONDITIONS && program->composition->condition[i]; i++) {
        const struct condition *condition = condition_of(program->composition->condition[i]);
        if (program->composition->condition[i] & CONDITION_NOT)
            continue;
        program->cccr |= condition->cccr;
        program->no_mask |= strcmp(condition->name, "no-mask") == 0;
        program->no_flags |= strcmp(condition->name, "no-flags") == 0;
        program->flags &= condition->flags ? condition->flags : ESCR_CPL_MASK;
    }
    program->flags = program->flags == ESCR_CPL_MASK ? 0 : program->flags;
}

/* A history needs so many steps. */
static unsigned steps_of(const struct program *program)
{
    const struct nbpmu_composition *composition = program->composition;
    const bool counts = composition->history == HISTORY_AFTER || composition->history == HISTORY_EVERY;
    return counts ? STEPS * (composition->number < 10 ? composition->number + 1 : 10) : STEPS;
}

#define ESCR_SELECTS 8

/* An event that can be counted by this ESCR, that of the fault's place if it can; NBPMU_NO_EVENT: none. */
static enum nbpmu_event event_of_escr(struct program *program, uint32_t msr)
{
    const int place = place_of(program->composition, PLACE_EVENT);
    enum nbpmu_event found = NBPMU_NO_EVENT;
    unsigned of = 0;
    if (place >= 0 &&
        nbpmu_event_of(msr, nbpmu_event_info((enum nbpmu_event)place)->select) == (enum nbpmu_event)place)
        return (enum nbpmu_event)place;
    for (enum nbpmu_event event = NBPMU_NO_EVENT + 1; msr && event < NBPMU_EVENTS; event++) {
        const struct nbpmu_event_info *info = nbpmu_event_info(event);
        const bool here = info->escr0 == (msr & ~1u) && (msr & 1 ? info->on1 : info->on0);
        if (here && below(program, ++of) == 0)
            found = event;
    }
    return found;
}

/* One of the ESCRs that the counter can select, and an event there. */
static void choose_route(struct program *program, unsigned i, uint32_t wanted)
{
    for (unsigned tries = 0; tries < 100; tries++) {
        const unsigned select = below(program, ESCR_SELECTS);
        const uint32_t msr = nbpmu_escr_route(program->counter[i], select);
        if (wanted && tries < 50 && (msr & ~1u) != (wanted & ~1u))
            continue;
        program->event[i] = event_of_escr(program, msr);
        program->select[i] = select;
        program->escr[i] = msr;
        if (program->event[i] || (wanted && msr == wanted))
            return;
    }
}

/* The fourth counter: by which the fault starts n, or that it affects in another block; else one of the same
 * block, or any. */
static unsigned far_counter(struct program *program, unsigned n)
{
    const struct nbpmu_composition *composition = program->composition;
    const int on = place_of(composition, PLACE_ON);
    if (nbpmu_fault_asks_for(composition, "x-started") && n >= 16)
        return partner_of(partner_of(n)); /* it can start the partner, which can start n */
    if (deviation_of(composition) == DEVIATION_ALSO_BY)
        return composition->amount;
    if (on >= 0 && on != ON_ALL)
        return (n + 7) % PMC_COUNTERS; /* ON_OTHER_BLOCK */
    if (on == ON_ALL || !chance(program, 50))
        return below(program, PMC_COUNTERS);
    return nbpmu_block_of(n) == 3 ? 16 + below(program, 2) : n ^ 3;
}

/* The ESCR that the place of the fault names, or one that has its event; 0: any. */
static uint32_t wanted_escr(struct program *program)
{
    const struct nbpmu_composition *composition = program->composition;
    const int escr = place_of(composition, PLACE_ESCR), event = place_of(composition, PLACE_EVENT);
    if (escr >= 0)
        return ESCR_MSR(escr);
    if (event < 0)
        return 0;
    const struct nbpmu_event_info *info = nbpmu_event_info((enum nbpmu_event)event);
    return info->escr0 + (info->on1 && (!info->on0 || chance(program, 50)) ? 1u : 0u);
}

/* The counters around the place of the fault: the counter itself, its neighbour, its cascade partner, and one
 * more. */
static void choose_counters(struct program *program, const struct nbpmu_composition *composition)
{
    const int at = place_of(composition, PLACE_COUNTER);
    const int pair = place_of(composition, PLACE_PAIR), block = place_of(composition, PLACE_BLOCK);
    const uint32_t wanted = chance(program, 80) ? wanted_escr(program) : 0;
    unsigned n = below(program, PMC_COUNTERS);
    for (unsigned tries = 0; tries < 200; tries++, n = below(program, PMC_COUNTERS))
        if ((pair < 0 || n / 2 == (unsigned)pair) && (block < 0 || nbpmu_block_of(n) == (unsigned)block) &&
            (!wanted || nbpmu_counter_reaches(n, wanted)))
            break;
    if (at >= 0)
        n = (unsigned)at;
    program->counter[0] = n;
    program->counter[1] = n ^ 1;
    program->counter[2] = partner_of(n);
    program->counter[3] = far_counter(program, n);
    for (unsigned i = 0; i < HOT; i++)
        choose_route(program, i, i == 0 ? wanted : chance(program, 50) ? program->escr[0] : 0);
}

/* ---- Comparing ---- */

static void compare(struct program *program)
{
    const struct nbpmu *sound = program->pmu[0], *faulty = program->pmu[1];
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        struct nbpmu_view of_sound, of_faulty;
        nbpmu_look(sound, n, &of_sound);
        nbpmu_look(faulty, n, &of_faulty);
        program->differs |=
            of_sound.value != of_faulty.value || sound->counter[n].cccr != faulty->counter[n].cccr;
    }
    for (unsigned i = 0; i < ESCR_INDICES; i++)
        program->differs |= sound->escr[i].value != faulty->escr[i].value;
}

static void compare_results(struct program *program, uint64_t sound, uint64_t faulty)
{
    program->differs |= sound != faulty;
}

/* ---- Steps ---- */

static unsigned any_lp(struct program *program)
{
    return below(program, program->part->lps);
}

static void write_both(struct program *program, uint32_t msr, uint64_t value)
{
    const unsigned lp = any_lp(program);
    const bool sound = nbpmu_wrmsr(program->pmu[0], lp, msr, value);
    compare_results(program, sound, nbpmu_wrmsr(program->pmu[1], lp, msr, value));
}

static void write_escr(struct program *program, unsigned i)
{
    const struct nbpmu_event_info *info = nbpmu_event_info(program->event[i]);
    const unsigned often = stage_of(program->composition) == STAGE_TAG ? 80 : 15;
    uint64_t mask = chance(program, 70) ? UINT16_MAX : nbpmu_drawn_bits(&program->random) & UINT16_MAX;
    uint64_t flags = chance(program, 60) ? ESCR_CPL_MASK : nbpmu_drawn_bits(&program->random) & ESCR_CPL_MASK;
    if (program->flags && chance(program, 80))
        flags = program->flags;
    if (program->no_mask && chance(program, 80))
        mask = 0;
    if (program->no_flags && chance(program, 80))
        flags = 0;
    uint64_t value =
        ESCR_EVENT_SELECT(program->event[i] && chance(program, 92) ? info->select : below(program, 64)) |
        ESCR_EVENT_MASK(mask) | flags | maybe(program, often, ESCR_TAG_ENABLE) |
        ESCR_TAG_VALUE(maybe(program, often, below(program, 16)));
    if (chance(program, 4))
        value |= ESCR_RESERVED_31;
    write_both(program, program->escr[i], value);
    /* The entries of a queue are counted beside its allocations, by the same mask (pmu-rules 4.1). */
    const enum nbpmu_event beside = program->event[i] == NBPMU_IOQ_ACTIVE_ENTRIES   ? NBPMU_IOQ_ALLOCATION
                                    : program->event[i] == NBPMU_BSQ_ACTIVE_ENTRIES ? NBPMU_BSQ_ALLOCATION
                                                                                    : NBPMU_NO_EVENT;
    if (beside)
        write_both(program, program->escr[i] & ~1u,
                   ESCR_EVENT_SELECT(nbpmu_event_info(beside)->select) | ESCR_EVENT_MASK(mask) | flags);
}

static void write_cccr(struct program *program, unsigned i)
{
    static const uint32_t THRESHOLDS[] = {0, 0, 0, 1, 1, 2, 3, 4, 8, 15};
    /* A history of so many acts begins anew when the CCCR is 0. */
    const unsigned zeros = program->composition->history == HISTORY_AFTER ? 2 : 15;
    uint64_t value = 0;
    if (!chance(program, zeros))
        value = CCCR_ESCR_SELECT(program->select[i]) |
                CCCR_ACTIVE_THREAD(chance(program, 70) ? ACTIVE_ANY : below(program, 4)) |
                maybe(program, 65, CCCR_ENABLE) | maybe(program, 50, CCCR_COMPARE) |
                maybe(program, 30, CCCR_COMPLEMENT) |
                CCCR_THRESHOLD(THRESHOLDS[below(program, COUNT_OF(THRESHOLDS))]) |
                maybe(program, 35, CCCR_EDGE) | maybe(program, 15, CCCR_FORCE_OVF) |
                maybe(program, 40, CCCR_OVF_PMI_T0) | maybe(program, 30, CCCR_OVF_PMI_T1) |
                maybe(program, 35, CCCR_CASCADE) | maybe(program, 30, CCCR_CASCNT) |
                maybe(program, 20, CCCR_OVF) | maybe(program, 70, program->cccr);
    write_both(program, MSR_CCCR(program->counter[i]), value);
}

/* Mostly some counts below an overflow, or below the carry into another bit. */
static void write_counter(struct program *program, unsigned i)
{
    const int at = place_of(program->composition, PLACE_BIT);
    const unsigned bit = at >= 0 && chance(program, 40) ? (unsigned)at
                         : chance(program, 60)          ? COUNTER_BITS
                                                        : below(program, COUNTER_BITS + 1);
    const uint64_t value = chance(program, 10) ? nbpmu_drawn_bits(&program->random)
                                               : (1ull << bit) - 1 - below(program, 6) + below(program, 3);
    write_both(program, MSR_COUNTER(program->counter[i]), value);
}

/* What an occurrence of the event of ESCR i is: all that the ESCR selects, one member, or any. */
static uint16_t drawn_members(struct program *program, unsigned i)
{
    if (program->escr[i] && chance(program, 25))
        return program->pmu[0]->escr[ESCR_INDEX(program->escr[i])].mask;
    return (uint16_t)(chance(program, 60) ? 1u << below(program, 16) : nbpmu_drawn_bits(&program->random));
}

static void post_events(struct program *program)
{
    const unsigned posts = below(program, 4);
    for (unsigned post = 0; post < posts; post++) {
        const unsigned i = below(program, HOT), lp = any_lp(program),
                       count = 1 + below(program, chance(program, 90) ? 3 : 16);
        const enum nbpmu_event event = program->event[i];
        const uint16_t bits = drawn_members(program, i) & nbpmu_event_info(event)->members;
        if (event == NBPMU_NO_EVENT || !bits)
            continue;
        for (unsigned which = 0; which < 2; which++)
            nbpmu_event(program->pmu[which], lp, event, bits, count);
        const unsigned bit = below(program, 16);
        compare_results(program, nbpmu_tags(program->pmu[0], lp, event, bit),
                        nbpmu_tags(program->pmu[1], lp, event, bit));
    }
}

static void pass_clocks(struct program *program)
{
    const uint64_t clocks = chance(program, 80) ? 1 : 1 + below(program, 200);
    post_events(program);
    const unsigned sound = nbpmu_advance(program->pmu[0], clocks);
    compare_results(program, sound, nbpmu_advance(program->pmu[1], clocks));
}

static void change_lp(struct program *program)
{
    static const uint8_t CPLS[] = {0, 0, 3, 3, 1};
    const unsigned lp = any_lp(program), cpl = CPLS[below(program, COUNT_OF(CPLS))];
    const bool active = chance(program, 70);
    for (unsigned which = 0; which < 2; which++)
        nbpmu_set_lp(program->pmu[which], lp, active, cpl);
}

static void read_one(struct program *program)
{
    const unsigned lp = any_lp(program), i = below(program, HOT), n = program->counter[i];
    const uint32_t msr[] = {MSR_COUNTER(n), MSR_CCCR(n), program->escr[i] ? program->escr[i] : MSR_CCCR(n)};
    const uint32_t at = msr[below(program, COUNT_OF(msr))];
    const uint32_t ecx =
        (chance(program, 95) ? n : below(program, 64)) | (chance(program, 40) ? RDPMC_FAST : 0);
    const bool pce = chance(program, 70), by_rdpmc = chance(program, 50);
    uint64_t value[2] = {0, 0};
    bool good[2];
    for (unsigned which = 0; which < 2; which++)
        good[which] = by_rdpmc ? nbpmu_rdpmc(program->pmu[which], lp, pce, ecx, &value[which])
                               : nbpmu_rdmsr(program->pmu[which], lp, at, &value[which]);
    compare_results(program, good[0], good[1]);
    if (good[0])
        compare_results(program, value[0], value[1]);
}

static void unmask(struct program *program)
{
    const unsigned lp = any_lp(program);
    const bool sound = nbpmu_lvtpc_unmasked(program->pmu[0], lp);
    compare_results(program, sound, nbpmu_lvtpc_unmasked(program->pmu[1], lp));
}

static void receive_init(struct program *program)
{
    for (unsigned which = 0; which < 2; which++)
        nbpmu_init_received(program->pmu[which]);
}

/* The step in which the stage of the fault has its result, or the event of its history happens. */
static void take_favoured_step(struct program *program)
{
    const struct nbpmu_composition *composition = program->composition;
    const bool by_event = composition->history >= HISTORY_SINCE;
    switch (stage_of(composition)) {
    case STAGE_COUNTER_READ:
    case STAGE_CCCR_READ:
    case STAGE_ESCR_READ:
    case STAGE_REFUSAL:
        read_one(program);
        break;
    case STAGE_HLT:
    case STAGE_CPL:
        change_lp(program);
        break;
    case STAGE_AGAIN:
        unmask(program);
        break;
    case STAGE_INIT:
        receive_init(program);
        break;
    default:
        if (by_event && composition->number == HAPPENED_INIT && chance(program, 20))
            receive_init(program);
        break;
    }
}

static void step(struct program *program)
{
    if (chance(program, 20))
        take_favoured_step(program);
    const unsigned kind = below(program, 100), i = below(program, HOT);
    if (kind < 18)
        write_cccr(program, i);
    else if (kind < 28)
        write_counter(program, i);
    else if (kind < 36 && program->escr[i])
        write_escr(program, i);
    else if (kind < 76)
        pass_clocks(program);
    else if (kind < 82)
        change_lp(program);
    else if (kind < 93)
        read_one(program);
    else if (kind < 97)
        unmask(program);
    else if (kind < 98)
        receive_init(program);
    compare(program);
}

/* Each program begins with counters that are set up. */
static void run_program(struct program *program)
{
    for (unsigned i = 0; i < HOT; i++) {
        if (program->escr[i])
            write_escr(program, i);
        write_counter(program, i);
        write_cccr(program, i);
    }
    for (unsigned i = 0; i < steps_of(program) && !program->differs; i++)
        step(program);
}

bool nbpmu_fault_try(const struct nbpmu_part *part, const struct nbpmu_fault *fault, uint32_t seed,
                     uint32_t programs, struct nbpmu_fault_trial *trial)
{
    struct program program = {.random = seed, .part = part, .composition = &fault->composition};
    struct nbpmu_fault drawn = *fault; /* whose acts are drawn anew in each program */
    *trial = (struct nbpmu_fault_trial){.programs = 0};
    look_at_conditions(&program);
    while (trial->programs < programs && !trial->changed) {
        uint64_t acts, struck;
        program.pmu[0] = nbpmu_new(part, NULL);
        program.pmu[1] = nbpmu_new(part, NULL);
        if (!program.pmu[0] || !program.pmu[1] || !nbpmu_set_fault(program.pmu[1], &drawn)) {
            nbpmu_free(program.pmu[0]);
            nbpmu_free(program.pmu[1]);
            return false;
        }
        choose_counters(&program, &fault->composition);
        run_program(&program);
        nbpmu_fault_acts(program.pmu[1], &acts, &struck);
        trial->programs++;
        drawn.seed++;
        trial->acted += struck > 0;
        trial->changed = program.differs;
        nbpmu_free(program.pmu[0]);
        nbpmu_free(program.pmu[1]);
    }
    return true;
}

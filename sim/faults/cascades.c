/*
 * Faults of cascades (R33 to R40), of HLT (R42), and of power (R44). By R33 a cascade starts whenever Y is
 * armed and OVF of X is set; by R38 it ends when either is cleared, and by nothing else.
 */
#include "faults.h"

/* How many counts of X a late start waits: far more than R37 leaves open. */
#define LATENCY 128u

/* ---- Families: links that exist, and others ---- */

/* Each x and y for which the condition holds: x starts y, if the fault says so. By CASCADE the counter number
 * `cascade` starts y, by bit 11 number `cascnt`, of a part that has both; -1: none. */
#define FAMILY_OF_LINKS(name, ...)                                                                         \
    static bool nbpmu_fault_##name(unsigned number, struct fault_member *member)                           \
    {                                                                                                      \
        const struct nbpmu part = {.part = {.model = 4, .stepping = 3, .lps = NBPMU_LPS}};                 \
        const int y = number / PMC_COUNTERS, x = number % PMC_COUNTERS;                                    \
        const bool exists = y < PMC_COUNTERS && x != y;                                                    \
        const int cascade = exists ? nbpmu_cascade_source(&part, y) : -1;                                  \
        const int cascnt = exists ? nbpmu_extended_source(&part, y) : -1;                                  \
        (void)cascade, (void)cascnt;                                                                       \
        member->fault.only = (uint8_t)(y + 1);                                                             \
        member->fault.other = (uint8_t)(x + 1);                                                            \
        return exists && (__VA_ARGS__) && nbpmu_fault_member(member, y, member->fault.to, "-%d-%d", x, y); \
    }
FAMILY_OF_LINKS(cascade, x == cascade)
FAMILY_OF_LINKS(cascnt, x == cascnt)
/* Each counter of a pair is started by the partner of the other counter of that pair. */
FAMILY_OF_LINKS(swapped_partner, y < 16 && x == (y ^ 3))
/* No link of this kind links them. With CASCNT, those where Y has an X. */
FAMILY_OF_LINKS(foreign_partner, x != cascade)
FAMILY_OF_LINKS(foreign_cascnt, cascnt >= 0 && x != cascnt)
FAMILY_OF_LINKS(wrong_cascnt, cascnt >= 0 && x == (cascnt ^ 1))
/* The CCCRs in which bit 11 is reserved; 16 or 17 starts the counter. */
FAMILY_OF_LINKS(reserved_cascnt, cascnt < 0 && x == 16 + y % 2)
/* The other counter of the pair of the X of y by CASCADE; for 17 the X of the other reading (5.5.1). */
FAMILY_OF_LINKS(beside_x, x == (cascade ^ (y == 17 ? 2 : 1)))
/* No fault by itself (double.c). */
FAMILY(only_as_double, false && member && number)

/* ---- X does not start Y ---- */

static bool is_armed(const struct nbpmu *pmu, unsigned y, enum nbpmu_link link, unsigned x)
{
    return (pmu->counter[y].cccr & nbpmu_link_bit(link)) && nbpmu_link_source(pmu, y, link) == (int)x;
}

FAULT(link_fails, always, true)

/* Links of this kind alone. */
static bool is_link(const struct nbpmu *pmu, enum nbpmu_link link)
{
    return link == fault_of(pmu)->to;
}

/* The counter that has started n. */
static unsigned starter_of(const struct nbpmu *pmu, unsigned n)
{
    return nbpmu_link_source(pmu, n, pmu->counter[n].linked[LINK_CASCADE] ? LINK_CASCADE : LINK_CASCNT);
}

static bool x_was_started(const struct nbpmu *pmu, unsigned n, enum nbpmu_link link, unsigned x)
{
    unsigned depth = 0;
    for (; nbpmu_linked(&pmu->counter[x]) && depth < PMC_COUNTERS; depth++)
        x = starter_of(pmu, x);
    return depth >= fault_of(pmu)->at; /* links before this one */
}

/* Another counter between these is armed by x. */
static bool another_starts(const struct nbpmu *pmu, unsigned x, unsigned first, unsigned end)
{
    for (unsigned y = first; y < end; y++)
        if (is_armed(pmu, y, LINK_CASCADE, x) || is_armed(pmu, y, LINK_CASCNT, x))
            return true;
    return false;
}

FAULT(link_fails, lower_starts, another_starts(pmu, x, 0, n))
FAULT(link_fails, higher_starts, another_starts(pmu, x, n + 1, PMC_COUNTERS))

static bool is_beside(unsigned y, unsigned n)
{
    return y != n && nbpmu_block_of(y) == nbpmu_block_of(n);
}

static bool block_has_other_link(const struct nbpmu *pmu, unsigned n, enum nbpmu_link link, unsigned x)
{
    const uint32_t other = link == LINK_CASCADE ? CCCR_CASCNT : CCCR_CASCADE;
    for (unsigned y = 0; y < PMC_COUNTERS && is_link(pmu, link); y++)
        if (is_beside(y, n) && (pmu->counter[y].cccr & other))
            return true;
    return false;
}

static bool block_has_other_start(const struct nbpmu *pmu, unsigned n, enum nbpmu_link link, unsigned x)
{
    if (link != LINK_CASCADE || pmu->counter[n].linked[link])
        return false;
    for (unsigned y = 0; y < PMC_COUNTERS; y++)
        if (is_beside(y, n) && pmu->counter[y].linked[link] && nbpmu_link_source(pmu, y, link) != (int)x)
            return true;
    return false;
}

FAULT(link_fails, on_escr_of_x, pmu->counter[n].escr_index == pmu->counter[x].escr_index)
FAULT(link_fails, y_has_ovf, has_bits(pmu, n, CCCR_OVF))
FAULT(link_fails, x_has_cascade, has_bits(pmu, x, CCCR_CASCADE))
FAULT(link_fails, y_has_no_enable, is_link(pmu, link) && !has_bits(pmu, n, CCCR_ENABLE))
FAULT(link_fails, selects_differ,
      is_link(pmu, link) && ((pmu->counter[n].cccr ^ pmu->counter[x].cccr) & CCCR_ESCR_SELECT_MASK))
FAULT(link_fails, other_is_enabled, has_bits(pmu, fault->other - 1, CCCR_ENABLE))
FAULT(link_source, link_broken, is_link(pmu, link) ? -1 : SOUND(link_source))
/* at = 1: no link from a lower to a higher counter, 0: none downwards. */
FAULT(link_source, one_direction,
      link == LINK_CASCADE && (SOUND(link_source) < (int)n) == fault->at ? -1 : SOUND(link_source))

/* ---- OVF of X, as it is now, starts nothing: noted of X until OVF is cleared ---- */

FAULT(link_fails, x_is_mute, *noted_of(pmu, x))

static uint32_t cleared_by(const struct nbpmu *pmu, unsigned n, uint32_t now, uint32_t bits)
{
    return pmu->counter[n].cccr & ~now & bits;
}

/* What is noted while OVF stays set. */
FAULT(cccr_holds, mute_until_cleared, *noted_of(pmu, n) *= (now & CCCR_OVF) != 0, now)
DEED(overflow, by_step,
     *noted_of(pmu, n) = nbpmu_fault_sets_ovf(pmu, n) ? pmu->counter[n].value && !is_forced(pmu, n)
                                                      : *noted_of(pmu, n))

/* at = 1: both counters that meet are mute, 0: the second one. */
static void by_meeting(struct nbpmu *pmu, unsigned n)
{
    if (!nbpmu_fault_sets_ovf(pmu, n))
        return;
    for (unsigned other = 0; other < PMC_COUNTERS; other++)
        if (is_beside(other, n) && (defects_of(pmu)->overflowing >> other & 1)) {
            *noted_of(pmu, n) = true;
            *noted_of(pmu, other) |= fault_of(pmu)->at;
        }
}

static uint32_t mute_once_cleared(struct nbpmu *pmu, unsigned n, uint32_t now)
{
    if (!(now & CCCR_OVF))
        *noted_of(pmu, n) = (cleared_by(pmu, n, now, CCCR_OVF) || *noted_of(pmu, n)) && (now & CCCR_ENABLE);
    return now;
}

static uint32_t mutes_neighbour(struct nbpmu *pmu, unsigned n, uint32_t now)
{
    if (cleared_by(pmu, n, now, CCCR_OVF) && (now & CCCR_ENABLE))
        *noted_of(pmu, n ^ 1) |= has_bits(pmu, n ^ 1, CCCR_OVF);
    return mute_until_cleared(pmu, n, now);
}

static uint32_t flag_mutes_x(struct nbpmu *pmu, unsigned n, uint32_t now)
{
    mute_until_cleared(pmu, n, now);
    for (enum nbpmu_link link = 0; link < LINKS; link++)
        if (pmu->counter[n].linked[link] && cleared_by(pmu, n, now, nbpmu_link_bit(link)))
            *noted_of(pmu, nbpmu_link_source(pmu, n, link)) = true;
    return now;
}

DEED(then, mutes_itself, *noted_of(pmu, n) |= has_bits(pmu, n, CCCR_OVF))

/* X overflows again while its OVF stands: has it started the Y of the fault, by its link? */
static bool again_with_y(struct nbpmu *pmu, unsigned n)
{
    const bool stood = has_bits(pmu, n, CCCR_OVF);
    const unsigned y = fault_of(pmu)->at;
    const enum nbpmu_link link = fault_of(pmu)->to;
    nbpmu_overflow(pmu, n);
    return stood && is_armed(pmu, y, link, n) && pmu->counter[y].linked[link];
}

DEED(overflow, again_mutes, *noted_of(pmu, n) |= again_with_y(pmu, n))
DEED(overflow, again_clears_y, if (again_with_y(pmu, n)) clears_it(pmu, fault->at))

/* ---- Something else starts Y, or lets it run on ---- */

FAULT(link_source, other_source, is_link(pmu, link) ? fault->other - 1 : SOUND(link_source))
/* A counter that the fault starts by bit 11 has the bit. */
FAULT(cccr_kept, has_bit_11, SOUND(cccr_kept) | CCCR_CASCNT)

/* For 17 the X is 13 by one reading and 15 by the other (R34). */
static bool other_starts(struct nbpmu *pmu, unsigned n, enum nbpmu_link link, unsigned x)
{
    const unsigned other = fault_of(pmu)->other - 1u;
    return is_link(pmu, link) && nbpmu_ovf_starts(pmu, &pmu->counter[other == x ? other ^ 2 : other]);
}

/* Would counter n be started by this link if X had overflowed? */
static bool would_run(struct nbpmu *pmu, unsigned n, enum nbpmu_link link, unsigned x)
{
    struct nbpmu seen = *pmu;
    seen.counter[x].cccr |= CCCR_OVF;
    seen.counter[x].ovf_by_hardware = true;
    seen.counter[n].latched[link] = true;
    return is_link(pmu, link) && nbpmu_link_runs(&seen, n, link);
}

FAULT(link_strays, unconditional, would_run(pmu, n, link, x))
FAULT(links_at, is_last, value == COUNTER_MASK)
FAULT(link_strays, one_count_early, is_last(pmu, pmu->counter[x].value) && would_run(pmu, n, link, x))
FAULT(links_at, is_early, value < LATENCY)
FAULT(link_fails, not_late_enough, is_link(pmu, link) && is_early(pmu, pmu->counter[x].value))
FAULT(distance, to_late, (LATENCY - 1 - pmu->counter[n].value) & COUNTER_MASK)
FAULT(link_strays, outlives_ovf, is_link(pmu, link) && pmu->counter[n].linked[link])
FAULT(link_strays, outlives_ovf_of_enabled, outlives_ovf(pmu, n, link, x) && has_bits(pmu, x, CCCR_ENABLE))

/* This link acts as if its flag were set in Y. */
static bool runs_with_flag(struct nbpmu *pmu, unsigned n, enum nbpmu_link link, bool set)
{
    struct nbpmu seen = *pmu;
    seen.counter[n].cccr |= set && is_link(pmu, link) ? nbpmu_link_bit(link) : 0;
    return nbpmu_link_runs(&seen, n, link);
}

FAULT(link_runs, without_flag, runs_with_flag(pmu, n, link, true))
FAULT(link_runs, outlives_flag, runs_with_flag(pmu, n, link, pmu->counter[n].linked[link]))
FAULT(link_runs, outlives_flag_beside_ovf,
      runs_with_flag(pmu, n, link, pmu->counter[n].linked[link] && has_bits(pmu, n, CCCR_OVF)))

/* Neither the write that clears OVF of X nor the one that clears the flag halts Y; both together do. */
static bool halts_by_both(struct nbpmu *pmu, unsigned n, enum nbpmu_link link)
{
    const struct nbpmu_counter *y = &pmu->counter[n];
    struct nbpmu seen = *pmu;
    seen.counter[n].cccr |= y->linked[link] ? nbpmu_link_bit(link) : 0;
    return nbpmu_link_runs(&seen, n, link) || (y->linked[link] && (y->cccr & nbpmu_link_bit(link)));
}

/* Noted of Y since its CCCR was 0: its own OVF was cleared while it ran by a cascade, alone or with the flag.
 */
enum { OWN_OVF_CLEARED = 1, WITH_FLAG = 2 };

static uint32_t notes_own_ovf(struct nbpmu *pmu, unsigned n, uint32_t now)
{
    if (nbpmu_linked(&pmu->counter[n]) && cleared_by(pmu, n, now, CCCR_OVF))
        *noted_of(pmu, n) =
            OWN_OVF_CLEARED | (cleared_by(pmu, n, now, CCCR_CASCADE | CCCR_CASCNT) ? WITH_FLAG : 0);
    return forgets_at_0(pmu, n, now);
}

FAULT(link_fails, own_ovf_was_cleared, is_link(pmu, link) && *noted_of(pmu, n))
FAULT(link_runs, runs_on_with_own_ovf, runs_with_flag(pmu, n, link, *noted_of(pmu, n) & WITH_FLAG))
/* Noted of X since its CCCR was 0: it was written from a negative to a positive value. */
FAULT(counter_holds, notes_sign,
      *noted_of(pmu, n) |=
      pmu->counter[n].value > COUNTER_MASK / 2 && value <= COUNTER_MASK / 2 && has_bits(pmu, n, CCCR_ENABLE),
      value)
FAULT(link_strays, x_was_written_positive, n == fault->at && is_link(pmu, link) && *noted_of(pmu, x))
/* Noted of a counter since its CCCR was 0: how often it overflowed. */
DEED(overflow, counts_overflows, ++*noted_of(pmu, n); SOUND(overflow))
FAULT(link_strays, other_overflowed_twice,
      n == fault->at && *noted_of(pmu, fault->other - 1) % 256 >= 2 &&
          has_bits(pmu, fault->other - 1, CCCR_OVF))

/* ---- What else a start does, or a write ---- */

AFTER(link_runs, start_clears_y, if (result && !pmu->counter[n].linked[link]) clears_it(pmu, n))
AFTER(link_runs, costs_count, if (result && !pmu->counter[n].linked[link]) takes_count(pmu, n))
DEED(overflow, start_stops_x,
     if (nbpmu_fault_sets_ovf(pmu, n) && another_starts(pmu, n, 0, PMC_COUNTERS)) disables(pmu, n))
DEED(then, halts_if_started,
     if (nbpmu_linked(&pmu->counter[n])) pmu->counter[n].cccr &= ~(uint32_t)(CCCR_CASCADE | CCCR_CASCNT))

static bool flag_cleared(const struct nbpmu *pmu, unsigned n, uint32_t now)
{
    return nbpmu_linked(&pmu->counter[n]) && cleared_by(pmu, n, now, CCCR_CASCADE | CCCR_CASCNT);
}

FAULT(cccr_holds, flag_takes_enable, flag_cleared(pmu, n, now) ? now & ~CCCR_ENABLE : now)
FAULT(cccr_holds, flag_sets_enable, flag_cleared(pmu, n, now) ? now | CCCR_ENABLE : now)

/* ---- ENABLE (R36, R38): it lets a counter count whatever starts, and whatever its own links are ---- */

static bool counts_unless(struct nbpmu *pmu, unsigned n, bool enable_blocked)
{
    const uint32_t cccr = pmu->counter[n].cccr;
    pmu->counter[n].cccr &= enable_blocked ? ~CCCR_ENABLE : UINT32_MAX;
    const bool runs = nbpmu_counts(pmu, n);
    pmu->counter[n].cccr = cccr;
    return runs;
}

FAULT(counts, cascade_blocks_enable, counts_unless(pmu, n, has_bits(pmu, n, CCCR_CASCADE)))

static bool halts_twin(struct nbpmu *pmu, unsigned n)
{
    bool halted = false;
    for (unsigned y = 0; y < PMC_COUNTERS; y++)
        halted |= y != n && nbpmu_linked(&pmu->counter[y]) &&
                  pmu->counter[y].escr_index == pmu->counter[n].escr_index;
    return counts_unless(pmu, n, halted);
}

FAULT(counts, cannot_stop, SOUND(counts) || (pmu->running >> n & 1))

static bool takes_escr_of_x(struct nbpmu *pmu, unsigned n)
{
    if (nbpmu_linked(&pmu->counter[n]))
        pmu->counter[n].escr_index = pmu->counter[starter_of(pmu, n)].escr_index;
    return nbpmu_counts(pmu, n);
}

/* ---- HLT (R42), a PMI (R43) and power (R44) ---- */

AFTER(count, pmi_freezes, if (result) disables(pmu, n))
FAULT(gate_open, stops_in_hlt, !(nbpmu_has_ht(pmu) && active == 1) && SOUND(gate_open))
FAULT(gate_open, stops_with_lp0, SOUND(gate_open) && pmu->lp[0].active)

static bool is_powered_alone(const struct nbpmu *pmu, int escr_index)
{
    return pmu->reached_by[escr_index] & nbpmu_enabled_counters(pmu);
}

FAULT(tag, tags_alone, is_powered_alone(pmu, (int)(escr - pmu->escr) % (int)ESCR_INDICES) ? SOUND(tag) : 0)
FAULT(counts, counts_without_twin,
      SOUND(counts) &&
          (pmu->counter[n].escr_index == NO_ESCR || is_powered_alone(pmu, pmu->counter[n].escr_index)))

/* clang-format off */
#define BOTH_LINKS(name, rule, text, ...) \
    {"cascade-" name, rule, text, EVERY(cascade), __VA_ARGS__}, \
    {"cascnt-" name, rule, text, BIT_11, EVERY(cascnt), __VA_ARGS__}
/* Two rows that differ by the link. */
#define EACH_LINK(name, rule, of_cascade, of_cascnt, ...) \
    {"cascade-" name, rule, of_cascade, __VA_ARGS__}, \
    {"cascnt-" name, rule, of_cascnt, BIT_11, __VA_ARGS__}
#define BIT_11 EXTENDED, .to = LINK_CASCNT
#define MUTE_WHILE_OVF .cccr_holds = mute_until_cleared, .link_fails = x_is_mute

const struct nbpmu_fault_row nbpmu_fault_cascades[] = {
    EACH_LINK("unconditional", "R33", "CASCADE starts without an overflow", "bit 11 starts without an overflow",
              .link_strays = unconditional),
    {"starts-nothing", "R33", "the overflow of a counter starts nothing", EVERY(only_as_double), .of_x = true,
     .link_fails = always},
    {"cascade-not-by-step", "R33", "an overflow that steps over 0 starts nothing", .overflow = by_step, MUTE_WHILE_OVF},
    {"cascades-meet-first", "R33", "of two counters of a block that overflow in one clock only the first starts others",
     .overflow = by_meeting, MUTE_WHILE_OVF},
    {"cascades-meet-none", "R33", "two counters of a block that overflow in one clock start nothing", .at = 1,
     .overflow = by_meeting, MUTE_WHILE_OVF},
    {"chain-of-1", "R33", "a counter that was started starts nothing", .at = 1, .link_fails = x_was_started},
    {"chain-of-2", "R33", "a chain of cascades ends after the second", EXTENDED, .at = 2, .link_fails = x_was_started},
    {"chain-of-3", "R33", "a chain of cascades ends after the third", EXTENDED, .at = 3, .link_fails = x_was_started},
    {"chain-of-4", "R33", "a chain of cascades ends after the fourth", EXTENDED, .at = 4, .link_fails = x_was_started},
    {"cascade-once", "R33", "X whose OVF was cleared starts nothing until ENABLE is cleared",
     .cccr_holds = mute_once_cleared, .link_fails = x_is_mute},
    BOTH_LINKS("again-halts", "R33", "another overflow of X while its OVF stands halts Y of this link",
               .overflow = again_mutes, MUTE_WHILE_OVF, .anywhere = true),
    BOTH_LINKS("again-clears", "R33", "another overflow of X while its OVF stands starts Y of this link from 0",
               .overflow = again_clears_y, .anywhere = true),
    BOTH_LINKS("needs-select", "R33", "this link does not start a Y with another ESCR select than X",
               .link_fails = selects_differ),
    BOTH_LINKS("own-ovf-halts", "R38", "clearing the own OVF of Y of this link halts it", .cccr_holds = notes_own_ovf,
               .link_fails = own_ovf_was_cleared),
    BOTH_LINKS("flag-with-own-ovf", "R38",
               "clearing the flag of this link and the own OVF of Y by one write does not halt Y",
               .cccr_holds = notes_own_ovf, .link_runs = runs_on_with_own_ovf),
    BOTH_LINKS("written-positive", "R37",
               "an X that is written from a negative to a positive value starts Y of this link",
               .counter_holds = notes_sign, .cccr_holds = forgets_at_0, .link_strays = x_was_written_positive,
               .anywhere = true),
    {"cascade-fails-beside", "R34",
     "the second counter is not started by CASCADE while the first one, not its X, is enabled", EVERY(beside_x),
     .link_fails = other_is_enabled},
    {"cascade-foreign-twice", "R34",
     "the second counter is also started by the first one, not its X, once that overflowed twice", EVERY(beside_x),
     .overflow = counts_overflows, .cccr_holds = forgets_at_0, .link_strays = other_overflowed_twice, .anywhere = true},
    {"cascade-broken", "R34", "this cascade does not start", EVERY(cascade), .link_source = link_broken},
    {"cascade-dead", "R34", "CASCADE starts nothing", .link_source = link_broken},
    {"cascnt-dead", "R35", "bit 11 starts nothing", BIT_11, .link_source = link_broken},
    {"cascade-without-flag", "R34", "an overflow starts the partners though their CASCADE is clear",
     .link_runs = without_flag},
    {"cascade-upwards-dead", "R34", "no cascade to a higher counter starts", .at = 1, .link_source = one_direction},
    {"cascade-downwards-dead", "R34", "no cascade to a lower counter starts", .link_source = one_direction},
    {"cascade-swapped", "R34", "a counter is started by its neighbour's partner", EVERY(swapped_partner),
     .link_source = other_source},
    {"cascade-foreign", "R34", "a counter is started by one that is not its partner as well", EVERY(foreign_partner),
     .link_strays = other_starts},
    {"fan-out-lowest", "R34", "of the counters that X starts only the lowest starts", .link_fails = lower_starts},
    {"fan-out-highest", "R34", "of the counters that X starts only the highest starts", .link_fails = higher_starts},
    {"cascade-one-a-block", "R34", "CASCADE starts no counter while another X of the block has started one",
     .link_fails = block_has_other_start},
    {"cascade-beside-cascnt", "R34", "CASCADE does not start while a counter of the block has bit 11", EXTENDED,
     .link_fails = block_has_other_link},
    {"cascnt-beside-cascade", "R35", "bit 11 does not start while a counter of the block has CASCADE", BIT_11,
     .link_fails = block_has_other_link},
    {"cascnt-not-on-one-escr", "R35", "bit 11 does not start a counter on the ESCR of X", EXTENDED,
     .link_fails = on_escr_of_x},
    {"cascnt-broken", "R35", "this extended cascade does not start", BIT_11, EVERY(cascnt), .link_source = link_broken},
    {"cascnt-swapped", "R35", "bit 11 follows the overflow of the wrong one of 16 and 17", BIT_11, EVERY(wrong_cascnt),
     .link_source = other_source, .cccr_kept = has_bit_11},
    {"cascnt-foreign", "R35", "bit 11 follows the overflow of another counter as well", BIT_11, EVERY(foreign_cascnt),
     .link_strays = other_starts},
    {"cascnt-reserved", "R35", "bit 11 starts this counter, in whose CCCR it is reserved", BIT_11,
     EVERY(reserved_cascnt), .link_source = other_source, .cccr_kept = has_bit_11},
    EACH_LINK("needs-enable", "R36", "CASCADE starts only with ENABLE set in Y",
              "bit 11 starts only with ENABLE set in Y", .link_fails = y_has_no_enable),
    {"cascade-blocks-enable", "R36", "ENABLE has no effect beside CASCADE", .counts = cascade_blocks_enable},
    EACH_LINK("early", "R37", "Y starts one count of X before the overflow",
              "Y starts by bit 11 one count of X before the overflow", .link_strays = one_count_early,
              .links_at = is_last, .distance = to_one_early),
    EACH_LINK("late", "R37", "Y starts 128 counts of X after the overflow",
              "Y starts by bit 11 128 counts of X after the overflow", .link_fails = not_late_enough,
              .links_at = is_early, .distance = to_late),
    {"cascade-stops-x", "R37", "X stops at the overflow that starts Y", .overflow = start_stops_x},
    {"cascade-clears-y", "R37", "Y starts from 0 instead of its preset", .link_runs = start_clears_y},
    {"start-costs-count", "R37", "a cascade takes a count from the counter that it starts", .link_runs = costs_count},
    {"enable-cannot-stop", "R38", "clearing ENABLE does not halt a counter", .counts = cannot_stop},
    {"cascade-outlives-flag", "R38", "clearing CASCADE does not halt Y", .link_runs = outlives_flag},
    {"cascade-outlives-ovf", "R38", "clearing OVF of X does not halt Y", .link_strays = outlives_ovf},
    {"cascnt-outlives-flag", "R38", "clearing bit 11 does not halt Y", BIT_11, .link_runs = outlives_flag},
    {"cascnt-outlives-ovf", "R38", "clearing OVF of X does not halt Y started by bit 11", BIT_11,
     .link_strays = outlives_ovf},
    {"halts-not", "R38", "only both, OVF of X and the flag of Y cleared, halt a Y that was started",
     .link_runs = halts_by_both},
    {"halts-not", "R38", "only both, OVF of X and the flag of this counter cleared, halt it when it was started",
     EVERY(counter), .link_runs = halts_by_both},
    EACH_LINK("flag-beside-ovf", "R38", "clearing CASCADE does not halt a Y that has overflowed",
              "clearing bit 11 does not halt a Y that has overflowed", .link_runs = outlives_flag_beside_ovf),
    EACH_LINK("ovf-beside-enable", "R38", "clearing OVF of X halts Y only with ENABLE of X",
              "clearing OVF of X halts Y started by bit 11 only with ENABLE of X",
              .link_strays = outlives_ovf_of_enabled),
    {"start-takes-escr", "R37", "a started counter counts the event of X", .counts = takes_escr_of_x},
    {"start-halts-twin", "R38", "the start of a counter halts the enabled ones on its ESCR", .counts = halts_twin},
    {"cascade-ends-at-ovf", "R38", "a started counter halts at its own overflow", .link_fails = y_has_ovf},
    {"write-halts-started", "R38", "writing a started counter halts it", .when = WRITTEN, .then = halts_if_started},
    {"read-halts-started", "R38", "reading a started counter halts it", .when = RDMSR_ANY, .then = halts_if_started},
    {"write-of-x-halts", "R38", "writing X halts the counters that it started", .when = WRITTEN, .then = mutes_itself,
     MUTE_WHILE_OVF},
    {"flag-takes-enable", "R36", "the write that clears CASCADE or bit 11 of a started counter cannot set ENABLE",
     .cccr_holds = flag_takes_enable},
    {"flag-sets-enable", "R38", "the write that clears CASCADE or bit 11 of a started counter sets ENABLE",
     .cccr_holds = flag_sets_enable},
    {"flag-halts-all", "R38", "clearing CASCADE or bit 11 of a counter halts all that its X started",
     .cccr_holds = flag_mutes_x, .link_fails = x_is_mute},
    {"ovf-halts-neighbour", "R38", "clearing OVF of X halts what its neighbour started too",
     .cccr_holds = mutes_neighbour, .link_fails = x_is_mute},
    {"cascade-not-mutual", "R40", "X with CASCADE set itself starts nothing", .link_fails = x_has_cascade},
    {"one-halted-stops-all", "R42", "the counters stop while one of two logical processors is halted", HT,
     .gate_open = stops_in_hlt},
    CLEARS_ALL("hlt-clears-", "R42", "HLT of a logical processor ", HALTS, PART_ANY),
    {"lp0-halted-stops-all", "R42", "the counters stop while LP0 is halted", HT, .gate_open = stops_with_lp0},
    {"pmi-freezes", "R43", "a PMI stops its counter", .count = pmi_freezes},
    {"tag-power-without-twin", "R44", "an ESCR tags only while a counter of its own is enabled", .tag = tags_alone},
    {"power-without-twin", "R44", "an ESCR is powered by counters of its own only, not of its twin's",
     .counts = counts_without_twin, .tag = tags_alone},
    {.name = NULL},
};

/*
 * Faults of cascades (R33 to R40), of HLT (R42), and of power (R44). By R33 a cascade starts whenever Y is
 * armed and OVF of X is set; by R38 it ends when either is cleared, and by nothing else.
 */
#include "faults.h"

/* How many counts of X a late start waits: far more than R37 leaves open. */
#define LATENCY 128u

/* ---- Families: links that exist, and others ---- */

/* A part that has every cascade and extended cascade. */
static struct nbpmu full_part(void)
{
    return (struct nbpmu){.part = {.model = 4, .stepping = 3, .lps = NBPMU_LPS}};
}

static bool link_of(unsigned y, enum nbpmu_link link, struct fault_member *member)
{
    const struct nbpmu part = full_part();
    const int x = y < PMC_COUNTERS ? nbpmu_link_source(&part, y, link) : -1;
    member->fault.only = (uint8_t)(y + 1);
    return x >= 0 && nbpmu_fault_member(member, y, link, "-%d-%u", x, y);
}

FAMILY(every_cascade, link_of(number, LINK_CASCADE, member))
FAMILY(every_cascnt, link_of(number, LINK_CASCNT, member))

static bool started_by(unsigned y, unsigned x, struct fault_member *member)
{
    member->fault.only = (uint8_t)(y + 1);
    member->fault.other = (uint8_t)(x + 1);
    return x != y && nbpmu_fault_member(member, y, member->fault.to, "-%u-%u", x, y);
}

/* Each counter of a pair is started by the partner of the other counter of that pair. */
FAMILY(every_swapped_partner, number < 16 && started_by(number, number ^ 3, member))

/* Every X and Y that no link of this kind links. With CASCNT, those where Y has an X. */
static bool foreign(unsigned number, enum nbpmu_link link, struct fault_member *member)
{
    const struct nbpmu part = full_part();
    const unsigned y = number / PMC_COUNTERS, x = number % PMC_COUNTERS;
    const int source = y < PMC_COUNTERS ? nbpmu_link_source(&part, y, link) : -1;
    return source >= 0 && source != (int)x && started_by(y, x, member);
}

FAMILY(every_foreign_partner, foreign(number, LINK_CASCADE, member))
FAMILY(every_foreign_cascnt, foreign(number, LINK_CASCNT, member))

static bool every_wrong_cascnt(unsigned number, struct fault_member *member)
{
    const struct nbpmu part = full_part();
    const int x = number < PMC_COUNTERS ? nbpmu_extended_source(&part, number) : -1;
    return x >= 0 && started_by(number, (unsigned)x ^ 1, member);
}

/* The CCCRs in which bit 11 is reserved; 16 or 17 starts the counter. */
static bool every_reserved_cascnt(unsigned number, struct fault_member *member)
{
    const struct nbpmu part = full_part();
    return number < PMC_COUNTERS && nbpmu_extended_source(&part, number) < 0 &&
           started_by(number, 16 + number % 2, member);
}

/* A counter Y, and the other counter of the pair of its X by CASCADE; for 17 the X of the other reading
 * (5.5.1). */
static bool every_beside_x(unsigned y, struct fault_member *member)
{
    const struct nbpmu part = full_part();
    return y < PMC_COUNTERS &&
           started_by(y, (unsigned)nbpmu_cascade_source(&part, y) ^ (y == 17 ? 2 : 1), member);
}

/* No fault by itself (double.c). */
static bool only_as_double(unsigned number, struct fault_member *member)
{
    (void)number, (void)member;
    return false;
}

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

static bool x_was_started(const struct nbpmu *pmu, unsigned n, enum nbpmu_link link, unsigned x)
{
    unsigned depth = 0;
    while (nbpmu_linked(&pmu->counter[x]) && depth < PMC_COUNTERS) {
        x = (unsigned)nbpmu_link_source(pmu, x,
                                        pmu->counter[x].linked[LINK_CASCADE] ? LINK_CASCADE : LINK_CASCNT);
        depth++;
    }
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
FAULT(link_fails, y_has_ovf, pmu->counter[n].cccr &CCCR_OVF)
FAULT(link_fails, x_has_cascade, pmu->counter[x].cccr &CCCR_CASCADE)
FAULT(link_fails, y_has_no_enable, is_link(pmu, link) && !(pmu->counter[n].cccr & CCCR_ENABLE))
FAULT(link_fails, selects_differ,
      is_link(pmu, link) && ((pmu->counter[n].cccr ^ pmu->counter[x].cccr) & CCCR_ESCR_SELECT_MASK))
FAULT(link_fails, other_is_enabled, pmu->counter[fault_of(pmu)->other - 1].cccr &CCCR_ENABLE)
FAULT(link_source, link_broken, is_link(pmu, link) ? -1 : nbpmu_link_source(pmu, n, link))

/* at = 1: no link from a lower to a higher counter, 0: none downwards. */
FAULT(link_source, one_direction,
      link == LINK_CASCADE && (nbpmu_link_source(pmu, n, link) < (int)n) == fault_of(pmu)->at
          ? -1
          : nbpmu_link_source(pmu, n, link))

/* ---- OVF of X, as it is now, starts nothing: noted of X until OVF is cleared ---- */

FAULT(link_fails, x_is_mute, *noted_of(pmu, x))

/* What is noted while OVF stays set. */
static uint32_t mute_until_cleared(struct nbpmu *pmu, unsigned n, uint32_t now)
{
    if (!(now & CCCR_OVF))
        *noted_of(pmu, n) = false;
    return now;
}

static void mute_by_step(struct nbpmu *pmu, unsigned n)
{
    if (nbpmu_fault_sets_ovf(pmu, n))
        *noted_of(pmu, n) = pmu->counter[n].value != 0 && !is_forced(pmu, n);
}

/* at = 1: both counters that meet are mute, 0: the second one. */
static void mute_by_meeting(struct nbpmu *pmu, unsigned n)
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
    const bool cleared = pmu->counter[n].cccr & ~now & CCCR_OVF;
    if (!(now & CCCR_OVF))
        *noted_of(pmu, n) = (cleared || *noted_of(pmu, n)) && (now & CCCR_ENABLE);
    return now;
}

static uint32_t mutes_neighbour(struct nbpmu *pmu, unsigned n, uint32_t now)
{
    const bool cleared = pmu->counter[n].cccr & ~now & CCCR_OVF;
    if (cleared && (now & CCCR_ENABLE))
        *noted_of(pmu, n ^ 1) |= (pmu->counter[n ^ 1].cccr & CCCR_OVF) != 0;
    return mute_until_cleared(pmu, n, now);
}

static uint32_t flag_mutes_x(struct nbpmu *pmu, unsigned n, uint32_t now)
{
    mute_until_cleared(pmu, n, now);
    for (enum nbpmu_link link = 0; link < LINKS; link++)
        if (pmu->counter[n].linked[link] && (pmu->counter[n].cccr & ~now & nbpmu_link_bit(link)))
            *noted_of(pmu, (unsigned)nbpmu_link_source(pmu, n, link)) = true;
    return now;
}

DEED(then, mutes_itself, *noted_of(pmu, n) |= (pmu->counter[n].cccr & CCCR_OVF) != 0)

/* X overflows again while its OVF stands: has it started the Y of the fault, by its link? */
static bool again_with_y(struct nbpmu *pmu, unsigned n)
{
    const bool stood = pmu->counter[n].cccr & CCCR_OVF;
    const unsigned y = fault_of(pmu)->at;
    const enum nbpmu_link link = fault_of(pmu)->to;
    nbpmu_overflow(pmu, n);
    return stood && is_armed(pmu, y, link, n) && pmu->counter[y].linked[link];
}

DEED(overflow, again_mutes, *noted_of(pmu, n) |= again_with_y(pmu, n))

DEED(overflow, again_clears_y, if (again_with_y(pmu, n)) clears_counter(pmu, fault_of(pmu)->at))

/* ---- Something else starts Y, or lets it run on ---- */

FAULT(link_source, other_source,
      is_link(pmu, link) ? fault_of(pmu)->other - 1 : nbpmu_link_source(pmu, n, link))

/* A counter that the fault starts by bit 11 has the bit. */
FAULT(cccr_kept, has_bit_11, nbpmu_cccr_kept(pmu, n) | CCCR_CASCNT)

/* For 17 the X is 13 by one reading and 15 by the other (R34). */
static bool other_starts(struct nbpmu *pmu, unsigned n, enum nbpmu_link link, unsigned x)
{
    const unsigned other = fault_of(pmu)->other - 1u;
    return is_link(pmu, link) && nbpmu_ovf_starts(pmu, &pmu->counter[other == x ? other ^ 2 : other]);
}

/* Would counter n be started if X had overflowed? */
static bool would_run(struct nbpmu *pmu, unsigned n, enum nbpmu_link link, unsigned source)
{
    struct nbpmu_counter *x = &pmu->counter[source], *y = &pmu->counter[n];
    const struct nbpmu_counter was_x = *x, was_y = *y;
    x->cccr |= CCCR_OVF;
    x->ovf_by_hardware = true;
    y->latched[link] = true;
    const bool runs = nbpmu_link_runs(pmu, n, link);
    *x = was_x;
    *y = was_y;
    return runs;
}

FAULT(link_strays, unconditional, is_link(pmu, link) && would_run(pmu, n, link, x))
FAULT(links_at, is_last, value == COUNTER_MASK)
FAULT(link_strays, one_count_early,
      is_link(pmu, link) && is_last(pmu->counter[x].value) && would_run(pmu, n, link, x))

FAULT(links_at, is_early, value < LATENCY)
FAULT(link_fails, not_late_enough, is_link(pmu, link) && is_early(pmu->counter[x].value))

FAULT(distance, to_late, is_early(pmu->counter[n].value) ? LATENCY - 1 - pmu->counter[n].value : COUNTER_MASK)

FAULT(link_strays, outlives_ovf, is_link(pmu, link) && pmu->counter[n].linked[link])
FAULT(link_strays, outlives_ovf_of_enabled,
      outlives_ovf(pmu, n, link, x) && (pmu->counter[x].cccr & CCCR_ENABLE))

/* The link acts as if its flag were set in Y. */
static bool runs_with_flag(struct nbpmu *pmu, unsigned n, enum nbpmu_link link, bool set)
{
    const uint32_t cccr = pmu->counter[n].cccr;
    pmu->counter[n].cccr |= set ? nbpmu_link_bit(link) : 0;
    const bool runs = nbpmu_link_runs(pmu, n, link);
    pmu->counter[n].cccr = cccr;
    return runs;
}

FAULT(link_runs, without_flag, runs_with_flag(pmu, n, link, is_link(pmu, link)))
FAULT(link_runs, outlives_flag,
      runs_with_flag(pmu, n, link, is_link(pmu, link) && pmu->counter[n].linked[link]))

FAULT(link_runs, outlives_flag_beside_ovf,
      runs_with_flag(pmu, n, link,
                     is_link(pmu, link) && pmu->counter[n].linked[link] && (pmu->counter[n].cccr & CCCR_OVF)))

/* Noted of Y since its CCCR was 0: its own OVF was cleared while it ran by a cascade, alone or with the flag.
 */
enum { OWN_OVF_CLEARED = 1, WITH_FLAG = 2 };

static uint32_t notes_own_ovf(struct nbpmu *pmu, unsigned n, uint32_t now)
{
    const uint32_t cleared = pmu->counter[n].cccr & ~now;
    if (nbpmu_linked(&pmu->counter[n]) && (cleared & CCCR_OVF))
        *noted_of(pmu, n) = OWN_OVF_CLEARED | (cleared & (CCCR_CASCADE | CCCR_CASCNT) ? WITH_FLAG : 0);
    if (now == 0)
        *noted_of(pmu, n) = 0;
    return now;
}

FAULT(link_fails, own_ovf_was_cleared, is_link(pmu, link) && *noted_of(pmu, n))
FAULT(link_runs, runs_on_with_own_ovf,
      runs_with_flag(pmu, n, link, is_link(pmu, link) && (*noted_of(pmu, n) & WITH_FLAG)))

/* Noted of X since its CCCR was 0: it was written from a negative to a positive value. */
static uint64_t notes_sign(const struct nbpmu *pmu, unsigned n, uint64_t value)
{
    *noted_of(pmu, n) |= pmu->counter[n].value > COUNTER_MASK / 2 && value <= COUNTER_MASK / 2 &&
                         (pmu->counter[n].cccr & CCCR_ENABLE);
    return value;
}

FAULT(link_strays, x_was_written_positive, n == fault_of(pmu)->at && is_link(pmu, link) && *noted_of(pmu, x))

/* Noted of a counter since its CCCR was 0: how often it overflowed. */
DEED(overflow, counts_overflows, ++*noted_of(pmu, n); nbpmu_overflow(pmu, n))

static bool other_overflowed_twice(struct nbpmu *pmu, unsigned n, enum nbpmu_link link, unsigned x)
{
    const unsigned other = fault_of(pmu)->other - 1u;
    return n == fault_of(pmu)->at && *noted_of(pmu, other) % 256 >= 2 &&
           (pmu->counter[other].cccr & CCCR_OVF);
}

/* ---- What else a start does, or a write ---- */

static bool starts(struct nbpmu *pmu, unsigned n, enum nbpmu_link link)
{
    return nbpmu_link_runs(pmu, n, link) && !pmu->counter[n].linked[link];
}

static bool start_clears_y(struct nbpmu *pmu, unsigned n, enum nbpmu_link link)
{
    if (starts(pmu, n, link))
        clears_counter(pmu, n);
    return nbpmu_link_runs(pmu, n, link);
}

static bool start_costs_count(struct nbpmu *pmu, unsigned n, enum nbpmu_link link)
{
    if (starts(pmu, n, link))
        takes_count(pmu, n);
    return nbpmu_link_runs(pmu, n, link);
}

static void start_stops_x(struct nbpmu *pmu, unsigned n)
{
    if (nbpmu_fault_sets_ovf(pmu, n) && another_starts(pmu, n, 0, PMC_COUNTERS))
        disables(pmu, n);
}

static void halts_if_started(struct nbpmu *pmu, unsigned n)
{
    if (nbpmu_linked(&pmu->counter[n]))
        pmu->counter[n].cccr &= ~(uint32_t)(CCCR_CASCADE | CCCR_CASCNT);
}

static bool flag_cleared(const struct nbpmu *pmu, unsigned n, uint32_t now)
{
    return nbpmu_linked(&pmu->counter[n]) && (pmu->counter[n].cccr & ~now & (CCCR_CASCADE | CCCR_CASCNT));
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

FAULT(counts, cascade_blocks_enable, counts_unless(pmu, n, pmu->counter[n].cccr &CCCR_CASCADE))

static bool start_halts_twin(struct nbpmu *pmu, unsigned n)
{
    bool halted = false;
    for (unsigned y = 0; y < PMC_COUNTERS; y++)
        halted |= y != n && nbpmu_linked(&pmu->counter[y]) &&
                  pmu->counter[y].escr_index == pmu->counter[n].escr_index;
    return counts_unless(pmu, n, halted);
}

FAULT(counts, cannot_stop, nbpmu_counts(pmu, n) || (pmu->running >> n & 1))

static bool takes_escr_of_x(struct nbpmu *pmu, unsigned n)
{
    struct nbpmu_counter *y = &pmu->counter[n];
    if (nbpmu_linked(y)) {
        const int x = nbpmu_link_source(pmu, n, y->linked[LINK_CASCADE] ? LINK_CASCADE : LINK_CASCNT);
        y->escr_index = pmu->counter[x].escr_index;
    }
    return nbpmu_counts(pmu, n);
}

/* ---- HLT (R42), a PMI (R43) and power (R44) ---- */

static unsigned pmi_freezes(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const unsigned raised = nbpmu_count(pmu, n, increment);
    if (raised) {
        pmu->counter[n].cccr &= ~CCCR_ENABLE;
        pmu->stale = true;
    }
    return raised;
}

FAULT(gate_open, stops_in_hlt, !(nbpmu_has_ht(pmu) && active == 1) && nbpmu_gate_open(pmu, n, active))
FAULT(gate_open, stops_with_lp0, pmu->lp[0].active &&nbpmu_gate_open(pmu, n, active))

static bool is_powered_alone(const struct nbpmu *pmu, int escr_index)
{
    return pmu->reached_by[escr_index] & nbpmu_enabled_counters(pmu);
}

FAULT(tag, tags_without_twin,
      is_powered_alone(pmu, (int)(escr - pmu->escr) % (int)ESCR_INDICES) ? nbpmu_tag(pmu, escr, lp) : 0)

static bool counts_without_twin(struct nbpmu *pmu, unsigned n)
{
    const int escr_index = pmu->counter[n].escr_index;
    return nbpmu_counts(pmu, n) && (escr_index == NO_ESCR || is_powered_alone(pmu, escr_index));
}

/* clang-format off */
#define BOTH_LINKS(name, rule, text, ...) \
    {"cascade-" name, rule, text, .family = every_cascade, __VA_ARGS__}, \
    {"cascnt-" name, rule, text, .part = PART_EXTENDED, .family = every_cascnt, __VA_ARGS__}
#define CHAIN(length, last, links) \
    {"chain-of-" length, "R33", "a chain of cascades ends after the " last, \
     .part = PART_EXTENDED, .at = links, .link_fails = x_was_started}
/* Two rows that differ by the link. */
#define EACH_LINK(name, rule, of_cascade, of_cascnt, ...) \
    {"cascade-" name, rule, of_cascade, EVERY_CLOCK, __VA_ARGS__}, \
    {"cascnt-" name, rule, of_cascnt, .part = PART_EXTENDED, .to = LINK_CASCNT, EVERY_CLOCK, __VA_ARGS__}

const struct nbpmu_fault_row nbpmu_fault_cascades[] = {
    EACH_LINK("unconditional", "R33", "CASCADE starts without an overflow", "bit 11 starts without an overflow",
              .link_strays = unconditional),
    {"starts-nothing", "R33", "the overflow of a counter starts nothing", .family = only_as_double,
     .of_x = true, .link_fails = always},
    {"cascade-not-by-step", "R33", "an overflow that steps over 0 starts nothing",
     .overflow = mute_by_step, .cccr_holds = mute_until_cleared, .link_fails = x_is_mute},
    {"cascades-meet-first", "R33",
     "of two counters of a block that overflow in one clock only the first starts others",
     .overflow = mute_by_meeting, .cccr_holds = mute_until_cleared, .link_fails = x_is_mute},
    {"cascades-meet-none", "R33", "two counters of a block that overflow in one clock start nothing",
     .at = 1, .overflow = mute_by_meeting, .cccr_holds = mute_until_cleared, .link_fails = x_is_mute},
    {"chain-of-1", "R33", "a counter that was started starts nothing", .at = 1, .link_fails = x_was_started},
    CHAIN("2", "second", 2),
    CHAIN("3", "third", 3),
    CHAIN("4", "fourth", 4),
    {"cascade-once", "R33", "X whose OVF was cleared starts nothing until ENABLE is cleared",
     .cccr_holds = mute_once_cleared, .link_fails = x_is_mute},
    BOTH_LINKS("again-halts", "R33", "another overflow of X while its OVF stands halts Y of this link",
               .overflow = again_mutes, .cccr_holds = mute_until_cleared, .link_fails = x_is_mute, .anywhere = true),
    BOTH_LINKS("again-clears", "R33", "another overflow of X while its OVF stands starts Y of this link from 0",
               .overflow = again_clears_y, .anywhere = true),
    BOTH_LINKS("needs-select", "R33", "this link does not start a Y with another ESCR select than X",
               .link_fails = selects_differ),
    BOTH_LINKS("own-ovf-halts", "R38", "clearing the own OVF of Y of this link halts it",
               .cccr_holds = notes_own_ovf, .link_fails = own_ovf_was_cleared),
    BOTH_LINKS("flag-with-own-ovf", "R38",
               "clearing the flag of this link and the own OVF of Y by one write does not halt Y", EVERY_CLOCK,
               .cccr_holds = notes_own_ovf,
               .link_runs = runs_on_with_own_ovf),
    BOTH_LINKS("written-positive", "R37",
               "an X that is written from a negative to a positive value starts Y of this link", EVERY_CLOCK,
               .counter_holds = notes_sign, .cccr_holds = forgets_at_0,
               .link_strays = x_was_written_positive, .anywhere = true),
    {"cascade-fails-beside", "R34",
     "the second counter is not started by CASCADE while the first one, not its X, is enabled",
     .family = every_beside_x, .link_fails = other_is_enabled},
    {"cascade-foreign-twice", "R34",
     "the second counter is also started by the first one, not its X, once that overflowed twice",
     .family = every_beside_x, EVERY_CLOCK, .overflow = counts_overflows, .cccr_holds = forgets_at_0,
     .link_strays = other_overflowed_twice, .anywhere = true},
    {"cascade-broken", "R34", "this cascade does not start", .family = every_cascade, .link_source = link_broken},
    {"cascade-without-flag", "R34", "an overflow starts the partners though their CASCADE is clear",
     EVERY_CLOCK, .link_runs = without_flag},
    {"cascade-upwards-dead", "R34", "no cascade to a higher counter starts", .at = 1, .link_source = one_direction},
    {"cascade-downwards-dead", "R34", "no cascade to a lower counter starts", .link_source = one_direction},
    {"cascade-swapped", "R34", "a counter is started by its neighbour's partner",
     .family = every_swapped_partner, .link_source = other_source},
    {"cascade-foreign", "R34", "a counter is started by one that is not its partner as well",
     .family = every_foreign_partner, .link_strays = other_starts},
    {"fan-out-lowest", "R34", "of the counters that X starts only the lowest starts", .link_fails = lower_starts},
    {"fan-out-highest", "R34", "of the counters that X starts only the highest starts", .link_fails = higher_starts},
    {"cascade-one-a-block", "R34", "CASCADE starts no counter while another X of the block has started one",
     .link_fails = block_has_other_start},
    {"cascade-beside-cascnt", "R34", "CASCADE does not start while a counter of the block has bit 11",
     .part = PART_EXTENDED, .link_fails = block_has_other_link},
    {"cascnt-beside-cascade", "R35", "bit 11 does not start while a counter of the block has CASCADE",
     .part = PART_EXTENDED, .to = LINK_CASCNT, .link_fails = block_has_other_link},
    {"cascnt-not-on-one-escr", "R35", "bit 11 does not start a counter on the ESCR of X",
     .part = PART_EXTENDED, .link_fails = on_escr_of_x},
    {"cascnt-broken", "R35", "this extended cascade does not start",
     .part = PART_EXTENDED, .family = every_cascnt, .to = LINK_CASCNT, .link_source = link_broken},
    {"cascnt-swapped", "R35", "bit 11 follows the overflow of the wrong one of 16 and 17",
     .part = PART_EXTENDED, .family = every_wrong_cascnt, .to = LINK_CASCNT, .link_source = other_source,
     .cccr_kept = has_bit_11},
    {"cascnt-foreign", "R35", "bit 11 follows the overflow of another counter as well",
     .part = PART_EXTENDED, .family = every_foreign_cascnt, .to = LINK_CASCNT, .link_strays = other_starts},
    {"cascnt-reserved", "R35", "bit 11 starts this counter, in whose CCCR it is reserved",
     .part = PART_EXTENDED, .family = every_reserved_cascnt, .to = LINK_CASCNT, .link_source = other_source,
     .cccr_kept = has_bit_11},
    EACH_LINK("needs-enable", "R36", "CASCADE starts only with ENABLE set in Y", "bit 11 starts only with ENABLE set in Y",
              .link_fails = y_has_no_enable),
    {"cascade-blocks-enable", "R36", "ENABLE has no effect beside CASCADE",
     EVERY_CLOCK, .counts = cascade_blocks_enable},
    EACH_LINK("early", "R37", "Y starts one count of X before the overflow",
              "Y starts by bit 11 one count of X before the overflow",
              .link_strays = one_count_early, .links_at = is_last, .distance = nbpmu_fault_to_one_early),
    EACH_LINK("late", "R37", "Y starts 128 counts of X after the overflow",
              "Y starts by bit 11 128 counts of X after the overflow",
              .link_fails = not_late_enough, .links_at = is_early, .distance = to_late),
    {"cascade-stops-x", "R37", "X stops at the overflow that starts Y", EVERY_CLOCK, .overflow = start_stops_x},
    {"cascade-clears-y", "R37", "Y starts from 0 instead of its preset", EVERY_CLOCK, .link_runs = start_clears_y},
    {"start-costs-count", "R37", "a cascade takes a count from the counter that it starts",
     EVERY_CLOCK, .link_runs = start_costs_count},
    {"enable-cannot-stop", "R38", "clearing ENABLE does not halt a counter", EVERY_CLOCK, .counts = cannot_stop},
    {"cascade-outlives-flag", "R38", "clearing CASCADE does not halt Y", EVERY_CLOCK, .link_runs = outlives_flag},
    {"cascade-outlives-ovf", "R38", "clearing OVF of X does not halt Y", EVERY_CLOCK, .link_strays = outlives_ovf},
    {"cascnt-outlives-flag", "R38", "clearing bit 11 does not halt Y",
     .part = PART_EXTENDED, .to = LINK_CASCNT, EVERY_CLOCK, .link_runs = outlives_flag},
    {"cascnt-outlives-ovf", "R38", "clearing OVF of X does not halt Y started by bit 11",
     .part = PART_EXTENDED, .to = LINK_CASCNT, EVERY_CLOCK, .link_strays = outlives_ovf},
    EACH_LINK("flag-beside-ovf", "R38", "clearing CASCADE does not halt a Y that has overflowed",
              "clearing bit 11 does not halt a Y that has overflowed", .link_runs = outlives_flag_beside_ovf),
    EACH_LINK("ovf-beside-enable", "R38", "clearing OVF of X halts Y only with ENABLE of X",
              "clearing OVF of X halts Y started by bit 11 only with ENABLE of X", .link_strays = outlives_ovf_of_enabled),
    {"start-takes-escr", "R37", "a started counter counts the event of X", EVERY_CLOCK, .counts = takes_escr_of_x},
    {"start-halts-twin", "R38", "the start of a counter halts the enabled ones on its ESCR",
     EVERY_CLOCK, .counts = start_halts_twin},
    {"cascade-ends-at-ovf", "R38", "a started counter halts at its own overflow", .link_fails = y_has_ovf},
    {"write-halts-started", "R38", "writing a started counter halts it", .when = WRITTEN, .then = halts_if_started},
    {"read-halts-started", "R38", "reading a started counter halts it", .when = RDMSR_ANY, .then = halts_if_started},
    {"write-of-x-halts", "R38", "writing X halts the counters that it started",
     .when = WRITTEN, .then = mutes_itself, .cccr_holds = mute_until_cleared, .link_fails = x_is_mute},
    {"flag-takes-enable", "R36",
     "the write that clears CASCADE or bit 11 of a started counter cannot set ENABLE",
     EVERY_CLOCK, .cccr_holds = flag_takes_enable},
    {"flag-sets-enable", "R38", "the write that clears CASCADE or bit 11 of a started counter sets ENABLE",
     EVERY_CLOCK, .cccr_holds = flag_sets_enable},
    {"flag-halts-all", "R38", "clearing CASCADE or bit 11 of a counter halts all that its X started",
     .cccr_holds = flag_mutes_x, .link_fails = x_is_mute},
    {"ovf-halts-neighbour", "R38", "clearing OVF of X halts what its neighbour started too",
     .cccr_holds = mutes_neighbour, .link_fails = x_is_mute},
    {"cascade-not-mutual", "R40", "X with CASCADE set itself starts nothing", EVERY_CLOCK, .link_fails = x_has_cascade},
    {"one-halted-stops-all", "R42", "the counters stop while one of two logical processors is halted",
     .part = PART_HT, EVERY_CLOCK, .gate_open = stops_in_hlt},
    CLEARS_ALL("hlt-clears-", "R42", "HLT of a logical processor ", HALTS, PART_ANY),
    {"lp0-halted-stops-all", "R42", "the counters stop while LP0 is halted",
     .part = PART_HT, EVERY_CLOCK, .gate_open = stops_with_lp0},
    {"pmi-freezes", "R43", "a PMI stops its counter", .count = pmi_freezes},
    {"tag-power-without-twin", "R44", "an ESCR tags only while a counter of its own is enabled",
     EVERY_CLOCK, .tag = tags_without_twin},
    {"power-without-twin", "R44", "an ESCR is powered by counters of its own only, not of its twin's",
     EVERY_CLOCK, .counts = counts_without_twin, .tag = tags_without_twin},
    {.name = NULL},
};
/* clang-format on */

/*
 * Each event has a vector with its name, which fails when the event is dead on one of its ESCRs, or one of
 * its members (pmu-rules 8.3, 4.1 to 4.5; Tables 19-28, 19-29; R7, R9).
 *
 * causes.c says which work must cause what of an event, and from where that is known. Each member that the
 * work causes reaches its floor when its bit is set alone, on each ESCR, and with its bit beside that of each
 * other member; a member that the work cannot cause stays at 0. All counters of an ESCR count the same. The
 * event must not occur less often when the work is four times as long, and not as often as clocks: an event
 * that never occurs does not reach its counter, and one that occurs in every clock is not that event. Of the
 * shorter work the least of a few counts is taken, because what disturbs a run adds to its count.
 *
 * branch_retired splits all branches into four members, so any set of them on one ESCR and the other members
 * on its twin make all branches together, but for a few. uop_type only tags and never counts (R15). What no
 * source allows a floor for is not exercised (exercised.h): it is counted while a mixed work runs.
 */
#include "causes.h"
#include "pmc/msr.h"
#include "kernel/lib/lib.h"
#include "kernel/smp/smp.h"
#include "tests/suite/exercised.h"
#include "tests/suite/measure.h"
#include "tests/suite/repeat.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/needs.h"
#include "tests/suite/bits.h"
#include "tests/suite/stimulus.h"

#define MASK(bit) (1u << (bit))

#define FEW 16 /* counts of a member that the work does not cause (pmu-rules 8.3), or between two writes */

/* ---- Where a row can be counted ---- */

/* Can this processor count the event on this counter? */
static bool reaches(enum pmc_event_id event, unsigned counter)
{
    struct pmc_programming p;

    if (event == EVENT_IOQ_ALLOCATION && PMC_COUNTER[counter].side == 1 && machine_has_erratum(PMC_E10))
        return false;
    return pmc_program(&p, event, 0, 0, counter);
}

/* The first counter of the event on this side; PMC_COUNTERS: there is none. */
static unsigned first_counter(enum pmc_event_id event, unsigned side)
{
    unsigned counter = 0;

    while (counter < PMC_COUNTERS && !(PMC_COUNTER[counter].side == side && reaches(event, counter)))
        counter++;
    return counter;
}

static bool is_on_side(const struct cause *c, unsigned side)
{
    return first_counter(c->event, side) < PMC_COUNTERS;
}

/* TC_deliver_mode: a member, named for the modes of logical processors 0 and 1, for those of 1 and 0. */
static uint16_t exchanged(uint16_t mode)
{
    static const uint8_t OTHER[] = {0, 3, 6, 1, 4, 7, 2, 5}; /* DD DB DI BD BB BI ID IB */

    for (unsigned bit = 0; bit < COUNT_OF(OTHER); bit++)
        if (mode == MASK(bit))
            return MASK(OTHER[bit]);
    return mode;
}

static uint16_t caused(const struct cause *c)
{
    return c->flags & CAUSE_MODES && smp_self() == 1 ? exchanged(c->caused) : c->caused;
}

/* Which bits are members one by one: not those of a field. */
static uint16_t apart(const struct cause *c)
{
    return c->flags & CAUSE_VALUE ? 0 : c->caused;
}

static const char *name_of(const struct cause *c)
{
    return PMC_EVENT[c->event].name;
}

/* ---- Measuring ---- */

static void add_upstream(struct measurement *m, const struct cause *c, uint16_t mask, unsigned side)
{
    const struct upstream *up = c->upstream;

    if (!up)
        return;
    if (up->replays) {
        msr_write(MSR_PEBS_MATRIX_VERT, up->matrix);
        msr_write(MSR_PEBS_ENABLE, up->replays | PEBS_ENABLE_UOP_TAG);
    }
    for (unsigned i = 0; i < COUNT_OF(up->counter) && up->event != NO_UPSTREAM; i++) {
        if (i != side && !up->both)
            continue;
        measure_add_event(m, up->event, up->mask ? up->mask : mask, up->counter[i], up->filter);
        m->of[m->counters - 1].p.escr |= up->escr;
        m->escr[m->escrs - 1].value |= up->escr;
    }
}

static void end_upstream(const struct cause *c)
{
    if (c->upstream && c->upstream->replays) {
        msr_write(MSR_PEBS_ENABLE, 0);
        msr_write(MSR_PEBS_MATRIX_VERT, 0);
    }
}

static uint32_t filter_of(const struct cause *c)
{
    return c->flags & CAUSE_EDGE ? CCCR_COMPARE | CCCR_EDGE : 0;
}

/* Count the row's work on every counter of one ESCR. They must count the same (R17). */
static uint64_t count_side(const struct cause *c, uint16_t mask, unsigned side, uint32_t n)
{
    struct measurement m = {.place = {0, c->flags & CAUSE_ON_SIBLING}};

    add_upstream(&m, c, mask, side);
    const unsigned first = m.counters;
    for (unsigned counter = 0; counter < PMC_COUNTERS; counter++)
        if (PMC_COUNTER[counter].side == side && reaches(c->event, counter) && !counter_is_dead(counter) &&
            !(first && m.of[0].p.counter == counter))
            measure_add_event(&m, c->event, mask, counter, filter_of(c));
    measure(&m, c->work, n);
    for (unsigned i = first + 1; i < m.counters; i++)
        expect_equal(R17, counts_of(&m.of[first]), counts_of(&m.of[i]),
                     "%s on counter %C, as on counter %C of the same ESCR", name_of(c), m.of[i].p.counter,
                     m.of[first].p.counter);
    return counts_of(&m.of[first]);
}

struct shorter {
    const struct cause *cause;
    uint16_t mask;
    unsigned side;
};

static uint64_t count_shorter(const void *arg)
{
    const struct shorter *s = arg;

    return count_side(s->cause, s->mask, s->side, s->cause->n / 4);
}

/* ---- A row as a whole ---- */

/*
 * LOCK, CACHE, DEM and ORD, bits 6, 7, 9 and 10 of the BSQ's mask: the manual does not say which of them a
 * request has, and whether a mask without a flag leaves out requests that have it. So each set of them is
 * tried.
 */
#define OPEN_FLAGS 0xFu

static uint16_t with_flags(const struct cause *c, unsigned set)
{
    const uint16_t flags = (uint16_t)((set & 3) << 6 | (set & 0xC) << 7);

    return (caused(c) & (uint16_t) ~(3u << 6 | 3u << 9)) | flags;
}

static void expect_occurs(const struct cause *c, unsigned side)
{
    uint16_t mask = caused(c);
    uint64_t many = count_side(c, mask, side, c->n);

    for (unsigned i = 0; i <= OPEN_FLAGS && c->flags & CAUSE_FLAGS && many < c->floor; i++) {
        mask = with_flags(c, i);
        many = count_side(c, mask, side, c->n);
    }
    expect_true(RULES(R7, R17, R12), many >= c->floor,
                "%s with mask %4H, counter %C: %llu with %u of its work, not %u at least (%s)", name_of(c),
                mask, first_counter(c->event, side), many, c->n, c->floor, c->source);
    if (c->flags & CAUSE_ONCE)
        return;
    const struct shorter shorter = {c, mask, side};
    const uint64_t few = least_of(count_shorter, &shorter);
    expect_true(RULES(R7, R27), many >= few, "%s: %llu with %u, %llu with %u, not fewer", name_of(c), few,
                c->n / 4, many, c->n);
    expect_true(R7, c->flags & CAUSE_CLOCKS || many < 100u * c->n,
                "%s: %llu with %u is not the number of clocks", name_of(c), many, c->n);
}

static void expect_flags_exclude(const struct cause *c, unsigned side)
{
    struct pmc_programming p;

    pmc_program(&p, c->event, caused(c), escr_self_all(), first_counter(c->event, side));
    p.cccr |= filter_of(c);
    expect_excluded(p, c->event, name_of(c), count_least, c->work, c->n / 4);
}

/* IOQ_allocation ignores them where E10 holds (R14). */
static bool has_flags(const struct cause *c)
{
    return !c->upstream && !(c->flags & CAUSE_ONCE) &&
           !(c->event == EVENT_IOQ_ALLOCATION && machine_has_erratum(PMC_E10));
}

static void whole(const struct cause *c)
{
    for (unsigned side = 0; side < 2; side++) {
        if (!is_on_side(c, side))
            continue;
        expect_occurs(c, side);
        if (has_flags(c))
            expect_flags_exclude(c, side);
    }
}

/* ---- The members of a row, one by one ---- */

/*
 * A work causes some members of an event and not others. A bit that is dead, stuck or taken for another shows
 * on the first row that has it. Of members of which nothing is known, bogus ones and those that Table 19-34
 * alone names, nothing is asked but that they take nothing from the member beside them.
 *
 * On one ESCR the member is alone, on the other one beside another member, whose occurrences are added: but a
 * return, or a call, may be an occurrence of INDIRECT as well. A quarter is left for what occurs between the
 * starts and stops of the two ESCRs.
 */
static void expect_member(const struct cause *c, uint16_t bit, uint16_t other, uint8_t level)
{
    struct measurement on = {.place = {level, false}};
    const unsigned with = bit > other; /* the side of the other one */
    const bool causes = c->caused & bit, adds = c->caused & other,
               distinct = bit != other && !((bit | other) & BRANCH_TYPE_INDIRECT);

    add_upstream(&on, c, bit, 0);
    const unsigned first = on.counters;
    for (unsigned side = 0; side < 2; side++)
        measure_add_event(&on, c->event, side == with ? bit | other : bit, first_counter(c->event, side),
                          filter_of(c));
    measure(&on, c->work, c->n);
    const struct measured *one = &on.of[first + !with], *two = &on.of[first + with];
    const uint64_t alone = counts_of(one), both = counts_of(two);
    const bool right = causes ? alone >= c->floor : alone <= FEW;
    const bool added = both >= (causes ? c->floor : 0) &&
                       both + FEW + alone / 4 >= alone + (adds && distinct ? c->floor : 0) &&
                       ((c->excluded & other) == 0 || both <= alone + FEW);
    expect_true(RULES(R7, R12), right,
                "%s with mask %4H on counter %C at CPL %u, %u of a workload that %s it: %llu (%s)",
                name_of(c), bit, one->p.counter, level, c->n, causes ? "causes" : "does not cause", alone,
                c->source);
    expect_true(RULES(R9, R7), added,
                "%s with mask %4H on counter %C at CPL %u, beside %llu with mask %4H: %llu", name_of(c),
                bit | other, two->p.counter, level, alone, bit, both);
}

/* Members of which an occurrence is one and no other, so that two beside each other add. A tag value may have
 * several bits, and of machine_clear one member only may be given. */
static bool adds_up(enum pmc_event_id event)
{
    return event != EVENT_MACHINE_CLEAR && event != EVENT_EXECUTION_EVENT;
}

static void one_by_one(const struct cause *c)
{
    const uint8_t levels = c->flags & CAUSE_CPL0 ? 0 : 3;

    for (uint32_t bit = 1, known = apart(c) | c->excluded; bit <= known; bit <<= 1)
        for (uint32_t other = 1, all = PMC_EVENT[c->event].members; other <= all; other <<= 1)
            for (uint8_t level = 0; level <= levels; level += 3)
                if (known & bit && all & other && (bit == other || adds_up(c->event)))
                    expect_member(c, (uint16_t)bit, (uint16_t)other, level);
}

/* ---- branch_retired ---- */

/*
 * Branches of a window. On a slow processor whose clocks run an eighth of the time 2000 take half a
 * millisecond, and an SMI each millisecond would hit every second window. So a window is shorter than what a
 * predictor learns by heart; each has other branches, so that none is learned.
 */
#define WINDOW 400

struct split {
    uint64_t even, odd; /* on CRU_ESCR2 and on CRU_ESCR3 */
    uint64_t of_work;   /* branches of the workload */
};

/* variant: which branches. */
static struct split count_split(uint16_t even, uint16_t odd, uint8_t level, unsigned variant)
{
    struct measurement m = {.place = {level, false}};
    const uint32_t n = WINDOW + variant;

    measure_add_event(&m, EVENT_BRANCH_RETIRED, even, 12, 0);
    measure_add_event(&m, EVENT_BRANCH_RETIRED, odd, 14, 0);
    measure(&m, &work_random_branch, n);
    return (struct split){counts_of(&m.of[0]), counts_of(&m.of[1]), n * work_random_branch.branches};
}

/* The frame's own branches. */
static uint64_t of_frame(const void *level)
{
    const struct split split =
        count_split(BRANCH_RETIRED_ALL, BRANCH_RETIRED_ALL, *(const uint8_t *)level, 0);

    return split.even - split.of_work;
}

static void expect_same(uint8_t level)
{
    const struct split split = count_split(BRANCH_RETIRED_ALL, BRANCH_RETIRED_ALL, level, 0);

    expect_near(RULES(R7, R27), split.even, FEW, split.odd,
                "branches on CRU_ESCR3 with all members, as on CRU_ESCR2");
}

/* Every fourth mask at this CPL, so that each member is on each ESCR alone and beside others. Between the
 * writes of the two ESCRs the image itself branches. */
static void expect_split(uint8_t level)
{
    const uint64_t frame = least_of(of_frame, &level);

    expect_same(level);
    for (uint16_t mask = level ? level : 4; mask < BRANCH_RETIRED_ALL; mask += 4) {
        const struct split split = count_split(mask, BRANCH_RETIRED_ALL ^ mask, level, mask);

        expect_near(RULES(R9, R7, R12), split.of_work + frame, FEW, split.even + split.odd,
                    "branches at CPL %u with mask %1H on CRU_ESCR2 and the other members on CRU_ESCR3", level,
                    mask);
        expect_true(R7, split.even > 0 && split.odd > 0, "members %1H (%llu) and the others (%llu) occur",
                    mask, split.even, split.odd);
    }
}

/* ---- An event ---- */

static struct exercised {
    uint8_t event;
} EXERCISED[PMC_EVENTS];

/* The manual's name, in lower case as an id has it. */
static void event_name(const void *item, char *out, size_t size)
{
    const char *name = PMC_EVENT[((const struct exercised *)item)->event].name;
    size_t i = 0;

    for (; name[i] && i + 1 < size; i++)
        out[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] - 'A' + 'a' : name[i]);
    out[i] = '\0';
}

/* What all rows of an event need. */
static unsigned event_needs(const void *item)
{
    unsigned needs = ~0u;

    for (const struct cause *c = CAUSE; c < CAUSE + CAUSES; c++)
        if (c->event == ((const struct exercised *)item)->event)
            needs &= c->needs;
    return needs;
}

static struct items every_exercised = {
    .first = EXERCISED, .size = sizeof EXERCISED[0], .name = event_name, .needs = event_needs};

static bool has_cause(enum pmc_event_id event)
{
    for (const struct cause *c = CAUSE; c < CAUSE + CAUSES; c++)
        if (c->event == event)
            return true;
    return false;
}

static void list_exercised(void)
{
    every_exercised.count = 0;
    for (unsigned event = 0; event < PMC_EVENTS; event++)
        if (has_cause(event))
            EXERCISED[every_exercised.count++].event = (uint8_t)event;
}

static void exercise(const void *item)
{
    const enum pmc_event_id event = ((const struct exercised *)item)->event;

    if (event == EVENT_IOQ_ALLOCATION || event == EVENT_IOQ_ACTIVE_ENTRIES)
        skip_without_ioq();
    for (const struct cause *c = CAUSE; c < CAUSE + CAUSES; c++) {
        if (c->event != event || c->needs & ~machine_meets())
            continue;
        if (c->prepare)
            c->prepare();
        if (c->caused)
            whole(c);
        one_by_one(c);
        end_upstream(c);
        if (c->finish)
            c->finish();
    }
    if (event == EVENT_BRANCH_RETIRED)
        for (uint8_t level = 0; level <= 3; level++)
            expect_split(level);
}

/* uop_type tags; each counter on it stays where it is (R15), and counts the instructions of the work. */
static void tags_only(void)
{
    struct pmc_programming p;

    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (!pmc_program(&p, EVENT_UOP_TYPE, UOP_TYPE_TAGLOADS | UOP_TYPE_TAGSTORES, escr_self_all(), n))
            continue;
        expect_equal(R15, 0, count_least(&p, &work_split_load, RUN_LONG),
                     "counts of uop_type on counter %C while loads retire", n);
        p = stimulus_program(STIMULUS_INSTRUCTIONS, n);
        expect_true(RULES(R27, R17), count_once(&p, &work_split_load, RUN_LONG) >= RUN_LONG,
                    "counter %C counts their instructions", n);
    }
}

/* ---- What has no floor ---- */

#define MIXED 400 /* branches, half of which no predictor knows, so that wrong paths are taken */

static void report(const struct open_cause *open, const char *name)
{
    const struct cause c = {.event = open->event,
                            .caused = open->members,
                            .work = &work_random_branch,
                            .n = MIXED,
                            .upstream = open->upstream};

    for (unsigned side = 0; side < 2; side++)
        if (is_on_side(&c, side))
            not_exercised(name, open->reason, count_side(&c, c.caused, side, c.n));
    end_upstream(&c);
}

/* Are the bits of its mask fields, so that a value stands for all of its bits? */
static bool has_fields(enum pmc_event_id event)
{
    return event == EVENT_IOQ_ALLOCATION || event == EVENT_IOQ_ACTIVE_ENTRIES ||
           event == EVENT_BSQ_ALLOCATION || event == EVENT_BSQ_ACTIVE_ENTRIES;
}

static bool names_members(const struct cause *c)
{
    return !(c->flags & CAUSE_VALUE) || has_fields(c->event) || (c->caused & (c->caused - 1)) == 0;
}

/* The members of an event that some row of causes.c is about, whose needs are among these. */
static uint16_t known_members(enum pmc_event_id event, unsigned met)
{
    uint16_t known = event == EVENT_UOP_TYPE ? PMC_EVENT[event].members : 0; /* it only tags (R15) */

    for (const struct cause *c = CAUSE; c < CAUSE + CAUSES; c++)
        known |= c->event == event && names_members(c) && !(c->needs & ~met) ? caused(c) : 0;
    for (const struct open_cause *open = OPEN_CAUSE; open < OPEN_CAUSE + OPEN_CAUSES; open++)
        known |= open->event == event ? open->members : 0;
    return known;
}

static bool is_on_model(enum pmc_event_id event)
{
    const bool of_ioq = event == EVENT_IOQ_ALLOCATION || event == EVENT_IOQ_ACTIVE_ENTRIES;

    return PMC_EVENT[event].models & MASK(machine_cpu.model) && (machine_cpu.ioq || !of_ioq);
}

static void report_rest(enum pmc_event_id event, uint16_t members, const char *reason)
{
    const struct open_cause rest = {(uint8_t)event, members, "", NULL, reason};
    char name[EXERCISED_NAME];

    format(name, sizeof name, "%s with mask %4H", PMC_EVENT[event].name, members);
    if (members)
        report(&rest, name);
}

static void report_open(void)
{
    char name[EXERCISED_NAME];

    for (const struct open_cause *open = OPEN_CAUSE; open < OPEN_CAUSE + OPEN_CAUSES; open++) {
        format(name, sizeof name, "%s%s%s", PMC_EVENT[open->event].name, open->names[0] ? " " : "",
               open->names);
        if (is_on_model(open->event))
            report(open, name);
    }
    for (unsigned event = 0; event < PMC_EVENTS; event++) {
        const uint16_t members = is_on_model(event) ? PMC_EVENT[event].members : 0;

        report_rest(event, members & ~known_members(event, ~0u), "no vector causes it");
        report_rest(event, members & known_members(event, ~0u) & ~known_members(event, machine_meets()),
                    "this machine lacks what causes it");
    }
}

static const struct vector events_rows[] = {
    CHECK("event", "occurs with its work on each of its ESCRs, member by member", .deadline_ms = 2000,
          .stages = STAGE_COUNT, .run_item = exercise, .items = &every_exercised),
    CHECK("event.uop_type", "tags only, never counts", .stages = STAGE_COUNT, .run = tags_only),
    PROBE("probe.events", "what has no floor: events and members that nothing causes for certain",
          .also = "R9", .deadline_ms = 5000, .stages = STAGE_COUNT, .run = report_open),
};
VECTOR_GROUP(events, .prepare = list_exercised);

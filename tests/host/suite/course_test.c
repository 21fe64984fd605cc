/*
 * Courses as they are played and judged (tests/suite/course_play.c, course_judge.c, course_shorten.c), on the
 * second model of the PMU (course_machine.h): nothing is wrong with it, whatever the part and whatever it may
 * legally do; a mistake is called wrong by the rule that it breaks; and a shortened course has nothing left
 * to leave out.
 */
#include <stdlib.h>
#include "course_machine.h"

/* ---- Where the judge answers OPEN ---- */

/* Each OPEN that these two files mention counts how often it is evaluated. */
struct open_place {
    const char *file;
    unsigned line, reached;
};
extern struct open_place __start_open_places[], __stop_open_places[];
#define OPEN                                                                                             \
    ({                                                                                                   \
        static struct open_place here __attribute__((section("open_places"))) = {__FILE__, __LINE__, 0}; \
        here.reached++;                                                                                  \
        OPEN;                                                                                            \
    })
#include "tests/suite/course_judge.c"
#include "tests/suite/course_state.c"
#undef OPEN

/* ---- The courses of the vectors ---- */

static const char *printed(const struct course *course)
{
    static char text[COURSE_TEXT];

    course_print(course, text, sizeof text);
    return text;
}

/* What the vectors read is printed as it is written, and no text was cut on its way. */
static const char *parse_and_print(struct course *course, const char *text, unsigned boot)
{
    const char *const why = course_parse(course, text, boot);

    if (!why)
        assert_string_equal(printed(course), text);
    return why;
}
#define course_parse parse_and_print
#include "tests/vectors/netburst/course/courses.c"
#undef course_parse

static const uint8_t NUMBERS[PMC_COUNTERS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};
const struct items every_counter = ITEMS(NUMBERS);
STUB(unsigned, counter_number, (const void *item), *(const uint8_t *)item);
STUB(void, end_if_dead, (unsigned counter));
STUB(bool, stage_counts, (unsigned counter), true);
STUB(const char *, selection_course, (void), "");
STUB(bool, selection_is_thorough, (void), false);
STUB(uint32_t, soak_loop, (void), 0);

unsigned twin_of(unsigned counter)
{
    return counter < 12 ? counter ^ 1 : counter < 16 ? 16 + counter / 2 % 2 : counter == 16 ? 12 : 14;
}

struct cascade_link link_of_17(void)
{
    return (struct cascade_link){.x = machine.pmu.config.variants.alt17_is_13 ? 13 : 15, .y = 17};
}

void skip_now(const char *fmt, ...)
{
    fail_msg("%s", fmt);
    abort();
}

void bail_out_as(const char *id, const char *fmt, ...)
{
    fail_msg("%s: %s", id, fmt);
    abort();
}

/* What the library programs has the ESCR select that the texts name. */
TEST(each_event_has_the_escr_select_of_its_programming_and_occurs_for_sure)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        for (unsigned i = 0; i < COURSE_EVENTS; i++) {
            const struct course_event *event = course_event(n, i);
            struct pmc_programming p;

            assert_true(pmc_program(&p, (enum pmc_event_id)event->event, event->mask, 0, n));
            assert_int_equal(course_select(n, i), p.cccr & CCCR_ESCR_SELECT_MASK);
            /* The processor need not replay a load: all others are of instructions, or of clocks. */
            assert_int_equal(event->sure, event->event != EVENT_MOB_LOAD_REPLAY);
        }
}

/* ---- A sound PMU ---- */

/* One of each set of features and errata (pmu-rules 1.1), with and without Hyper-Threading. Not the parts of
 * E22, which msr.h's functions hide. */
static const struct course_part PARTS[] = {{0xF43, 2}, {0xF29, 2}, {0xF12, 1}, {0xF44, 2}, {0xF43, 1},
                                           {0xF34, 2}, {0xF29, 1}, {0xF64, 2}, {0xF65, 1}};
#define F43        PARTS[0]
#define WRITTEN_ON 2 /* the first of them play the written courses */

/* Is there a rule for what this variant does, and may a course meet it? Not the errata E1 and E9, which no
 * rule says when they strike, nor E4: end_if_dead() keeps courses away from counter 1. */
static bool is_played(const char *variant)
{
    static const char *const OTHERS[] = {"e1-torn-write", "e1-write-adds", "e1-access-adds", "e9-unflagged",
                                         "ccr1-enable-dead"};

    for (unsigned i = 0; i < COUNT_OF(OTHERS); i++)
        if (strcmp(variant, OTHERS[i]) == 0)
            return false;
    return true;
}

static unsigned random_next(struct random *random, unsigned n)
{
    random->state = random->state * 1664525 + 1013904223;
    return (random->state >> 16) % n;
}

/* The mistake of the machine that plays next, or null. */
static void (*mistake)(const struct pmu_act *act);

BEFORE_EACH(begin)
{
    mistake = NULL;
    memset(&said, 0, sizeof said);
}

static void begin_part(const struct course_part *part, const struct nbpmu_variants *variants)
{
    machine_begin(part, variants);
    machine.mistake = mistake;
    course_17_is_started_by(link_of_17().x);
}

#define VARIANT_OF 6 /* a variant is drawn once in so many times */

static struct nbpmu_variants draw_variants(struct random *random, char *names, size_t size)
{
    struct nbpmu_variants variants = {.cascade_latch = false};
    const char *name;

    names[0] = '\0';
    for (unsigned i = 0; (name = nbpmu_variant_name(i, NULL)) != NULL; i++)
        if (is_played(name) && random_next(random, VARIANT_OF) == 0) {
            assert_true(nbpmu_set_variant(&variants, name));
            snprintf(names + strlen(names), size - strlen(names), " %s", name);
        }
    return variants;
}

#define SEEDS COUNT_OF(PARTS)

static void play_drawn(unsigned seed)
{
    const struct course_part *part = &PARTS[seed % COUNT_OF(PARTS)];
    struct random random = {.state = seed};
    char names[1000];
    const struct nbpmu_variants variants = draw_variants(&random, names, sizeof names);

    begin_part(part, &variants);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        for (unsigned i = 0; i < DRAWN; i++) {
            struct course course;

            course_draw(&course, n, &random);
            if (course_adapt(&course) && !course_expect(&course, "drawn"))
                fail_msg("seed %u, part %X with %u logical processors,%s: %s; %s", seed, part->signature,
                         part->lps, names, said.what, printed(&course));
        }
}

/* The first row is the course of the boot line, the last one those that are drawn. */
static void play_written(const struct course_part *part)
{
    begin_part(part, &(struct nbpmu_variants){.cascade_latch = false});
    for (unsigned row = 1; row < COUNT_OF(courses_rows) - 1; row++)
        for (unsigned n = 0; n < vector_members(&courses_rows[row]); n++) {
            vector_run(&courses_rows[row], n);
            if (said.failed)
                fail_msg("part %X: %s", part->signature, said.what);
        }
}

/* Play the course on this part with its variants, and say whether nothing is wrong. */
static bool is_right_on(const struct course_part *part, const struct nbpmu_variants *variants,
                        const char *text)
{
    struct course course;

    begin_part(part, variants);
    const char *const why = course_parse(&course, text, 0);
    if (why)
        fail_msg("%s: %s", why, text);
    assert_true(course_adapt(&course));
    const bool right = course_expect(&course, "test");

    assert_true(machine.masked[0] && machine.masked[1]); /* LVTPC, after each play */
    return right;
}

static bool is_right(const char *text)
{
    return is_right_on(&F43, &(struct nbpmu_variants){.cascade_latch = false}, text);
}

static void an_overflow_leaves_ovf_clear(const struct pmu_act *act);
static void an_overflow_while_a_pmi_is_in_service_leaves_ovf_clear(const struct pmu_act *act);

static void nothing_starts_a_again(const struct pmu_act *act);

/* This test is the first one, because after it counters are seen to start again. */
TEST(it_is_open_whether_counters_start_again_until_one_does)
{
    mistake = nothing_starts_a_again;
    assert_true(is_right("12:instr_retired,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20+"
                         "14:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20/"
                         "14:events=40/12:events=40/14:OVF=0/14:COUNTER=-20/14:events=40/12:events=40"));
}

/* SEEDS=N plays so many draws instead. */
TEST(nothing_is_wrong_with_a_sound_pmu_and_each_open_is_reached)
{
    const char *const seeds = getenv("SEEDS");

    for (unsigned seed = 0; seed < (seeds ? strtoul(seeds, NULL, 0) : SEEDS); seed++)
        play_drawn(seed);
    for (unsigned i = 0; i < WRITTEN_ON; i++)
        play_written(&PARTS[i]);
    assert_true(is_right(
        "8:packed_SP_uop,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20/8:events=40,CPL=3,ESCR=T1_OS")); /* neither
                                                                                                  written nor
                                                                                                  drawn */
    /* Each clock raises a PMI: one is taken, and another one may have come before LVTPC was unmasked. */
    assert_true(is_right("12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,COMPARE=1,COMPLEMENT=1,THRESHOLD=15,"
                         "FORCE_OVF=1,OVF_PMI_T0=1,COUNTER=0/LP0:EOI=late/LP0:LVTPC=fixed/LP0:EOI"));
    /* So few counts of what could count clocks may be those of accesses (E1). */
    assert_true(is_right("12:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,COMPARE=1,COMPLEMENT=1,EDGE=1,"
                         "COUNTER=-1/12:events=3"));
    mistake = an_overflow_leaves_ovf_clear; /* E9 */
    assert_true(is_right("12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,OVF_PMI_T0=1,COUNTER=-20/LP0:LVTPC=fixed/"
                         "12:events=40"));
    mistake = an_overflow_while_a_pmi_is_in_service_leaves_ovf_clear;
    assert_true(is_right(
        "12:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,OVF_PMI_T0=1,COUNTER=-20/"
        "LP0:EOI=late/LP0:LVTPC=fixed/12:events=40/12:OVF=0/LP0:LVTPC=fixed/12:COUNTER=-20/12:events=40"));
    for (const struct open_place *place = __start_open_places; place < __stop_open_places; place++)
        if (place->reached == 0)
            fail_msg("no course has reached the OPEN of %s:%u", place->file, place->line);
}

/* Each of these was drawn, and called wrong. */
TEST(nothing_is_wrong_with_what_was_drawn_before)
{
    static const struct {
        struct course_part part;
        struct nbpmu_variants variants;
        const char *course;
    } DRAWN_BEFORE[] = {
        /* An ESCR whose flags exclude the work is written, and its counter is near its overflow (E20). */
        {{0xF34, 2},
         {.early_counts = true},
         "12:uops_retired,ACTIVE_THREAD=3,COMPARE=1,COMPLEMENT=1,OVF_PMI_T0=1,CASCADE=1,COUNTER=-40000000H+"
         "14:uops_retired,ENABLE=1,ACTIVE_THREAD=3,COMPARE=1,THRESHOLD=2,FORCE_OVF=1,OVF_PMI_T1=1,COUNTER=-"
         "20+"
         "15:branch_retired.MMNP.MMNM,ACTIVE_THREAD=3,CASCNTxINTOy=1,COUNTER=-20/LP0:LVTPC=fixed/"
         "15:events=40/14:events=40/14:events=40,ESCR=T0_USR"},
        /* Clocks overflow just before OVF is written with 0. */
        {{0xF64, 2},
         {.cascade_latch = true},
         "9:packed_SP_uop,ACTIVE_THREAD=3,OVF_PMI_T0=1,OVF_PMI_T1=1,CASCADE=1,COUNTER=-20+"
         "11:scalar_SP_uop,ENABLE=1,ACTIVE_THREAD=3,COMPARE=1,THRESHOLD=15,OVF_PMI_T0=1,COUNTER=-20+"
         "10:scalar_SP_uop,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20/LP0:LVTPC=fixed/LP1:LVTPC=fixed/"
         "10:events=40/11:events=40/LP1:HLT/11:COMPLEMENT=1/9:read/11:OVF=0"},
        /* Clocks overflow, and raise a PMI, just before LVTPC is unmasked. */
        {{0xF29, 1},
         {.start_same_clock = true},
         "3:MOB_load_replay,ENABLE=1,ACTIVE_THREAD=3,COMPARE=1,THRESHOLD=1,OVF_PMI_T0=1,COUNTER=-20+"
         "1:global_power_events,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20/LP0:LVTPC=fixed/1:events=40/"
         "3:events=40/3:COMPLEMENT=1/1:COMPARE=1,THRESHOLD=15/LP0:LVTPC=fixed"},
        /* Clocks overflow, and raise a PMI, just before OVF_PMI is cleared. */
        {{0xF43, 1},
         {.pmi_same_clock_surplus = true},
         "6:retired_branch_type.CALL,ACTIVE_THREAD=3,COMPARE=1,COMPLEMENT=1,THRESHOLD=4,OVF_PMI_T0=1,CASCADE="
         "1,COUNTER=-40000000H+"
         "4:uop_queue_writes.FROM_ROM,ENABLE=1,ACTIVE_THREAD=3,COMPARE=1,THRESHOLD=9,OVF_PMI_T0=1,COUNTER=-"
         "20/"
         "LP0:LVTPC=fixed/4:events=40/6+4:events=40/4:events=40,CPL=2/6+4:events=40/6+"
         "4:events=40,CPL=3,ESCR=T1_OS+T1_USR/4:COMPLEMENT=1/6:COMPARE=0/4:OVF_PMI_T0=0"},
        /* No counter of the block has ENABLE, so the ESCRs may have no power (R44). */
        {{0xF64, 2},
         {.strict_power = true},
         "12:uops_retired,ACTIVE_THREAD=3,OVF_PMI_T0=1,OVF_PMI_T1=1,CASCNTxINTOy=1,COUNTER=-20+"
         "16:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,OVF_PMI_T0=1,COUNTER=-20+"
         "13:branch_retired.MMTP.MMTM,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20/LP0:LVTPC=fixed/13:events=40/"
         "16:events=40/12:events=40/16:ENABLE=0/12:events=40"},
        /* A PMI had come before LVTPC is unmasked by U: an SMI had brought the next count (R49). */
        {{0xF43, 2},
         {.cascade_latch = false},
         "12:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,OVF_PMI_T0=1,COUNTER=-20/"
         "LP0:LVTPC=fixed/12:events=40/LP0:LVTPC=masked/LP0:LVTPC=fixed,with_next_events/12:events=40"},
        /* Instructions overflow, and raise a PMI, before LVTPC is unmasked with the events: while the sibling
         * gets INIT and starts again. */
        {{0xF43, 2},
         {.cascade_latch = false},
         "15:branch_retired.MMNP.MMNM,ACTIVE_THREAD=3,COUNTER=-20+"
         "13:instr_retired,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20/LP0:LVTPC=fixed/13:OVF_PMI_T0=1/"
         "LP0:LVTPC=fixed,with_next_events/13:events=40,after_ESCR=INIT"},
        /* The last branch of the work and the one behind it retire in the clock of the overflow, whose PMI
         * comes with the next count (R49). */
        {{0xF43, 2},
         {.cascade_latch = false},
         "12:branch_retired.MMTP.MMTM,ACTIVE_THREAD=3,COMPLEMENT=1,THRESHOLD=5,EDGE=1,OVF_PMI_T0=1,"
         "OVF_PMI_T1=1,CASCNTxINTOy=1,COUNTER=-20+"
         "16:branch_retired.MMTP.MMTM,ACTIVE_THREAD=3,COMPLEMENT=1,THRESHOLD=5,EDGE=1,FORCE_OVF=1,"
         "OVF_PMI_T1=1,CASCNTxINTOy=1,COUNTER=-20+"
         "17:instr_retired,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20/LP0:LVTPC=fixed/LP1:LVTPC=fixed/"
         "17:events=40/12:events=40/12:OVF=0/LP0:LVTPC=fixed/LP1:LVTPC=fixed/12:COUNTER=-last_events/"
         "12:events=40"},
    };

    for (unsigned i = 0; i < COUNT_OF(DRAWN_BEFORE); i++)
        if (!is_right_on(&DRAWN_BEFORE[i].part, &DRAWN_BEFORE[i].variants, DRAWN_BEFORE[i].course))
            fail_msg("%s", said.what);
}

/* ---- A PMU with a mistake ---- */

/* The counters that most of the rows below call a and b. */
#define A 12u
#define B 14u

static struct naive_counter *counter(unsigned n)
{
    return &machine.pmu.counter[n];
}

static bool has_moved(const struct pmu_act *act, unsigned n)
{
    return act->what == ACT_CLOCK && counter(n)->value != act->before->counter[n].value;
}

static bool has(unsigned n, uint32_t cccr)
{
    return counter(n)->cccr & cccr;
}

/* The counter does nothing in this clock. */
static void stop(const struct pmu_act *act, unsigned n)
{
    if (act->what == ACT_CLOCK)
        counter(n)->value = act->before->counter[n].value;
}

static void stop_all(const struct pmu_act *act)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        stop(act, n);
}

static void add(const struct pmu_act *act, unsigned n)
{
    if (act->what == ACT_CLOCK)
        counter(n)->value++;
}

/* The ESCR that the counter selects. */
static uint64_t *escr_of(unsigned n)
{
    const uint32_t msr = naive_route(n, (unsigned)CCCR_GET_ESCR_SELECT(counter(n)->cccr));

    return msr ? &machine.pmu.escr[msr - MSR_BSU_ESCR0] : NULL;
}

/* Does the ESCR of the counter have an event? */
static bool is_given(unsigned n)
{
    const uint64_t *const escr = escr_of(n);

    return escr && ESCR_GET_EVENT_SELECT(*escr) != 0;
}

static bool writes(const struct pmu_act *act, uint32_t msr)
{
    return act->what == ACT_WRITE && act->msr == msr;
}

/* From this act on something is wrong. */
static bool struck_by(bool strikes)
{
    machine.struck |= strikes;
    return machine.struck;
}

/* Has X's overflow started Y by CASCADE? */
static bool is_started(unsigned y)
{
    return has(y, CCCR_CASCADE) && !has(y, CCCR_ENABLE) && has(y ^ 2, CCCR_OVF);
}

#define MISTAKE(name) static void name(const struct pmu_act *act)

/* -- the work -- */
MISTAKE(nothing_counts)
{
    stop_all(act);
}
MISTAKE(nothing_counts_at_cpl_3)
{
    if (machine.lp[0].cpl == 3)
        stop_all(act);
}
MISTAKE(nothing_counts_after_a_halt)
{
    if (struck_by(act->what == ACT_HALT))
        stop_all(act);
}
MISTAKE(nothing_counts_after_init)
{
    if (struck_by(act->what == ACT_INIT))
        stop_all(act);
}
MISTAKE(nothing_counts_after_a_write_of_a)
{
    if (struck_by(writes(act, MSR_COUNTER(A)) && has(A, CCCR_ENABLE)))
        stop_all(act);
}
MISTAKE(nothing_counts_with_a_new_escr_select)
{
    if (struck_by(writes(act, MSR_CCCR(A)) && act->before->counter[A].cccr != 0 &&
                  CCCR_GET_ESCR_SELECT(counter(A)->cccr ^ act->before->counter[A].cccr) != 0 &&
                  counter(A)->cccr != 0))
        stop_all(act);
}

/* -- a alone, or the first counter of another block -- */
MISTAKE(a_stands_still)
{
    stop(act, A);
}
MISTAKE(counter_8_stands_still)
{
    stop(act, 8);
}
MISTAKE(a_stops_at_its_overflow)
{
    if (has(A, CCCR_OVF) && struck_by(act->before->counter[A].value > counter(A)->value))
        counter(A)->value = 0;
}
/* A carry into bits 39:32 moves nothing there. */
static void keep_high_half(const struct pmu_act *act, unsigned n)
{
    const uint64_t low = UINT32_MAX;

    counter(n)->value = (act->before->counter[n].value & ~low) | (counter(n)->value & low);
}
MISTAKE(carries_of_a_into_bit_32_are_lost)
{
    if (act->what == ACT_CLOCK)
        keep_high_half(act, A);
}
MISTAKE(a_carry_of_a_into_bit_24_comes_twice)
{
    if (has_moved(act, A) && (counter(A)->value ^ act->before->counter[A].value) >> 24)
        counter(A)->value += 1u << 24;
}
MISTAKE(a_write_of_a_loads_its_low_half)
{
    if (writes(act, MSR_COUNTER(A)) && has(A, CCCR_ENABLE))
        keep_high_half(act, A);
}
MISTAKE(edge_acts_without_compare)
{
    if (has(A, CCCR_EDGE) && !has(A, CCCR_COMPARE))
        stop(act, A);
}
/* Counter 13 is the twin of a: without COMPARE it has the filter fields that a has not. */
MISTAKE(complement_acts_on_13_without_compare)
{
    if (has(13, CCCR_COMPLEMENT) && !has(13, CCCR_COMPARE) && is_given(13))
        add(act, 13);
}
MISTAKE(threshold_acts_on_13_without_compare)
{
    if (has(13, CCCR_THRESHOLD_MASK) && !has(13, CCCR_COMPARE))
        stop(act, 13);
}
MISTAKE(a_with_force_ovf_stands_still)
{
    if (has(A, CCCR_FORCE_OVF))
        stop(act, A);
}
MISTAKE(a_with_cascade_waits)
{
    if (has(A, CCCR_CASCADE) && !has(B, CCCR_OVF))
        stop(act, A);
}
MISTAKE(a_needs_active_thread_11b)
{
    if (CCCR_GET_ACTIVE_THREAD(counter(A)->cccr) != ACTIVE_ANY)
        stop(act, A);
}
MISTAKE(a_counts_each_clock)
{
    if (is_given(A))
        counter(A)->value = act->what == ACT_CLOCK ? act->before->counter[A].value + 2 : counter(A)->value;
}
MISTAKE(compare_passes_each_clock)
{
    if (has(A, CCCR_COMPARE) && is_given(A))
        add(act, A);
}
MISTAKE(complement_counts_nothing)
{
    if (has(A, CCCR_COMPLEMENT))
        stop(act, A);
}
MISTAKE(the_threshold_is_passed_every_second_clock)
{
    if (is_given(A) && machine.clocks % 2)
        add(act, A);
}
MISTAKE(each_clock_is_two_edges)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (has(n, CCCR_EDGE) && is_given(n) && act->what == ACT_CLOCK)
            counter(n)->value = act->before->counter[n].value + 2;
}
MISTAKE(active_thread_is_ignored)
{
    if (is_given(A) && !has_moved(act, A))
        add(act, A);
}
MISTAKE(flags_are_ignored)
{
    if (is_given(A) && !(*escr_of(A) & ESCR_CPL_MASK))
        add(act, A);
}
MISTAKE(flags_alone_count)
{
    if (has_moved(act, B) && !is_given(A) && (*escr_of(A) & ESCR_CPL_MASK))
        add(act, A);
}
MISTAKE(flags_alone_count_when_started)
{
    if (is_started(A) && !is_given(A))
        add(act, A);
}
MISTAKE(flags_alone_count_after_a_halt)
{
    if (struck_by(act->what == ACT_HALT) && has_moved(act, B) && !is_given(A))
        add(act, A);
}

/* -- cascades -- */
MISTAKE(a_that_waits_runs)
{
    if (!has(A, CCCR_ENABLE) && !has(B, CCCR_OVF) && is_given(A))
        add(act, A);
}
MISTAKE(counter_13_starts_a)
{
    if (!has(A, CCCR_ENABLE) && has(13, CCCR_OVF) && is_given(A))
        add(act, A);
}
MISTAKE(a_outlives_its_flag)
{
    if (struck_by(is_started(A)) && !has(A, CCCR_CASCADE) && is_given(A))
        add(act, A);
}
MISTAKE(a_outlives_the_ovf_of_b)
{
    if (struck_by(is_started(A)) && !has(B, CCCR_OVF) && is_given(A))
        add(act, A);
}
MISTAKE(nothing_starts_a)
{
    if (!has(A, CCCR_ENABLE))
        stop(act, A);
}
MISTAKE(nothing_starts_8)
{
    if (!has(8, CCCR_ENABLE))
        stop(act, 8);
}
MISTAKE(nothing_starts_a_again)
{
    if (struck_by(writes(act, MSR_CCCR(B)) && act->before->counter[B].cccr & CCCR_OVF && !has(B, CCCR_OVF) &&
                  has(B, CCCR_ENABLE)))
        stop(act, A);
}
MISTAKE(a_write_of_its_cccr_halts_a)
{
    if (struck_by(writes(act, MSR_CCCR(A)) && is_started(A)))
        stop(act, A);
}

MISTAKE(a_runs_one_count_before_b_overflows)
{
    if (counter(B)->value == COUNTER_MASK)
        a_that_waits_runs(act);
}

/* -- OVF -- */
MISTAKE(an_overflow_costs_another_block_a_count)
{
    if (has_moved(act, A) && counter(A)->value < act->before->counter[A].value)
        counter(3)->value--;
}
MISTAKE(ovf_lasts_until_the_next_count)
{
    if (has_moved(act, A) && act->before->counter[A].cccr & CCCR_OVF)
        counter(A)->cccr &= ~(uint64_t)CCCR_OVF;
}
MISTAKE(an_overflow_leaves_ovf_clear)
{
    if (has_moved(act, A) && counter(A)->value < act->before->counter[A].value)
        counter(A)->cccr &= ~(uint64_t)CCCR_OVF;
}
MISTAKE(an_overflow_while_a_pmi_is_in_service_leaves_ovf_clear)
{
    if (machine.in_service)
        an_overflow_leaves_ovf_clear(act);
}
MISTAKE(force_ovf_sets_no_ovf)
{
    if (act->what == ACT_CLOCK && has(A, CCCR_FORCE_OVF))
        counter(A)->cccr &= ~(uint64_t)CCCR_OVF;
}
MISTAKE(force_ovf_stays)
{
    if (struck_by(has(A, CCCR_FORCE_OVF)) && has_moved(act, A))
        counter(A)->cccr |= CCCR_OVF;
}
MISTAKE(ovf_at_the_carry_into_bit_32)
{
    if (has_moved(act, A) && (counter(A)->value ^ act->before->counter[A].value) >> 32)
        counter(A)->cccr |= CCCR_OVF;
}
MISTAKE(ovf_cannot_be_cleared)
{
    if (writes(act, MSR_CCCR(A)) && counter(A)->cccr != 0)
        counter(A)->cccr |= act->before->counter[A].cccr & CCCR_OVF;
}
MISTAKE(ovf_cannot_be_kept)
{
    if (writes(act, MSR_CCCR(A)))
        counter(A)->cccr &= ~(uint64_t)CCCR_OVF;
}
MISTAKE(a_write_of_the_counter_sets_ovf)
{
    if (writes(act, MSR_COUNTER(A)) && has(A, CCCR_ENABLE))
        counter(A)->cccr |= CCCR_OVF;
}
MISTAKE(a_write_of_the_counter_clears_ovf)
{
    if (writes(act, MSR_COUNTER(A)))
        counter(A)->cccr &= ~(uint64_t)CCCR_OVF;
}
MISTAKE(a_halt_clears_ovf)
{
    if (act->what == ACT_HALT)
        counter(A)->cccr &= ~(uint64_t)CCCR_OVF;
}
MISTAKE(init_clears_ovf)
{
    if (act->what == ACT_INIT)
        counter(A)->cccr &= ~(uint64_t)CCCR_OVF;
}
MISTAKE(rdpmc_clears_ovf)
{
    if (act->what == ACT_RDPMC)
        counter(A)->cccr &= ~(uint64_t)CCCR_OVF;
}
MISTAKE(a_write_of_another_cccr_clears_ovf)
{
    if (writes(act, MSR_CCCR(B)))
        counter(A)->cccr &= ~(uint64_t)CCCR_OVF;
}

/* -- PMIs -- */
MISTAKE(no_pmi)
{
    if (act->what == ACT_CLOCK)
        *act->pmis = 0;
}
MISTAKE(pmis_go_to_the_other_one)
{
    if (act->what == ACT_CLOCK)
        *act->pmis = *act->pmis << 1 | *act->pmis >> 1;
}
MISTAKE(each_count_after_ovf_interrupts)
{
    if (has_moved(act, A) && has(A, CCCR_OVF))
        *act->pmis |= 1;
    if (act->what == ACT_PMI)
        machine.masked[act->lp] = false;
}
MISTAKE(each_count_interrupts)
{
    if (has_moved(act, A))
        *act->pmis |= 1;
}
MISTAKE(an_overflow_always_interrupts)
{
    if (has_moved(act, A) && has(A, CCCR_OVF))
        *act->pmis |= 1;
}
MISTAKE(b_interrupts)
{
    if (has_moved(act, B))
        *act->pmis |= 1;
}
MISTAKE(the_mask_does_not_mask)
{
    if (act->what == ACT_CLOCK && *act->pmis & 1)
        machine.masked[0] = false;
}
MISTAKE(the_delivery_does_not_mask)
{
    if (act->what == ACT_PMI)
        machine.masked[act->lp] = false;
}
MISTAKE(a_masked_request_is_lost)
{
    if (act->what == ACT_CLOCK && machine.masked[0])
        counter(A)->raised = false;
}
MISTAKE(an_nmi_comes_as_a_fixed_interrupt)
{
    if (act->what == ACT_PMI && machine.as_nmis[act->lp])
        machine.taken_as_nmis[act->lp]--;
}
MISTAKE(an_nmi_does_not_mask_lvtpc)
{
    if (act->what == ACT_PMI && machine.as_nmis[act->lp])
        machine.found_unmasked[act->lp]++;
}
MISTAKE(a_fixed_interrupt_comes_as_an_nmi)
{
    if (act->what == ACT_PMI && !machine.as_nmis[act->lp])
        machine.taken_as_nmis[act->lp]++;
}
MISTAKE(a_pmi_in_service_holds_up_none)
{
    if (act->what == ACT_UNMASK)
        machine.in_service = false;
}
MISTAKE(what_waits_for_an_eoi_is_lost)
{
    if (act->what == ACT_EOI)
        machine.waits = false;
}
MISTAKE(eoi_does_not_end_the_service)
{
    if (act->what == ACT_EOI && struck_by(machine.taken[0] > 0)) {
        machine.in_service = true;
        machine.waits = false;
    }
}
MISTAKE(no_pmi_of_a_second_overflow)
{
    if (act->what == ACT_CLOCK && act->before->counter[A].cccr & CCCR_OVF)
        *act->pmis = 0;
}
MISTAKE(a_stands_still_in_its_second_life)
{
    if (struck_by(writes(act, MSR_CCCR(A)) && has(A, CCCR_OVF) && !has(A, CCCR_ENABLE)))
        stop(act, A);
}
MISTAKE(a_second_life_begins_without_ovf)
{
    if (writes(act, MSR_CCCR(A)) && !(act->before->counter[A].cccr & CCCR_ENABLE))
        counter(A)->cccr &= ~(uint64_t)CCCR_OVF;
}

/* -- registers -- */
MISTAKE(an_overflow_clears_enable)
{
    if (has(A, CCCR_OVF) && !(act->before->counter[A].cccr & CCCR_OVF))
        counter(A)->cccr &= ~(uint64_t)CCCR_ENABLE;
}
MISTAKE(ovf_pmi_t1_is_not_kept)
{
    if (act->what == ACT_WRITE)
        counter(A)->cccr &= ~(uint64_t)CCCR_OVF_PMI_T1;
}
MISTAKE(init_clears_the_pmu)
{
    const struct model_config config = machine.pmu.config;

    if (act->what == ACT_INIT)
        naive_reset(&machine.pmu, &config);
}
MISTAKE(a_halt_clears_enable)
{
    if (act->what == ACT_HALT)
        counter(A)->cccr &= ~(uint64_t)CCCR_ENABLE;
}
MISTAKE(rdpmc_clears_enable)
{
    if (act->what == ACT_RDPMC)
        counter(A)->cccr &= ~(uint64_t)CCCR_ENABLE;
}
MISTAKE(a_write_of_the_counter_clears_enable)
{
    if (writes(act, MSR_COUNTER(A)))
        counter(A)->cccr &= ~(uint64_t)CCCR_ENABLE;
}
MISTAKE(a_write_of_another_cccr_clears_enable)
{
    if (writes(act, MSR_CCCR(B)))
        counter(A)->cccr &= ~(uint64_t)CCCR_ENABLE;
}
MISTAKE(rdpmc_counts)
{
    if (act->what == ACT_RDPMC)
        counter(A)->value++;
}
MISTAKE(a_halt_counts)
{
    if (act->what == ACT_HALT)
        counter(A)->value++;
}
MISTAKE(init_counts)
{
    if (act->what == ACT_INIT)
        counter(A)->value++;
}
MISTAKE(a_write_of_another_counter_counts)
{
    if (writes(act, MSR_COUNTER(B)) && has(B, CCCR_ENABLE))
        counter(A)->value++;
}
MISTAKE(a_write_of_another_cccr_counts)
{
    if (writes(act, MSR_CCCR(B)) && has(A, CCCR_ENABLE))
        counter(A)->value++;
}
MISTAKE(rdpmc_reads_one_more)
{
    if (act->what == ACT_RDPMC)
        ++*act->value;
}
MISTAKE(an_escr_without_event_keeps_no_flags)
{
    if (act->what == ACT_WRITE && escr_of(A) && !is_given(A))
        *escr_of(A) = 0;
}
MISTAKE(a_halt_clears_escrs)
{
    if (act->what == ACT_HALT)
        memset(machine.pmu.escr, 0, sizeof machine.pmu.escr);
}
MISTAKE(init_clears_escrs)
{
    if (act->what == ACT_INIT)
        memset(machine.pmu.escr, 0, sizeof machine.pmu.escr);
}

/*
 * A course in which the mistake is called wrong: by which quantity, which rule first, and as which action of
 * which counter. In IQ a is counter 12 and counts instructions retired, b is 14 and counts taken branches.
 * A start that must not come is a start, and a halt that must not come a halt. What goes wrong with the
 * window of a counter that has a filter is its filter; the rest is a count. A PMI that b raises is taken for
 * one of a, whose flags ask for it. Registers that change, and LVTPC, are no action of a counter.
 */
#define A_RUNS       "12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20"
#define AND_B        "+14:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20/"
#define A_INTERRUPTS "12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,OVF_PMI_T0=1,COUNTER=-20/"
#define A_WAITS      "12:instr_retired,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20" AND_B /* for an overflow of b */
static const struct row {
    void (*mistake)(const struct pmu_act *act);
    const char *course, *quantity;
    uint8_t rule, action, place;
} ROWS[] = {
    {nothing_counts, A_RUNS "/12:events=40", "counts of its twin", R27, ACTION_COUNT, A},
    {nothing_counts_at_cpl_3, A_RUNS "/12:events=40,CPL=3", "counts of its twin", R12, ACTION_QUALIFICATION,
     A},
    {nothing_counts_at_cpl_3, "8:packed_SP_uop,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20/8:events=40,CPL=3",
     "counts of its twin", R13, ACTION_QUALIFICATION, 8},
    {nothing_counts_after_a_halt, A_RUNS "/LP0:HLT/12:events=40", "counts of its twin", R42, ACTION_COUNT, A},
    {nothing_counts_after_a_halt, A_RUNS "/12:events=40,after_ESCR=HLT", "counts of its twin", R42,
     ACTION_COUNT, A},
    {nothing_counts_after_init, A_RUNS "/LP1:INIT/12:events=40", "counts of its twin", R1, ACTION_COUNT, A},
    {nothing_counts_after_init, A_RUNS "/12:events=40,after_ESCR=INIT", "counts of its twin", R1,
     ACTION_COUNT, A},
    {nothing_counts_after_a_write_of_a, A_RUNS "/12:COUNTER=-20/12:events=40", "counts of its twin", R4,
     ACTION_COUNT, A},
    {nothing_counts_with_a_new_escr_select, A_RUNS "/12:ESCR_SELECT=5/12:events=40", "counts of its twin",
     R17, ACTION_COUNT, A},
    {complement_counts_nothing,
     "12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,COMPARE=1,COMPLEMENT=1,THRESHOLD=15,COUNTER=-40000000H/"
     "12:events=40",
     "clocks without an event", R16, ACTION_THRESHOLD, A},
    {the_threshold_is_passed_every_second_clock,
     "12:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,COMPARE=1,COMPLEMENT=1,THRESHOLD=5,EDGE=1,COUNTER="
     "-40000000H/"
     "12:events=200",
     "edges", R22, ACTION_EDGE, A},
    {a_that_waits_runs, A_WAITS "12:events=40", "counts, which must be none", R33, ACTION_CASCADE, A},
    {a_runs_one_count_before_b_overflows,
     "12:instr_retired,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20+"
     "14:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,COUNTER=0/"
     "14:events=40/14:COUNTER=-last_events-1/14:events=40/12:events=40",
     "counts, which must be none", R33, ACTION_CASCADE, A},
    {an_overflow_costs_another_block_a_count, A_RUNS "/12:events=40", "its CCCR", R28, ACTION_OTHER, A},
    {a_outlives_its_flag, A_WAITS "14:events=40/12:events=40/12:CASCADE=0/12:events=40",
     "counts, which must be none", R38, ACTION_HALT, A},
    {counter_13_starts_a,
     "12:instr_retired,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20+"
     "14:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20+"
     "13:branch_retired.MMNP.MMNM,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20/13:events=40/12:events=40",
     "counts, which must be none", R34, ACTION_CASCADE, A},
    {counter_13_starts_a,
     "12:instr_retired,ACTIVE_THREAD=3,CASCNTxINTOy=1,COUNTER=-20+"
     "16:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20+"
     "13:instr_retired,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20/13:events=40",
     "counts, which must be none", R35, ACTION_BIT_11, A},
    {active_thread_is_ignored, "12:instr_retired,ENABLE=1,ACTIVE_THREAD=2,COUNTER=-20/12:events=40",
     "counts, which must be none", R18, ACTION_GATE, A},
    {a_outlives_the_ovf_of_b, A_WAITS "14:events=40/12:events=40/14:OVF=0/12:events=40",
     "counts, which must be none", R38, ACTION_HALT, A},
    {active_thread_is_ignored,
     "12:instr_retired,ACTIVE_THREAD=2,CASCADE=1,COUNTER=-20+"
     "14:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20/14:events=40/12:events=40",
     "counts, which must be none", R18, ACTION_GATE, A},
    {flags_are_ignored, A_RUNS "/12:events=40,ESCR=0", "counts without an event", R12, ACTION_QUALIFICATION,
     A},
    {flags_alone_count, A_RUNS AND_B "12:events=40/14:events=40", "counts without an event", R7, ACTION_COUNT,
     A},
    {flags_alone_count_when_started, A_WAITS "12:events=40/14:events=40/14:events=40",
     "counts without an event", R7, ACTION_COUNT, A},
    {flags_alone_count_after_a_halt, A_WAITS "14:events=40/12:events=40/LP0:HLT/14:events=40",
     "counts without an event", R37, ACTION_COUNT, A},
    {counter_8_stands_still,
     "8:packed_SP_uop,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20+"
     "9:packed_SP_uop,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20/8:events=40",
     "counts", R27, ACTION_COUNT, 8},
    {nothing_starts_8,
     "8:packed_SP_uop,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20+"
     "10:memory_complete.LSC,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20+"
     "9:packed_SP_uop,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20/10:events=40/8:events=40",
     "counts", R34, ACTION_CASCADE, 8},
    {compare_passes_each_clock,
     "12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,COMPARE=1,THRESHOLD=15,COUNTER=-20/"
     "12:events=40",
     "counts above the threshold, of its twin's", R22, ACTION_THRESHOLD, A},
    {a_stands_still, A_RUNS "/12:events=40", "counts, as its twin", R27, ACTION_COUNT, A},
    {a_counts_each_clock, A_RUNS "/12:events=40", "counts, as its twin", R27, ACTION_COUNT, A},
    {a_stops_at_its_overflow, A_RUNS "/12:events=40", "counts, as its twin", R29, ACTION_COUNT, A},
    {carries_of_a_into_bit_32_are_lost, A_RUNS "/12:events=40", "counts, as its twin", R27, ACTION_CARRY, A},
    {carries_of_a_into_bit_32_are_lost, A_RUNS "/12:COUNTER=FFFFFFECH/12:events=40", "counts, as its twin",
     R27, ACTION_CARRY, A},
    {a_carry_of_a_into_bit_24_comes_twice, A_RUNS "/12:COUNTER=FFFFFFECH/12:events=40", "counts, as its twin",
     R27, ACTION_CARRY, A},
    {a_write_of_a_loads_its_low_half, A_RUNS "/12:events=40/12:COUNTER=-20", "counts without an event", R4,
     ACTION_PRESET, A},
    {edge_acts_without_compare, "12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,EDGE=1,COUNTER=-20/12:events=40",
     "counts, as its twin", R21, ACTION_COUNT, A},
    {a_with_force_ovf_stands_still,
     "12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,FORCE_OVF=1,COUNTER=-20/"
     "12:events=40",
     "counts, as its twin", R31, ACTION_COUNT, A},
    {complement_acts_on_13_without_compare,
     "12:branch_retired.MMNP.MMNM,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20/"
     "12:events=40",
     "counts, as its twin", R21, ACTION_COUNT, A},
    {threshold_acts_on_13_without_compare,
     "12:branch_retired.MMNP.MMNM,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20/"
     "12:events=40",
     "counts of its twin", R21, ACTION_COUNT, A},
    {a_with_cascade_waits,
     "12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20+"
     "14:branch_retired.MMTP.MMTM,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20/12:events=40",
     "counts, as its twin", R40, ACTION_COUNT, A},
    {a_with_cascade_waits, "12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20/12:events=40",
     "counts, as its twin", R36, ACTION_COUNT, A},
    {a_stands_still, A_RUNS "/12:ESCR_SELECT=5/12:events=40", "counts, as its twin", R17, ACTION_COUNT, A},
    {a_needs_active_thread_11b, "12:instr_retired,ENABLE=1,ACTIVE_THREAD=1,COUNTER=-20/12:events=40",
     "counts, as its twin", R18, ACTION_GATE, A},
    {a_counts_each_clock,
     "12:uops_retired,ENABLE=1,ACTIVE_THREAD=3,COMPARE=1,THRESHOLD=1,EDGE=1,COUNTER=-20/"
     "12:events=40",
     "counts, as its twin", R23, ACTION_EDGE, A},
    {a_stands_still,
     "12:uops_retired,ENABLE=1,ACTIVE_THREAD=3,COMPARE=1,THRESHOLD=1,EDGE=1,COUNTER=-20/"
     "12:events=40",
     "counts, as its twin", R23, ACTION_EDGE, A},
    {compare_passes_each_clock,
     "12:uops_retired,ENABLE=1,ACTIVE_THREAD=3,COMPARE=1,THRESHOLD=1,COUNTER=-20/"
     "12:events=40",
     "counts, as its twin", R22, ACTION_THRESHOLD, A},
    {a_stands_still, "12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,COMPARE=1,COUNTER=-20/12:events=40",
     "counts, as its twin", R22, ACTION_THRESHOLD, A},
    {nothing_starts_a, A_WAITS "14:events=40/12:events=40", "counts, as its twin", R34, ACTION_CASCADE, A},
    {nothing_starts_a,
     "12:instr_retired,ACTIVE_THREAD=3,CASCNTxINTOy=1,COUNTER=-20+"
     "16:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20/16:events=40/12:events=40",
     "counts, as its twin", R35, ACTION_BIT_11, A},
    {nothing_starts_a,
     "12:instr_retired,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20+"
     "14:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20/14:events=40/12:events=40",
     "counts, as its twin", R40, ACTION_CASCADE, A},
    {nothing_starts_a_again,
     A_WAITS "14:events=40/12:events=40/14:OVF=0/14:COUNTER=-20/14:events=40/"
             "12:events=40",
     "counts, as its twin", R39, ACTION_CASCADE, A},
    {a_write_of_its_cccr_halts_a, A_WAITS "14:events=40/12:events=40/12:OVF_PMI_T1=1/12:events=40",
     "counts, as its twin", R38, ACTION_HALT, A},
    {ovf_lasts_until_the_next_count, A_RUNS "/12:events=40", "OVF", R29, ACTION_OVF, A},
    {an_overflow_leaves_ovf_clear, A_RUNS "/12:events=40", "OVF", R29, ACTION_OVF, A},
    {force_ovf_sets_no_ovf,
     "12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,FORCE_OVF=1,COUNTER=-20/"
     "12:COUNTER=-40000000H/12:events=40",
     "OVF", R31, ACTION_OVF, A},
    {force_ovf_stays,
     "12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,FORCE_OVF=1,COUNTER=-20/"
     "12:COUNTER=-40000000H/12:FORCE_OVF=0,OVF=0/12:events=40",
     "OVF", R31, ACTION_OVF, A},
    {ovf_at_the_carry_into_bit_32, A_RUNS "/12:COUNTER=FFFFFFECH/12:events=40", "OVF", R28, ACTION_OVF, A},
    {ovf_cannot_be_cleared, A_RUNS "/12:events=40/12:OVF=0", "OVF", R29, ACTION_OVF, A},
    {ovf_cannot_be_kept, A_RUNS "/12:events=40/12:COMPARE=1", "OVF", R32, ACTION_OVF, A},
    {a_write_of_the_counter_sets_ovf, A_RUNS "/12:COUNTER=-20", "OVF", R4, ACTION_OVF, A},
    {a_write_of_the_counter_clears_ovf, A_RUNS "/12:events=40/12:COUNTER=-20", "OVF", R4, ACTION_OVF, A},
    {a_halt_clears_ovf, A_RUNS "/12:events=40/LP0:HLT", "OVF", R42, ACTION_OVF, A},
    {init_clears_ovf, A_RUNS "/12:events=40/LP1:INIT", "OVF", R1, ACTION_OVF, A},
    {rdpmc_clears_ovf, A_RUNS "/12:events=40/12:read", "OVF", R57, ACTION_OVF, A},
    {a_write_of_another_cccr_clears_ovf, A_RUNS AND_B "12:events=40/14:ENABLE=1", "OVF", R32, ACTION_OVF, A},
    {no_pmi,
     "12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,OVF_PMI_T0=1,COUNTER=-20/LP0:LVTPC=fixed/12:events=40",
     "PMIs taken on LP0", R46, ACTION_PMI_LP0, A},
    {no_pmi,
     "12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,OVF_PMI_T1=1,COUNTER=-20/LP1:LVTPC=fixed/12:events=40",
     "PMIs taken on LP1", R45, ACTION_PMI_LP1, A},
    {no_pmi,
     "12:instr_retired,ACTIVE_THREAD=3,OVF_PMI_T0=1,CASCADE=1,COUNTER=-20+"
     "14:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20/LP0:LVTPC=fixed/14:events=40/"
     "12:events=40",
     "PMIs taken on LP0", R55, ACTION_PMI_LP0, A},
    {no_pmi,
     "12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,FORCE_OVF=1,OVF_PMI_T0=1,COUNTER=-20/LP0:LVTPC=fixed/"
     "12:COUNTER=-40000000H/12:events=40",
     "PMIs taken on LP0", R48, ACTION_PMI_LP0, A},
    {pmis_go_to_the_other_one,
     "12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,OVF_PMI_T0=1,COUNTER=-20/"
     "LP0:LVTPC=fixed/LP1:LVTPC=fixed/12:events=40",
     "PMIs taken on LP0", R45, ACTION_PMI_LP0, A},
    {each_count_after_ovf_interrupts,
     "12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,OVF_PMI_T0=1,COUNTER=-20/"
     "LP0:LVTPC=fixed/12:events=40",
     "PMIs taken on LP0", R51, ACTION_PMI_LP0, A},
    {each_count_interrupts,
     "12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,OVF_PMI_T0=1,COUNTER=-20/"
     "LP0:LVTPC=fixed/12:COUNTER=-40000000H/12:events=40",
     "PMIs taken on LP0", R46, ACTION_PMI_LP0, A},
    {b_interrupts, A_RUNS AND_B "LP0:LVTPC=fixed/12:events=40/12:OVF_PMI_T0=1/14:events=40",
     "PMIs taken on LP0", R46, ACTION_PMI_LP0, A},
    {an_overflow_always_interrupts, A_RUNS "/LP0:LVTPC=fixed/12:events=40", "PMIs taken on LP0", R45,
     ACTION_PMI_LP0, A},
    {the_mask_does_not_mask,
     "12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,OVF_PMI_T0=1,COUNTER=-20/"
     "LP0:LVTPC=masked/12:events=40",
     "PMIs taken on LP0", R50, ACTION_PMI_LP0, A},
    {the_mask_does_not_mask,
     "12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,OVF_PMI_T0=1,COUNTER=-20/"
     "LP0:LVTPC=fixed/12:events=40/12:OVF=0/12:COUNTER=-20/12:events=40",
     "PMIs taken on LP0", R51, ACTION_PMI_LP0, A},
    {a_masked_request_is_lost,
     "12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,OVF_PMI_T0=1,COUNTER=-20/"
     "12:events=40/LP0:LVTPC=fixed",
     "PMIs taken on LP0", R49, ACTION_PMI_LP0, A},
    {the_delivery_does_not_mask,
     "12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,OVF_PMI_T0=1,COUNTER=-20/"
     "LP0:LVTPC=fixed/12:events=40",
     "LVTPC unmasked", R51, ACTION_OTHER, A},
    {an_nmi_comes_as_a_fixed_interrupt, A_INTERRUPTS "LP0:LVTPC=NMI/12:events=40",
     "PMIs taken as NMIs on LP0", R50, ACTION_PMI_LP0, A},
    {an_nmi_does_not_mask_lvtpc, A_INTERRUPTS "LP1:LVTPC=NMI/12:OVF_PMI_T1=1/12:events=40",
     "PMIs that left LVTPC of LP1 unmasked", R51, ACTION_OTHER, A},
    {a_fixed_interrupt_comes_as_an_nmi, A_INTERRUPTS "LP0:LVTPC=NMI/LP0:LVTPC=fixed/12:events=40",
     "PMIs taken as NMIs on LP0", R50, ACTION_PMI_LP0, A},
    {no_pmi, A_INTERRUPTS "LP0:LVTPC=NMI/12:events=40", "PMIs taken on LP0", R46, ACTION_PMI_LP0, A},
    {a_pmi_in_service_holds_up_none, A_INTERRUPTS "LP0:EOI=late/LP0:LVTPC=fixed/12:events=40/LP0:LVTPC=fixed",
     "PMIs taken on LP0", R50, ACTION_PMI_LP0, A},
    {what_waits_for_an_eoi_is_lost,
     A_INTERRUPTS "LP0:EOI=late/LP0:LVTPC=fixed/12:events=40/LP0:LVTPC=fixed/12:OVF=0/LP0:EOI",
     "PMIs taken on LP0", R52, ACTION_PMI_LP0, A},
    {eoi_does_not_end_the_service,
     A_INTERRUPTS "LP0:EOI=late/LP0:LVTPC=fixed/12:events=40/LP0:EOI/LP0:LVTPC=fixed", "PMIs taken on LP0",
     R49, ACTION_PMI_LP0, A},
    {no_pmi_of_a_second_overflow,
     A_RUNS "/LP0:LVTPC=fixed/12:events=40/12:COUNTER=-20/12:OVF_PMI_T0=1/12:events=40", "PMIs taken on LP0",
     R46, ACTION_PMI_LP0, A},
    {a_stands_still_in_its_second_life, A_RUNS "/12:events=40/12:ENABLE=0/12:ENABLE=1/12:events=40",
     "counts, as its twin", R27, ACTION_COUNT, A},
    {a_second_life_begins_without_ovf, A_RUNS "/12:events=40/12:ENABLE=0/12:ENABLE=1", "OVF", R32, ACTION_OVF,
     A},
    {an_overflow_clears_enable, A_RUNS "/12:events=40", "its CCCR", R43, ACTION_OTHER, A},
    {ovf_pmi_t1_is_not_kept, A_RUNS "/12:OVF_PMI_T1=1", "its CCCR", R32, ACTION_OTHER, A},
    {init_clears_the_pmu, A_RUNS "/LP1:INIT", "its CCCR", R1, ACTION_OTHER, A},
    {a_halt_clears_enable, A_RUNS "/LP0:HLT", "its CCCR", R42, ACTION_OTHER, A},
    {rdpmc_clears_enable, A_RUNS "/12:read", "its CCCR", R57, ACTION_OTHER, A},
    {a_write_of_the_counter_clears_enable, A_RUNS "/12:COUNTER=-20", "its CCCR", R4, ACTION_OTHER, A},
    {a_write_of_another_cccr_clears_enable, A_RUNS AND_B "14:ENABLE=1", "its CCCR", R32, ACTION_OTHER, A},
    {rdpmc_counts, A_RUNS "/12:read", "counts without an event", R57, ACTION_COUNT, A},
    {a_halt_counts, A_RUNS "/LP0:HLT", "counts without an event", R42, ACTION_COUNT, A},
    {init_counts, A_RUNS "/LP1:INIT", "counts without an event", R1, ACTION_COUNT, A},
    {a_write_of_another_counter_counts, A_RUNS AND_B "14:COUNTER=-20", "counts without an event", R4,
     ACTION_COUNT, A},
    {a_write_of_another_cccr_counts, A_RUNS AND_B "14:ENABLE=1", "counts without an event", R32, ACTION_COUNT,
     A},
    {rdpmc_reads_one_more, A_RUNS "/12:read", "readings that differ", R57, ACTION_READING, A},
    {an_escr_without_event_keeps_no_flags, A_RUNS "/12:events=40", "bits of its ESCR that have changed", R3,
     ACTION_OTHER, A},
    {a_halt_clears_escrs, A_RUNS "/12:events=40/LP0:HLT", "bits of its ESCR that have changed", R42,
     ACTION_OTHER, A},
    {init_clears_escrs, A_RUNS "/12:events=40/LP1:INIT", "bits of its ESCR that have changed", R1,
     ACTION_OTHER, A},
    {the_threshold_is_passed_every_second_clock,
     "12:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,COMPARE=1,COMPLEMENT=1,THRESHOLD=5,EDGE=1,COUNTER="
     "-40000000H/"
     "12:events=20",
     "edges", R22, ACTION_EDGE, A},
    {each_clock_is_two_edges,
     "12:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,COMPARE=1,EDGE=1,COUNTER=-40000000H/12:events=200",
     "edges", R23, ACTION_EDGE, A},
    {each_clock_is_two_edges,
     "0:global_power_events,ENABLE=1,ACTIVE_THREAD=3,COMPARE=1,EDGE=1,COUNTER=-40000000H/0:events=40/"
     "0:events=40",
     "edges", R23, ACTION_EDGE, 0},
};

/* What went wrong, from the text of the failure, but for the number of a twin. */
static const char *quantity(void)
{
    static char text[sizeof said.what];
    const char *const end = strstr(said.what, "): ");

    if (!end)
        return "its CCCR";
    strcpy(text, end + strlen("): "));
    char *const twin = strstr(text, ", counter ");
    if (twin)
        *twin = '\0';
    return text;
}

/* By these rules the course was judged, too, when it was right. */
TEST(a_mistake_is_called_wrong_by_the_rule_that_it_breaks)
{
    for (unsigned i = 0; i < COUNT_OF(ROWS); i++) {
        const struct row *row = &ROWS[i];
        char rules[RULES_TEXT], due[RULES_TEXT];

        mistake = NULL;
        noted.sets = 0;
        if (!is_right(row->course))
            fail_msg("row %u, without the mistake: %s", i, said.what);
        mistake = row->mistake;
        if (is_right(row->course))
            fail_msg("row %u, %s: nothing is wrong", i, row->course);
        rules_name(said.rules, rules);
        rules_name(row->rule, due);
        if (!has_noted(said.rules))
            fail_msg("row %u, %s: %s is wrong by %s, which nothing was judged by when it was right", i,
                     row->course, quantity(), rules);
        if (strcmp(quantity(), row->quantity) != 0 || (said.rules & 0xFF) != row->rule)
            fail_msg("row %u, %s: '%s' by %s, not '%s' by %s", i, row->course, quantity(), rules,
                     row->quantity, due);
        if (said.act.action != row->action || said.act.place != row->place)
            fail_msg("row %u, %s: %s of counter %u, not %s of %u", i, row->course,
                     ACTION_NAMES[said.act.action], said.act.place, ACTION_NAMES[row->action], row->place);
    }
}

/* ---- Shortened courses ---- */

/* Does the course fail by this quantity? */
static bool fails_by(const struct course *course, const char *what)
{
    said.decides = false;
    return !course_expect(course, "shorter") && strcmp(quantity(), what) == 0;
}

static void assert_needed(const struct course *shortest, const struct course *simpler, const char *what)
{
    if (simpler->steps == 0 || !fails_by(simpler, what))
        return;
    print_error("not the shortest: %s\n", printed(shortest));
    fail_msg("this fails, too: %s", printed(simpler));
}

/* One bit that is a whole field. */
static bool is_field(uint32_t bit)
{
    return bit && !(bit & (CCCR_ESCR_SELECT_MASK | CCCR_ACTIVE_MASK | CCCR_THRESHOLD_MASK));
}

/* Whatever is left out of the course alone, it no longer fails by this quantity. */
static void assert_shortest(const struct course *course, const char *what)
{
    for (unsigned i = 0; i < course->actors; i++)
        for (unsigned bit = 0; bit < 32; bit++) {
            struct course simpler = *course;
            uint32_t *const cccr = &simpler.actor[i].cccr;

            if (1u << bit & CCCR_ENABLE) /* without it this is another counter */
                continue;
            *cccr = 1u << bit & CCCR_ACTIVE_MASK ? *cccr | CCCR_ACTIVE_MASK : *cccr & ~(1u << bit);
            if (*cccr != course->actor[i].cccr)
                assert_needed(course, &simpler, what);
        }
    for (unsigned i = 0; i < course->steps; i++) {
        const struct course_step *const step = &course->step[i];
        struct course simpler = *course;

        course_without(&simpler, i);
        assert_needed(course, &simpler, what);
        for (unsigned bit = 0; bit < 32; bit++) {
            const uint32_t field = step->fields & 1u << bit;

            simpler = *course;
            simpler.step[i].fields &= ~field;
            simpler.step[i].bits &= ~field;
            if (is_field(field) && simpler.step[i].fields)
                assert_needed(course, &simpler, what);
        }
        simpler = *course;
        simpler.step[i].how = HOW_PLAIN;
        simpler.step[i].flags = FLAGS_WORKER;
        if (course_does(step, DOES_EVENTS) && course_is_special(step))
            assert_needed(course, &simpler, what);
        simpler = *course;
        simpler.step[i].level = 0;
        if (step->level)
            assert_needed(course, &simpler, what);
        simpler = *course;
        simpler.step[i].by_sibling = false;
        if (step->by_sibling)
            assert_needed(course, &simpler, what);
    }
}

#define DRAWN_FOR_A_MISTAKE 60

/* The first of the drawn courses that fails is shortened. Returns whether there is one. */
static bool shorten_drawn(unsigned seed)
{
    struct random random = {.state = seed};
    struct course course, shortest;
    char what[sizeof said.what];

    for (unsigned i = 0; i < DRAWN_FOR_A_MISTAKE; i++) {
        course_draw(&course, A, &random);
        said.decides = true;
        if (!course_adapt(&course) || course_expect(&course, "drawn"))
            continue;
        strcpy(what, quantity());
        assert_null(course_parse(&shortest, said.shortest, 0));
        if (!fails_by(&shortest, what))
            fail_msg("%s is shortened to %s, which does not fail by '%s'", printed(&course), said.shortest,
                     what);
        assert_shortest(&shortest, what);
        return true;
    }
    return false;
}

/* Most mistakes are met by a course that is drawn for counter 12. make test-all draws for all of them, make
 * test for one of three. */
#define SHORTENED 60

TEST(a_shortened_course_has_nothing_left_to_leave_out)
{
    const unsigned step = host_test_all() ? 1 : 3;
    unsigned shortened = 0;

    for (unsigned i = 0; i < COUNT_OF(ROWS); i += step) {
        mistake = ROWS[i].mistake;
        begin_part(&F43, &(struct nbpmu_variants){.cascade_latch = false});
        shortened += shorten_drawn(i);
    }
    assert_true(shortened >= SHORTENED / step);
}

/*
 * What the judge of courses (tests/suite/course_judge.c) counts as judged, and what it excuses, on the second
 * model of the PMU (course_machine.h): an act that is counted is one whose loss alone is called wrong; how
 * many there are at least and at most follows from the text of a course; and OVF may be missing only as
 * erratum E9 has it (tests/suite/unflagged.h).
 */
#include <stdlib.h>
#include "course_machine.h"
#include "tests/suite/unflagged.c"

static const struct course_part F43 = {0xF43, 2};

static void begin_part(const struct course_part *part)
{
    machine_begin(part, &(struct nbpmu_variants){.cascade_latch = false});
    course_17_is_started_by(15);
}

BEFORE_EACH(begin)
{
    memset(&said, 0, sizeof said);
    memset(&judgement, 0, sizeof judgement);
    begin_part(&F43);
}

static struct naive_counter *counter(unsigned n)
{
    return &machine.pmu.counter[n];
}

/* ---- An act of the PMU is lost ---- */

static struct {
    enum action action;
    unsigned place;
    unsigned acts;        /* of this play so far */
    unsigned lost;        /* the number of the one that is lost, from 1; 0: none */
    bool lasts;           /* a start or a halt that was lost: until the next one */
    unsigned judged[400]; /* the numbers of those that were judged, in order */
    unsigned judged_acts;
} loss;

/* An act comes. Is it the one that is lost? */
static bool lose(void)
{
    return ++loss.acts == loss.lost;
}

/* Counter y is started by this link as long as this is so (R33). */
static bool link_holds(const struct naive *pmu, unsigned y, uint32_t flag)
{
    const struct pmc_counter *c = &PMC_COUNTER[y];
    const int x = flag == CCCR_CASCNT ? c->extended_from : y == 17 ? 15 : c->cascade_from;

    return x != PMC_NONE && (pmu->counter[y].cccr & flag) && (pmu->counter[x].cccr & CCCR_OVF);
}

static bool is_started(const struct naive *pmu, unsigned y)
{
    return link_holds(pmu, y, CCCR_CASCADE) || link_holds(pmu, y, CCCR_CASCNT);
}

/* In this clock the counter does what it does with another CCCR, and with an ESCR that counts everywhere. */
static void clock_with(const struct pmu_act *act, uint64_t clear, uint64_t set, bool everywhere)
{
    struct naive other = *act->before;
    struct naive_counter *const c = &other.counter[loss.place];
    const uint64_t cccr = counter(loss.place)->cccr;
    const uint32_t msr = naive_route(loss.place, (unsigned)CCCR_GET_ESCR_SELECT(cccr));

    if (act->what != ACT_CLOCK)
        return;
    c->cccr = (cccr & ~clear) | set;
    c->cccr = (c->cccr & ~(uint64_t)CCCR_OVF) | (act->before->counter[loss.place].cccr & CCCR_OVF);
    if (everywhere && msr && ESCR_GET_EVENT_SELECT(other.escr[msr - MSR_BSU_ESCR0]) != 0)
        other.escr[msr - MSR_BSU_ESCR0] |= ESCR_CPL_MASK;
    *act->pmis = naive_clock(&other, machine.lp);
    c->cccr = (cccr & ~(uint64_t)CCCR_OVF) | (c->cccr & CCCR_OVF);
    *counter(loss.place) = *c;
}

static void stands_still(const struct pmu_act *act)
{
    if (act->what == ACT_CLOCK)
        *counter(loss.place) = act->before->counter[loss.place];
}

static void lose_start(const struct pmu_act *act, uint32_t flag, uint32_t other)
{
    const bool holds = link_holds(&machine.pmu, loss.place, flag);

    if (holds && !link_holds(act->before, loss.place, flag))
        loss.lasts = lose();
    loss.lasts &= holds;
    if (loss.lasts && !(counter(loss.place)->cccr & CCCR_ENABLE) &&
        !link_holds(&machine.pmu, loss.place, other))
        stands_still(act);
}

static void lose_halt(const struct pmu_act *act)
{
    const bool is_enabled = counter(loss.place)->cccr & CCCR_ENABLE;

    if (is_started(act->before, loss.place) && !is_started(&machine.pmu, loss.place))
        loss.lasts = lose();
    loss.lasts &= !is_enabled && !is_started(&machine.pmu, loss.place);
    if (loss.lasts)
        clock_with(act, 0, CCCR_ENABLE, false);
}

/* A carry into bits 39:32, or a write of them, moves nothing there. */
static void keep_high_half(const struct pmu_act *act)
{
    const uint64_t low = UINT32_MAX;

    counter(loss.place)->value =
        (act->before->counter[loss.place].value & ~low) | (counter(loss.place)->value & low);
}

/* The counter asks for a PMI on this logical processor, and no other one does. */
static void lose_pmi(const struct pmu_act *act, unsigned lp)
{
    const uint32_t flag = lp ? CCCR_OVF_PMI_T1 : CCCR_OVF_PMI_T0;
    uint32_t raisers = 0;

    if (act->what != ACT_CLOCK && !(act->what == ACT_UNMASK && act->lp == lp))
        return;
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (counter(n)->raised && (act->what == ACT_UNMASK || !act->before->counter[n].raised) &&
            (counter(n)->cccr & flag))
            raisers |= 1u << n;
    if ((*act->pmis >> lp & 1) && !machine.masked[lp] && (raisers >> loss.place & 1) && lose() &&
        raisers == 1u << loss.place)
        *act->pmis &= ~(1u << lp);
}

static void lose_one(const struct pmu_act *act)
{
    const struct naive_counter *const before = &act->before->counter[loss.place];
    struct naive_counter *const now = counter(loss.place);
    const bool in_window = machine.windows == loss.lost;

    switch (loss.action) {
    case ACTION_CASCADE:
        lose_start(act, CCCR_CASCADE, CCCR_CASCNT);
        break;
    case ACTION_BIT_11:
        lose_start(act, CCCR_CASCNT, CCCR_CASCADE);
        break;
    case ACTION_HALT:
        lose_halt(act);
        break;
    case ACTION_OVF:
        if (act->what == ACT_CLOCK && (now->cccr & ~before->cccr & CCCR_OVF) && lose()) {
            now->cccr &= ~(uint64_t)CCCR_OVF;
            now->overflowed = false;
        }
        break;
    case ACTION_CARRY:
        if (act->what == ACT_CLOCK && (now->value ^ before->value) >> 32 && lose())
            keep_high_half(act);
        break;
    case ACTION_PMI_LP0:
    case ACTION_PMI_LP1:
        lose_pmi(act, loss.action == ACTION_PMI_LP1);
        break;
    case ACTION_PRESET:
        if (act->what == ACT_WRITE && act->msr == MSR_COUNTER(loss.place) && lose())
            keep_high_half(act);
        break;
    case ACTION_READING:
        if (((act->what == ACT_RDPMC && (act->msr & ~RDPMC_FAST) == loss.place) ||
             (act->what == ACT_READ && act->msr == MSR_COUNTER(loss.place))) &&
            lose())
            ++*act->value;
        break;
    case ACTION_EDGE: /* from here on windows */
        loss.acts = machine.windows;
        if (in_window)
            clock_with(act, CCCR_EDGE, 0, false);
        break;
    case ACTION_THRESHOLD:
        loss.acts = machine.windows;
        if (in_window)
            clock_with(act, CCCR_THRESHOLD_MASK, 0, false);
        break;
    case ACTION_GATE:
        loss.acts = machine.windows;
        if (in_window)
            clock_with(act, 0, CCCR_ACTIVE_MASK, false);
        break;
    case ACTION_QUALIFICATION:
        loss.acts = machine.windows;
        if (in_window)
            clock_with(act, 0, 0, true);
        break;
    default:
        loss.acts = machine.windows;
        if (in_window)
            stands_still(act);
        break;
    }
}

/* The act that is judged is the last one that has come. */
static void note(enum action action, unsigned place)
{
    if (action != loss.action || place != loss.place)
        return;
    assert_true(loss.judged_acts < COUNT_OF(loss.judged));
    loss.judged[loss.judged_acts++] = loss.acts;
}

/* Play the course, and lose this act. Is nothing called wrong? */
static bool is_right(const struct course *course, unsigned lost)
{
    begin_part(&F43);
    machine.mistake = lose_one;
    loss.acts = 0;
    loss.lost = lost;
    loss.lasts = false;
    memset(of, 0, sizeof of);
    return course_expect(course, "test");
}

/* Each act of this action at this place that is judged in the course is called wrong when it alone is lost.
 */
static void assert_called(const struct course *course, enum action action, unsigned place)
{
    char text[COURSE_TEXT];

    loss.action = action;
    loss.place = place;
    loss.judged_acts = 0;
    judgement.note = note;
    assert_true(is_right(course, 0));
    judgement.note = NULL;
    course_print(course, text, sizeof text);
    for (unsigned i = 0; i < loss.judged_acts; i++) {
        if (loss.judged[i] == 0 || (i > 0 && loss.judged[i] == loss.judged[i - 1]))
            fail_msg("%s: %s number %u of counter %u is judged twice, or before it comes", text,
                     ACTION_NAMES[action], loss.judged[i], place);
        if (is_right(course, loss.judged[i]))
            fail_msg("%s: %s number %u of counter %u is judged, but its loss is not called", text,
                     ACTION_NAMES[action], loss.judged[i], place);
    }
}

static void assert_each_is_called(const struct course *course)
{
    unsigned acts[ACTIONS][PLACES];

    memset(&judgement, 0, sizeof judgement);
    if (!is_right(course, 0))
        fail_msg("%s", said.what);
    memcpy(acts, judgement.acts, sizeof acts);
    for (unsigned action = 0; action < ACTIONS; action++)
        for (unsigned place = 0; place < PLACES; place++)
            if (acts[action][place] > 0)
                assert_called(course, action, place);
}

/* Of drawn courses for each counter; COURSES=N draws N of each. */
#define COURSES 3

TEST(each_judged_act_of_drawn_courses_is_called_if_it_alone_is_lost)
{
    const char *const courses = getenv("COURSES");
    struct random random = {.state = 1};

    for (unsigned i = 0; i < (courses ? strtoul(courses, NULL, 0) : COURSES); i++)
        for (unsigned n = 0; n < PMC_COUNTERS; n++) {
            struct course course;

            course_draw(&course, n, &random);
            begin_part(&F43);
            if (course_adapt(&course))
                assert_each_is_called(&course);
        }
}

/* ---- So many are judged ---- */

static struct course parsed(const char *text)
{
    struct course course;

    const char *const why = course_parse(&course, text, 0);
    if (why)
        fail_msg("%s: %s", why, text);
    return course;
}

/* 15 starts 17 and 17 starts 16, which overflows, all in the first step of events. If the start of 16 is
 * lost, the next OVF of 17 starts it, so what it counts in the second step does not show its first start. */
TEST(a_start_is_not_judged_after_the_overflow_that_it_led_to)
{
    const struct course course = parsed(
        "16:branch_retired.MMTP.MMTM,ACTIVE_THREAD=1,OVF_PMI_T0=1,OVF_PMI_T1=1,CASCNTxINTOy=1,COUNTER=-20+"
        "17:uops_retired,ACTIVE_THREAD=3,OVF_PMI_T0=1,CASCADE=1,COUNTER=-20+"
        "15:uops_retired,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20/"
        "LP1:LVTPC=fixed/16+17+15:events=40,after_ESCR=HLT/16+17+15:events=40");

    assert_each_is_called(&course);
}

/* A row of LINKS, UNTIL_DUE and LIVES (tests/vectors/netburst/course/courses.c), with what stands around it.
 */
#define LINK(x)                                                                                    \
    "/LP0:LVTPC=fixed/LP1:LVTPC=fixed/12:COUNTER=-20/12:events=40/" x ":COUNTER=0/12:events=40/" x \
    ":COUNTER=-20/" x ":events=40/" x ":COUNTER=-last_events/" x ":OVF=0/" x ":events=40/"         \
    "12:events=40/" x ":OVF=0/" x ":COUNTER=-20/" x ":events=40/12:events=40/" x ":COUNTER=-20/" x \
    ":events=40/12:events=40/12:COUNTER=-20/12:events=40/12:OVF=0/12:events=40/" x ":OVF=0/"       \
    "12:events=40/12:COUNTER=0/" x ":COUNTER=-20/" x ":events=40/12:events=40/" x ":OVF=0/" x      \
    ":COUNTER=-20/LP1:" x ":events=40/LP1:12:events=40/LP1:" x ":OVF=0/12:events=40"
#define DUE                                                                                          \
    "/LP0:LVTPC=fixed/LP1:LVTPC=fixed/12:events=40/12:OVF=0/LP0:LVTPC=fixed/LP1:LVTPC=fixed/"        \
    "12:COUNTER=-last_events/12:events=40/12:read/LP1:12:read/12:events=1/12:events=40/12:ENABLE=0/" \
    "LP0:LVTPC=fixed/LP1:LVTPC=fixed"
#define GATES                                                                                          \
    "/12:events=40/12:ACTIVE_THREAD=2/12:events=40/12:ACTIVE_THREAD=1/12:events=40,CPL=3/"             \
    "12:COMPARE=1,EDGE=1/"                                                                             \
    "12:events=40/12:EDGE=0/12:events=40/12:COMPARE=0/LP1:loop/12:events=40,CPL=3/12:ACTIVE_THREAD=0/" \
    "12:events=40/12:ACTIVE_THREAD=2/12:events=40/12:ACTIVE_THREAD=1/12:COMPARE=1,THRESHOLD=15/"       \
    "12:COMPLEMENT=1/12:events=40/12:ACTIVE_THREAD=2/12:events=40/LP1:HLT/12:events=40/"               \
    "12:COMPLEMENT=0,THRESHOLD=0/12:COMPARE=0/12:events=40/12:ACTIVE_THREAD=3/12:events=40/12:EDGE=1/" \
    "12:ESCR_SELECT=4/12:events=40/12:EDGE=0/12:ESCR_SELECT=5/12:ACTIVE_THREAD=0/12:events=40"

#define WITH_CASCADE                                         \
    "12:uops_retired,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20+" \
    "14:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20"
#define RUNS(fields) "12:branch_retired.MMNP.MMNM,ENABLE=1,ACTIVE_THREAD=3" fields ",COUNTER=-20"
#define BESIDE_14    "+14:branch_retired.MMNP.MMNM,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20"

/* Counted in the texts: `most` is how often the PMU does it, `least` how often nothing hides its loss. */
static const struct count {
    const char *course;
    uint8_t action, place, least, most;
} COUNTS[] = {
    /* The events of 14 bring its OVF at once, with -last_events, and with three of the four -20 after OVF was
     * cleared, as the fourth one comes while OVF stands: 12 starts 5 times. The first start is halted before
     * 12 has an event. */
    {WITH_CASCADE LINK("14"), ACTION_CASCADE, 12, 4, 5},
    {"12:uops_retired,ACTIVE_THREAD=3,CASCNTxINTOy=1,COUNTER=-20+"
     "16:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20" LINK("16"),
     ACTION_BIT_11, 12, 4, 5},
    /* Each OVF that starts 12 is cleared. Only two of these writes are followed by events of 12. */
    {WITH_CASCADE LINK("14"), ACTION_HALT, 12, 2, 5},
    /* 12 is near its overflow at first and after the second -20, when its OVF still stands. */
    {WITH_CASCADE LINK("14"), ACTION_OVF, 12, 1, 1},
    {WITH_CASCADE LINK("14"), ACTION_CARRY, 12, 2, 2},
    {WITH_CASCADE LINK("14"), ACTION_OVF, 14, 5, 5},
    {WITH_CASCADE LINK("14"), ACTION_CARRY, 14, 6, 6},
    /* Seven writes of 14, of which that of 0 meets a value next to a carry and so comes twice (E1). Of the
     * three writes of 12, the first one writes what is there, and that of 0 an upper half that is 0 already.
     */
    {WITH_CASCADE LINK("14"), ACTION_PRESET, 14, 6, 7},
    {WITH_CASCADE LINK("14"), ACTION_PRESET, 12, 1, 3},
    /* With OVF_PMI an OVF may be missing (E9). */
    {"12:uops_retired,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20+"
     "14:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,OVF_PMI_T0=1,COUNTER=-20" LINK("14"),
     ACTION_OVF, 14, 0, 0},
    /* The first overflow interrupts, the second one with the next count, and again when LVTPC is unmasked. */
    {RUNS(",OVF_PMI_T0=1") BESIDE_14 DUE, ACTION_PMI_LP0, 12, 3, 3},
    {RUNS(",OVF_PMI_T0=1") BESIDE_14 DUE, ACTION_PMI_LP1, 12, 0, 0},
    {RUNS(",OVF_PMI_T0=1,OVF_PMI_T1=1") BESIDE_14 DUE, ACTION_PMI_LP1, 12, 3, 3},
    {RUNS(",OVF_PMI_T0=1") BESIDE_14 DUE, ACTION_CARRY, 12, 2, 2},
    {RUNS(",OVF_PMI_T0=1") BESIDE_14 DUE, ACTION_READING, 12, 2, 2},
    /* Each count of a counter with FORCE_OVF overflows: the next one does what one has lost. */
    {"12:branch_retired.MMNP.MMNM,ENABLE=1,ACTIVE_THREAD=3,FORCE_OVF=1,COUNTER=-20/LP0:LVTPC=fixed/"
     "12:COUNTER=-40000000H/12:events=40",
     ACTION_OVF, 12, 0, 40},
    {"12:branch_retired.MMNP.MMNM,ENABLE=1,ACTIVE_THREAD=3,FORCE_OVF=1,OVF_PMI_T0=1,COUNTER=-20/"
     "LP0:LVTPC=fixed/12:COUNTER=-40000000H/12:events=40",
     ACTION_PMI_LP0, 12, 0, 40},
    /* Two counters interrupt in one step, and either PMI stands for the other one. */
    {"12:branch_retired.MMNP.MMNM,ENABLE=1,ACTIVE_THREAD=3,OVF_PMI_T0=1,COUNTER=-20+"
     "14:branch_retired.MMNP.MMNM,ENABLE=1,ACTIVE_THREAD=3,OVF_PMI_T0=1,COUNTER=-20/LP0:LVTPC=fixed/12+"
     "14:events=40",
     ACTION_PMI_LP0, 12, 0, 1},
    {"12:branch_retired.MMNP.MMNM,ENABLE=1,ACTIVE_THREAD=3,OVF_PMI_T0=1,COUNTER=-20+"
     "14:branch_retired.MMNP.MMNM,ENABLE=1,ACTIVE_THREAD=3,OVF_PMI_T0=1,COUNTER=-20/LP0:LVTPC=fixed/12+"
     "14:events=40",
     ACTION_PMI_LP0, 14, 0, 1},
    /* ACTIVE_THREAD keeps 12 from counting in 7 windows, in two of which it would count clocks without an
     * event, as often before and after. */
    {RUNS("") BESIDE_14 GATES, ACTION_GATE, 12, 5, 7},
    /* T0_USR at CPL 0, the T1 flags, and no flag, twice, select nothing that is executed. */
    {"12:branch_retired.MMNP.MMNM,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20/12:events=40,ESCR_before=other_event/"
     "12:events=40/12:events=40,ESCR=T0_OS/12:events=40,CPL=3,ESCR=T0_USR/12:events=40,ESCR=T0_USR/"
     "12:events=40,CPL=1,ESCR=T0_OS/12:events=40,ESCR=T0_OS+T0_USR+T1_OS+T1_USR/12:events=40,ESCR=T1_OS+"
     "T1_USR/12:events=40,EVENT_MASK=0/12:events=40,ESCR=0/12:events=40,CPL=3,ESCR=0/"
     "12:events=40,EVENT_SELECT=0",
     ACTION_QUALIFICATION, 12, 4, 4},
    /* The comparison is always true: EDGE counts it once, when 12 starts. */
    {"12:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,COMPARE=1,COMPLEMENT=1,THRESHOLD=5,EDGE=1,COUNTER="
     "-40000000H/"
     "12:events=40/12:events=40",
     ACTION_EDGE, 12, 2, 2},
    {"12:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,COMPARE=1,THRESHOLD=15,COUNTER=-20/12:events=40/"
     "12:events=40/12:events=40",
     ACTION_THRESHOLD, 12, 3, 3},
    /* A threshold of 0, and EDGE, where single occurrences are their own edges: their loss changes nothing.
     */
    {"12:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,COMPARE=1,COUNTER=-20/12:events=40",
     ACTION_THRESHOLD, 12, 0, 0},
    {"12:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,COMPARE=1,EDGE=1,COUNTER=-20/12:events=40",
     ACTION_EDGE, 12, 0, 0},
    /* Without an event mask nothing passes, whatever the threshold. */
    {"12:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,COMPARE=1,THRESHOLD=15,COUNTER=-20/"
     "12:events=40,EVENT_MASK=0",
     ACTION_THRESHOLD, 12, 0, 0},
    {"12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20/12:events=40/12:events=40", ACTION_COUNT, 12, 2,
     2},
    /* ACTIVE_THREAD keeps 12 from showing that it was not halted. */
    {"12:uops_retired,ACTIVE_THREAD=2,CASCADE=1,COUNTER=-20+"
     "14:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20/14:events=40/14:OVF=0/12:events=40",
     ACTION_HALT, 12, 0, 1},
    /* Whether a flag that is set while OVF stands starts anything is open (R39). */
    {"12:uops_retired,ACTIVE_THREAD=3,COUNTER=-20+"
     "14:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20/14:events=40/12:CASCADE=1/14:OVF=0/"
     "12:events=40",
     ACTION_HALT, 12, 0, 0},
};

TEST(as_many_acts_are_judged_as_the_text_of_a_course_has)
{
    const struct course restarts = parsed(COUNTS[0].course);

    assert_true(is_right(&restarts, 0)); /* the first counter that starts again is not judged (10.1b) */
    for (unsigned i = 0; i < COUNT_OF(COUNTS); i++) {
        const struct count *const c = &COUNTS[i];
        const struct course course = parsed(c->course);

        memset(&judgement, 0, sizeof judgement);
        assert_true(is_right(&course, 0));
        const unsigned acts = judgement.acts[c->action][c->place];
        if (acts < c->least || acts > c->most)
            fail_msg("row %u, %s: %u %s of counter %u are judged, not %u to %u", i, c->course, acts,
                     ACTION_NAMES[c->action], c->place, c->least, c->most);
    }
}

TEST(each_judged_act_of_these_courses_is_called_if_it_alone_is_lost)
{
    for (unsigned i = 0; i < COUNT_OF(COUNTS); i++) {
        const struct course course = parsed(COUNTS[i].course);

        assert_each_is_called(&course);
    }
}

/* ---- E9 ---- */

static struct {
    unsigned overflows, period; /* each of so many overflows leaves OVF clear */
    bool with_pmi;              /* but its PMI comes */
} unflagged;

static void leave_ovf_clear(const struct pmu_act *act)
{
    struct naive_counter *const c = counter(12);

    if (act->what != ACT_CLOCK)
        return;
    if (c->value < act->before->counter[12].value && ++unflagged.overflows % unflagged.period == 0) {
        c->cccr &= ~(uint64_t)CCCR_OVF;
        c->awaits_count &= unflagged.with_pmi;
    }
}

/* In so many plays of the course, each with one overflow, the first that is called wrong, from 1; 0: none. */
static unsigned first_wrong(const char *text, unsigned period, bool with_pmi, unsigned plays)
{
    const struct course course = parsed(text);

    memset(of, 0, sizeof of);
    unflagged.overflows = 0;
    unflagged.period = period;
    unflagged.with_pmi = with_pmi;
    for (unsigned play = 1; play <= plays; play++) {
        begin_part(&F43);
        machine.mistake = leave_ovf_clear;
        if (!course_expect(&course, "E9")) {
            assert_int_equal(said.act.action, ACTION_OVF);
            assert_int_equal(said.act.place, 12);
            return play;
        }
        assert_int_equal(unflagged.overflows, play);
    }
    return 0;
}

/* LVTPC is open, OVF_PMI_T0 set, the overflow near. */
#define OPEN_AND_NEAR                                                                                  \
    "12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,OVF_PMI_T0=1,COUNTER=-20/LP0:LVTPC=fixed/12:events=40/" \
    "12:OVF=0"

TEST(e9_excuses_an_overflow_without_ovf_up_to_a_ceiling)
{
    assert_int_equal(first_wrong(OPEN_AND_NEAR, UNFLAGGED_SELDOM, true, 300), 0);
    /* LVTPC is masked, so that no PMI can come; the PMI comes with the next count. */
    assert_int_equal(
        first_wrong(
            "12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,OVF_PMI_T0=1,COUNTER=-20/12:events=40/12:OVF=0",
            UNFLAGGED_SELDOM, true, 300),
        0);
    assert_int_equal(
        first_wrong("12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,OVF_PMI_T0=1,COUNTER=-20/LP0:LVTPC=fixed/"
                    "12:events=40,ESCR=0/12:COUNTER=-20/12:events=20/12:OVF=0",
                    UNFLAGGED_SELDOM, true, 300),
        0);
}

TEST(e9_excuses_no_more_than_its_ceiling)
{
    /* 2, and one in 5: of three in succession the third; of one in four the eleventh, number 44, as ten are
     * 2 and one in 5 of 40. */
    assert_int_equal(first_wrong(OPEN_AND_NEAR, 1, true, 300), 3);
    assert_int_equal(first_wrong(OPEN_AND_NEAR, 4, true, 300), 44);
    assert_int_equal(
        first_wrong(
            "12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,OVF_PMI_T0=1,COUNTER=-20/12:events=40/12:OVF=0", 4,
            true, 300),
        44);
}

TEST(e9_excuses_no_counter_without_ovf_pmi)
{
    assert_int_equal(
        first_wrong("12:instr_retired,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20/LP0:LVTPC=fixed/12:events=40/"
                    "12:OVF=0",
                    7, true, 300),
        7);
}

TEST(e9_excuses_nothing_if_no_pmi_comes_though_lvtpc_is_open)
{
    assert_int_equal(first_wrong(OPEN_AND_NEAR, 7, false, 300), 7);
}

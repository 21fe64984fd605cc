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

/* Each act of this action at this place that is judged in the course is called wrong when it alone is lost. */
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
TEST(zz_debug)
{
    const char *t = getenv("C");
    struct course course;
    if (!t) return;
    assert_null(course_parse(&course, t));
    loss.action = (enum action)atoi(getenv("ACT")); loss.place = (unsigned)atoi(getenv("PLACE"));
    for (unsigned s = course.steps, k = 1; k <= s; k++) {
        course.steps = (uint8_t)k;
        memset(&judgement, 0, sizeof judgement);
        bool r = is_right(&course, 0);
        printf("%u %c: sound %d judged %u acts %u value %llx cccr %llx;", k, course.step[k-1].what, r, judgement.acts[loss.action][loss.place], loss.acts, (unsigned long long)counter(loss.place)->value, (unsigned long long)counter(loss.place)->cccr);
        r = is_right(&course, (unsigned)atoi(getenv("K")));
        printf(" lost: right %d value %llx %s\n", r, (unsigned long long)counter(loss.place)->value, r ? "" : said.what);
    }
}

/*
 * The notation of courses, and courses drawn at random (tests/suite/course_text.c, course_steps.c,
 * course_old.c, course_draw.c): what is read is printed as it was written, what is drawn is read as it is
 * printed, what older logs have is read as what it means, and whatever a text holds, no byte beyond its end
 * is read and a refusal says what is wrong. course_test.c plays courses.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/host/support/host_test.h"
#include "tests/suite/course_steps.h"

static const char *printed(const struct course *course)
{
    static char text[COURSE_TEXT];

    assert_true(course_print(course, text, sizeof text) < sizeof text);
    return text;
}

/* Parse a copy of the text that ends where its memory ends, so that a sanitizer sees what is read beyond. */
static const char *parse_exact(struct course *course, const char *text, size_t length, unsigned boot)
{
    char *const copy = malloc(length + 1);
    const char *why;

    assert_non_null(copy);
    memcpy(copy, text, length);
    copy[length] = '\0';
    why = course_parse(course, copy, boot);
    free(copy);
    return why;
}

static bool is_same_step(const struct course_step *a, const struct course_step *b)
{
    return a->kind == b->kind && a->by_sibling == b->by_sibling && a->actor == b->actor &&
           a->actors == b->actors && a->level == b->level && a->flags == b->flags && a->how == b->how &&
           a->occurrences == b->occurrences && a->fields == b->fields && a->bits == b->bits &&
           a->value == b->value;
}

static bool is_same(const struct course *a, const struct course *b)
{
    bool same = a->actors == b->actors && a->steps == b->steps && a->boot == b->boot;

    for (unsigned i = 0; same && i < a->actors; i++)
        same = a->actor[i].counter == b->actor[i].counter && a->actor[i].event == b->actor[i].event &&
               a->actor[i].cccr == b->actor[i].cccr && a->actor[i].start == b->actor[i].start;
    for (unsigned i = 0; same && i < a->steps; i++)
        same = is_same_step(&a->step[i], &b->step[i]);
    return same;
}

/* ---- Read ---- */

#define ONE "12:uops_retired,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20"
#define IQ  ONE "+14:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20"
/* All counters of the block. */
#define SIX                                                                             \
    "12:uops_retired,COUNTER=-20+13:uops_retired,COUNTER=0+14:instr_retired,COUNTER=1+" \
    "15:instr_retired,CASCADE=1,COUNTER=2+16:branch_retired.MMTP.MMTM,COUNTER=3+"       \
    "17:branch_retired.MMNP.MMNM,COUNTER=4"
#define TEN "LP0:HLT/LP0:HLT/LP0:HLT/LP0:HLT/LP0:HLT/LP0:HLT/LP0:HLT/LP0:HLT/LP0:HLT/LP0:HLT"

#define EVENTS(...)                                                                             \
    {                                                                                           \
        .kind = STEP_EVENTS, .actors = 1, .flags = FLAGS_WORKER, .occurrences = 40, __VA_ARGS__ \
    }
#define WRITE(f, b)                                   \
    {                                                 \
        .kind = STEP_CCCR, .fields = (f), .bits = (b) \
    }

/* -Woverride-init: the rows below say again what EVENTS() says. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"

TEST(each_step_is_read_and_told)
{
    static const struct {
        const char *step; /* of IQ */
        struct course_step read;
        const char *words;
    } ROWS[] = {
        {"12+14:events=40", EVENTS(.actors = 3),
         "LP0 does work that causes the events of counters 12 and 14, 40 times"},
        {"14:events=1000", EVENTS(.actors = 2, .occurrences = 1000),
         "LP0 does work that causes the events of counter 14, 1000 times"},
        {"12:events=40,CPL=3", EVENTS(.level = 3),
         "LP0 does work that causes the events of counter 12, 40 times, at CPL 3"},
        {"12:events=40,CPL=1,ESCR=T0_OS", EVENTS(.level = 1, .flags = FLAG_WORKER_OS),
         "LP0 does work that causes the events of counter 12, 40 times, at CPL 1, with T0_OS set in the ESCR "
         "alone"},
        {"12:events=40,ESCR=0", EVENTS(.flags = 0),
         "LP0 does work that causes the events of counter 12, 40 times, with all four flags of the ESCR "
         "clear"},
        {"12:events=40,ESCR=T1_OS+T1_USR", EVENTS(.flags = FLAGS_OTHER),
         "LP0 does work that causes the events of counter 12, 40 times, with T1_OS and T1_USR set in the "
         "ESCR "
         "alone"},
        {"12:events=40,ESCR=T0_OS+T0_USR+T1_OS+T1_USR", EVENTS(.flags = FLAGS_WORKER | FLAGS_OTHER),
         "LP0 does work that causes the events of counter 12, 40 times, with T0_OS and T0_USR and T1_OS and "
         "T1_USR set in the ESCR"},
        {"LP1:12:events=1,CPL=3,ESCR=T1_USR",
         EVENTS(.occurrences = 1, .level = 3, .flags = FLAG_WORKER_USR, .by_sibling = true),
         "LP1 does work that causes the events of counter 12, 1 times, at CPL 3, with T1_USR set in the ESCR "
         "alone"},
        {"LP1:12:events=40,ESCR=T0_OS", EVENTS(.flags = FLAG_OTHER_OS, .by_sibling = true), NULL},
        {"12:events=40,EVENT_SELECT=0", EVENTS(.how = HOW_NO_SELECT), NULL},
        {"12:events=40,EVENT_MASK=0", EVENTS(.how = HOW_NO_MASK), NULL},
        {"12:events=40,ESCR_before=other_event", EVENTS(.how = HOW_OTHER_FIRST), NULL},
        {"12:events=40,after_ESCR=HLT", EVENTS(.how = HOW_HALT), NULL},
        {"12:events=40,after_ESCR=INIT", EVENTS(.how = HOW_INIT), NULL},
        {"12:events=40,CPL=2,twice", EVENTS(.level = 2, .how = HOW_TWICE),
         "LP0 does work that causes the events of counter 12, 40 times, at CPL 2; the work is done twice, "
         "and "
         "then twice at CPL 0"},
        {"14:OVF=0",
         {.kind = STEP_CCCR, .actor = 1, .fields = CCCR_OVF},
         "LP0 writes the CCCR of counter 14: OVF clear"},
        {"12:ENABLE=0,THRESHOLD=15,FORCE_OVF=1,OVF=0",
         WRITE(CCCR_ENABLE | CCCR_THRESHOLD_MASK | CCCR_FORCE_OVF | CCCR_OVF,
               CCCR_THRESHOLD(15) | CCCR_FORCE_OVF),
         "LP0 writes the CCCR of counter 12: ENABLE clear, THRESHOLD 15, FORCE_OVF set, OVF clear"},
        {"12:ESCR_SELECT=5,ACTIVE_THREAD=2", WRITE(CCCR_ESCR_SELECT_MASK | CCCR_ACTIVE_MASK, 0x2A000), NULL},
        {"12:COMPARE=1,COMPLEMENT=0,EDGE=1", WRITE(0x10C0000, 0x1040000), NULL},
        {"12:OVF_PMI_T0=1,OVF_PMI_T1=0,CASCADE=1,CASCNTxINTOy=1", WRITE(0x4C000800, 0x44000800), NULL},
        {"12:COUNTER=-20", {.kind = STEP_COUNTER, .value = 0xFFFFFFFFEC}, "LP0 writes counter 12: -20"},
        {"LP1:14:COUNTER=0",
         {.kind = STEP_COUNTER, .actor = 1, .by_sibling = true},
         "LP1 writes counter 14: 0"},
        {"12:COUNTER=FFFFFFECH", {.kind = STEP_COUNTER, .value = 0xFFFFFFEC}, NULL},
        {"12:COUNTER=-40000000H", {.kind = STEP_COUNTER, .value = 0xFFC0000000}, NULL},
        {"12:COUNTER=-last_events",
         {.kind = STEP_COUNTER_BACK},
         "LP0 writes counter 12, so that as many counts as in its last step of events end at 0"},
        {"LP1:12:COUNTER=-last_events-1",
         {.kind = STEP_COUNTER_SHORT, .by_sibling = true},
         "LP1 writes counter 12, so that as many counts as in its last step of events end at -1"},
        {"LP1:12:read",
         {.kind = STEP_READ, .by_sibling = true},
         "LP1 reads the registers of counter 12: RDMSR, RDPMC slow and fast"},
        {"LP0:LVTPC=fixed", {.kind = STEP_LVTPC_FIXED}, "LP0 unmasks its LVTPC, with fixed delivery"},
        {"LP1:LVTPC=NMI",
         {.kind = STEP_LVTPC_NMI, .by_sibling = true},
         "LP1 unmasks its LVTPC, with NMI delivery"},
        {"LP0:EOI=late", {.kind = STEP_EOI_LATE}, "LP0 sends no EOI for its PMIs from here on"},
        {"LP0:EOI", {.kind = STEP_EOI}, "LP0 sends the EOI that is late, and from here on at once"},
        {"LP1:LVTPC=masked", {.kind = STEP_LVTPC_MASKED, .by_sibling = true}, "LP1 masks its LVTPC"},
        {"LP0:LVTPC=fixed,with_next_events",
         {.kind = STEP_LVTPC_LATER},
         "LP0 unmasks its LVTPC just before the next events"},
        {"LP0:IPI=self,with_next_events",
         {.kind = STEP_IPI},
         "LP0 sends itself another interrupt, which is pending while the next events come"},
        {"LP0:HLT", {.kind = STEP_HALT}, "LP0 halts for 20 us"},
        {"LP1:INIT", {.kind = STEP_INIT}, "LP1 gets INIT and a start-up IPI"},
        {"LP1:loop", {.kind = STEP_LOOP}, "LP1 runs a loop at CPL 3 from here on"},
        {"LP1:HLT", {.kind = STEP_PARK}, "LP1 is halted from here on, where it does no step"},
        {"unused:OVF=1",
         {.kind = STEP_UNUSED_OVF},
         "LP0 sets OVF of each counter that is neither in the course nor a twin, and writes to it what it "
         "holds"},
        {"LP1:unused:OVF=1",
         {.kind = STEP_UNUSED_OVF, .by_sibling = true},
         "LP1 sets OVF of each counter that is neither in the course nor a twin, and writes to it what it "
         "holds"},
    };

    for (unsigned i = 0; i < COUNT_OF(ROWS); i++) {
        struct course due = {.actors = 2,
                             .steps = 1,
                             .actor = {{12, 0, CCCR_ENABLE | CCCR_ACTIVE_MASK, COUNTER_OVERFLOW_IN(20)},
                                       {14, 1, CCCR_ENABLE | CCCR_ACTIVE_MASK, COUNTER_OVERFLOW_IN(20)}},
                             .step = {ROWS[i].read}};
        struct course course;
        char text[COURSE_TEXT] = IQ "/", words[COURSE_WORDS];

        strcat(text, ROWS[i].step);
        const char *const why = parse_exact(&course, text, strlen(text), 0);
        if (why)
            fail_msg("%s: %s", text, why);
        if (!is_same(&course, &due))
            fail_msg("%s is not read as it should be", text);
        assert_string_equal(printed(&course), text);
        course_tell_step(&course, 0, words);
        if (ROWS[i].words)
            assert_string_equal(words, ROWS[i].words);
    }
}
#pragma GCC diagnostic pop

/* Each row of the steps has a word of its own among those of the same kind, so that it is read again. */
TEST(each_row_is_read_as_it_is_printed)
{
    for (unsigned kind = 0; kind < COURSE_STEP_KINDS; kind++) {
        struct course course, read;
        char words[COURSE_WORDS];

        assert_null(course_parse(&course, ONE "/12:read", 0));
        course.step[0] = course_example((enum course_step_kind)kind);
        const char *const why = course_parse(&read, printed(&course), 0);
        if (why || !is_same(&course, &read))
            fail_msg("row %u, %s: %s", kind, printed(&course), why);
        course_tell_step(&course, 0, words);
        assert_true(strlen(words) > 10 && strlen(words) < COURSE_WORDS - 1);
    }
}

/* A board may boot on its LP1. */
TEST(lp0_and_lp1_are_those_of_the_processor)
{
    struct course course;

    assert_null(course_parse(&course, ONE "/LP0:12:OVF=0/12:events=40,ESCR=T1_OS/LP0:INIT/LP1:HLT", 1));
    assert_true(course.step[0].by_sibling);
    assert_int_equal(course.step[1].flags, FLAG_WORKER_OS);
    assert_int_equal(course.step[2].kind, STEP_INIT);
    assert_int_equal(course.step[3].kind, STEP_HALT);
    assert_string_equal(printed(&course), ONE "/LP0:12:OVF=0/12:events=40,ESCR=T1_OS/LP0:INIT/LP1:HLT");
}

TEST(an_actor_is_told)
{
    struct course course;
    char words[COURSE_WORDS];

    assert_null(course_parse(&course, "8:packed_SP_uop,CASCADE=1,THRESHOLD=3,COUNTER=-20/8:events=1", 0));
    course_tell_actor(&course, 0, words);
    assert_string_equal(words, "counter 8 counts packed_SP_uop, ENABLE clear, THRESHOLD 3, CASCADE set, and "
                               "begins at -20; its twin is counter 9");
    assert_null(course_parse(&course, SIX "/12:events=1", 0));
    course_tell_actor(&course, 5, words);
    assert_string_equal(words, "counter 17 counts branch_retired.MMNP.MMNM, ENABLE clear, and begins at 4");
}

/* The boot line goes on after a course. */
TEST(a_blank_ends_a_course)
{
    struct course course;

    assert_null(course_parse(&course, IQ "/12:events=40/14:events=40 only=course", 0));
    assert_string_equal(printed(&course), IQ "/12:events=40/14:events=40");
}

TEST(a_course_may_be_as_large_as_its_limits)
{
    struct course course;

    assert_null(course_parse(&course, SIX "/12+13+14+15+16+17:events=40", 0));
    assert_int_equal(course.actors, COURSE_ACTORS);
    assert_int_equal(course.step[0].actors, 0x3F);
    assert_null(course_parse(&course,
                             ONE "/" TEN "/" TEN "/" TEN "/" TEN
                                 "/LP0:HLT/LP0:HLT/LP0:HLT/LP0:HLT/LP0:HLT/LP0:HLT/LP0:HLT/LP0:HLT",
                             0));
    assert_int_equal(course.steps, COURSE_STEPS);
}

#define A_COUNTER "a counter is number:EVENT,FIELD=VALUE,...,COUNTER=VALUE"
#define AN_EVENT  "a counter has one of the four events of its block: docs/add-a-vector.md lists them"
#define A_FIELD   "a field of the CCCR is written FIELD=VALUE, by the manual's name"
#define A_NUMBER  "the value of a field is a decimal number that the field can hold"
#define A_VALUE   "COUNTER= has a value like -20, 0 or FFFFFFECH"
#define A_WRITE   "COUNTER= has a value like -20, 0, FFFFFFECH, -last_events or -last_events-1"
#define A_STEP    "a step is WHO:WHAT, and there is no such step; docs/add-a-vector.md has them all"
#define COUNTERS  "a step is about counters of the course, each once"
#define JOINED    "counters are joined by + before a colon"
#define BEHIND                                                                            \
    "behind events= there are CPL= and then one of ESCR=, EVENT_SELECT=0, EVENT_MASK=0, " \
    "ESCR_before=other_event, after_ESCR=HLT, after_ESCR=INIT and twice"
#define FLAGS "ESCR= has flags T0_OS, T0_USR, T1_OS, T1_USR, each once, joined by +, or 0"

TEST(each_refusal_says_what_is_wrong)
{
    static const struct {
        const char *text, *why;
    } ROWS[] = {
        {"", A_COUNTER},
        {"x", A_COUNTER},
        {"12", A_COUNTER},
        {"12:", AN_EVENT},
        {"18:uops_retired,COUNTER=0/12:read", "a counter is 0 to 17"},
        {"4294967308:uops_retired,COUNTER=0/12:read", A_COUNTER},
        {"12:packed_SP_uop,COUNTER=0/12:read", AN_EVENT},
        {"12:uops_retire,COUNTER=0/12:read", AN_EVENT},
        {"12:uops_retiredX,COUNTER=0/12:read", AN_EVENT},
        {"12:branch_retired,COUNTER=0/12:read", AN_EVENT},
        {"12:uops_retired", "behind the event of a counter its fields are written, and COUNTER="},
        {"12:uops_retired/12:read", "behind the event of a counter its fields are written, and COUNTER="},
        {"12:uops_retired,/12:read", A_FIELD},
        {"12:uops_retired,ENABLE=1/12:read", "each counter ends with COUNTER= and what it holds first"},
        {"12:uops_retired,ENABLE=2,COUNTER=0/12:read", A_NUMBER},
        {"12:uops_retired,THRESHOLD=16,COUNTER=0/12:read", A_NUMBER},
        {"12:uops_retired,ENABLE=,COUNTER=0/12:read", A_NUMBER},
        {"12:uops_retired,ENABLE=1,ENABLE=1,COUNTER=0/12:read", "each field of a write has one value"},
        {"12:uops_retired,ESCR_SELECT=4,COUNTER=0/12:read",
         "a counter begins with OVF 0 and the ESCR of its event"},
        {"12:uops_retired,OVF=0,COUNTER=0/12:read", "a counter begins with OVF 0 and the ESCR of its event"},
        {"12:uops_retired,OVF=1,COUNTER=0/12:read",
         "OVF of a counter of the course is cleared, and set by overflows alone"},
        {"12:uops_retired,RESERVED=1,COUNTER=0/12:read", A_FIELD},
        {"12:uops_retired,COUNTER=/12:read", A_VALUE},
        {"12:uops_retired,COUNTER=FF/12:read", A_VALUE},
        {"12:uops_retired,COUNTER=10000000000H/12:read", A_VALUE},
        {"12:uops_retired,COUNTER=12345678901/12:read", A_VALUE},
        {"12:uops_retired,COUNTER=-last_events/12:read", A_VALUE},
        {ONE "+12:instr_retired,COUNTER=0/12:read",
         "the counters of a course are different ones of one block"},
        {ONE "+11:packed_SP_uop,COUNTER=0/12:read",
         "the counters of a course are different ones of one block"},
        {SIX "+12:uops_retired,COUNTER=0/12:read", "at most 6 counters"},
        {ONE, "a slash follows the counters"},
        {ONE "-12:read", "a slash follows the counters"},
        {ONE "/", A_STEP},
        {ONE "/LP0:", A_STEP},
        {ONE "/12:read/", A_STEP},
        {ONE "/LP2:12:read", A_STEP},
        {ONE "/LP1:LP1:INIT", A_STEP},
        {ONE "/13:read", COUNTERS},
        {ONE "/12+12:events=40", COUNTERS},
        {ONE "/12", JOINED},
        {ONE "/12read", JOINED},
        {ONE "/12+:events=40", JOINED},
        {IQ "/12+14:read", A_STEP},
        {ONE "/events=40", A_STEP},
        {ONE "/LP0:12:", A_FIELD},
        {ONE "/12:write", A_FIELD},
        {ONE "/12:OVF=1", "OVF of a counter of the course is cleared, and set by overflows alone"},
        {ONE "/12:ESCR_SELECT=8", A_NUMBER},
        {ONE "/12:COUNTER=x", A_WRITE},
        {ONE "/12:events=0", "events= has a number of occurrences, 1 to 1000"},
        {ONE "/12:events=1001", "events= has a number of occurrences, 1 to 1000"},
        {ONE "/12:events=", "events= has a number of occurrences, 1 to 1000"},
        {ONE "/12:events=40,CPL=0", "CPL= has a privilege level above 0: 1 to 3"},
        {ONE "/12:events=40,CPL=4", "CPL= has a privilege level above 0: 1 to 3"},
        {ONE "/12:events=40,", BEHIND},
        {ONE "/12:events=40,twice,CPL=3", "steps are joined by slashes"},
        {ONE "/12:events=40,ESCR=0,twice", "steps are joined by slashes"},
        {ONE "/12:events=40,ESCR=", FLAGS},
        {ONE "/12:events=40,ESCR=T0", FLAGS},
        {ONE "/12:events=40,ESCR=T0_OS+T0_OS", FLAGS},
        {ONE "/12:read-12:read", "steps are joined by slashes"},
        {ONE "/LP0:INIT", A_STEP},
        {ONE "/LP0:loop", A_STEP},
        {ONE "/LP1:IPI=self,with_next_events", A_STEP},
        {ONE "/LP1:LVTPC=fixed,with_next_events", "steps are joined by slashes"},
        {ONE "/unused:read", A_STEP},
        {ONE "/" TEN "/" TEN "/" TEN "/" TEN "/" TEN, "at most 48 steps"},
        /* What only looks like a text of an older log. */
        {"12:0", "no course, neither as docs/add-a-vector.md has it nor of an older log"},
        {"12:0:31000/", "no course, neither as docs/add-a-vector.md has it nor of an older log"},
    };

    for (unsigned i = 0; i < COUNT_OF(ROWS); i++) {
        struct course course;
        const char *why = parse_exact(&course, ROWS[i].text, strlen(ROWS[i].text), 0);

        if (!why)
            fail_msg("%s is taken", ROWS[i].text);
        if (strcmp(why, ROWS[i].why) != 0)
            fail_msg("%s: %s, not %s", ROWS[i].text, why, ROWS[i].why);
    }
}

/* What a step waits for is the next events alone. */
TEST(the_other_processor_has_events_after_those_that_a_step_waits_for)
{
    struct course course;

    assert_null(
        course_parse(&course, ONE "/LP0:LVTPC=fixed,with_next_events/12:events=1/LP1:12:events=1", 0));
    assert_null(course_parse(
        &course, ONE "/LP0:IPI=self,with_next_events/LP1:12:read/12:events=1/LP1:12:events=1", 0));
}

/* The log prints a course that fails, whole. */
TEST(a_text_is_as_long_as_the_log_prints_it)
{
    char text[COURSE_TEXT + 40] = ONE "/";
    struct course course;

    while (strlen(text) < COURSE_TEXT - 60)
        strcat(text, "LP1:12:events=1000,CPL=3,ESCR_before=other_event/");
    while (strlen(text) < COURSE_TEXT - 20)
        strcat(text, "12:read/");
    strcat(text, "12:COUNTER=-");
    while (strlen(text) < COURSE_TEXT - 1)
        strcat(text, "1");
    assert_int_equal(strlen(text), COURSE_TEXT - 1);
    assert_null(course_parse(&course, text, 0));
    strcat(text, " only=course"); /* the boot line goes on */
    assert_null(course_parse(&course, text, 0));
    text[COURSE_TEXT - 1] = '1';
    text[COURSE_TEXT] = '\0';
    assert_string_equal(course_parse(&course, text, 0), "at most 900 characters");
}

/* ---- Texts of older logs ---- */

/* Each pair is one course. What the older text inverts follows from what was written before: the CCCR begins
 * as it says, and 4 and 5 are the ESCR selects of events 0 and 1 of counter 12 (Table 18-63). */
TEST(an_older_text_is_read_as_what_it_means)
{
    static const struct {
        const char *older, *text;
    } PAIRS[] = {
        {"12:0:31000,14:1:40030000/lF-'lF-eab-ea-wa=80000000-vaN-eb",
         "12:uops_retired,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20+"
         "14:branch_retired.MMTP.MMTM,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20/LP0:LVTPC=fixed/LP1:LVTPC=fixed/"
         "12+14:events=40/12:events=40/12:OVF=0/12:COUNTER=-20/14:events=40"},
        {"12:0:31000/wa=1000-wa=1040000-wa=f00000-wa=700000-wa=30000-wa=0-'wa=4000000",
         "12:uops_retired,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20/12:ENABLE=0/12:COMPARE=1,EDGE=1/"
         "12:THRESHOLD=15/"
         "12:THRESHOLD=8/12:ACTIVE_THREAD=0/12:ENABLE=0/LP1:12:OVF_PMI_T0=1"},
        {"12:0:31000/ka1-wa=e000-ka0-wa=8000e000",
         "12:uops_retired,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20/12:ESCR_SELECT=5/12:ESCR_SELECT=2/"
         "12:ESCR_SELECT=4/12:ESCR_SELECT=3,OVF=0"},
        {"12:2:c1000/vaZ-vaP-vaC-vaF-ra-'ra",
         "12:instr_retired,ENABLE=1,COMPARE=1,COMPLEMENT=1,COUNTER=-40000000H/12:COUNTER=-last_events/"
         "12:COUNTER=0/12:COUNTER=FFFFFFECH/12:COUNTER=-40000000H/12:read/LP1:12:read"},
        {"12:0:31000/eaO-ea3U-eaN-eaX-eaS-eaA-eaE-eaM-ea2B=3e8-eaF-eaW-eaR-'eaO-'eaX",
         "12:uops_retired,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20/12:events=40,ESCR=T0_OS/"
         "12:events=40,CPL=3,ESCR=T0_USR/12:events=40,ESCR=0/12:events=40,ESCR=T1_OS+T1_USR/"
         "12:events=40,ESCR=T1_OS/12:events=40,ESCR=T0_OS+T0_USR+T1_OS+T1_USR/12:events=40,EVENT_SELECT=0/"
         "12:events=40,EVENT_MASK=0/12:events=1000,CPL=2,twice/12:events=40,ESCR_before=other_event/"
         "12:events=40,after_ESCR=HLT/12:events=40,after_ESCR=INIT/LP1:12:events=40,ESCR=T1_OS/"
         "LP1:12:events=40,ESCR=T0_OS+T0_USR"},
        {"2:3:31000/o-h-i-sR-sH-lM-lU-lI",
         "2:MOB_load_replay,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20/unused:OVF=1/LP0:HLT/LP1:INIT/LP1:loop/"
         "LP1:HLT/LP0:LVTPC=masked/LP0:LVTPC=fixed,with_next_events/LP0:IPI=self,with_next_events"},
    };

    for (unsigned i = 0; i < COUNT_OF(PAIRS); i++) {
        struct course older, course;

        assert_null(parse_exact(&older, PAIRS[i].older, strlen(PAIRS[i].older), 0));
        assert_null(course_parse(&course, PAIRS[i].text, 0));
        if (!is_same(&older, &course))
            fail_msg("%s is read as %s", PAIRS[i].older, printed(&older));
    }
}

/* ---- Hostile texts ---- */

/* Each beginning of a text, and each text with another byte in one place: it is refused, or printed so that
 * it is read as the same course. */
static void assert_steady(const char *text, size_t length)
{
    struct course course, again;

    if (parse_exact(&course, text, length, 0))
        return;
    assert_true(course.actors <= COURSE_ACTORS && course.steps <= COURSE_STEPS);
    const char *const why = course_parse(&again, printed(&course), 0);
    if (why || !is_same(&course, &again))
        fail_msg("%.*s is printed as %s", (int)length, text, printed(&course));
}

static void assert_steady_with_each_byte(const char *text, size_t size)
{
    static const char BYTES[] = "\x01 !'+,-/0189:=AFHLXZ_`abefgwrz~\x7F\x80\xFF";
    char *const copy = malloc(size);

    assert_non_null(copy);
    for (size_t length = 0; length < size; length++)
        assert_steady(text, length);
    for (size_t at = 0; at < size - 1; at++)
        for (const char *byte = BYTES; *byte != '\0'; byte++) {
            memcpy(copy, text, size);
            copy[at] = *byte;
            assert_steady(copy, size - 1);
        }
    free(copy);
}

TEST(hostile_texts_are_refused_or_read_as_they_are_printed)
{
    static const char TEXT[] =
        IQ "/LP1:12+14:events=1000,CPL=3,ESCR=T1_OS+T0_USR/14:OVF=0,CASCADE=1/12:COUNTER="
           "-40000000H/LP1:12:COUNTER=-last_events/14:read/LP0:LVTPC=fixed/unused:OVF=1/"
           "LP0:HLT/LP1:INIT/LP1:loop/12:events=1,after_ESCR=HLT";
    static const char OLDER[] = "12:0:31000,13:0:31000,14:1:31000,15:1:31000,16:2:31000,17:3:31000/"
                                "'eabc3U=3e8-wf=c0000000-kb3-'vaN-rb-lF-o-h-i-sR";

    assert_steady_with_each_byte(TEXT, sizeof TEXT);
    assert_steady_with_each_byte(OLDER, sizeof OLDER);
}

/* ---- Drawn ---- */

#define DRAWN 3000

TEST(what_is_drawn_is_read_as_it_is_printed)
{
    struct random random = {.state = 1};

    for (unsigned i = 0; i < DRAWN; i++) {
        struct course course, read;

        course_draw(&course, i % PMC_COUNTERS, &random);
        assert_int_equal(course.actor[0].counter, i % PMC_COUNTERS);
        const char *const why = course_parse(&read, printed(&course), 0);
        if (why || !is_same(&course, &read))
            fail_msg("drawn otherwise than it is printed: %s: %s", printed(&course), why);
    }
}

/* A counter that counts clocks without an event moves while it is written, so what was read of it before says
 * nothing of it after. */
TEST(nothing_that_counts_without_an_event_is_written)
{
    struct random random = {.state = 2};

    for (unsigned i = 0; i < DRAWN; i++) {
        struct course course;

        course_draw(&course, i % PMC_COUNTERS, &random);
        for (unsigned s = 0; s < course.steps; s++)
            assert_false(course_does(&course.step[s], DOES_COUNTER) &&
                         course_complements(course_cccr_before(&course, s, course.step[s].actor)));
    }
}

TEST(each_step_is_drawn_that_has_a_weight)
{
    struct random random = {.state = 3};
    unsigned kinds[COURSE_STEP_KINDS] = {0}, hows[COURSE_HOWS] = {0};

    for (unsigned i = 0; i < DRAWN; i++) {
        struct course course;

        course_draw(&course, i % PMC_COUNTERS, &random);
        for (unsigned s = 0; s < course.steps; s++) {
            kinds[course.step[s].kind]++;
            hows[course.step[s].how]++;
        }
    }
    for (unsigned kind = 0; kind < COURSE_STEP_KINDS; kind++)
        if (COURSE_ROW[kind].weight == 0 || kinds[kind] == 0)
            fail_msg("step %u, %s, is never drawn", kind, COURSE_ROW[kind].word);
    for (unsigned how = 0; how < COURSE_HOWS; how++)
        if (hows[how] == 0)
            fail_msg("events are never drawn in the way %u", how);
}

/* The OVF of an unused counter must start none of the course: what is written into it is question 10.3. */
TEST(no_drawn_counter_waits_for_one_whose_ovf_is_written)
{
    struct random random = {.state = 4};

    for (unsigned i = 0; i < DRAWN; i++) {
        struct course course;
        uint32_t actors = 0, waits = 0;
        bool writes = false;

        course_draw(&course, i % PMC_COUNTERS, &random);
        for (unsigned a = 0; a < course.actors; a++)
            actors |= 1u << course.actor[a].counter;
        for (unsigned s = 0; s <= course.steps; s++)
            for (unsigned a = 0; a < course.actors; a++) {
                const struct pmc_counter *c = &PMC_COUNTER[course.actor[a].counter];
                const uint32_t cccr = course_cccr_before(&course, s, a);

                if (cccr & CCCR_CASCADE && c->cascade_from != PMC_NONE)
                    waits |= 1u << c->cascade_from;
                if (cccr & CCCR_CASCNT && c->extended_from != PMC_NONE)
                    waits |= 1u << c->extended_from;
            }
        for (unsigned s = 0; s < course.steps; s++)
            writes |= course.step[s].kind == STEP_UNUSED_OVF;
        if (writes && waits & ~actors)
            fail_msg("%s", printed(&course));
    }
}

/* ---- A text that does not fit ---- */

TEST(a_text_is_cut_where_its_buffer_ends)
{
    struct course course;

    assert_null(course_parse(&course, SIX "/12+13:events=40/17:CASCADE=1", 0));
    const size_t length = strlen(printed(&course));
    for (size_t size = 1; size < length + 10; size++) {
        char *const text = malloc(size);

        assert_non_null(text);
        assert_int_equal(course_print(&course, text, size), length);
        assert_true(strlen(text) < size);
        assert_memory_equal(text, printed(&course), strlen(text));
        free(text);
    }
}

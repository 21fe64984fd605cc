/* Courses of the counters of a block (tests/suite/course.h), written and drawn. */
#include "tests/vectors/netburst/cascade/cascade.h"
#include "kernel/lib/lib.h"
#include "kernel/run/run.h"
#include "kernel/smp/smp.h"
#include "tests/suite/measure.h"
#include "tests/suite/course_steps.h"
#include "tests/suite/expect.h"
#include "tests/suite/needs.h"
#include "tests/suite/selection.h"
#include "tests/suite/soak.h"
#include "tests/suite/stages.h"
#include "tests/suite/stimulus.h"

#define DRAWN 24 /* courses of a counter */

static struct random circumstances; /* of the courses that are not drawn themselves */

static struct random random_of(unsigned counter)
{
    return (struct random){.state = 0x9E3779B9u * (counter + PMC_COUNTERS * soak_loop() + 1)};
}

static void prepare(unsigned counter)
{
    circumstances = random_of(counter);
    if (PMC_COUNTER[counter].block == BLOCK_BPU)
        end_if_dead(1);
    if (PMC_COUNTER[counter].block == BLOCK_IQ)
        course_17_is_started_by(link_of_17().x);
}

static void drawn(const void *item)
{
    const unsigned counter = counter_number(item);
    const unsigned courses = selection_is_thorough() ? 10 * DRAWN : DRAWN;
    struct random random = random_of(counter);
    struct course course;

    prepare(counter);
    for (unsigned i = 0; i < courses; i++) {
        course_draw(&course, counter, &random);
        if (course_adapt(&course) && !course_expect(&course, "drawn"))
            return;
    }
}

/* What happens to a counter that runs, Y, beside another one of its block, X. In these templates
 * of steps $3 is the ESCR select of event 3 of Y (course_events.h), and ~3 has each of its bits inverted. */
static const char *const LIVES[] = {
    /* each filter field changes */
    "Y:events=40/Y:COMPARE=1/Y:events=40/Y:THRESHOLD=8/Y:events=40/Y:THRESHOLD=4/Y:events=40/"
    "Y:THRESHOLD=2/Y:events=40/Y:THRESHOLD=1/Y:events=40/Y:THRESHOLD=14/Y:events=40/Y:COMPLEMENT=1/"
    "Y:events=40,CPL=3,ESCR=T0_USR/Y:ENABLE=0/Y:events=40,CPL=3,ESCR=T0_USR/Y:ENABLE=1/Y:events=40/"
    "Y:THRESHOLD=15/Y:events=40/Y:events=40,EVENT_MASK=0/Y:COMPLEMENT=0/Y:events=40/Y:THRESHOLD=0/"
    "Y:EDGE=1/Y:events=200/Y:read/Y:events=40,CPL=3,ESCR=T0_USR/Y:COMPLEMENT=1/Y:events=200/"
    "Y:events=40,EVENT_MASK=0/LP0:HLT/Y:read/Y:THRESHOLD=8/Y:events=40/Y:COMPARE=0,THRESHOLD=0/Y:events=40/"
    "Y:COMPLEMENT=0,EDGE=0/"
    "Y:events=40/"
    "Y:THRESHOLD=7/Y:COMPARE=1/Y:events=40",
    /* FORCE_OVF, ESCR select and ENABLE change */
    "Y:COUNTER=FFFFFFECH/Y:events=40/Y:FORCE_OVF=1/Y:events=1/Y:OVF=0/Y:events=1/Y:OVF=0/Y:events=1/"
    "Y:OVF=0/Y:COMPARE=1/Y:events=40/Y:THRESHOLD=15,OVF=0/Y:events=40/Y:COMPARE=0,THRESHOLD=0/"
    "Y:FORCE_OVF=0,OVF=0/Y:events=40/Y:ESCR_SELECT=$0/Y:COMPARE=1,EDGE=1/Y:events=40/Y:EDGE=0/"
    "Y:events=40/Y:COMPARE=0/Y:ESCR_SELECT=$3/Y:events=40/Y:COMPARE=1,THRESHOLD=15,FORCE_OVF=1/"
    "Y:COMPLEMENT=1/Y:ENABLE=0,OVF=0/Y:events=40/Y:COMPLEMENT=0,THRESHOLD=0,FORCE_OVF=0,OVF=0/"
    "Y:ENABLE=1,COMPARE=0/Y:events=40/Y:COMPARE=1,EDGE=1/Y:ENABLE=0/Y:events=40/Y:EDGE=0/Y:ENABLE=1/"
    "Y:events=40/Y:ENABLE=0/Y:ENABLE=1/Y:events=40/Y:FORCE_OVF=1/Y:events=40/Y:ESCR_SELECT=~3,OVF=0/"
    "Y:ESCR_SELECT=$3/Y:events=40",
    /* ACTIVE_THREAD changes */
    "Y:events=40/Y:ACTIVE_THREAD=2/Y:events=40/Y:ACTIVE_THREAD=1/Y:events=40,CPL=3/Y:COMPARE=1,EDGE=1/"
    "Y:events=40/Y:EDGE=0/Y:events=40/Y:COMPARE=0/LP1:loop/Y:events=40,CPL=3/Y:ACTIVE_THREAD=0/"
    "Y:events=40/Y:ACTIVE_THREAD=2/Y:events=40/Y:ACTIVE_THREAD=1/Y:COMPARE=1,THRESHOLD=15/"
    "Y:COMPLEMENT=1/Y:events=40/Y:events=40,EVENT_MASK=0/Y:ACTIVE_THREAD=2/Y:events=40/LP1:HLT/"
    "Y:events=40/"
    "Y:COMPLEMENT=0,THRESHOLD=0/Y:COMPARE=0/Y:events=40/Y:ACTIVE_THREAD=3/Y:events=40/Y:EDGE=1/"
    "Y:ESCR_SELECT=$2/Y:events=40/Y:EDGE=0/Y:ESCR_SELECT=$3/Y:ACTIVE_THREAD=0/Y:events=40",
    /* OVF_PMI is set and cleared, also with FORCE_OVF; the sibling clears OVF */
    "LP0:LVTPC=fixed/LP1:LVTPC=fixed/Y:OVF_PMI_T0=1/Y:events=40/Y:OVF=0/LP0:LVTPC=fixed/"
    "LP1:LVTPC=fixed/Y:OVF_PMI_T0=0,OVF_PMI_T1=1/Y:COUNTER=-20/Y:events=40/Y:OVF=0/LP0:LVTPC=fixed/"
    "LP1:LVTPC=fixed/Y:OVF_PMI_T1=0/Y:COUNTER=-20/Y:events=40/LP0:LVTPC=fixed/LP1:LVTPC=fixed/"
    "X:OVF_PMI_T0=1/Y:events=40/X:events=40/Y:OVF=0/X:OVF=0/LP0:LVTPC=fixed/Y:COUNTER=-20/LP1:Y:read/"
    "Y:events=40/LP1:Y:ENABLE=0/Y:events=40/LP1:Y:ENABLE=1/X:COUNTER=-20/X:events=40/"
    "X:OVF_PMI_T0=0,OVF=0/LP0:LVTPC=fixed/Y:FORCE_OVF=1,OVF_PMI_T0=1,OVF=0/Y:COUNTER=-40000000H/"
    "Y:events=40/LP1:LVTPC=fixed/Y:FORCE_OVF=0,OVF_PMI_T0=0,OVF_PMI_T1=1,OVF=0/Y:COUNTER=-20/"
    "Y:events=40/LP1:Y:OVF=0/Y:COUNTER=-20/Y:events=40/LP1:Y:OVF=0/LP1:Y:COUNTER=-20/LP1:Y:events=40",
    /* the ESCR changes: event, mask and flags */
    "Y:COUNTER=FFFFFFECH/Y:events=40,ESCR_before=other_event/Y:events=40/Y:events=40,ESCR=T0_OS/"
    "Y:events=40,CPL=3,ESCR=T0_USR/Y:events=40,ESCR=T0_USR/Y:events=40,CPL=1,ESCR=T0_OS/"
    "Y:events=40,ESCR=T0_OS+T0_USR+T1_OS+T1_USR/Y:events=40,ESCR=T1_OS+T1_USR/Y:events=40,EVENT_MASK=0/"
    "Y:COUNTER=FFFFFFECH/Y:read/LP0:HLT/Y:OVF=0/LP1:Y:read/"
    "Y:events=40,ESCR=0/LP0:HLT/LP1:Y:read/Y:COMPARE=1/Y:COUNTER=-20/Y:COMPARE=0/Y:read/"
    "Y:events=40,CPL=3,ESCR=0/Y:events=40,EVENT_SELECT=0/Y:read/LP0:HLT/Y:COUNTER=0/"
    "LP1:Y:events=40,ESCR_before=other_event/LP1:Y:events=40,ESCR=T0_OS+T0_USR/"
    "LP1:Y:events=40,ESCR=T0_OS/LP1:Y:events=40,CPL=2,ESCR=T1_USR/LP1:Y:events=40,ESCR=T1_OS",
    /* logical processors halt, wake, restart and change their CPL while the ESCR has its event */
    "LP1:Y:COUNTER=-20/Y:read/Y:COUNTER=FFFFFFECH/Y:events=40,after_ESCR=HLT/"
    "LP1:Y:events=40,after_ESCR=HLT/LP1:Y:events=40,after_ESCR=INIT/LP1:Y:events=256,CPL=3,twice/"
    "Y:events=256,CPL=3,twice/Y:COUNTER=FFFFFFECH/Y:events=40,CPL=3,after_ESCR=HLT/Y:ESCR_SELECT=$0/"
    "LP1:Y:events=40,CPL=3,after_ESCR=HLT/Y:events=40,after_ESCR=HLT/LP1:Y:COUNTER=FFFFFFECH/"
    "LP1:Y:events=40,after_ESCR=HLT/LP1:Y:events=256,CPL=3,twice/Y:events=256,CPL=3,twice/LP1:loop/"
    "Y:events=40,ESCR=T1_OS/Y:events=40,after_ESCR=HLT/"
    "LP1:Y:events=40,after_ESCR=HLT/Y:ENABLE=0,ESCR_SELECT=~0/Y:events=40/Y:ENABLE=1,ESCR_SELECT=$0/"
    "Y:events=40/Y:COMPARE=1,EDGE=1,FORCE_OVF=1/Y:events=40",
    /* the ESCR changes, and the ESCR select */
    "Y:ESCR_SELECT=$0/Y:events=40,ESCR_before=other_event/Y:events=40,CPL=2,ESCR=T0_USR/"
    "Y:events=40,CPL=1,ESCR=T0_USR/Y:events=40,ESCR=T0_USR/Y:events=40,ESCR=0/"
    "Y:events=40,ESCR=T1_OS+T1_USR/LP1:Y:events=40,ESCR_before=other_event/LP1:loop/"
    "LP1:Y:events=40,CPL=3,ESCR=T1_USR/LP1:Y:events=40,ESCR=T1_USR/Y:events=40,ESCR=T0_USR/LP1:HLT/"
    "LP1:Y:events=40,ESCR=T0_OS+T0_USR/Y:ESCR_SELECT=$1/Y:events=40,ESCR_before=other_event/LP1:loop/"
    "Y:events=40,ESCR=T0_USR/LP1:HLT/Y:events=40,ESCR=T1_OS+T1_USR/LP1:Y:events=40,ESCR=T0_OS+T0_USR/"
    "Y:ESCR_SELECT=$2/Y:events=40,ESCR_before=other_event/Y:events=40,ESCR=T0_USR/"
    "LP1:Y:events=40,ESCR_before=other_event/Y:ESCR_SELECT=$3/Y:events=40,ESCR_before=other_event",
};
/* Y lives again and again, and nothing is cleared between, on half of the counters: OVF stands when it is
 * enabled with another event and filter, and when it overflows once more, by which its PMI comes: OVF_PMI is
 * new, LVTPC open. */
static const char *const AGAIN =
    "LP0:LVTPC=fixed/Y:events=40/Y:ENABLE=0/Y:events=40/Y:ENABLE=1,ESCR_SELECT=$0/Y:events=40/Y:ENABLE=0/"
    "Y:COUNTER=-20/Y:events=40/Y:ENABLE=1,ESCR_SELECT=$3,COMPARE=1/Y:events=40/Y:ENABLE=0,COMPARE=0/"
    "Y:COUNTER=-20/Y:ENABLE=1,OVF_PMI_T0=1/Y:events=40/Y:ENABLE=0/LP0:LVTPC=fixed/Y:ENABLE=1,OVF_PMI_T0=0/"
    "LP0:LVTPC=fixed/Y:COUNTER=-20/Y:events=40/Y:OVF_PMI_T0=1/Y:COUNTER=-20/Y:events=40/Y:ENABLE=0,OVF=0/"
    "LP0:LVTPC=fixed/Y:ENABLE=1/Y:events=40";
/* What happens to LVTPC, on one counter or two of each block. */
static const char *const DELIVERIES[] = {
    /* Y overflows while LVTPC is masked: its PMI comes whenever LVTPC is unmasked, as an NMI or fixed, but
       not after OVF was cleared */
    "LP0:LVTPC=masked/LP1:LVTPC=masked/Y:OVF_PMI_T0=1,OVF_PMI_T1=1/Y:events=40/LP0:LVTPC=fixed/"
    "LP1:LVTPC=fixed/LP0:LVTPC=NMI/LP1:LVTPC=NMI/LP0:LVTPC=NMI/LP0:LVTPC=fixed/LP0:LVTPC=masked/"
    "LP1:LVTPC=masked/Y:OVF=0/Y:COUNTER=-20/Y:events=40/LP0:LVTPC=NMI/LP1:LVTPC=NMI/LP0:LVTPC=masked/"
    "LP1:LVTPC=masked/Y:ENABLE=0,OVF=0/Y:COUNTER=-20/Y:ENABLE=1/Y:events=40/Y:ENABLE=0,OVF=0/"
    "LP0:LVTPC=fixed/LP1:LVTPC=fixed",
    /* PMIs come as NMIs */
    "LP0:LVTPC=NMI/LP1:LVTPC=NMI/Y:OVF_PMI_T0=1,OVF_PMI_T1=1/Y:events=40/LP0:LVTPC=NMI/LP1:LVTPC=fixed/"
    "Y:OVF=0/Y:COUNTER=-last_events/LP0:LVTPC=NMI/LP1:LVTPC=NMI/Y:events=40/Y:events=1/Y:OVF=0/"
    "LP0:LVTPC=fixed/LP1:LVTPC=NMI/Y:COUNTER=-20/Y:events=40/LP0:LVTPC=masked/LP0:LVTPC=NMI/Y:OVF=0/"
    "LP0:LVTPC=NMI/LP1:LVTPC=NMI/Y:COUNTER=-20/LP1:Y:events=40",
    /* EOI is late: the next PMI of LP0 waits for it, whatever becomes of OVF, and that of LP1 does not */
    "LP0:EOI=late/LP0:LVTPC=fixed/LP1:LVTPC=fixed/Y:OVF_PMI_T0=1,OVF_PMI_T1=1/Y:events=40/LP0:LVTPC=fixed/"
    "LP0:EOI/LP0:EOI=late/LP0:LVTPC=fixed/LP0:LVTPC=fixed/Y:OVF=0/LP0:EOI/LP0:EOI=late/LP0:LVTPC=fixed/"
    "LP1:LVTPC=fixed/Y:COUNTER=-20/Y:events=40/Y:OVF=0/LP0:LVTPC=fixed/LP1:LVTPC=fixed/Y:COUNTER=-20/"
    "LP1:Y:events=40/LP0:HLT/Y:OVF=0/Y:events=40/LP0:EOI/LP0:LVTPC=fixed/Y:COUNTER=-20/Y:events=40",
};
#define UNMASK      "LP0:LVTPC=fixed"
#define BOTH_UNMASK UNMASK "/LP1:LVTPC=fixed"
/* The PMI of Y is due with the next count; what happens until then. */
#define BEFORE_DUE BOTH_UNMASK "/Y:events=40/Y:OVF=0/" BOTH_UNMASK "/Y:COUNTER=-last_events/Y:events=40"
#define AFTER_DUE  "Y:events=1/Y:events=40/Y:ENABLE=0/" BOTH_UNMASK
/* The PMI of X is due, too, and stays so until that of Y has come. */
#define BEFORE_BOTH                                           \
    BOTH_UNMASK "/Y+X:events=40/Y:OVF=0/X:OVF=0/" BOTH_UNMASK \
                "/Y:COUNTER=-last_events/X:COUNTER=-last_events/Y+X:events=40"
#define AFTER_BOTH "Y:events=1/Y:COUNTER=-20/Y:events=40/Y:OVF=0/" BOTH_UNMASK "/X:events=1"
static const char *const UNTIL_DUE[] = {
    "LP1:INIT/LP1:LVTPC=fixed", /* it takes 10 ms: always while two are due */
    "LP1:Y:read/Y:COUNTER=0",
    "LP1:Y:COUNTER=0/Y:ENABLE=1",
    "Y:COMPARE=1",
    "Y:ENABLE=0/Y:events=40/Y:events=40,EVENT_MASK=0/Y:ENABLE=1",
    "Y:COMPARE=1,THRESHOLD=15/Y:events=40/Y:COMPARE=0,THRESHOLD=0",
    "Y:FORCE_OVF=1/Y:FORCE_OVF=0",
    "Y:read/LP1:Y:read/unused:OVF=1/LP1:unused:OVF=1",
    "LP1:unused:OVF=1/unused:OVF=1/LP0:IPI=self,with_next_events",
    "LP1:Y:OVF=0",
    ("Y:events=40,ESCR=0/Y:events=40,CPL=3,ESCR=0/Y:events=40,EVENT_MASK=0/"
     "Y:events=40,CPL=3,EVENT_MASK=0/Y:events=40,EVENT_SELECT=0/Y:events=40,ESCR=T1_OS+T1_USR/"
     "Y:events=40,ESCR=T0_USR"),
    "LP0:HLT/LP0:HLT/LP0:HLT/LP0:LVTPC=masked/LP0:LVTPC=fixed,with_next_events/Y:events=1,CPL=3,ESCR=T0_USR",
    "X:read/X:OVF=0/LP1:X:ENABLE=1/X:COUNTER=0",
    "Y:OVF_PMI_T0=0,OVF_PMI_T1=1",
    "LP0:LVTPC=fixed/LP1:LVTPC=fixed/LP1:loop/LP1:HLT",
    "Y:events=1/LP1:Y:OVF=0/LP0:LVTPC=fixed/LP1:LVTPC=fixed",
    "Y:events=1,CPL=3,ESCR=T0_USR",
    "LP1:Y:OVF_PMI_T0=0",
    "Y:OVF=0",
    "LP1:Y:events=1",
    "Y:OVF_PMI_T0=0,OVF_PMI_T1=0",
};
/* What makes no difference to the PMI of Y. */
static const struct feature {
    const char *name;
    uint32_t cccr; /* bits inverted in ENABLE with ACTIVE_THREAD 11B */
    enum { STARTS_Y, WAITS_FOR_Y, IS_TWIN } x;
    const char *events; /* the steps that give # events */
} FEATURES[] = {
    {"COMPARE", CCCR_COMPARE, STARTS_Y, "Y:events=#"},
    {"COMPARE and EDGE", CCCR_COMPARE | CCCR_EDGE, STARTS_Y, "Y:events=#"},
    {"COMPARE, THRESHOLD 1", CCCR_COMPARE | CCCR_THRESHOLD(1), STARTS_Y, "Y:events=#"},
    {"COMPARE, COMPLEMENT", CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD(15), STARTS_Y, "Y:events=#"},
    {"fields without COMPARE", CCCR_COMPLEMENT | CCCR_THRESHOLD(15) | CCCR_EDGE, STARTS_Y, "Y:events=#"},
    {"OS alone", 0, STARTS_Y, "Y:events=#,ESCR=T0_OS"},
    {"USR alone at CPL 3", 0, STARTS_Y, "Y:events=#,CPL=3,ESCR=T0_USR"},
    {"all flags at CPL 3", 0, STARTS_Y, "Y:events=#,CPL=3,ESCR=T0_OS+T0_USR+T1_OS+T1_USR"},
    {"the sibling's events", 0, STARTS_Y, "LP1:Y:events=#"},
    {"its USR alone at CPL 3", 0, STARTS_Y, "LP1:Y:events=#,CPL=3,ESCR=T1_USR"},
    {"the sibling at work", 0, STARTS_Y, "LP1:loop/Y:events=#"},
    {"ACTIVE_THREAD 01B", CCCR_ACTIVE_THREAD(2), STARTS_Y, "Y:events=#"},
    {"ACTIVE_THREAD 10B", CCCR_ACTIVE_THREAD(1), STARTS_Y, "LP1:loop/Y:events=#"},
    {"CASCADE beside ENABLE", CCCR_CASCADE, STARTS_Y, "Y:events=#"},
    {"bit 11 beside ENABLE", CCCR_CASCNT, STARTS_Y, "Y:events=#"},
    {"a start by CASCADE", CCCR_ENABLE | CCCR_CASCADE, STARTS_Y, "X:events=40/Y:events=#"},
    {"a twin on its ESCR", 0, IS_TWIN, "Y:events=#"},
    {"a counter that waits for it", 0, WAITS_FOR_Y, "Y:events=#"},
    {"OVF of all others", 0, STARTS_Y, "unused:OVF=1/Y:events=#"},
    {"FORCE_OVF", CCCR_FORCE_OVF, STARTS_Y, "Y:events=#"},
};
/* What happens to Y, and X, which starts it by FLAG: CASCADE or bit 11. */
static const char *const LINKS[] = {
    /* X starts Y again and again; clearing its OVF halts Y; an X that is written 0, and Y's own OVF,
       do nothing */
    "Y:COUNTER=-20/Y:events=40/X:COUNTER=0/Y:events=40/X:COUNTER=-20/X:events=40/"
    "X:COUNTER=-last_events/X:OVF=0/X:events=40/Y:events=40/X:OVF=0/X:COUNTER=-last_events-1/"
    "X:events=40/Y:events=40/X:events=1/Y:events=40/X:OVF=0/X:COUNTER=-20/X:events=40/"
    "Y:events=40/X:COUNTER=-20/X:events=40/Y:events=40/Y:COUNTER=-20/Y:events=40/Y:OVF=0/Y:events=40/"
    "X:OVF=0/Y:events=40/Y:COUNTER=0/X:COUNTER=-20/X:events=40/Y:events=40/X:OVF=0/X:COUNTER=-20/"
    "LP1:X:events=40/LP1:Y:events=40/LP1:X:OVF=0/Y:events=40",
    /* clearing the flag halts Y, also with its own OVF, also when X was stopped */
    "X:events=40/Y:COUNTER=-20/Y:events=40/Y:OVF=0,FLAG=0/Y:events=40/X:OVF=0/X:COUNTER=-20/"
    "X:events=40/Y:events=40/X:OVF=0/Y:FLAG=1/Y:events=40/X:COUNTER=-20/X:events=40/Y:events=40/"
    "X:ENABLE=0/Y:COUNTER=-20/Y:events=40/Y:FLAG=0/Y:events=40/X:ENABLE=1,OVF=0/Y:FLAG=1/"
    "X:COUNTER=-20/LP1:X:events=40/Y:events=40/LP1:Y:FLAG=0/Y:events=40",
    /* one write takes OVF and ENABLE from X: Y halts; one takes the flag from Y that has started and gives it
       ENABLE: it counts on */
    "X:events=40/Y:events=40/X:ENABLE=0,OVF=0/Y:events=40/X:ENABLE=1/X:COUNTER=-20/X:events=40/"
    "Y:events=40/Y:ENABLE=1,FLAG=0/Y:events=40/X:OVF=0/Y:events=40/Y:ENABLE=0/Y:events=40",
    /* the sibling gets INIT, and the CCCR and the ESCR of a Y that has started change */
    "Y:events=40,ESCR=T0_OS+T0_USR+T1_OS+T1_USR/X:events=40,ESCR=T0_OS+T0_USR+T1_OS+T1_USR/LP1:INIT/"
    "Y:events=40,CPL=3/Y:events=40,ESCR=T0_USR/Y:events=40,CPL=3,ESCR=T0_USR/Y:ACTIVE_THREAD=2/"
    "Y:events=40/Y:ACTIVE_THREAD=1/Y:events=40/Y:ACTIVE_THREAD=3/Y:events=40/Y:COMPARE=1,THRESHOLD=15/"
    "Y:events=40/Y:COMPLEMENT=1/Y:events=40/Y:COMPLEMENT=0,THRESHOLD=0/Y:events=40/Y:EDGE=1/Y:events=40/"
    "Y:COMPARE=0,EDGE=0/Y:events=40",
    /* the ESCR select of a Y that has started changes, and the sibling has events and runs */
    "X:events=40/Y:events=40/Y:ESCR_SELECT=$1/Y:events=40/X:OVF=0/X:COUNTER=-20/Y:ESCR_SELECT=$0/"
    "X:events=40/Y:events=40/Y:events=40/LP1:Y:events=40/X:OVF=0/Y:events=40/X:COUNTER=-20/LP1:loop/"
    "X:events=40/Y:events=40/LP1:HLT/X:OVF=0/X:COUNTER=-20/Y+X:events=200,CPL=3,ESCR=T0_USR/"
    "Y:events=40,CPL=3,ESCR=T0_USR",
};

/* ---- From templates to courses ---- */

/* A course of Y and X that is written from templates, piece by piece. */
struct script {
    char text[COURSE_TEXT];
    struct course_writer writer;
    struct course_actor y, x;
    const char *flag;     /* FLAG */
    unsigned occurrences; /* # */
};

static struct course_actor running(unsigned counter, uint32_t cccr)
{
    return (struct course_actor){.counter = (uint8_t)counter, .event = 3, .cccr = cccr | CCCR_ENABLE};
}

/* Y and X as they are programmed first. ACTIVE_THREAD is 11B, but for what `y` and `x` invert of it. */
static void begin_script(struct script *s, struct course_actor y, struct course_actor x)
{
    y.cccr ^= CCCR_ACTIVE_MASK;
    x.cccr ^= CCCR_ACTIVE_MASK;
    y.start = course_start(y.cccr);
    x.start = course_start(x.cccr);
    s->y = y;
    s->x = x;
    s->flag = "";
    s->occurrences = COURSE_WORK;
    s->writer = (struct course_writer){
        s->text, sizeof s->text,
        course_print(&(struct course){.actors = 2, .actor = {y, x}}, s->text, sizeof s->text)};
}

static unsigned select_of(const struct script *s, char event)
{
    return CCCR_GET_ESCR_SELECT(course_select(s->y.counter, (unsigned)(event - '0')));
}

/* At most 99. */
static void put_number(struct course_writer *w, unsigned number)
{
    if (number >= 10)
        course_put(w, (char)('0' + number / 10));
    course_put(w, (char)('0' + number % 10));
}

/* Steps. */
static void add_steps(struct script *s, const char *template)
{
    struct course_writer *w = &s->writer;

    course_write(w, "/");
    for (const char *at = template; *at != '\0'; at++)
        if (*at == 'Y' || *at == 'X')
            put_number(w, *at == 'Y' ? s->y.counter : s->x.counter);
        else if (*at == '$')
            course_write(w, "%u", select_of(s, *++at));
        else if (*at == '~')
            course_write(w, "%u", CCCR_GET_ESCR_SELECT(CCCR_ESCR_SELECT_MASK) ^ select_of(s, *++at));
        else if (*at == '#')
            course_write(w, "%u", s->occurrences);
        else if (*at == 'F' && course_take(&at, "FLAG"))
            course_write(w, "%s%c", s->flag, *at);
        else
            course_put(w, *at);
}

/* beside: as of course_vary(). */
static void play_script(struct script *s, const char *name, uint32_t beside)
{
    struct course course;
    const char *why = s->writer.length < sizeof s->text ? course_parse(&course, s->text, 0) : "too long";

    require_true(HARNESS, why == NULL, "%s: %s", why, s->text);
    course_vary(&course, &circumstances, beside);
    if (course_adapt(&course))
        course_expect(&course, name);
}

/* ---- The vectors ---- */

static void play_life(unsigned n, unsigned i, const char *steps)
{
    const unsigned x = (unsigned)PMC_COUNTER[n].cascade_from;
    struct course_actor y = running(n, 0);
    struct script s;

    if (PMC_COUNTER[n].side != PMC_COUNTER[x].side && course_random(&circumstances, 3))
        y.event = (uint8_t)course_first_like(n, course_random(&circumstances, COURSE_EVENTS));
    begin_script(&s, y, running(x, 0));
    if ((n / 2 + i) % 2)
        add_steps(&s, "unused:OVF=1");
    add_steps(&s, steps);
    play_script(&s, "while it runs", UINT32_MAX);
}

static void lives(const void *item)
{
    const unsigned n = counter_number(item);

    prepare(n);
    for (unsigned i = 0; i < COUNT_OF(LIVES); i++)
        play_life(n, i, LIVES[i]);
    if (n % 2 == 0)
        play_life(n, 0, AGAIN);
    for (unsigned i = 0; i < COUNT_OF(DELIVERIES) && n % 4 == 0; i++)
        play_life(n, i, DELIVERIES[i]);
}

/* Y interrupts early in the work. Then it does not quite overflow, and then with the last event of the work,
 * and interrupts with the next one, once more when LVTPC is unmasked, and no more when its OVF has been
 * cleared. */
static void with_feature(const struct feature *f, unsigned n, uint32_t pmi)
{
    const struct pmc_counter *c = &PMC_COUNTER[n];
    const bool twin = f->x == IS_TWIN;
    struct course_actor y = running(n, pmi), x = running(twin ? twin_of(n) : (unsigned)c->cascade_from, 0);
    struct script s;

    y.cccr ^= f->cccr;
    if (c->block == BLOCK_MS || c->block == BLOCK_IQ) /* each occurrence makes an edge */
        y.event = x.event = c->block == BLOCK_MS ? 2 : 1;
    if (twin)
        x.cccr = y.cccr ^ (n / 4 % 2 ? CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1 : 0);
    if (f->x == WAITS_FOR_Y)
        x.cccr = CCCR_CASCADE;
    begin_script(&s, y, x);
    s.occurrences = COURSE_WORK;
    add_steps(&s, BOTH_UNMASK);
    add_steps(&s, f->events);
    add_steps(&s, "Y:OVF=0");
    if (twin)
        add_steps(&s, "X:OVF=0");
    add_steps(&s, BOTH_UNMASK "/Y:COUNTER=-last_events-1");
    add_steps(&s, f->events);
    add_steps(&s, "Y:COUNTER=-last_events");
    if (twin)
        add_steps(&s, "X:COUNTER=-last_events");
    add_steps(&s, f->events);
    s.occurrences = 1;
    add_steps(&s, f->events);
    add_steps(&s, BOTH_UNMASK "/Y:OVF=0");
    if (twin)
        add_steps(&s, "X:OVF=0");
    add_steps(&s, BOTH_UNMASK);
    play_script(&s, f->name, 0);
}

/* Y and X, on one ESCR, overflow in one clock, and then each with the count that raises the other one's PMI.
 * Each requests its PMI as long as its OVF stands, and neither takes the other's request with it. At last
 * both are forced to overflow by what may be one count. */
static const char *const TOGETHER = BOTH_UNMASK
    "/Y:events=40/Y:OVF=0/" BOTH_UNMASK "/X:OVF=0/" BOTH_UNMASK
    "/Y:COUNTER=-20/X:COUNTER=-21/Y:events=40/Y:OVF=0/X:OVF=0/" BOTH_UNMASK
    "/Y:COUNTER=-21/X:COUNTER=-20/Y:events=40/X:OVF=0/" BOTH_UNMASK "/Y:OVF=0/" BOTH_UNMASK
    "/Y:FORCE_OVF=1,OVF_PMI_T0=0/X:FORCE_OVF=1,OVF_PMI_T0=0,OVF_PMI_T1=0/Y:events=1/X:OVF=0/Y:OVF=0/"
    "Y:events=1";

static void together(unsigned n)
{
    const bool sibling = machine_meets() & NEED_SIBLING;

    for (unsigned other = n + 1; other < PMC_COUNTERS; other++) {
        struct script s;

        if (PMC_COUNTER[other].block != PMC_COUNTER[n].block ||
            PMC_COUNTER[other].side != PMC_COUNTER[n].side)
            continue;
        begin_script(&s, running(n, CCCR_OVF_PMI_T0),
                     running(other, sibling && n / 2 % 2 ? CCCR_OVF_PMI_T1 : CCCR_OVF_PMI_T0));
        add_steps(&s, TOGETHER);
        play_script(&s, "two in one clock", COURSE_INERT | CCCR_CASCNT);
    }
}

/* Steps i, until the PMI of counter n comes. In three of four that of X is due, too: of its partner, or of
 * its neighbour, which counts by the same ESCR. */
static void until_due(unsigned n, unsigned i)
{
    const unsigned turn = (i / 2 + n) % 4;
    const bool both = turn < 3;
    struct script s;

    begin_script(&s, running(n, both || (i + n) % 2 ? CCCR_OVF_PMI_T0 : COURSE_PMIS),
                 running(turn == 2 ? n ^ 1 : (unsigned)PMC_COUNTER[n].cascade_from, both ? COURSE_PMIS : 0));
    add_steps(&s, both ? BEFORE_BOTH : BEFORE_DUE);
    add_steps(&s, UNTIL_DUE[i]);
    add_steps(&s, both ? AFTER_BOTH : AFTER_DUE);
    play_script(&s, both ? "until two PMIs" : "until its PMI", COURSE_LINKS | COURSE_INERT);
}

static void due(const void *item)
{
    static const uint32_t PMIS[] = {CCCR_OVF_PMI_T1 | CCCR_OVF_PMI_T0, CCCR_OVF_PMI_T1, CCCR_OVF_PMI_T0};
    const unsigned n = counter_number(item);
    const bool sibling = machine_meets() & NEED_SIBLING;

    prepare(n);
    require_true(RULES(R27, R7), stage_counts(n), "counter %C counts", n);
    for (unsigned i = n / 2 % 2; i < COUNT_OF(UNTIL_DUE); i++) /* INIT on every second pair of counters */
        until_due(n, i);
    for (unsigned i = 0; i < COUNT_OF(FEATURES);
         i++) /* but for the first, each on one counter of each block */
        if (i < 2 || i % 4 == n % 4)
            with_feature(&FEATURES[i], n, PMIS[sibling ? (i + n) / 2 % COUNT_OF(PMIS) : 0]);
    together(n);
}

/* The counter that starts this one by CASCADE. */
static int starter_of(unsigned counter)
{
    const struct pmc_counter *c = &PMC_COUNTER[counter];

    return c->cascade_from_alternative == PMC_NONE ? c->cascade_from : (int)link_of_17().x;
}

/* Y and the counter that starts it by a flag. */
static void link(unsigned n, uint32_t flag, unsigned starter)
{
    const struct course_actor y = {.counter = (uint8_t)n, .cccr = flag};

    for (unsigned i = 0; i < COUNT_OF(LINKS); i++) {
        /* X's own CASCADE and OVF_PMI make no difference to what it starts. */
        const struct course_actor x = {.counter = (uint8_t)starter,
                                       .event = 1,
                                       .cccr = CCCR_ENABLE | ((n + i) % 2 ? CCCR_CASCADE : 0) |
                                               ((n + i) / 2 % 2 ? CCCR_OVF_PMI_T0 : 0)};
        struct script s;

        begin_script(&s, y, x);
        s.flag = flag == CCCR_CASCADE ? "CASCADE" : "CASCNTxINTOy";
        if ((n / 2 + i) % 2)
            add_steps(&s, "unused:OVF=1");
        add_steps(&s, BOTH_UNMASK);
        add_steps(&s, LINKS[i]);
        play_script(&s, "a link", COURSE_INERT | CCCR_COMPARE | CCCR_ACTIVE_MASK | COURSE_PMIS);
    }
}

static void links(const void *item)
{
    const unsigned n = counter_number(item);
    const struct pmc_counter *c = &PMC_COUNTER[n];

    prepare(n);
    link(n, CCCR_CASCADE, (unsigned)starter_of(n));
    if (c->extended_from != PMC_NONE)
        link(n, CCCR_CASCNT, (unsigned)c->extended_from);
}

static void add_actor(struct course *course, unsigned counter, unsigned event, uint32_t cccr)
{
    course->actor[course->actors++] =
        (struct course_actor){.counter = (uint8_t)counter,
                              .event = (uint8_t)course_first_like(counter, event),
                              .cccr = cccr | CCCR_ACTIVE_MASK,
                              .start = COUNTER_OVERFLOW_IN(COURSE_NEAR)};
}

static void add_step(struct course *course, struct course_step step)
{
    course->step[course->steps++] = step;
}

/* Each counter of the block that does not start this one by `flags` overflows, as its CCCR says, again while
 * the sibling runs, and at last `by`, which does. Half of them wait for each other. */
static void only_by_its_own(unsigned counter, uint32_t flags, uint32_t others, int by)
{
    const struct pmc_counter *c = &PMC_COUNTER[counter];
    const int alternate = starter_of(counter);
    struct course course = {.actors = 0};

    add_actor(&course, counter, 0, flags);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (PMC_COUNTER[n].block == c->block && n != counter &&
            !(flags & CCCR_CASCADE && (int)n == alternate) &&
            !(flags & CCCR_CASCNT && (int)n == c->extended_from))
            add_actor(&course, n, 1, others == 0 && n / 2 % 2 ? CCCR_CASCADE : CCCR_ENABLE | others);
    if (by != PMC_NONE) /* nobody knows how many loads the BPU block replays: there it overflows by clocks */
        add_actor(&course, (unsigned)by, c->block == BLOCK_BPU ? 0 : 1, CCCR_ENABLE);
    for (unsigned with_loop = 0; with_loop < 2; with_loop++) {
        if (with_loop)
            add_step(&course, (struct course_step){.kind = STEP_LOOP});
        for (uint8_t i = 1; i < course.actors - (by != PMC_NONE && !with_loop); i++) {
            if (with_loop)
                add_step(&course, (struct course_step){.kind = STEP_COUNTER,
                                                       .actor = i,
                                                       .value = COUNTER_OVERFLOW_IN(COURSE_NEAR)});
            add_step(&course, course_events_of(1u << i, COURSE_WORK));
            add_step(&course, course_events_of(1, COURSE_WORK));
        }
    }
    if (course_adapt(&course))
        course_expect(&course, "only its own counter starts it");
}

static void only(const void *item)
{
    const unsigned n = counter_number(item);
    const struct pmc_counter *c = &PMC_COUNTER[n];

    prepare(n);
    only_by_its_own(n, 0, 0, PMC_NONE);
    only_by_its_own(n, CCCR_CASCADE, 0, starter_of(n));
    only_by_its_own(n, CCCR_CASCADE, CCCR_FORCE_OVF, PMC_NONE);
    if (c->extended_from != PMC_NONE) {
        only_by_its_own(n, CCCR_CASCNT, 0, c->extended_from);
        only_by_its_own(n, CCCR_CASCNT | CCCR_CASCADE, CCCR_FORCE_OVF, PMC_NONE);
        only_by_its_own(n, CCCR_CASCNT | CCCR_CASCADE, 0, starter_of(n));
        only_by_its_own(n, CCCR_CASCNT | CCCR_CASCADE, 0, c->extended_from);
    }
}

/* Trees of cascades, each branch a link of the manual: a counter that was started starts others in its turn.
 * Parent and branch are on different ESCRs. In the end the second one is halted by its flag, and
 * the third and the first one by their OVF. */
static const char *const TREES[] = {
    /* one X, two Y */
    "14:branch_retired.MMTP.MMTM,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20+"
    "12:uops_retired,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20+"
    "16:uops_retired,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20/14:events=40/12+16:events=40/14:OVF=0/12+"
    "16:events=40/14:COUNTER=-20/14:events=40/12+16:events=40",
    /* each branch grows, and then the trunk is halted */
    "12:uops_retired,ENABLE=1,ACTIVE_THREAD=3,CASCNTxINTOy=1,COUNTER=-20+"
    "14:branch_retired.MMTP.MMTM,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20+"
    "16:uops_retired,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20+"
    "17:branch_retired.MMTP.MMTM,ACTIVE_THREAD=3,CASCNTxINTOy=1,COUNTER=-20+"
    "15:uops_retired,ACTIVE_THREAD=3,CASCNTxINTOy=1,COUNTER=-20+"
    "13:branch_retired.MMTP.MMTM,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20/"
    "12:events=40/16+17+15+13:events=40/14:events=40/17+15+13:events=40/16:events=40/15+13:events=40/"
    "17:events=40/13:events=40/15:events=40/12+14+16+17+15+13:events=40/14:CASCADE=0/12+14+16+17+15+"
    "13:events=40/16:OVF=0/12+14+16+17+15+13:events=40/12:OVF=0/12+14+16+17+15+13:events=40",
    "14:uops_retired,ENABLE=1,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20+"
    "12:branch_retired.MMTP.MMTM,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20+"
    "16:branch_retired.MMTP.MMTM,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20+"
    "17:uops_retired,ACTIVE_THREAD=3,CASCNTxINTOy=1,COUNTER=-20+"
    "15:branch_retired.MMTP.MMTM,ACTIVE_THREAD=3,CASCNTxINTOy=1,COUNTER=-20+"
    "13:uops_retired,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20/"
    "14:events=40/16+17+15+13:events=40/12:events=40/17+15+13:events=40/16:events=40/15+13:events=40/"
    "17:events=40/13:events=40/15:events=40/14+12+16+17+15+13:events=40/12:CASCADE=0/14+12+16+17+15+"
    "13:events=40/16:OVF=0/14+12+16+17+15+13:events=40/14:OVF=0/14+12+16+17+15+13:events=40",
    "16:uops_retired,ENABLE=1,ACTIVE_THREAD=3,CASCNTxINTOy=1,COUNTER=-20+"
    "12:branch_retired.MMTP.MMTM,ACTIVE_THREAD=3,CASCNTxINTOy=1,COUNTER=-20+"
    "17:branch_retired.MMTP.MMTM,ACTIVE_THREAD=3,CASCNTxINTOy=1,COUNTER=-20+"
    "14:uops_retired,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20+"
    "15:uops_retired,ACTIVE_THREAD=3,CASCNTxINTOy=1,COUNTER=-20+"
    "13:branch_retired.MMTP.MMTM,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20/"
    "16:events=40/17+14+15+13:events=40/12:events=40/14+15+13:events=40/17:events=40/15+13:events=40/"
    "14:events=40/13:events=40/15:events=40/16+12+17+14+15+13:events=40/12:CASCNTxINTOy=0/16+12+17+14+15+"
    "13:events=40/17:OVF=0/16+12+17+14+15+13:events=40/16:OVF=0/16+12+17+14+15+13:events=40",
    "17:uops_retired,ENABLE=1,ACTIVE_THREAD=3,CASCNTxINTOy=1,COUNTER=-20+"
    "15:branch_retired.MMTP.MMTM,ACTIVE_THREAD=3,CASCNTxINTOy=1,COUNTER=-20+"
    "16:branch_retired.MMTP.MMTM,ACTIVE_THREAD=3,CASCNTxINTOy=1,COUNTER=-20+"
    "13:uops_retired,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20+"
    "12:uops_retired,ACTIVE_THREAD=3,CASCNTxINTOy=1,COUNTER=-20+"
    "14:branch_retired.MMTP.MMTM,ACTIVE_THREAD=3,CASCADE=1,COUNTER=-20/"
    "17:events=40/16+13+12+14:events=40/15:events=40/13+12+14:events=40/16:events=40/12+14:events=40/"
    "13:events=40/14:events=40/12:events=40/17+15+16+13+12+14:events=40/15:CASCNTxINTOy=0/17+15+16+13+12+"
    "14:events=40/16:OVF=0/17+15+16+13+12+14:events=40/17:OVF=0/17+15+16+13+12+14:events=40",
};

static void trees(void)
{
    struct course course;

    for (unsigned i = 0; i < COUNT_OF(TREES); i++) {
        const char *why = course_parse(&course, TREES[i], 0);

        require_true(HARNESS, why == NULL, "the notation of tree %u: %s", i, why);
        if (course_adapt(&course))
            course_expect(&course, "tree");
    }
}

/* The boot word course=. */
static void typed(void)
{
    struct course course;
    const char *why = course_parse(&course, selection_course(), smp_self());

    if (why)
        bail_out_as("boot.line", "boot line: course=: %s", why);
    prepare(course.actor[0].counter);
    if (!course_adapt(&course))
        skip_now("this machine can do no step of the course");
    course_expect(&course, "typed");
}

static const struct vector courses_rows[] = {
    CHECK("course.typed", "the course of the boot line does what the rules say", .also = "none",
          .needs = NEED_SSE2, .deadline_ms = 10000, .run = typed),
    CHECK("course.only", "a counter is started by the counters that the manual names, and by no other one",
          .also = "9.5.1 9.5.4 9.5.5", .needs = NEED_SSE2, .deadline_ms = 10000,
          .stages = STAGE_CASCADE | STAGE_EXTENDED, .run_item = only, .items = &every_counter),
    CHECK("course.trees", "counters that were started start others, up to 12-14-16-17-15-13",
          .deadline_ms = 10000, .stages = STAGE_CASCADE | STAGE_EXTENDED, .run = trees),
    CHECK("course.lives", "each field of the CCCR of a counter that runs changes: what it now says",
          .also = "E6", .needs = NEED_SSE2, .deadline_ms = 10000, .stages = STAGE_COURSES, .run_item = lives,
          .items = &every_counter),
    CHECK("course.links", "a counter is started and halted by its link, again and again", .also = "9.5.6",
          .needs = NEED_SSE2, .deadline_ms = 10000, .stages = STAGE_COURSES, .run_item = links,
          .items = &every_counter),
    CHECK("course.due", "the PMI comes with the next count, whatever happens until then", .also = "E7",
          .needs = NEED_SSE2 | NEED_LAPIC, .deadline_ms = 10000, .stages = STAGE_COUNTERS | STAGE_PMI,
          .run_item = due, .items = &every_counter),
    CHECK("course.drawn", "what was drawn happens to the counter: it does what the rules say",
          .also = "11.10", .needs = NEED_SSE2, .deadline_ms = 20000, .stages = STAGE_COURSES,
          .run_item = drawn, .items = &every_counter),
};
VECTOR_GROUP(courses);

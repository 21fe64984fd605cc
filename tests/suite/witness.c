/*
 * Looks for witnesses of a disturbance: interrupts that no vector uses, and fixed work that took longer than
 * before.
 */
#include "witness.h"

#include <stddef.h>

#include "kernel/run/pmi.h"
#include "kernel/x86/cpu.h"

/*
 * By how many clocks a window must be longer than the least of its work to be a witness. On a sound part one
 * window of a thousand is longer by LONGER, and an SMI adds five times as much at least (5 us). Beside a
 * sibling that works, lengths differ more. On a hot processor a window may have one stop of the clocks more
 * than the least (TM1, 3 us), which is still less than an SMI. A processor is hot if an eighth of its recent
 * windows is longer than usual.
 */
#define LONGER         3000u
#define LONGER_BESIDE  5000u
#define LONGER_HOT_US  4u
#define PMI_CLOCKS     6000u /* that a PMI and its handler add at most */
#define CHANGED        6u    /* so many long ones in succession: the machine is slower now */
#define RECENT         256u  /* windows, of which so many long ones are heat: */
#define HOT            32u
#define WORKS          4096u
#define WORKS_SEARCHED 16u

/* The least of each work. Lengths are below 2^32 clocks: no work lasts a second. */
static struct work {
    uint32_t key; /* 0: free */
    uint32_t least;
    uint32_t least_of_long; /* of the long ones in succession */
    uint16_t since;         /* the run in which it was first executed; none was as short as `least` */
    uint8_t long_ones;      /* their number */
    bool rehearsed;         /* never executed so far: `least` is its rehearsal's */
} works[WORKS];

static struct {
    unsigned seen;
    uint32_t interrupts; /* when they were looked at last */
    bool without_nmis, beside_sibling;
    unsigned recent, recent_long, long_before; /* windows of this RECENT, long ones, and of the one before */
    uint32_t quiet, quiet_seen;                /* windows without a PMI, and those with a witness */
    struct disturbances disturbances;
    unsigned expectations;
    uint16_t run, long_since; /* long_since: work of the runs from this one on was long; run: none was */
    bool run_is_long;         /* work that this run had done before was long */
    uint32_t longer_hot;      /* clocks of LONGER_HOT_US */
} now = {.longer_hot = LONGER_HOT_US * 3000};

void witness_clock(uint32_t tsc_khz)
{
    now.longer_hot = tsc_khz / 1000 * LONGER_HOT_US;
}

static uint32_t interrupts(void)
{
    const struct unexpected_interrupts came = unexpected_interrupts();

    return came.other + (now.without_nmis ? 0 : came.nmi);
}

/* Note the interrupts since the last look. Was there one? */
static bool look(void)
{
    const uint32_t before = now.interrupts;

    now.interrupts = interrupts();
    now.seen |= now.interrupts != before ? WITNESS_INTERRUPT : 0;
    return now.interrupts != before;
}

unsigned witness_run(void)
{
    now.long_since = ++now.run;
    now.run_is_long = false;
    return now.run;
}

/* Numbers of runs begin anew after 2^16 of them. */
bool witness_was_long(unsigned run)
{
    return (uint16_t)(run - now.long_since) < (uint16_t)(now.run - now.long_since);
}

bool witness_run_is_long(void)
{
    return now.run_is_long;
}

void witness_begin(void)
{
    now.seen = 0;
    now.interrupts = interrupts();
}

unsigned witness_seen(void)
{
    (void)look();
    return now.seen;
}

void witness_add(unsigned seen)
{
    now.seen |= seen;
}

void witness_without_nmis(bool without)
{
    (void)look();
    now.without_nmis = without;
    now.interrupts = interrupts();
}

void witness_beside_sibling(bool works)
{
    now.beside_sibling = works;
}

uint32_t witness_key(uint32_t key, uint32_t part)
{
    key = (key ^ part) * 0x9E3779B1u;
    return key ^ key >> 15;
}

/* The work with this key, or a free place for it, or NULL if there is none near. */
static struct work *place_of(uint32_t key)
{
    for (unsigned i = 0; i < WORKS_SEARCHED; i++) {
        struct work *work = &works[(key / 2 + i) % WORKS]; /* bit 0 of each key is 1 */

        if (work->key == key || work->key == 0)
            return work;
    }
    return NULL;
}

/* The same; if there is no place, the work in the first one is forgotten. */
static struct work *work_of(uint32_t key)
{
    struct work *const work = place_of(key), *const first = &works[key / 2 % WORKS];

    if (work)
        return work;
    first->key = 0;
    return first;
}

static bool is_hot(void)
{
    return now.long_before >= HOT || now.recent_long >= HOT;
}

/* Note whether this is long by the usual measure. */
static void note_heat(uint32_t beyond)
{
    now.recent_long += beyond > (now.beside_sibling ? LONGER_BESIDE : LONGER);
    if (++now.recent < RECENT)
        return;
    now.long_before = now.recent_long;
    now.recent = now.recent_long = 0;
}

/* By how much work may be longer than its least. */
static uint32_t leeway(void)
{
    return is_hot() ? now.longer_hot : now.beside_sibling ? LONGER_BESIDE : LONGER;
}

/* The work is shorter than ever before. By so much that all executions before this one were long? */
static void note_shorter(struct work *work, uint32_t length)
{
    if (!work->rehearsed && work->least - length > leeway()) {
        if ((uint16_t)(now.run - work->since) > (uint16_t)(now.run - now.long_since))
            now.long_since = work->since;
        now.run_is_long |= work->since == now.run;
        work->since = now.run;
    }
    work->least = length;
    work->long_ones = 0;
    work->rehearsed = false;
}

/* Is this longer than the same work has taken? The first execution may be cold, and is not judged
 * unless it was rehearsed. */
static bool is_long(uint32_t key, uint32_t length)
{
    struct work *work = work_of(key);

    if (work->key == 0 || length < work->least) {
        note_heat(0);
        if (work->key == 0)
            *work = (struct work){.key = key, .least = length, .since = now.run};
        else
            note_shorter(work, length);
        return false;
    }
    const uint32_t beyond = length - work->least;
    note_heat(beyond);
    if (beyond <= leeway()) {
        work->least = work->rehearsed ? length : work->least;
        work->long_ones = 0;
        work->rehearsed = false;
        return false;
    }
    if (work->long_ones == 0 || length < work->least_of_long)
        work->least_of_long = length;
    if (++work->long_ones == CHANGED)
        *work = (struct work){.key = key, .least = work->least_of_long, .since = now.run};
    return true;
}

struct witness_window witness_open(void)
{
    (void)look();
    return (struct witness_window){rdtsc(), 0, pmi_count()};
}

void witness_note(struct witness_window *window)
{
    window->noted = rdtsc();
}

static uint32_t key_with(uint32_t key, uint32_t pmis)
{
    return witness_key(witness_key(key, pmis), now.beside_sibling) | 1;
}

/* Is this longer than the same work without PMIs, and than they explain? An SMI can make a counter overflow
 * that has no PMI otherwise, so that there is nothing else to compare with. */
static bool is_long_for_pmis(uint32_t key, uint32_t pmis, uint32_t length)
{
    const struct work *without = place_of(key_with(key, 0));

    return without && without->key != 0 && length > without->least + leeway() + (uint64_t)pmis * PMI_CLOCKS;
}

void witness_rehearsed(uint32_t key, uint32_t rehearsal)
{
    const struct work *const without = place_of(key_with(rehearsal, 0));
    struct work *const work = work_of(key_with(key, 0));

    if (work->key == 0 && without && without->key != 0)
        *work = (struct work){
            .key = key_with(key, 0), .least = without->least, .since = now.run, .rehearsed = true};
}

void witness_close(const struct witness_window *window, uint32_t key)
{
    const uint64_t end = window->noted ? window->noted : rdtsc();
    const uint32_t length = (uint32_t)(end - window->tsc), pmis = pmi_count() - window->pmis;
    const bool long_for_pmis = pmis && is_long_for_pmis(key, pmis, length);
    const bool longer = is_long(key_with(key, pmis), length) || long_for_pmis;
    const bool interrupted = look();

    now.seen |= longer ? WITNESS_TIME : 0;
    if (pmis == 0) {
        now.quiet++;
        now.quiet_seen += longer || interrupted;
    }
}

void undisturbed(void (*measure)(void *arg), void *arg)
{
    const unsigned before = witness_seen(), expectations = now.expectations;
    unsigned tries = 0, seen;

    do {
        witness_begin();
        witness_expectations_again(expectations);
        measure(arg);
        seen = witness_seen();
        now.disturbances.by_interrupt += (seen & WITNESS_INTERRUPT) != 0;
        now.disturbances.by_time += seen == WITNESS_TIME;
    } while (seen && ++tries < WITNESSED_MOST);
    now.seen = before | seen;
}

void witness_expectation(void)
{
    now.expectations++;
}

unsigned witness_expectations(void)
{
    return now.expectations;
}

void witness_expectations_again(unsigned before)
{
    now.expectations = before;
}

struct disturbances witness_disturbances(void)
{
    const struct disturbances since = now.disturbances;

    now.disturbances = (struct disturbances){0, 0};
    return since;
}

bool witness_too_many(void)
{
    return now.quiet_seen > now.quiet / 2;
}

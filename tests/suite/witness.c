#include "witness.h"

#include <stddef.h>

#include "kernel/run/pmi.h"
#include "kernel/x86/cpu.h"
#include "pmc/count_of.h"

/*
 * Clocks beyond the least. A thousandth of the windows of a sound part is longer than by the first, a SMI of
 * a board takes three times as long at least (5 us). Beside a sibling that works lengths differ more.
 */
#define LONGER         3000u
#define LONGER_BESIDE  5000u
#define CHANGED        6u   /* so many long ones in succession: the machine is slower now */
#define RECENT         256u /* windows, of which */
#define POOR           32u  /* so many long ones make time a poor witness */
#define WORKS          1024u
#define WORKS_SEARCHED 16u

/* The least of each work. Lengths are below 2^32 clocks: no work lasts a second. */
static struct {
    uint32_t key; /* 0: free */
    uint32_t least;
    uint32_t least_of_long; /* of the long ones since the last that was not */
    uint8_t long_ones;      /* their number */
} work[WORKS];

static struct {
    unsigned seen;
    uint32_t interrupts; /* when they were looked at last */
    bool without_nmis, beside_sibling;
    unsigned recent, recent_long, long_before; /* windows of this RECENT, long ones, and of the one before */
    uint32_t quiet, quiet_seen;                /* windows without a PMI, and those with a witness */
    struct disturbances disturbances;
} now;

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

/* Is this longer than the same work has taken? The first execution may be cold, and is not judged. */
static bool is_long(uint32_t key, uint32_t length)
{
    for (unsigned i = 0; i < WORKS_SEARCHED; i++) {
        const unsigned at = (key + i) % WORKS;

        if (work[at].key != key && work[at].key != 0)
            continue;
        if (work[at].key == 0 || length < work[at].least) {
            work[at].key = key;
            work[at].least = length;
            work[at].long_ones = 0;
            return false;
        }
        if (length - work[at].least <= (now.beside_sibling ? LONGER_BESIDE : LONGER)) {
            work[at].long_ones = 0;
            return false;
        }
        if (work[at].long_ones == 0 || length < work[at].least_of_long)
            work[at].least_of_long = length;
        if (++work[at].long_ones == CHANGED) {
            work[at].least = work[at].least_of_long;
            work[at].long_ones = 0;
        }
        return true;
    }
    return false; /* no room: this work has no witness */
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

void witness_close(const struct witness_window *window, uint32_t key)
{
    const uint64_t end = window->noted ? window->noted : rdtsc();
    const uint32_t length = (uint32_t)(end - window->tsc), pmis = pmi_count() - window->pmis;
    const bool longer = is_long(witness_key(witness_key(key, pmis), now.beside_sibling) | 1, length);
    const bool interrupted = look();

    now.seen |= longer ? WITNESS_TIME : 0;
    now.recent_long += longer;
    if (++now.recent == RECENT) {
        now.long_before = now.recent_long;
        now.recent = now.recent_long = 0;
    }
    if (pmis == 0) {
        now.quiet++;
        now.quiet_seen += longer || interrupted;
    }
}

static bool time_is_poor(void)
{
    return now.long_before >= POOR || now.recent_long >= POOR;
}

void undisturbed(void (*measure)(void *arg), void *arg)
{
    const unsigned before = witness_seen();
    unsigned tries = 0, seen, again;

    do {
        witness_begin();
        measure(arg);
        seen = witness_seen();
        again = seen & (time_is_poor() ? WITNESS_INTERRUPT : WITNESS_INTERRUPT | WITNESS_TIME);
        now.disturbances.by_interrupt += (again & WITNESS_INTERRUPT) != 0;
        now.disturbances.by_time += again == WITNESS_TIME;
    } while (again && ++tries < WITNESSED_MOST);
    now.seen = before | seen;
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

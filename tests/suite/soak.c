/* Counts are 64 bits wide, so that no soak is long enough to wrap one. */
#include "soak.h"

#include "kernel/run/pmi.h"
#include "kernel/run/run.h"
#include "kernel/board/board.h"
#include "kernel/x86/cpu.h"
#include "kernel/log/log.h"
#include "kernel/lib/lib.h"
#include "kernel/x86/trap.h"
#include "selection.h"
#include "unexplained.h"

#define BEAT_SECONDS   10
#define JUDGED_SECONDS 60
#define STOPPED        "an earlier vector failed (stop-on-fail)"
#define CULPRITS       10 /* failed vectors that are named at the end */

struct culprit {
    const struct vector *row;
    unsigned member;
    uint64_t first, loops;
};

static struct {
    const struct options *options;
    uint64_t begin_tsc;
    uint64_t loop;             /* from 1 */
    struct tap_counts at_loop; /* when it began */
    uint64_t beat_seconds;     /* when the last heartbeat was, */
    uint64_t judged_seconds;   /* and the last one with what was judged */
    uint64_t disturbed;
    uint64_t failures;      /* in later loops */
    uint64_t failed_before; /* before the vector that runs */
    bool failed;            /* a vector has failed, in any loop */
    bool late;              /* timeout= has passed in a later loop */
    unsigned printed;       /* failures that were printed, at the last heartbeat */
    unsigned culprits;
    struct culprit culprit[CULPRITS];
} soak;

void soak_begin(const struct options *options)
{
    soak.options = options;
    soak.begin_tsc = rdtsc();
    soak.loop = 1;
}

bool soak_planned(void)
{
    return soak.options->loops != 1;
}

uint32_t soak_loop(void)
{
    return (uint32_t)soak.loop;
}

bool soak_is_later(void)
{
    return soak.loop > 1;
}

static bool stopped(void)
{
    return soak.late || (soak.failed && soak.options->stop_on_fail);
}

static bool time_is_up(void)
{
    return soak.options->timeout_s != 0 && clock_seconds_since(soak.begin_tsc) >= soak.options->timeout_s;
}

enum soak_turn soak_turn(const char *id)
{
    if (time_is_up() && !soak_is_later()) {
        tap_not_ok(id);
        diagnosis_begin();
        tap_value("what", "timeout=%u s reached", soak.options->timeout_s);
        diagnosis_end();
        bail_out("timeout=%u s reached", soak.options->timeout_s);
    }
    soak.late = soak.late || time_is_up();
    soak.failed_before = tap_counted().failed;
    if (!stopped())
        return SOAK_RUN;
    if (!soak_is_later())
        tap_skip(id, STOPPED);
    return SOAK_SKIP;
}

void soak_disturbed(void)
{
    soak.disturbed++;
}

static void blame(const struct vector *row, unsigned member)
{
    unsigned i = 0;

    while (i < soak.culprits && (soak.culprit[i].row != row || soak.culprit[i].member != member))
        i++;
    if (i == CULPRITS)
        return;
    if (i == soak.culprits)
        soak.culprit[soak.culprits++] = (struct culprit){row, member, soak.loop, 0};
    soak.culprit[i].loops++;
}

void soak_ran(const struct vector *row, unsigned member)
{
    if (tap_counted().failed == soak.failed_before)
        return;
    soak.failed = true;
    if (!soak_is_later())
        return;
    soak.failures++;
    blame(row, member);
}

/* The ending of a noun after this number: "" or "s". */
static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* "12 unexpected interrupts" and the like, only when there are any: a number that grows from loop to loop is
 * worth a look.
 */
static void heartbeat(uint64_t seconds, bool last)
{
    struct tap_counts now = tap_counted();
    struct unexpected_interrupts unexpected = unexpected_interrupts();
    uint64_t interrupts = (uint64_t)unexpected.pmi + unexpected.nmi + unexpected.other;
    uint64_t points = now.points - soak.at_loop.points;
    char more[40] = "";

    if (interrupts > 0)
        format(more, sizeof more, ", %llu unexpected interrupt%s", interrupts, plural(interrupts));
    tap_comment(
        COMMENT_HEARTBEAT,
        "loop %llu: %llu point%s, %llu failed; in all %llu point%s, %llu failed, %llu disturbed%s; %llu s",
        soak.loop, points, plural(points), now.failed - soak.at_loop.failed, now.points, plural(now.points),
        now.failed, soak.disturbed, more, seconds);
    if (selection_is_full(soak.options) &&
        (!soak_is_later() || last || seconds - soak.judged_seconds >= JUDGED_SECONDS)) {
        unexplained_report(COMMENT_HEARTBEAT);
        soak.judged_seconds = seconds;
    }
    soak.beat_seconds = seconds;
    soak.printed = now.printed;
    log_store_save();
}

bool soak_next_loop(void)
{
    uint64_t seconds = clock_seconds_since(soak.begin_tsc);
    bool last;

    if (!soak_planned())
        return false;
    last = soak.loop == soak.options->loops || stopped();
    if (!soak_is_later() || last || tap_counted().printed != soak.printed ||
        seconds - soak.beat_seconds >= BEAT_SECONDS)
        heartbeat(seconds, last);
    if (last)
        return false;
    soak.at_loop = tap_counted();
    soak.loop++;
    tap_later_loop(soak.loop);
    return true;
}

/* Loops that ran to their end; a loop that was stopped did not. */
static uint64_t complete(void)
{
    return stopped() ? soak.loop - 1 : soak.loop;
}

static void report_culprits(void)
{
    uint64_t named = 0;

    for (unsigned i = 0; i < soak.culprits; i++) {
        const struct culprit *c = &soak.culprit[i];
        char key[16], id[VECTOR_ID_SIZE];

        vector_id(c->row, c->member, id, sizeof id);
        format(key, sizeof key, "vector_%u", i + 1);
        tap_value(key, "%s: first in loop %llu, in %llu loop%s", id, c->first, c->loops, plural(c->loops));
        named += c->loops;
    }
    if (named < soak.failures)
        tap_value("others", "%llu failure%s of other vectors", soak.failures - named,
                  plural(soak.failures - named));
}

void soak_report(void)
{
    if (!soak_planned())
        return;
    tap_later_loop(0);
    if (soak.failures > 0) {
        tap_not_ok("soak");
        diagnosis_begin();
        tap_value("what", "%llu failure%s after the first loop; loops complete: %llu", soak.failures,
                  plural(soak.failures), complete());
        report_culprits();
        diagnosis_end();
        return;
    }
    if (soak.late)
        tap_comment(COMMENT_HEARTBEAT, "ended by timeout=%u; loops complete: %llu", soak.options->timeout_s,
                    complete());
    if (!soak_is_later())
        tap_skip("soak", STOPPED);
    else
        tap_ok("soak");
}

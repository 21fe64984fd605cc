/*
 * A cascade X -> Y whose counters are watched beside twins: other counters on the same ESCR with the same
 * CCCR, which are enabled from the beginning.
 *
 * All four run, or wait for their start, before an ESCR gets its event. So X and its twin see exactly the
 * same events through the same filter, whatever the events are, and so do Y and its twin once Y is started.
 * Between the steps no ESCR has an event, so that the counters can be read and X can overflow without Y
 * having anything to count.
 */
#ifndef TESTS_VECTORS_NETBURST_CASCADE_TWINS_H
#define TESTS_VECTORS_NETBURST_CASCADE_TWINS_H

#include "cascade.h"
#include "tests/suite/place.h"

struct watched {
    struct pmc_programming p;
    uint8_t twin; /* the counter itself where the side of the block has no counter left */
    const struct workload *work;
    uint8_t laps;   /* of the work in a step */
    uint64_t count; /* it overflows with this many events; 0: no longer judged */
    uint32_t slack; /* counts by which it and its twin may differ in a step */
    uint64_t at, twin_at;
    uint64_t moved, twin_moved; /* since it was preset */
};

struct twinned {
    struct cascade_link link;
    struct watched x, y;
    const char *x_is, *y_is; /* what is special of them, for the log */
    const char *course;      /* what happens to them; may be null */
    bool may_not_start;      /* whether Y starts is open (E14) */
    bool sibling_spins;      /* during each step */
    bool armed, started;     /* Y; started once X has overflowed */
    bool unflagged; /* a counter with OVF_PMI has overflowed without OVF (E9): this run decides nothing */
};

/* X and Y overflow with this many of their events unless the vector says otherwise. */
#define TWINNED_COUNT 12

enum uops { UOPS_ON_X, UOPS_ON_Y };
/*
 * Program disjoint events on X and Y for this logical processor at every CPL. In the IQ block one of them
 * counts uops, several in a clock, and the other one branches. Ends the vector with a SKIP when it needs a
 * counter that is dead (E4).
 */
void twinned_program(struct twinned *t, const struct cascade_link *link, enum uops uops);

/* Preset and arm Y, and start its twin; the CCCRs of both are 0 in between. */
void twinned_arm(struct twinned *t);
/* Clear the CCCRs, preset the counters, arm Y, start both twins, and X last. No ESCR has an event. */
void twinned_begin(struct twinned *t);

/*
 * Give X's, Y's or both ESCRs their event while work is done: X's workload, or Y's where Y is among them.
 * Then each counter must have moved with its twin, and Y only if it was started; OVF must be set exactly when
 * the counter has counted enough. False when an expectation failed: the rest would only repeat it.
 */
enum { X_EVENTS = 1, Y_EVENTS = 2 };
#define HERE ((struct place){0, false})
bool twinned_step(struct twinned *t, unsigned escrs, struct place place);
/* Expect that X has overflowed and started Y; that Y has counted so much. */
bool twinned_has_started(const struct twinned *t);
bool twinned_y_has_counted(const struct twinned *t, uint64_t least);
/* Did a counter end a step so close to its overflow that it may come early when its events go on (E20)? */
bool twinned_is_near(const struct watched *w);

/* Halt Y by its own CCCR, perhaps with its OVF cleared by the same write, or by OVF of X (R38) while its ESCR
 * has its event: it must not move any more. An ESCR that counts nothing of this processor at CPL 0 keeps the
 * event until the next step. */
enum halt { HALT_BY_FLAG, HALT_BY_OVF_OF_X, HALT_AND_CLEAR_OVF };
void twinned_halt(struct twinned *t, enum halt how);
/* From now on OVF of the counter is due after so many events as it is away from its overflow. */
void twinned_ovf_cleared(struct watched *w);

/*
 * A PMI without OVF (E9) happens now and then: a run with it decides nothing, but as many runs in a row are a
 * defect. Expects that the run is none of them.
 */
#define TWINNED_TRIES 3
bool twinned_expect_flagged(const struct twinned *t);

/* Bits of its CCCR in which a twin does not resemble its counter. */
#define TWINS_LACK (CCCR_FORCE_OVF | CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1 | CCCR_CASCADE | CCCR_CASCNT)

/* Which cascade, in the text of an expectation. */
#define TWINNED "%u -> %u; X: %s, Y: %s%s%s"
#define TWINNED_ARGS(t) \
    (t)->link.x, (t)->link.y, (t)->x_is, (t)->y_is, (t)->course ? "; " : "", (t)->course ? (t)->course : ""

/* Call fn for every plain link, and for the extended ones where the part has them, until it returns false. */
void twinned_each_link(bool (*fn)(const struct cascade_link *link));

#endif

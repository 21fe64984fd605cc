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
    uint8_t laps;   /* laps of the work in a step */
    uint64_t count; /* OVF is due after this many events; 0: OVF is no longer judged */
    uint32_t slack; /* counts by which it and its twin may differ in a step */
    uint64_t at, twin_at;
    uint64_t moved, twin_moved; /* counts since the preset */
};

struct twinned {
    struct cascade_link link;
    struct watched x, y;
    const char *x_is, *y_is; /* what is special about X and Y, for the log */
    const char *course;      /* what happens to X and Y, for the log; may be null */
    uint32_t rules;          /* by which Y runs after what happened last; may be null */
    bool may_not_start;      /* whether Y starts is open (E14) */
    bool sibling_spins;      /* during each step */
    bool armed, started;     /* is Y armed; has X overflowed since, and so started Y */
    bool unflagged; /* a counter with OVF_PMI has overflowed without OVF (E9): this run decides nothing */
};

/* X and Y overflow after this many of their events unless the vector says otherwise. */
#define TWINNED_COUNT 12

enum uops { UOPS_ON_X, UOPS_ON_Y };
/*
 * Program disjoint events on X and Y for this logical processor at every CPL. In the IQ block `uops` says
 * which of them counts uops, several in a clock; the other one counts branches there.
 */
void twinned_program(struct twinned *t, const struct cascade_link *link, enum uops uops);

/* Stop Y and its twin, preset both, start the twin and arm Y. */
void twinned_arm(struct twinned *t);
/* Clear the CCCRs, preset the counters, arm Y, start both twins, and X last. No ESCR has an event. */
void twinned_begin(struct twinned *t);

/*
 * Give the ESCR of X, of Y or of both its event while work is done: Y's workload if Y takes part, else X's.
 * Then X must have counted what its twin has counted; so must Y if it was started, else nothing; and OVF must
 * be set exactly when the counter has counted enough. Returns false if an expectation failed: the steps that
 * follow would only repeat the failure.
 */
enum { X_EVENTS = 1, Y_EVENTS = 2 };
#define HERE ((struct place){0, false})
bool twinned_step(struct twinned *t, unsigned escrs, struct place place);
/* Expect that X has overflowed, and so started Y. */
bool twinned_has_started(const struct twinned *t);
/* Expect that Y, which was started, has counted at least so many events. */
bool twinned_y_has_counted(const struct twinned *t, uint64_t least);
/* Did the counter end a step so close to its overflow that its PMI may come early (E20)? */
bool twinned_is_near(const struct watched *w);

/* Halt Y while its ESCR has its event: by the flag of its cascade, by this flag and its own OVF in one write,
 * or by OVF of X (R38). From then on Y must count nothing. An ESCR that counts nothing of this processor at
 * CPL 0 keeps the event until the next step. */
enum halt { HALT_BY_FLAG, HALT_BY_OVF_OF_X, HALT_AND_CLEAR_OVF };
void twinned_halt(struct twinned *t, enum halt how);
/* Note that OVF of the counter was cleared: it is due again when the counter overflows from here. */
void twinned_ovf_cleared(struct watched *w);

/*
 * By E9 a counter with OVF_PMI may now and then overflow without OVF. Such a run decides nothing, but as many
 * of them in a row are a defect. Expect that the last run was not such a run.
 */
#define TWINNED_TRIES 3
bool twinned_expect_flagged(const struct twinned *t);

/* Bits of the counter's CCCR that its twin does not have. */
#define TWINS_LACK (CCCR_FORCE_OVF | CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1 | CCCR_CASCADE | CCCR_CASCNT)

/* Names the cascade in the text of an expectation. */
#define TWINNED "%u -> %u; X: %s, Y: %s%s%s"
#define TWINNED_ARGS(t) \
    (t)->link.x, (t)->link.y, (t)->x_is, (t)->y_is, (t)->course ? "; " : "", (t)->course ? (t)->course : ""

/* Call fn for every plain link, and for the extended ones where the part has them, until it returns false.
 * The links of the BPU block are left out if counter 1 is dead (E4). */
void twinned_each_link(bool (*fn)(const struct cascade_link *link));

#endif

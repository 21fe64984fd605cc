/* What the rules say of the state of a course. Pure arithmetic on what was written. */
#include "course_state.h"

/* ---- Filters ---- */

bool course_complements(uint32_t cccr)
{
    return (cccr & CCCR_COMPARE) && (cccr & CCCR_COMPLEMENT);
}

bool course_is_edge(uint32_t cccr)
{
    return (cccr & CCCR_COMPARE) && (cccr & CCCR_EDGE);
}

bool course_passes_none(const struct course_counter *c)
{
    const uint64_t threshold = CCCR_GET_THRESHOLD(c->cccr);

    return (c->cccr & CCCR_COMPARE) && !(c->cccr & CCCR_COMPLEMENT) &&
           (threshold == CCCR_GET_THRESHOLD(CCCR_THRESHOLD_MASK) ||
            (threshold >= COURSE_SPARSE && c->event && c->event->single));
}

bool course_is_sparse(const struct course_counter *c)
{
    return course_passes_none(c) || ((c->cccr & CCCR_COMPARE) && !(c->cccr & (CCCR_COMPLEMENT | CCCR_EDGE)) &&
                                     CCCR_GET_THRESHOLD(c->cccr) >= COURSE_SPARSE);
}

/* ---- Counters ---- */

struct course_counter *course_actor(struct course_state *s, unsigned number)
{
    for (unsigned i = 0; i < s->actors; i++)
        if (s->actor[i].number == number)
            return &s->actor[i];
    return NULL;
}

bool course_is_independent(const struct course_state *s, const struct course_event *event)
{
    return s->ht && PMC_EVENT[event->event].thread != 'S';
}

uint32_t course_ovf_pmi(unsigned lp)
{
    return lp ? CCCR_OVF_PMI_T1 : CCCR_OVF_PMI_T0;
}

/* ---- Who runs ---- */

bool course_starts(const struct course_counter *by, const struct course_counter *c)
{
    return ((c->cccr & CCCR_CASCADE) && c->alternate == by->number) ||
           ((c->cccr & CCCR_CASCNT) && c->source == by->number);
}

bool course_is_forced_cascade(struct course_state *s, const struct course_counter *c)
{
    const struct course_counter *x = course_actor(s, c->alternate), *by_bit_11 = course_actor(s, c->source);

    return !(c->cccr & CCCR_ENABLE) &&
           ((c->cccr | (x ? x->cccr : 0) | (by_bit_11 ? by_bit_11->cccr : 0)) & CCCR_FORCE_OVF);
}

enum tri course_runs(struct course_state *s, const struct course_counter *c)
{
    if (c->cccr & CCCR_ENABLE)
        return YES;
    return c->started != NO && course_is_forced_cascade(s, c) ? OPEN : (enum tri)c->started;
}

bool course_other_rests(const struct course_state *s, const struct course_step *step)
{
    const unsigned other = s->self ^ !step->by_sibling;

    for (unsigned i = 0; i < s->actors; i++)
        if (s->open[other] && (s->actor[i].cccr & course_ovf_pmi(other)))
            return false; /* a PMI makes a halted processor run */
    return !s->runs && step->flags != FLAG_OTHER_OS && !(step->flags == FLAG_WORKER_OS && step->by_sibling);
}

/* ---- What a step changes ---- */

/* Does the actor's CASCADE or bit 11 wait for an OVF that is set now? */
static enum tri waits_for_set(struct course_state *s, const struct course_counter *c)
{
    const struct course_counter *by[] = {
        c->cccr & CCCR_CASCADE ? course_actor(s, c->alternate) : NULL,
        c->cccr & CCCR_CASCNT ? course_actor(s, c->source) : NULL,
    };
    enum tri set = NO;

    for (unsigned i = 0; i < 2; i++)
        if (by[i] && set != YES)
            set = by[i]->ovf == NO ? set : (enum tri)by[i]->ovf;
    return set;
}

/* R38: without the flag or without the OVF nothing runs by a cascade. R39 for a flag set while OVF stands is
 * inferred only. */
static void halt_and_start(struct course_state *s, const struct course_counter *written, uint32_t was,
                           const struct course_step *step, const struct course_seen *seen)
{
    for (unsigned i = 0; i < s->actors; i++) {
        struct course_counter *y = &s->actor[i];
        const bool armed_anew = y == written && (written->cccr & ~was & COURSE_LINKS);

        y->waits_again &= !armed_anew;

        y->halt_judged |= y == written || y->alternate == written->number ||
                          y->source == written->number; /* halts it again */
        const enum tri set = waits_for_set(s, y);

        if (set == NO) {
            if (y->started != NO) {
                y->halted = true;
                y->waits_again = y->started == YES && y->cccr & COURSE_LINKS;
                y->halt_judged = y->started == OPEN; /* perhaps there is nothing to halt */
            }
            y->started = NO;
        } else if ((step->fields & CCCR_OVF) && y->started == YES && course_starts(written, y))
            y->started = OPEN; /* the other flag and OVF may not have started it (question 10.1) */
        else if ((armed_anew && y->started == NO) ||
                 (y == written && y->started != NO && seen->read_as_enabled))
            y->started = OPEN;
    }
}

void course_write_cccr(struct course_state *s, const struct course_step *step, const struct course_seen *seen,
                       unsigned lp)
{
    struct course_counter *c = &s->actor[step->actor];
    const uint32_t was = c->cccr;

    (void)lp;
    c->cccr = seen->written & ~CCCR_OVF;
    c->was_forced |= (was & CCCR_FORCE_OVF) != 0;
    c->rewritten = true;
    c->proves = false;
    c->edge_known = false;
    c->restarted |= (c->cccr & ~was & COURSE_LINKS) != 0;
    c->rerouted |= ((was ^ c->cccr) & CCCR_ESCR_SELECT_MASK) != 0;
    if (step->fields & CCCR_OVF) {
        c->ovf = NO;
        c->request = NO; /* R49: the request stands as long as OVF does */
        c->raised = 0;
    }
    c->raised &= (c->cccr & CCCR_OVF_PMI_T0 ? 1 : 0) | (c->cccr & CCCR_OVF_PMI_T1 ? 2 : 0);
    if ((course_complements(was) || course_complements(c->cccr)) && ((was | c->cccr) & CCCR_FORCE_OVF))
        c->ovf = OPEN;
    for (unsigned to = 0; to < 2; to++) /* a written OVF, and OVF_PMI set while OVF stands: question 10.3 */
        s->standing[to] |= c->ovf != NO && (c->cccr & course_ovf_pmi(to));
    halt_and_start(s, c, was, step, seen);
}

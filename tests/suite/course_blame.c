/* The rules behind each question of the judge. */
#include "course_blame.h"

#include "course_steps.h"
#include "expect.h"
#include "rules.h"

#define RULES_OF_TWIN \
    RULES(R21, R27, R7) /* it alone is wrong: what sets it apart are fields without COMPARE */

/* ---- Counting ---- */

/* What was done before, and by whom, may be why an ESCR does not find its event, or a counter does not count.
 */
static uint32_t rules_of_work(const struct course_state *s, const struct course_counter *c,
                              const struct course_step *step, uint32_t others)
{
    const uint32_t flags = c->event && course_is_independent(s, c->event) ? R13 : R12;
    const uint8_t after = step->how == HOW_HALT ? R42 : step->how == HOW_INIT ? R1 : s->after;
    const bool asks_who =
        !course_is_live(step) && (course_is_special(step) || step->level || step->by_sibling);
    const uint32_t first = asks_who ? flags : after == R42 ? RULES(R42, flags) : after;

    return rules_before(first, RULES(R27, others));
}

static uint32_t link_of(const struct course_counter *c)
{
    return c->cccr & CCCR_CASCNT ? R35 : R34;
}

static uint32_t rules_of_filter(const struct course_counter *c)
{
    return course_is_edge(c->cccr) ? RULES(R23, R22) : RULES(R22, R26, R16);
}

/* A counter that a cascade should have started. */
static uint32_t rules_of_start(struct course_state *s, const struct course_counter *c)
{
    const struct course_counter *x = course_actor(s, c->cccr & CCCR_CASCNT ? c->source : c->alternate);
    const uint32_t link = link_of(c);

    if (c->restarted)
        return RULES(R39, R38, R33, link);
    if (c->rewritten || (x && x->rewritten))
        return RULES(R38, link, R33, R37);
    if (link == R34 && x && (x->cccr & CCCR_CASCADE))
        return RULES(R40, R34, R33, R37);
    return RULES(link, R33, R37);
}

/* Have the counter, which has ENABLE, and the one that waits for it both CASCADE? */
static bool is_pair(struct course_state *s, const struct course_counter *c)
{
    const struct course_counter *other = course_actor(s, c->alternate);

    return (c->cccr & CCCR_CASCADE) && other && (other->cccr & CCCR_CASCADE);
}

/* A counter does not count as its twin does; more: it counts more. A cascade that does not start it makes it
 * count less, as does an overflow that stops it; at: its value. */
static uint32_t rules_of_count(struct course_state *s, const struct course_counter *c,
                               const struct course_step *step, bool more, uint64_t at)
{
    if (more && (c->cccr & CCCR_COMPARE))
        return rules_of_filter(c);
    if (!more && at < c->at && at < COURSE_JUST)
        return RULES(R29, R28, R27);
    if (!(c->cccr & CCCR_ENABLE))
        return rules_of_start(s, c);
    if (c->rerouted)
        return RULES(R17, R27);
    if (c->cccr & COURSE_LINKS)
        return is_pair(s, c) ? RULES(R40, R36, R27) : RULES(R36, R27);
    if (CCCR_GET_ACTIVE_THREAD(c->cccr) != ACTIVE_ANY)
        return RULES(R18, R27);
    if (c->cccr & CCCR_COMPARE)
        return rules_of_filter(c);
    return c->cccr & CCCR_FORCE_OVF  ? RULES(R31, R27, R21)
           : c->cccr & COURSE_FILTER ? RULES(R21, R27)
                                     : rules_of_work(s, c, step, R6);
}

/* Has it a twin with other filter fields, and an event whose number is known? */
static bool has_exact_twin(const struct course_counter *c)
{
    return c->has_twin && c->event && c->event->sure && !c->event->always && !(c->cccr & CCCR_COMPARE);
}

bool course_blames_twin(const struct course_state *s, const struct course_seen *seen,
                        const struct course_question *q)
{
    const struct course_counter *c = &s->actor[q->actor];

    if (!has_exact_twin(c))
        return false;
    if (q->asked == ASKED_TWIN)
        return seen->actor[q->actor].own >= q->low;
    return q->asked == ASKED_COUNT && q->movement->running != NO && q->observed == q->movement->due;
}

/* A counter that waits runs. The OVF of a third one may have started it. */
static uint32_t rules_of_rest(const struct course_state *s, const struct course_counter *c, enum tri running)
{
    if (running != NO)
        return c->cccr & CCCR_ENABLE ? R18 : RULES(R18, R33);
    if (!(c->cccr & COURSE_LINKS) || c->halted)
        return RULES(R38, R33);
    return s->actors > 2 ? RULES(link_of(c), R33, R37) : RULES(R33, R37, link_of(c));
}

static uint32_t rules_of_nothing(const struct course_counter *c, bool given)
{
    if (given)
        return RULES(R12, R13, R11);
    return c->started != NO ? RULES(c->restarted ? R39 : R37, R33, R7) : RULES(R7, R2);
}

/* ---- Registers ---- */

/* What a step does that gives no events, if it changes what it must not: an actor's counter, CCCR or OVF. */
static uint32_t rules_of_side_effect(const struct course_step *step, unsigned actor, uint32_t others)
{
    const bool is_meant = course_does(step, DOES_CCCR) && step->actor == actor;

    return rules_before(is_meant ? 0 : course_row(step)->alters, others);
}

/* The CCCR is not as it was written. Where it counted, something has changed it that must not. */
static uint32_t rules_of_cccr(const struct course_step *step, unsigned actor, uint32_t lost)
{
    if (course_does(step, DOES_EVENTS))
        return lost & CCCR_ENABLE ? RULES(R43, R29, R32) : RULES(R32, R3);
    return rules_of_side_effect(step, actor, step->actor == actor ? RULES(R32, R3, R38) : R32);
}

/* ---- Overflow and PMIs ---- */

/* OVF is not as it must be. come: there is an overflow in this step. */
static uint32_t rules_of_ovf(const struct course_counter *c, const struct course_step *step, unsigned actor,
                             enum tri come)
{
    if (c->cccr & CCCR_FORCE_OVF && come != NO)
        return RULES(R31, R29, R28);
    if (c->was_forced && !c->ovf)
        return RULES(R31, R28);
    if (c->ovf && come != NO)
        return RULES(R29, R28);
    if (course_does(step, DOES_CCCR) && step->actor == actor)
        return c->ovf ? RULES(R32, R29) : RULES(R29, R32);
    return rules_of_side_effect(step, actor, c->ovf ? R29 : R28);
}

/* Too many PMIs on this logical processor, or too few. What LP0 lacks and LP1 has too many of has gone to the
 * wrong one; what LP1 alone lacks is not brought to it. */
static uint32_t rules_of_pmis(const struct course_state *s, unsigned lp, const struct course_pmis *due,
                              const unsigned taken[2])
{
    uint32_t cccrs = 0;
    bool started = false;

    if (due->holds && lp == s->self)
        return RULES(R50, R52);
    if (due->released && lp == s->self)
        return RULES(R52, R50);
    if (due->unmasked[lp])
        return RULES(R49, R50, R45);
    for (unsigned i = 0; i < s->actors; i++) {
        cccrs |= s->actor[i].cccr & course_ovf_pmi(lp) ? s->actor[i].cccr : 0;
        started |= s->actor[i].cccr & course_ovf_pmi(lp) && s->actor[i].started != NO;
    }
    if (due->most[lp] == 0 && !s->open[lp])
        return s->delivered[lp] ? RULES(R51, R50) : RULES(R50, R51);
    if (due->most[lp] == 0)
        return cccrs ? RULES(R46, R47, R45) : RULES(R45, R46);
    if (taken[lp] > due->most[lp])
        return RULES(R51, R48);
    if (cccrs & CCCR_FORCE_OVF)
        return RULES(R48, R46);
    if (lp || taken[1] > due->most[1])
        return RULES(R45, R46, R55, R56);
    return started ? RULES(R55, R46, R45) : RULES(R46, R45);
}

/* ---- Each question ---- */

uint32_t course_blame(struct course_state *s, const struct course_step *step, const struct course_seen *seen,
                      const struct course_question *q)
{
    const struct course_counter *c = &s->actor[q->actor];

    switch ((enum course_asked)q->asked) {
    case ASKED_TWIN:
        return course_blames_twin(s, seen, q) ? RULES_OF_TWIN : rules_of_work(s, c, step, RULES(R7, R21));
    case ASKED_CLOCKS:
        return RULES(R16, R22);
    case ASKED_EDGES:
        return q->counts ? RULES(R23, R22) : RULES(R22, R23);
    case ASKED_REST:
        return rules_of_rest(s, c, q->movement->running);
    case ASKED_NOTHING:
        return rules_of_nothing(c, q->movement->given);
    case ASKED_WORK:
    case ASKED_COUNT:
        if (course_blames_twin(s, seen, q))
            return RULES_OF_TWIN;
        return q->by_carry ? RULES(R27, R28)
                           : rules_of_count(s, c, step, q->observed > q->high, seen->actor[q->actor].value);
    case ASKED_SPARSE:
        return course_is_edge(c->cccr) ? RULES(R22, R23) : RULES(R22, R26, R32);
    case ASKED_CCCR:
        return rules_of_cccr(step, q->actor, (uint32_t)(q->low & ~q->observed));
    case ASKED_STILL:
        return rules_of_side_effect(step, q->actor, RULES(R32, R27));
    case ASKED_OVF:
        return rules_of_ovf(c, step, q->actor, (enum tri)q->come);
    case ASKED_UNFLAGGED:
        return RULES(R29, R28);
    case ASKED_PMIS:
        return rules_of_pmis(s, q->lp, q->due, seen->pmis);
    case ASKED_NMIS:
        return RULES(R50);
    case ASKED_MASK:
    case ASKED_LVTPC:
        return RULES(R51, R50);
    case ASKED_READING:
        return RULES(R57, R60, R5);
    case ASKED_ESCR:
    case COURSE_QUESTIONS:
        break;
    }
    return rules_of_side_effect(step, q->actor, RULES(R3, R2));
}

/* Could a carry be lost, or come twice, and the value be wrong by more than the spread? */
static bool has_carry(const struct course_counter *c, uint64_t due, uint64_t spread)
{
    for (uint64_t bit = 1; bit <= COUNTER_MASK; bit <<= 1)
        if (bit > spread && (c->at & (bit - 1)) + (due & (bit - 1)) >= bit)
            return true;
    return false;
}

/* By which rules too few counts, or too many, would be called wrong. */
static void note_count(struct course_state *s, const struct course_step *step,
                       const struct course_question *q, uint64_t value)
{
    const struct course_counter *c = &s->actor[q->actor];

    if (q->counts) {
        rules_held(rules_of_count(s, c, step, false, c->at));
        if (value < c->at)
            rules_held(rules_of_count(s, c, step, false, 0));
    }
    if (q->asked == ASKED_WORK)
        return; /* there is no twin, so that nothing is too much */
    const struct course_movement *m = q->movement;

    if (m->running != NO)
        rules_held(rules_of_count(s, c, step, true, value));
    if (m->runs_surely && has_carry(c, m->twin, m->spread))
        rules_held(RULES(R27, R28));
    if (m->runs_surely && has_exact_twin(c))
        rules_held(RULES_OF_TWIN);
}

/* By which rules a PMI too few, or too many, would be called wrong. A PMI that LP0 lacks may have come to
 * LP1. */
static void note_pmis(const struct course_state *s, unsigned lp, const struct course_pmis *due)
{
    const unsigned fewer[2] = {0, 0}, more[2] = {due->most[0] + 1, due->most[1] + 1};
    const unsigned misled[2] = {0, due->most[1] + 1};

    if (due->least[lp] && !due->unmasked[lp] && !due->holds) {
        rules_held(rules_of_pmis(s, lp, due, fewer));
        if (lp == 0 && s->ht)
            rules_held(rules_of_pmis(s, lp, due, misled));
    }
    rules_held(rules_of_pmis(s, lp, due, more));
}

void course_note(struct course_state *s, const struct course_step *step, const struct course_seen *seen,
                 const struct course_question *q)
{
    if (!rules_are_noted())
        return;
    if (q->asked == ASKED_WORK || q->asked == ASKED_COUNT)
        note_count(s, step, q, seen->actor[q->actor].value);
    else if (q->asked == ASKED_PMIS)
        note_pmis(s, q->lp, q->due);
    else
        rules_held(course_blame(s, step, seen, q));
    if (q->asked == ASKED_TWIN) /* and where the actor is wrong as well */
        rules_held(rules_of_work(s, &s->actor[q->actor], step, RULES(R7, R21)));
    if (q->asked == ASKED_CCCR) /* and where all that is set in it is lost */
        rules_held(rules_of_cccr(step, q->actor, (uint32_t)q->low));
}

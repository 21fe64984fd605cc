/*
 * What the rules of the manual say of a step of a course: how far each counter moves, whether its OVF stands,
 * what it starts, and who takes a PMI. Pure arithmetic on what was written and on how far the twins moved.
 *
 * In the manual's order: what an ESCR selects (18.15.1), when a counter runs and what its filter passes
 * (18.15.3), how far it moves, its overflow (18.15.5.5), what that starts (18.15.5.6), PMIs (18.15.5.8). Each
 * question that is asked has its rules in course_blame.c.
 */
#include "course_judge.h"

#include "course_blame.h"
#include "course_steps.h"
#include "expect.h"
#include "rules.h"
#include "unflagged.h"

#define EDGES      2    /* an edge filter that has just started may count one more or less (R25) */
#define SKEW       2000 /* clocks by which the readings of a counter and of its twin lie apart, or more */
#define ACCESSES   5    /* to a counter between two readings, which with COMPARE add 1 each (E1, R22) */
#define E20_COUNTS 9    /* nearer to its overflow a PMI may come early */
#define CLEAR      16   /* counts beyond the overflow that are surely not of its own clock */
#define LONG       100  /* occurrences that a counter cannot miss while it starts */
#define IN_A_CLOCK 3    /* instructions retire in a clock at most: of the work, and behind it */
#define UNBOUNDED  UINT64_MAX

/* A step that is judged. */
struct judging {
    struct course_state *s;
    const struct course_step *step;
    const struct course_seen *seen;
    struct course_wrong *wrong;
};

static const char *const QUANTITY[COURSE_QUESTIONS] = {
    [ASKED_TWIN] = "counts of its twin",
    [ASKED_CLOCKS] = "clocks without an event",
    [ASKED_EDGES] = "edges",
    [ASKED_REST] = "counts, which must be none",
    [ASKED_NOTHING] = "counts without an event",
    [ASKED_WORK] = "counts",
    [ASKED_SPARSE] = "counts above the threshold, of its twin's",
    [ASKED_COUNT] = "counts, as its twin",
    [ASKED_CCCR] = "its CCCR",
    [ASKED_STILL] = "counts without an event",
    [ASKED_OVF] = "OVF",
    [ASKED_UNFLAGGED] = "OVF",
    [ASKED_PMIS] = "PMIs taken on LP0",
    [ASKED_LVTPC] = "LVTPC unmasked",
    [ASKED_NMIS] = "PMIs taken as NMIs on LP0",
    [ASKED_MASK] = "PMIs that left LVTPC of LP0 unmasked",
    [ASKED_READING] = "readings that differ",
    [ASKED_ESCR] = "bits of its ESCR that have changed",
};

static const char *quantity_of(const struct course_question *q)
{
    return !q->lp                   ? QUANTITY[q->asked]
           : q->asked == ASKED_PMIS ? "PMIs taken on LP1"
           : q->asked == ASKED_NMIS ? "PMIs taken as NMIs on LP1"
                                    : "PMIs that left LVTPC of LP1 unmasked";
}

/* Keep what is wrong, unless something was wrong before. */
static void ask(const struct judging *j, const struct course_question *q)
{
    if (j->wrong->quantity)
        return;
    if (q->low <= q->observed && q->observed <= q->high) {
        if (q->certain)
            course_note(j->s, j->step, j->seen, q);
        return;
    }
    *j->wrong =
        (struct course_wrong){.quantity = quantity_of(q),
                              .rules = course_blame(j->s, j->step, j->seen, q),
                              .low = q->low,
                              .high = q->high,
                              .observed = q->observed,
                              .actor = q->actor,
                              .action = q->action,
                              .is_register = q->asked == ASKED_CCCR,
                              .of_twin = q->asked == ASKED_TWIN || course_blames_twin(j->s, j->seen, q)};
}

#define ASK(j, ...) ask((j), &(struct course_question){__VA_ARGS__})

/* A right answer asks no question, unless it is noted by which rules it is right. */
static bool is_settled(bool right)
{
    return right && !rules_are_noted();
}

/* The actor does something that is judged. */
static void judged(const struct course_counter *c, enum action action)
{
    acts_judged(action, c->number, 1);
}

/* ---- What the ESCR selects: R7, R11 to R13 ---- */

/* Do the flags of the worker, or of both, select the work? */
static enum tri selected_by(const struct course_state *s, const struct course_step *step, bool os, bool usr)
{
    if (os && usr)
        return YES;
    if (os)
        return step->level ? OPEN : YES; /* on the way to another CPL some is done at CPL 0 */
    if (!usr)
        return NO;
    return step->level ? YES : s->runs ? OPEN : NO; /* the sibling's loop is at CPL 3 */
}

/* Do the flags of the other logical processor select what it executes meanwhile? */
static enum tri selected_beside(const struct course_state *s, const struct course_step *step)
{
    if (!(step->flags & FLAGS_OTHER) || !s->ht || course_other_rests(s, step))
        return NO;
    return step->flags == FLAG_OTHER_OS ? NO : OPEN; /* it waits at CPL 3 */
}

static enum tri selected_by_flags(const struct course_state *s, const struct course_step *step,
                                  const struct course_event *event)
{
    const bool os = step->flags & FLAG_WORKER_OS, usr = step->flags & FLAG_WORKER_USR;

    if (course_is_independent(s, event))
        return selected_by(s, step, os || (step->flags & FLAG_OTHER_OS),
                           usr || (step->flags & FLAG_OTHER_USR));
    if (!os && usr && !step->level)
        return selected_beside(s, step); /* the worker is at CPL 0, and the loop has other flags */
    const enum tri own = selected_by(s, step, os, usr);

    return own == NO ? selected_beside(s, step) : own;
}

static enum tri selected(const struct course_state *s, const struct course_step *step,
                         const struct course_event *event)
{
    return step->how == HOW_NO_SELECT || step->how == HOW_NO_MASK ? OPEN : selected_by_flags(s, step, event);
}

/* Does the step ask whom its ESCRs count? */
static bool qualifies(const struct course_step *step)
{
    return (course_is_special(step) && !course_is_live(step)) || step->level || step->by_sibling;
}

/* R44: has a counter of the block ENABLE, so that its ESCRs have power? A twin always has. */
static bool is_powered(const struct course_state *s)
{
    for (unsigned i = 0; i < s->actors; i++)
        if (s->actor[i].has_twin || (s->actor[i].cccr & CCCR_ENABLE))
            return true;
    return false;
}

/* ---- When a counter runs: R18, R33, R36, R37 ---- */

/* ACTIVE_THREAD against the logical processors that are active in the work. */
static enum tri gate(const struct course_state *s, const struct course_counter *c,
                     const struct course_step *step)
{
    if (CCCR_GET_ACTIVE_THREAD(c->cccr) == ACTIVE_ANY || !s->ht)
        return YES;
    if (course_is_live(step) || (!course_other_rests(s, step) && !s->runs))
        return OPEN;
    /* What counts without an event counts before and after the sibling's work, too, and while an SMI has
     * woken the sibling. */
    if (!s->runs && course_complements(c->cccr))
        return OPEN;
    return CCCR_GET_ACTIVE_THREAD(c->cccr) == (s->runs ? ACTIVE_BOTH : ACTIVE_SINGLE) ? YES : NO;
}

/* Does the actor count clocks whenever an SMI wakes a halted sibling, in a step or between two? Nothing is a
 * witness of that. */
static bool counts_beside_smis(struct course_state *s, const struct course_counter *c)
{
    return s->ht && !s->runs && course_complements(c->cccr) &&
           CCCR_GET_ACTIVE_THREAD(c->cccr) != ACTIVE_ANY && course_runs(s, c) != NO;
}

/* E9: may the actor have overflowed without OVF? */
static bool may_be_unflagged(const struct course_state *s, const struct course_counter *c, uint32_t cccr)
{
    return s->e9 && c->ovf == NO && !(cccr & CCCR_OVF) && (c->cccr & COURSE_PMIS);
}

static bool moved_past_0(const struct course_counter *c, uint64_t value)
{
    return value < c->at;
}

/* R28, R31: has the actor overflowed in this step, surely or perhaps? It has moved from `at` to what was
 * read. */
static enum tri overflowed(const struct course_counter *c, const struct course_seen *seen, unsigned i)
{
    const uint64_t own = seen->actor[i].own;
    const bool complements = course_complements(c->cccr), moved = seen->actor[i].value != c->at;

    /* Whether a counter overflows by what an access adds is open (E1), and clocks go on between the readings
     * of a counter and of its CCCR. */
    if (moved_past_0(c, seen->actor[i].value))
        return complements && own <= ACCESSES ? OPEN : YES;
    if (complements && c->at > COUNTER_OVERFLOW_IN(1000000))
        return OPEN;
    if (!(c->cccr & CCCR_FORCE_OVF) || (!moved && !complements))
        return NO;
    if (!(c->cccr & CCCR_ENABLE))
        return OPEN; /* E14 */
    return own > (complements ? ACCESSES : 0) ? YES : OPEN;
}

/* The same of an overflow that sets OVF. */
static enum tri flagged(const struct course_state *s, const struct course_counter *c,
                        const struct course_seen *seen, unsigned i)
{
    const enum tri come = overflowed(c, seen, i);

    return come == YES && may_be_unflagged(s, c, seen->actor[i].cccr) ? OPEN : come;
}

/* Does an OVF that may start the actor come in this step, surely or perhaps? */
static bool is_started_anew(const struct course_state *s, const struct course_counter *c,
                            const struct course_seen *seen)
{
    for (unsigned i = 0; i < s->actors; i++)
        if (course_starts(&s->actor[i], c) && overflowed(&s->actor[i], seen, i) != NO)
            return true;
    return false;
}

/* Is it open whether an OVF starts the actor? OVF of X was cleared before, and no counter of this machine was
 * seen to start again (10.1b). Where one was, all do. */
static bool may_stay_halted(const struct course_state *s, const struct course_counter *c)
{
    return c->waits_again && !s->restarts;
}

/* Does an OVF that comes in this step start the actor? YES: before its own work, of which a start leaves
 * something (R37). */
static enum tri starts_now(struct course_state *s, const struct course_counter *c,
                           const struct course_step *step, const struct course_seen *seen)
{
    for (unsigned i = 0; i < s->actors; i++)
        if (course_starts(&s->actor[i], c)) {
            const enum tri come = flagged(s, &s->actor[i], seen, i);

            if (come != NO)
                return s->actors == 2 && i == 1 && step->occurrences >= LONG && !c->rerouted &&
                               !course_is_forced_cascade(s, c) && !may_stay_halted(s, c)
                           ? come
                           : OPEN;
        }
    return NO;
}

/* ---- Carries: R27 ---- */

/* A carry out of this bit or a lower one that was lost, or came twice, leaves a value that is wrong by a
 * power of two, and by no other number. */
static bool is_wrong_by_carry(const struct course_counter *c, uint64_t due, uint64_t own)
{
    const uint64_t less = (due - own) & COUNTER_MASK, more = (own - due) & COUNTER_MASK,
                   bit = less & (less - 1) ? more : less, below = bit - 1;

    return own != due && !(bit & below) && (c->at & below) + (due & below) >= bit;
}

/* Do these counts carry into bits 39:32? */
static bool carries(const struct course_counter *c, uint64_t counts)
{
    return (c->at ^ (c->at + counts)) >> 32;
}

/* ---- What the PMU does in a step of events, so that it is counted by its action ---- */

/* What works in each clock of a window, if something does. Its failure is what it no longer does. */
static enum action action_of_window(const struct course_counter *c, const struct course_step *step)
{
    return course_is_edge(c->cccr)                         ? ACTION_EDGE
           : c->cccr & CCCR_COMPARE                        ? ACTION_THRESHOLD
           : CCCR_GET_ACTIVE_THREAD(c->cccr) != ACTIVE_ANY ? ACTION_GATE
           : qualifies(step)                               ? ACTION_QUALIFICATION
                                                           : ACTION_COUNT;
}

/*
 * A counter surely counts in this step, so its last start is judged. In a later window it does not start: it
 * counts, or does not, or has halted because something was written. A filter, a gate or flags that let all
 * pass are judged where they must let nothing pass, and not here.
 */
static enum action action_of_count(struct course_state *s, struct course_counter *c,
                                   const struct course_step *step, const struct course_seen *seen,
                                   bool surely, bool more)
{
    const struct course_counter *x = course_actor(s, c->by_bit_11 ? c->source : c->alternate);
    const bool first = !(c->cccr & CCCR_ENABLE) && !c->start_judged && !is_started_anew(s, c, seen);

    c->start_judged |= surely;
    if (surely)
        judged(c, !first ? ACTION_COUNT : c->by_bit_11 ? ACTION_BIT_11 : ACTION_CASCADE);
    if (first && !more)
        return c->by_bit_11 ? ACTION_BIT_11 : ACTION_CASCADE;
    if (!(c->cccr & CCCR_ENABLE) && !more && (c->rewritten || (x && x->rewritten)))
        return ACTION_HALT;
    return action_of_window(c, step);
}

/* What keeps a counter from counting events that it would count. */
static enum action action_of_rest(struct course_counter *c, enum tri running, enum tri gated,
                                  bool would_count)
{
    if (running != NO) {
        if (running == YES && would_count)
            judged(c, ACTION_GATE);
        return ACTION_GATE;
    }
    if (c->halted) {
        if (would_count && gated == YES && !c->halt_judged)
            judged(c, ACTION_HALT);
        c->halt_judged |= would_count && gated == YES;
        return ACTION_HALT;
    }
    return c->cccr & CCCR_CASCNT ? ACTION_BIT_11 : ACTION_CASCADE;
}

/* ---- How far it moves: R16, R22 to R27 ---- */

static struct course_movement movement_of(const struct judging *j, unsigned i)
{
    struct course_counter *c = &j->s->actor[i];
    const struct course_step *step = j->step;
    const uint64_t value = j->seen->actor[i].value;
    const bool given = j->seen->events >> i & 1, complements = course_complements(c->cccr);
    const enum tri is_selected = given ? selected(j->s, step, c->event) : NO;
    struct course_movement m = {
        .c = c,
        .i = i,
        .own = j->seen->actor[i].own,
        .twin = j->seen->actor[i].twin,
        .due = step->occurrences * (step->how == HOW_TWICE ? 4u : 1u),
        .access = complements ? ACCESSES : 0,
        .complements = complements,
        .given = given,
        .present = is_selected != NO,
        .counts_each = is_selected == YES && c->event->sure && !(c->cccr & CCCR_COMPARE),
        .any = is_selected == YES && c->event->sure && !complements && CCCR_GET_THRESHOLD(c->cccr) == 0,
        /* On the way to another CPL registers are written, which may raise the counts next to the overflow
           (E20). */
        .early = c->at > COUNTER_OVERFLOW_IN(E20_COUNTS) || (step->level && moved_past_0(c, value)),
        .gated = gate(j->s, c, step),
        .running = course_runs(j->s, c),
    };
    const uint64_t apart = j->seen->actor[i].apart > SKEW ? j->seen->actor[i].apart : SKEW;

    m.spread = (complements && !course_is_edge(c->cccr) ? apart : m.access) +
               (course_is_edge(c->cccr) && !c->edge_known ? EDGES : 0) + (m.early ? E20_COUNTS : 0);
    m.started = m.running == NO ? starts_now(j->s, c, step, j->seen) : NO;
    if (m.started != NO)
        m.running = OPEN;
    m.runs_surely = m.running == YES && m.gated == YES;
    return m;
}

/* It counts clocks without an event, if its threshold is the largest, or by EDGE an event that lasts one
 * clock only where it begins or ends. */
static void ask_complement(const struct judging *j, const struct course_movement *m)
{
    const struct course_counter *c = m->c;

    if (m->runs_surely && m->complements && !course_is_edge(c->cccr) && m->given && /* else question 11.1 */
        CCCR_GET_THRESHOLD(c->cccr) == CCCR_GET_THRESHOLD(CCCR_THRESHOLD_MASK))
        ASK(j, .asked = ASKED_CLOCKS, .actor = (uint8_t)m->i, .action = ACTION_THRESHOLD, .certain = true,
            .low = 1, .high = UNBOUNDED, .observed = m->own);
    if (m->complements && course_is_edge(c->cccr) && c->event && c->event->single &&
        CCCR_GET_THRESHOLD(c->cccr) >= COURSE_SPARSE) {
        /* Without EDGE it counts each clock, and an occurrence lasts one; without an event see above. */
        const bool is_judged = m->runs_surely && m->given && m->due > m->access;

        if (is_judged)
            judged(c, ACTION_EDGE);
        ASK(j, .asked = ASKED_EDGES, .actor = (uint8_t)m->i, .action = ACTION_EDGE, .certain = is_judged,
            .low = 0, .high = m->access, .observed = m->own);
    }
}

/* Of an event that occurs once in a clock at most EDGE counts as many as there are, and of a state that lasts
 * as long as the work its beginning. */
static void ask_edges(const struct judging *j, const struct course_movement *m)
{
    const struct course_counter *c = m->c;

    if (!course_is_edge(c->cccr) || !m->runs_surely || !m->present || !c->event->single ||
        qualifies(j->step) || course_is_live(j->step) || (!c->event->always && m->due < LONG))
        return;
    ASK(j, .asked = ASKED_EDGES, .actor = (uint8_t)m->i, .action = ACTION_EDGE, .certain = true, .low = 0,
        .high = (c->event->always ? 1 : m->due + m->due / 2) + m->spread, .observed = m->own, .counts = true);
}

/* It does not run, or ACTIVE_THREAD keeps it from counting. */
static void ask_rest(const struct judging *j, const struct course_movement *m)
{
    struct course_counter *c = m->c;
    const bool would_count = c->has_twin && !course_is_sparse(c)
                                 ? m->twin > (course_is_edge(c->cccr) ? EDGES : 0)
                                 : m->counts_each;

    ASK(j, .asked = ASKED_REST, .actor = (uint8_t)m->i,
        .action = (uint8_t)action_of_rest(c, m->running, m->gated, would_count && !m->complements),
        .certain = would_count || m->complements, .low = 0, .high = m->access, .observed = m->own,
        .movement = m);
}

/* Its ESCR selects nothing that is executed. */
static void ask_nothing(const struct judging *j, const struct course_movement *m)
{
    const struct course_counter *c = m->c;
    const uint64_t high = m->early ? E20_COUNTS : 0;
    const bool is_judged =
        m->runs_surely && (!m->given || (c->event->sure && !(c->cccr & CCCR_COMPARE) && m->due > high));

    if (m->given && is_judged)
        judged(c, ACTION_QUALIFICATION);
    ASK(j, .asked = ASKED_NOTHING, .actor = (uint8_t)m->i,
        .action = m->given ? ACTION_QUALIFICATION : ACTION_COUNT, .certain = is_judged, .low = 0,
        .high = high, .observed = m->own, .movement = m);
}

/* Clocks with more than t events are at most a (t + 1)th of the events. */
static void ask_sparse(const struct judging *j, const struct course_movement *m)
{
    const struct course_counter *c = m->c;
    const bool none = course_passes_none(c), is_judged = m->runs_surely && m->twin > 0;

    if (is_judged && none)
        judged(c, ACTION_THRESHOLD);
    ASK(j, .asked = ASKED_SPARSE, .actor = (uint8_t)m->i, .action = ACTION_THRESHOLD, .certain = is_judged,
        .low = 0, .high = none ? 0 : (uint32_t)m->twin / (unsigned)(CCCR_GET_THRESHOLD(c->cccr) + 1),
        .observed = m->own);
}

/* It has no twin, so that only its own work says how far it moves; no course counts as far as 2^32. Above
 * threshold 0 a clock counts once, whatever its value. */
static void ask_work(const struct judging *j, const struct course_movement *m)
{
    const bool counts = m->counts_each || (m->any && !course_is_edge(m->c->cccr));

    if (!m->runs_surely || !counts || !is_powered(j->s))
        return;
    ASK(j, .asked = ASKED_WORK, .actor = (uint8_t)m->i,
        .action = (uint8_t)action_of_count(j->s, m->c, j->step, j->seen, true, false), .certain = true,
        .low = m->counts_each ? m->due : m->due > 0, .high = UINT32_MAX, .observed = m->own, .counts = true);
}

static void ask_count(const struct judging *j, const struct course_movement *m)
{
    struct course_counter *c = m->c;
    const uint64_t least = m->twin > m->spread ? m->twin - m->spread : 0, most = m->twin + m->spread;
    const uint64_t low = m->runs_surely ? least : m->started == YES && m->gated == YES && m->counts_each;
    const bool by_carry = m->running != NO && is_wrong_by_carry(c, m->twin, m->own);
    const enum action action =
        action_of_count(j->s, c, j->step, j->seen, m->runs_surely && least > 0, m->own > most);

    if (m->runs_surely && carries(c, least) && carries(c, most))
        judged(c, ACTION_CARRY);
    ASK(j, .asked = ASKED_COUNT, .actor = (uint8_t)m->i,
        .action = (uint8_t)(by_carry ? ACTION_CARRY : action), .certain = true, .low = low, .high = most,
        .observed = m->own, .by_carry = by_carry, .counts = low > 0, .movement = m);
}

static void judge_movement(const struct judging *j, unsigned i)
{
    const struct course_movement m = movement_of(j, i);
    struct course_counter *c = m.c;

    if (c->has_twin && (m.counts_each || m.any))
        ASK(j, .asked = ASKED_TWIN, .actor = (uint8_t)i,
            .action = qualifies(j->step) ? ACTION_QUALIFICATION : ACTION_COUNT, .certain = true,
            .low = m.counts_each ? m.due : 1, .high = UNBOUNDED, .observed = m.twin);
    c->edge_known = m.runs_surely && m.present;
    if (c->proves && m.due > 0 && m.own >= m.due) {
        c->waits_again = c->proves = false;
        j->s->restarts = true;
    }
    ask_complement(j, &m);
    ask_edges(j, &m);
    if (m.running == NO || m.gated == NO)
        ask_rest(j, &m);
    else if (!m.present && !m.complements)
        ask_nothing(j, &m);
    else if (!c->has_twin)
        ask_work(j, &m);
    else if (course_is_sparse(c))
        ask_sparse(j, &m);
    else
        ask_count(j, &m);
}

/* ---- Overflow, and what it starts: R28 to R35 ---- */

/* OVF of the actor has come, surely or perhaps: R33 starts what waits for it. */
static void start_others(struct course_state *s, struct course_counter *by, enum tri come)
{
    for (unsigned i = 0; i < s->actors; i++) {
        struct course_counter *c = &s->actor[i];

        if (!course_starts(by, c))
            continue;
        if (c->started == YES) {
            c->start_judged = true; /* a start that was lost comes by this OVF */
            continue;
        }
        c->restarted |= c->halted;
        c->start_judged = c->started == OPEN;
        c->by_bit_11 = (c->cccr & CCCR_CASCNT) && c->source == by->number;
        c->halted = c->rewritten = by->rewritten = false;
        c->proves = c->waits_again && come == YES && !(c->cccr & CCCR_ENABLE);
        c->started = come == YES && !(by->cccr & CCCR_FORCE_OVF) && !may_stay_halted(s, c) ? YES : OPEN;
    }
}

/* ---- PMIs: R45 to R51 ---- */

/* E3: a counter that may be cascaded; E5: OVF_PMI_T1. */
static bool is_excused(const struct course_state *s, const struct course_counter *c, unsigned lp)
{
    return (s->e3 && (c->cccr & COURSE_LINKS)) || (s->e5 && lp == 1);
}

static void raise(const struct course_state *s, struct course_counter *c, bool surely,
                  struct course_pmis *pmis)
{
    const uint8_t actor = (uint8_t)(1u << (c - s->actor));

    for (unsigned lp = 0; lp < 2; lp++) {
        if (!(c->cccr & course_ovf_pmi(lp)))
            continue;
        pmis->raisers[lp] |= actor;
        pmis->most[lp] = pmis->unmasked[lp] ? 2 : 1; /* clocks: before LVTPC was unmasked, and then again */
        if (surely && !is_excused(s, c, lp)) {
            pmis->least[lp] = 1;
            c->raised |= 1u << lp;
        }
    }
}

/* Does an OVF stand whose PMI goes to this logical processor? */
static bool stands(const struct course_state *s, unsigned lp)
{
    for (unsigned i = 0; i < s->actors; i++)
        if (s->actor[i].ovf != NO && (s->actor[i].cccr & course_ovf_pmi(lp)))
            return true;
    return false;
}

/* R49: LVTPC of lp is unmasked, and as long as OVF stands the request does. once: nothing interrupts before
 * that, so that at most one PMI of the step comes. */
static void raise_standing(const struct course_state *s, unsigned lp, bool once, struct course_pmis *pmis)
{
    pmis->unmasked[lp] = !once;
    pmis->most[lp] = stands(s, lp);
    for (unsigned i = 0; i < s->actors; i++) {
        if (s->actor[i].ovf != NO && (s->actor[i].cccr & course_ovf_pmi(lp)))
            pmis->raisers[lp] |= (uint8_t)(1u << i);
        if (s->actor[i].ovf == YES && (s->actor[i].raised >> lp & 1) && !is_excused(s, &s->actor[i], lp))
            pmis->least[lp] = pmis->most[lp] = 1;
    }
}

/* Is only one of the actors, and one that raises one PMI in a step? With FORCE_OVF each count raises one. */
static bool is_only_raiser(const struct course_state *s, uint8_t raisers)
{
    for (unsigned i = 0; i < s->actors; i++)
        if (raisers == 1u << i)
            return !(s->actor[i].cccr & CCCR_FORCE_OVF);
    return false;
}

/* R46: the count after the overflow raises the PMI. come: the actor overflows in this step. */
static void raise_by_overflow(const struct judging *j, struct course_counter *c, enum tri come, uint64_t own,
                              uint64_t after, struct course_pmis *pmis)
{
    const bool complements = course_complements(c->cccr), forced = c->cccr & CCCR_FORCE_OVF;
    const bool single = !complements && c->event && (c->event->single || (c->cccr & CCCR_COMPARE));

    if (c->request != NO && own) {
        raise(j->s, c, c->request == YES && !complements, pmis);
        c->request = NO;
    }
    if (forced && come != NO) {
        raise(j->s, c, own >= CLEAR && !complements, pmis);
        c->request = OPEN;
    } else if (come != NO) {
        const bool surely = (after >= CLEAR && !complements) || (single && after >= IN_A_CLOCK);

        if (after)
            raise(j->s, c, surely, pmis);
        c->request = surely ? NO : after || come == OPEN ? OPEN : YES;
    }
    if (own && c->at > COUNTER_OVERFLOW_IN(E20_COUNTS)) /* E20 */
        raise(j->s, c, false, pmis);
}

/* clocks: before the step or after it the actor counts clocks without an event. */
static void judge_overflow(const struct judging *j, unsigned i, bool clocks, struct course_pmis *pmis)
{
    struct course_state *s = j->s;
    struct course_counter *c = &s->actor[i];
    const uint64_t own = j->seen->actor[i].own, after = j->seen->actor[i].value;
    const bool ovf = j->seen->actor[i].cccr & CCCR_OVF;
    /* A write of the CCCR races with the clocks that the counter counts: the OVF of an overflow just before
     * it is lost (R32), and a PMI came by the flags before it or by those after it. */
    const bool races = clocks && course_does(j->step, DOES_CCCR) && j->step->actor == i;
    const enum tri flag = flagged(s, c, j->seen, i), come = flag != NO && races ? OPEN : flag;

    c->wrapped = overflowed(c, j->seen, i) == YES && c->ovf == NO && !races && (c->cccr & COURSE_PMIS);
    c->unflagged = c->wrapped && may_be_unflagged(s, c, j->seen->actor[i].cccr);
    /* With FORCE_OVF the next count would set OVF, too. */
    if (come == YES && c->ovf == NO && !(c->cccr & (CCCR_FORCE_OVF | COURSE_PMIS)))
        judged(c, ACTION_OVF);
    if (come != NO) {
        c->ovf = come == YES || c->ovf == YES ? YES : OPEN;
        start_others(s, c, come);
    }
    raise_by_overflow(j, c, come, own, after, pmis);
    for (unsigned lp = 0; lp < 2; lp++)
        if (races && come != NO && (j->step->fields & course_ovf_pmi(lp)))
            pmis->most[lp] = 1;
    if (c->ovf == OPEN) {
        c->ovf = ovf;
        if (ovf)
            start_others(s, c, OPEN);
        return;
    }
    if (!is_settled(c->ovf == ovf))
        ASK(j, .asked = ASKED_OVF, .actor = (uint8_t)i, .action = ACTION_OVF, .certain = true, .low = c->ovf,
            .high = c->ovf, .observed = ovf, .come = (uint8_t)come);
}

/* The actor whose PMIs they are. */
static unsigned actor_of_pmis(const struct course_state *s, const struct course_pmis *due, unsigned lp)
{
    for (unsigned i = 0; i < s->actors; i++)
        if (due->raisers[lp] == 1u << i)
            return i;
    for (unsigned i = s->actors; i-- > 0;)
        if ((s->actor[i].cccr & course_ovf_pmi(lp)) && s->actor[i].ovf != NO)
            return i;
    return 0;
}

/* An overflow without OVF is E9 only if its own PMI came, and only now and then. Where none can come, or
 * comes with the next count, E9 cannot be told from an OVF that was lost. */
static void judge_unflagged(const struct judging *j, unsigned i, bool waits)
{
    const struct course_counter *c = &j->s->actor[i];
    bool excused = c->at < COURSE_JUST;

    if (!c->wrapped)
        return;
    for (unsigned lp = 0; lp < 2; lp++)
        if (c->cccr & course_ovf_pmi(lp))
            excused |= !j->s->open[lp] || j->seen->pmis[lp] || (waits && lp == j->s->self) ||
                       is_excused(j->s, c, lp);
    ASK(j, .asked = ASKED_UNFLAGGED, .actor = (uint8_t)i, .action = ACTION_OVF, .certain = true, .low = 1,
        .high = 1, .observed = unflagged_accepts(c->number, !c->unflagged, excused));
}

/* Does an actor have an OVF, or flags with which it would interrupt a logical processor? */
static bool concerns_pmis(const struct course_state *s)
{
    for (unsigned i = 0; i < s->actors; i++)
        if (s->actor[i].ovf != NO || (s->actor[i].cccr & COURSE_PMIS))
            return true;
    return false;
}

/* R50: a fixed PMI of this logical processor waits in IRR as long as the one before it is in service. Its
 * delivery has masked LVTPC all the same, which says whether there was one where that is open. */
static void hold(struct course_state *s, const struct course_seen *seen, const struct course_pmis *due,
                 bool unmasked)
{
    if (seen->owes_eoi && !s->in_service && due->most[s->self] > seen->pmis[s->self])
        s->held = OPEN; /* the first one of this step has been taken, and another one may have come */
    s->in_service = seen->owes_eoi;
    if (!due->holds || !s->open[s->self] || !due->most[s->self] || (unmasked && !due->least[s->self]))
        return;
    s->held = YES;
    s->open[s->self] = false;
    s->delivered[s->self] = true;
    s->standing[s->self] = false;
}

/* R50, R51: the PMIs came as LVTPC says, and masked it. What has waited for an EOI may be older than LVTPC.
 */
static void judge_delivery(const struct judging *j, const struct course_pmis *due, unsigned lp, unsigned by,
                           enum action action)
{
    const unsigned taken = j->seen->pmis[lp], nmis = j->s->as_nmis[lp] ? taken : 0;

    ASK(j, .asked = ASKED_NMIS, .actor = (uint8_t)by, .action = (uint8_t)action, .certain = true,
        .low = due->released && lp == j->s->self ? 0 : nmis, .high = nmis, .observed = j->seen->nmis[lp],
        .lp = (uint8_t)lp);
    ASK(j, .asked = ASKED_MASK, .actor = (uint8_t)by, .action = ACTION_OTHER, .certain = true, .low = 0,
        .high = 0, .observed = j->seen->found_unmasked[lp], .lp = (uint8_t)lp);
}

void course_judge_pmis(struct course_state *s, const struct course_step *step, const struct course_seen *seen,
                       const struct course_pmis *due, bool unmasked, struct course_wrong *wrong)
{
    const struct judging j = {s, step, seen, wrong};
    const unsigned *taken = seen->pmis;
    /* A PMI that waits for an EOI has come, and has masked LVTPC. */
    const bool waits = due->holds && !unmasked;

    for (unsigned i = 0; i < s->actors; i++)
        judge_unflagged(&j, i, waits);
    for (unsigned lp = 0; lp < 2; lp++) {
        if (is_settled(!due->most[lp] && !taken[lp])) {
            s->standing[lp] &= stands(s, lp);
            continue;
        }
        const unsigned by = actor_of_pmis(s, due, lp);
        const enum action action = lp ? ACTION_PMI_LP1 : ACTION_PMI_LP0;
        const bool holds = due->holds && lp == s->self;

        if (due->least[lp] && due->is_only_one[lp] && !holds)
            judged(&s->actor[by], action);
        ASK(&j, .asked = ASKED_PMIS, .actor = (uint8_t)by, .action = (uint8_t)action,
            .certain = concerns_pmis(s), .low = holds ? 0 : due->least[lp], .high = holds ? 0 : due->most[lp],
            .observed = taken[lp], .lp = (uint8_t)lp, .due = due);
        if (taken[lp]) { /* by the delivery (R51), and the handler leaves it so */
            judge_delivery(&j, due, lp, by, action);
            s->open[lp] = false;
            s->delivered[lp] = true;
        }
        s->standing[lp] &= !taken[lp] && stands(s, lp);
    }
    hold(s, seen, due, unmasked);
    if (!is_settled(unmasked == s->open[s->self]))
        ASK(&j, .asked = ASKED_LVTPC, .actor = (uint8_t)actor_of_pmis(s, due, s->self),
            .action = ACTION_OTHER, .certain = concerns_pmis(s), .low = s->open[s->self],
            .high = s->open[s->self], .observed = unmasked);
}

/* ---- Steps ---- */

/* R3, R36: what the CCCR reads. ENABLE of an actor with CASCADE or bit 11 may read 1; what ACTIVE_THREAD
 * reads without Hyper-Threading no source says (R19). */
static void judge_cccr(const struct judging *j, unsigned i)
{
    const struct course_counter *c = &j->s->actor[i];
    const uint32_t held = ~(CCCR_OVF | (c->cccr & COURSE_LINKS ? CCCR_ENABLE : 0) |
                            (j->s->ht ? 0 : CCCR_ACTIVE_MASK)),
                   due = c->cccr & held, read = j->seen->actor[i].cccr & held;

    if (!is_settled(read == due))
        ASK(j, .asked = ASKED_CCCR, .actor = (uint8_t)i, .action = ACTION_OTHER, .certain = true, .low = due,
            .high = due, .observed = read);
}

/* R4, R57, R60: what else is read. */
static void judge_readings(const struct judging *j, unsigned i)
{
    const struct course_counter *c = &j->s->actor[i];
    const bool is_read = course_does(j->step, DOES_READ) && j->step->actor == i;

    if (is_read && !course_complements(c->cccr))
        judged(c, ACTION_READING);
    if (is_settled(!j->seen->actor[i].differs && !j->seen->actor[i].escr_changed))
        return;
    ASK(j, .asked = ASKED_READING, .actor = (uint8_t)i, .action = ACTION_READING, .certain = is_read,
        .low = 0, .high = 0, .observed = j->seen->actor[i].differs);
    ASK(j, .asked = ASKED_ESCR, .actor = (uint8_t)i, .action = ACTION_OTHER, .certain = c->escr != 0,
        .low = 0, .high = 0, .observed = j->seen->actor[i].escr_changed);
}

/* A counter does not move in a step without events. clocks: it counts them without one. */
static void judge_stillness(const struct judging *j, unsigned i, bool clocks)
{
    const bool is_written = course_does(j->step, DOES_COUNTER) && j->step->actor == i;

    if (!clocks && !is_settled(j->seen->actor[i].own == 0))
        ASK(j, .asked = ASKED_STILL, .actor = (uint8_t)i, .action = is_written ? ACTION_PRESET : ACTION_COUNT,
            .certain = true, .low = 0, .high = 0, .observed = j->seen->actor[i].own);
}

/* What a step changes beside its events. */
static void change(const struct judging *j)
{
    struct course_state *s = j->s;
    const struct course_step *step = j->step;
    const struct course_row *row = course_row(step);
    const struct course_counter *c = &s->actor[step->actor];

    /* While the sibling works this logical processor halts, or waits at CPL 3. */
    if (!(row->does & DOES_EVENTS))
        s->after = course_after(step);
    else if (step->by_sibling)
        s->after = R42;
    /* The upper half is what a write may lose. A second write, or clocks that are counted, hide it. */
    if (row->does & DOES_COUNTER && !j->seen->preset_twice && !course_complements(c->cccr) &&
        (j->seen->preset ^ c->at) >> 32)
        judged(c, ACTION_PRESET);
    if (row->change)
        row->change(s, step, j->seen, s->self ^ step->by_sibling);
}

/* The EOI lets the PMI through that has waited for it, whatever has become of its OVF (R50, R52). */
static void release(struct course_state *s, struct course_pmis *due)
{
    due->least[s->self] += s->held == YES;
    due->most[s->self] += s->held != NO;
    due->may_come[s->self] |= s->held != NO;
    due->is_only_one[s->self] = false;
    due->released = s->held != NO;
    s->held = NO;
    s->in_service = false;
}

/* Between the write of the ESCR and the work something may be counted, overflow, and interrupt: before the
 * sibling's INIT masks its LVTPC, or before LVTPC is unmasked with the events. */
static void open_live(const struct course_step *step, struct course_pmis *due)
{
    for (unsigned lp = 0; lp < 2; lp++)
        if (course_is_live(step) && due->raisers[lp]) {
            due->least[lp] = 0;
            due->most[lp] = 2;
        }
}

/* So many PMIs come on each logical processor as the actors have raised. moved: one that interrupts it has
 * counted; anytime: one does so whenever an SMI wakes the sibling. */
static void sum_up(struct course_state *s, const bool moved[2], const bool anytime[2],
                   struct course_pmis *due)
{
    for (unsigned lp = 0; lp < 2; lp++) {
        due->is_only_one[lp] = due->most[lp] == 1 && is_only_raiser(s, due->raisers[lp]) &&
                               (due->unmasked[lp] || !s->standing[lp]);
        s->standing[lp] |= due->most[lp];
        if (!s->open[lp] || !s->standing[lp] || !moved[lp]) /* R46: only a count raises one */
            due->most[lp] = 0;
        else if (due->most[lp] == 0)
            due->most[lp] = 1;
        due->may_come[lp] = due->most[lp];
        due->most[lp] |= s->open[lp] && anytime[lp];
        due->least[lp] &= s->open[lp];
    }
}

struct course_pmis course_judge(struct course_state *s, const struct course_step *step,
                                const struct course_seen *seen, struct course_wrong *wrong)
{
    const struct judging j = {s, step, seen, wrong};
    const bool events = course_does(step, DOES_EVENTS), unmasks = events && s->unmasks && !step->by_sibling;
    struct course_pmis due = {.least = {0, 0}};
    /* A PMI may come though nothing counts: in a step without events, and by a request that stood. */
    bool moved[2] = {!events || (unmasks && !s->self), !events || (unmasks && s->self)};
    bool anytime[2] = {false, false};
    /* LVTPC is unmasked while the events come; if it was so before, a PMI may come before that, and another
     * one after it. */
    const bool once = unmasks && !s->open[s->self];
    uint32_t clocks = 0;  /* set of actors that count clocks without an event, before the step or after it */
    uint32_t wrapped = 0; /* set of actors that overflow */

    for (unsigned i = 0; i < s->actors; i++)
        clocks |= (uint32_t)course_complements(s->actor[i].cccr) << i;
    change(&j);
    if (unmasks || course_does(step, DOES_UNMASK))
        raise_standing(s, s->self ^ step->by_sibling, once, &due);
    for (unsigned i = 0; i < s->actors; i++) {
        clocks |= (uint32_t)course_complements(s->actor[i].cccr) << i;
        judge_cccr(&j, i); /* what it counts follows from that */
        if (events)
            judge_movement(&j, i);
        else
            judge_stillness(&j, i, clocks >> i & 1);
    }
    for (unsigned i = 0; i < s->actors; i++) {
        struct course_counter *a = &s->actor[i];

        judge_overflow(&j, i, clocks >> i & 1, &due);
        judge_readings(&j, i);
        wrapped |= (uint32_t)moved_past_0(a, seen->actor[i].value) << i;
        a->at = seen->actor[i].value;
        for (unsigned lp = 0; lp < 2; lp++)
            moved[lp] |= seen->actor[i].own && (a->cccr & course_ovf_pmi(lp));
    }
    for (unsigned i = 0; i < s->actors; i++) {
        /* What the overflow brings may be why its start is judged later. */
        s->actor[i].start_judged |= wrapped >> i & 1;
        for (unsigned lp = 0; lp < 2; lp++)
            anytime[lp] |= counts_beside_smis(s, &s->actor[i]) && (s->actor[i].cccr & course_ovf_pmi(lp));
    }
    sum_up(s, moved, anytime, &due);
    open_live(step, &due);
    if (course_does(step, DOES_EOI))
        release(s, &due);
    due.holds = s->in_service && !s->as_nmis[s->self];
    return due;
}

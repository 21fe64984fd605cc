/*
 * What the rules of the manual say of a step of a course: how far each counter moves, whether its OVF stands,
 * what it starts, and who takes a PMI. Pure arithmetic on what was written and on how far the twins moved.
 */
#include "course.h"

#include "expect.h"
#include "rules.h"
#include "unflagged.h"

#define NOBODY       0xFF
#define EDGES        2    /* an edge filter that has just started may count one more or less (R25) */
#define SKEW         2000 /* clocks by which the readings of a counter and of its twin lie apart, or more */
#define ACCESSES_ADD 32   /* an access adds what the input presents, 15 at most (E1), a few times */
#define E20_COUNTS   9    /* nearer to its overflow a PMI may come early */
#define SPARSE       4    /* a threshold that few clocks pass */
#define CLEAR        16   /* counts beyond the overflow that are surely not of its own clock */
#define LONG         100  /* occurrences that a counter cannot miss while it starts */
#define JUST         4    /* a counter that holds less has just overflowed */
#define FILTER_BITS  (CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD_MASK | CCCR_EDGE)
#define LINKS        (CCCR_CASCADE | CCCR_CASCNT)
#define UNBOUNDED    UINT64_MAX

/* Keep what is wrong, unless something was wrong before. Returns whether this is judged, and right. */
static bool expect(struct course_wrong *wrong, unsigned actor, enum action action, uint32_t rules,
                   uint64_t low, uint64_t high, uint64_t observed, const char *quantity)
{
    if (wrong->quantity)
        return false;
    if (observed < low || observed > high)
        *wrong = (struct course_wrong){.quantity = quantity,
                                       .rules = rules,
                                       .low = low,
                                       .high = high,
                                       .observed = observed,
                                       .actor = (uint8_t)actor,
                                       .action = (uint8_t)action};
    return wrong->quantity == NULL;
}

/* Note the rules by which this would be called wrong, if it is right and that was not certain beforehand. A
 * macro, so that rules are looked for in a verbose run alone. */
#define NOTE(right, rules)                \
    do {                                  \
        if ((right) && rules_are_noted()) \
            rules_held(rules);            \
    } while (0)

static bool moved_past_0(const struct course_counter *c, uint64_t value)
{
    return value < c->at;
}

/* The actor does something that is judged. */
static void judged(const struct course_counter *c, enum action action)
{
    acts_judged(action, c->number, 1);
}

static bool is_independent(const struct course_state *s, const struct course_kind *kind)
{
    return s->ht && PMC_EVENT[kind->event].thread != 'S';
}

static bool is_edge(uint32_t cccr)
{
    return (cccr & CCCR_COMPARE) && (cccr & CCCR_EDGE);
}

bool course_is_sparse(uint32_t cccr)
{
    return (cccr & CCCR_COMPARE) && !(cccr & (CCCR_COMPLEMENT | CCCR_EDGE)) &&
           CCCR_GET_THRESHOLD(cccr) >= SPARSE;
}

bool course_passes_none(const struct course_counter *c)
{
    return course_is_sparse(c->cccr) && ((c->kind && c->kind->single) || CCCR_GET_THRESHOLD(c->cccr) == 15);
}

/* The actor that is counter `number`, or null. */
static struct course_counter *actor_of(struct course_state *s, unsigned number)
{
    for (unsigned i = 0; i < s->actors; i++)
        if (s->actor[i].number == number)
            return &s->actor[i];
    return NULL;
}

/* CCCR.OVF_PMI_T0 or T1 (R45). */
static uint32_t ovf_pmi_of(unsigned lp)
{
    return lp ? CCCR_OVF_PMI_T1 : CCCR_OVF_PMI_T0;
}

/* ---- Who runs ---- */

/* Does the actor's CASCADE or bit 11 wait for an OVF that is set now? */
static enum tri waits_for_set(struct course_state *s, const struct course_counter *c)
{
    const struct course_counter *by[] = {
        c->cccr & CCCR_CASCADE ? actor_of(s, c->alternate) : NULL,
        c->cccr & CCCR_CASCNT ? actor_of(s, c->source) : NULL,
    };
    enum tri set = NO;

    for (unsigned i = 0; i < 2; i++)
        if (by[i] && set != YES)
            set = by[i]->ovf == NO ? set : (enum tri)by[i]->ovf;
    return set;
}

/* Is FORCE_OVF set in an actor that a cascade has started, or in what starts it? Whether they work together
 * is open (E14). */
static bool forced_cascade(struct course_state *s, const struct course_counter *c)
{
    const struct course_counter *x = actor_of(s, c->alternate), *by_bit_11 = actor_of(s, c->source);

    return !(c->cccr & CCCR_ENABLE) &&
           ((c->cccr | (x ? x->cccr : 0) | (by_bit_11 ? by_bit_11->cccr : 0)) & CCCR_FORCE_OVF);
}

/* R33, R36: by ENABLE, or started. */
static enum tri runs(struct course_state *s, const struct course_counter *c)
{
    if (c->cccr & CCCR_ENABLE)
        return YES;
    return c->started != NO && forced_cascade(s, c) ? OPEN : (enum tri)c->started;
}

/* Does the other logical processor of the worker execute nothing? */
static bool other_rests(const struct course_state *s, const struct course_step *step)
{
    const unsigned other = s->self ^ !step->by_sibling;

    for (unsigned i = 0; i < s->actors; i++)
        if (s->open[other] && (s->actor[i].cccr & ovf_pmi_of(other)))
            return false; /* a PMI makes a halted processor run */
    return !s->runs && step->how != 'S' && !(step->how == 'O' && step->by_sibling);
}

/* R18: ACTIVE_THREAD against the logical processors that are active in the work. */
static enum tri gate(const struct course_state *s, const struct course_counter *c,
                     const struct course_step *step)
{
    if (CCCR_GET_ACTIVE_THREAD(c->cccr) == ACTIVE_ANY || !s->ht)
        return YES;
    if (step->how == 'W' || step->how == 'R' || (!other_rests(s, step) && !s->runs))
        return OPEN;
    /* What counts without an event counts before and after the sibling's work, too, and while an SMI has
     * woken the sibling. */
    if (!s->runs && course_complements(c->cccr))
        return OPEN;
    return CCCR_GET_ACTIVE_THREAD(c->cccr) == (s->runs ? ACTIVE_BOTH : ACTIVE_SINGLE) ? YES : NO;
}

/* E9: may the actor have overflowed without OVF? */
static bool may_be_unflagged(const struct course_state *s, const struct course_counter *c, uint32_t cccr)
{
    return s->e9 && c->ovf == NO && !(cccr & CCCR_OVF) && (c->cccr & (CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1));
}

/* Does the actor count clocks whenever an SMI wakes a halted sibling, in a step or between two? Nothing is a
 * witness of that. */
static bool counts_beside_smis(struct course_state *s, const struct course_counter *c)
{
    return s->ht && !s->runs && course_complements(c->cccr) &&
           CCCR_GET_ACTIVE_THREAD(c->cccr) != ACTIVE_ANY && runs(s, c) != NO;
}

/* Has the actor overflowed in this step, surely or perhaps, so that OVF is set? It has moved from `at` to
 * what was read. */
static enum tri overflowed(const struct course_state *s, const struct course_counter *c,
                           const struct course_seen *seen, unsigned i)
{
    const uint64_t own = seen->actor[i].own;
    const bool complements = course_complements(c->cccr), moved = seen->actor[i].value != c->at;

    if (moved && seen->actor[i].value < c->at)
        return may_be_unflagged(s, c, seen->actor[i].cccr) ? OPEN : YES;
    /* Whether a forced counter overflows by what an access adds is open (E1), and clocks go on between the
     * readings of a counter and of its CCCR. */
    if (complements && c->at > COUNTER_OVERFLOW_IN(1000000))
        return OPEN;
    if (!(c->cccr & CCCR_FORCE_OVF) || (!moved && !complements))
        return NO;
    if (!(c->cccr & CCCR_ENABLE))
        return OPEN; /* E14 */
    return own > (complements ? ACCESSES_ADD : 0) && !may_be_unflagged(s, c, seen->actor[i].cccr) ? YES
                                                                                                  : OPEN;
}

/* Does this actor's OVF start the other one (R34, R35)? */
static bool starts(const struct course_counter *by, const struct course_counter *c)
{
    return ((c->cccr & CCCR_CASCADE) && c->alternate == by->number) ||
           ((c->cccr & CCCR_CASCNT) && c->source == by->number);
}

/* Does an OVF that may start the actor come in this step, surely or perhaps? */
static bool is_started_anew(const struct course_state *s, const struct course_counter *c,
                            const struct course_seen *seen)
{
    for (unsigned i = 0; i < s->actors; i++)
        if (starts(&s->actor[i], c) && overflowed(s, &s->actor[i], seen, i) != NO)
            return true;
    return false;
}

/* Does an OVF that comes in this step start the actor? YES: before its own work, of which a start leaves
 * something (R37). */
static enum tri starts_now(struct course_state *s, const struct course_counter *c,
                           const struct course_step *step, const struct course_seen *seen)
{
    for (unsigned i = 0; i < s->actors; i++)
        if (starts(&s->actor[i], c)) {
            const enum tri come = overflowed(s, &s->actor[i], seen, i);

            if (come != NO)
                return s->actors == 2 && i == 1 && step->bits >= LONG && !c->rerouted && !forced_cascade(s, c)
                           ? come
                           : OPEN;
        }
    return NO;
}

/* ---- Movement ---- */

/* What was done before, and by whom, may be why an ESCR does not find its event, or a counter does not count.
 */
static uint32_t rules_of_work(const struct course_state *s, const struct course_counter *c,
                              const struct course_step *step, uint32_t other)
{
    uint32_t first = c->kind && is_independent(s, c->kind) ? R13 : R12;
    const char before = step->how == 'W' ? 'h' : step->how == 'R' ? 'i' : s->before;

    if (step->how == 'W' || step->how == 'R' || !(step->how || step->level || step->by_sibling))
        first = before == 'h'   ? RULES(R42, first)
                : before == 'i' ? R1
                : before == 'k' ? R17
                : before == 'v' ? R4
                                : NO_RULE;
    return rules_before(first, RULES(R27, other));
}

static uint32_t link_of(const struct course_counter *c)
{
    return c->cccr & CCCR_CASCNT ? R35 : R34;
}

/* A counter does not count as its twin does; more: it counts more. A cascade that does not start it makes it
 * count less, as does an overflow that stops it; at: its value. */
static uint32_t rules_of_count(struct course_state *s, const struct course_counter *c,
                               const struct course_step *step, bool more, uint64_t at)
{
    const struct course_counter *x = actor_of(s, c->cccr & CCCR_CASCNT ? c->source : c->alternate);

    if (more && (c->cccr & CCCR_COMPARE))
        return is_edge(c->cccr) ? RULES(R23, R22) : RULES(R22, R26, R16);
    if (!more && at < c->at && at < JUST)
        return RULES(R29, R28, R27);
    if (!(c->cccr & CCCR_ENABLE)) {
        const uint32_t link = link_of(c);

        if (c->again)
            return RULES(R39, R38, R33, link);
        if (c->rewritten || (x && x->rewritten))
            return RULES(R38, link, R33, R37);
        if (link == R34 && x && (x->cccr & CCCR_CASCADE))
            return RULES(R40, R34, R33, R37);
        return RULES(link, R33, R37);
    }
    if (c->rerouted)
        return RULES(R17, R27);
    if (c->cccr & LINKS)
        return RULES(R36, R27);
    if (CCCR_GET_ACTIVE_THREAD(c->cccr) != ACTIVE_ANY)
        return RULES(R18, R27);
    if (!(c->cccr & CCCR_COMPARE))
        return c->cccr & CCCR_FORCE_OVF ? RULES(R31, R27, R21)
               : c->cccr & FILTER_BITS  ? RULES(R21, R27)
                                        : rules_of_work(s, c, step, R6);
    return is_edge(c->cccr) ? RULES(R23, R22) : RULES(R22, R26, R16);
}

/* A counter that waits runs. The OVF of a third one may have started it. */
static uint32_t rules_of_rest(const struct course_state *s, const struct course_counter *c, enum tri running)
{
    if (running != NO)
        return c->cccr & CCCR_ENABLE ? R18 : RULES(R18, R33);
    if (!(c->cccr & LINKS) || c->halted)
        return RULES(R38, R33);
    return s->actors > 2 ? RULES(link_of(c), R33, R37) : RULES(R33, R37, link_of(c));
}

/* What a step does that gives no events, if it changes what it must not: an actor's counter, CCCR or OVF. */
static uint32_t rules_of_side_effect(const struct course_step *step, unsigned actor, uint32_t rules)
{
    const char what = step->what;

    return rules_before(what == 'r'                                          ? RULES(R57, R60)
                        : what == 'v'                                        ? RULES(R4, R58)
                        : (what == 'w' || what == 'k') && step->who != actor ? R32
                        : what == 'h'                                        ? R42
                        : what == 'i'                                        ? R1
                                                                             : NO_RULE,
                        rules);
}

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
    if (step->what == 'w' && step->who == actor)
        return c->ovf ? RULES(R32, R29) : RULES(R29, R32);
    return rules_of_side_effect(step, actor, c->ovf ? R29 : R28);
}

/* The CCCR is not as it was written. Where it counted, something has changed it that must not. */
static uint32_t rules_of_cccr(const struct course_step *step, unsigned actor, uint32_t lost)
{
    if (step->what == 'e')
        return lost & CCCR_ENABLE ? RULES(R43, R29, R32) : RULES(R32, R3);
    return rules_of_side_effect(step, actor, step->who == actor ? RULES(R32, R3, R38) : R32);
}

/* R11 to R13: do the flags of the step select the work? */
static enum tri flagged(const struct course_state *s, const struct course_step *step,
                        const struct course_kind *kind)
{
    const bool independent = is_independent(s, kind);

    switch (step->how) {
    case 0:
    case 'A':
    case 'F':
    case 'W':
    case 'R':
    case 'B':
        return YES;
    case 'N':
        return NO;
    case 'O':
        return step->level ? OPEN : YES; /* on the way to another CPL some is done at CPL 0 */
    case 'U':
        return step->level ? YES : independent && s->runs ? OPEN : NO; /* the sibling's loop is at CPL 3 */
    case 'S': /* the other one is at CPL 3, or halted */
        return !independent ? NO : step->level ? OPEN : YES;
    case 'X':
        if (independent)
            return YES;
        return !s->ht || other_rests(s, step) ? NO : OPEN;
    default:
        return OPEN;
    }
}

/* Does the step ask whom its ESCRs count? */
static bool qualifies(const struct course_step *step)
{
    return (step->how && step->how != 'W' && step->how != 'R') || step->level || step->by_sibling;
}

/* A carry out of this bit or a lower one that was lost, or came twice, leaves a value that is wrong by a
 * power of two, and by no other number. */
static bool is_wrong_by_carry(const struct course_counter *c, uint64_t due, uint64_t own)
{
    const uint64_t less = (due - own) & COUNTER_MASK, more = (own - due) & COUNTER_MASK,
                   bit = less & (less - 1) ? more : less, below = bit - 1;

    return own != due && !(bit & below) && (c->at & below) + (due & below) >= bit;
}

/* Could a carry be lost, or come twice, and the value be wrong by more than the spread? */
static bool has_carry(const struct course_counter *c, uint64_t due, uint64_t spread)
{
    for (uint64_t bit = 1; bit <= COUNTER_MASK; bit <<= 1)
        if (bit > spread && (c->at & (bit - 1)) + (due & (bit - 1)) >= bit)
            return true;
    return false;
}

/* Do these counts carry into bits 39:32? */
static bool carries(const struct course_counter *c, uint64_t counts)
{
    return (c->at ^ (c->at + counts)) >> 32;
}

/* What works in each clock of a window, if something does. Its failure is what it no longer does. */
static enum action action_of_window(const struct course_counter *c, const struct course_step *step)
{
    return is_edge(c->cccr)                                ? ACTION_EDGE
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
    const struct course_counter *x = actor_of(s, c->by_bit_11 ? c->source : c->alternate);
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

/* R44: has a counter of the block ENABLE, so that its ESCRs have power? A twin always has. */
static bool is_powered(const struct course_state *s)
{
    for (unsigned i = 0; i < s->actors; i++)
        if (s->actor[i].has_twin || (s->actor[i].cccr & CCCR_ENABLE))
            return true;
    return false;
}

/* Note the rules by which too few counts, or too many, would be called wrong. */
static void note_count(struct course_state *s, const struct course_counter *c, const struct course_step *step,
                       bool less, bool more, uint64_t value)
{
    if (!rules_are_noted())
        return;
    NOTE(less, rules_of_count(s, c, step, false, c->at));
    NOTE(less && moved_past_0(c, value), rules_of_count(s, c, step, false, 0));
    NOTE(more, rules_of_count(s, c, step, true, value));
}

static void judge_movement(struct course_state *s, unsigned i, const struct course_step *step,
                           const struct course_seen *seen, struct course_wrong *wrong)
{
    struct course_counter *c = &s->actor[i];
    const bool complements = course_complements(c->cccr);
    const enum tri selected = seen->events >> i & 1 ? flagged(s, step, c->kind) : NO;
    const bool present = selected != NO, sure = selected == YES && c->kind->sure && !(c->cccr & CCCR_COMPARE);
    const uint64_t own = seen->actor[i].own, access = complements ? ACCESSES_ADD : 0;
    const uint32_t due = (step->bits ? step->bits : COURSE_WORK) * (step->how == 'B' ? 4 : 1);
    /* On the way to another CPL registers are written, which may raise the counts next to the overflow (E20).
     */
    const bool early =
        c->at > COUNTER_OVERFLOW_IN(E20_COUNTS) || (step->level && seen->actor[i].value < c->at);
    const uint64_t apart = seen->actor[i].apart > SKEW ? seen->actor[i].apart : SKEW;
    const uint64_t spread = (complements && !is_edge(c->cccr) ? apart : access) +
                            (is_edge(c->cccr) && !c->edge_known ? EDGES : 0) + (early ? E20_COUNTS : 0);
    const enum tri gated = gate(s, c, step);
    enum tri running = runs(s, c);

    const enum tri started = running == NO ? starts_now(s, c, step, seen) : NO;
    if (started != NO)
        running = OPEN;
    if (c->has_twin && sure) {
        const uint32_t rules = rules_of_work(s, c, step, RULES(R7, R21));

        NOTE(expect(wrong, i, qualifies(step) ? ACTION_QUALIFICATION : ACTION_COUNT, rules, due, UNBOUNDED,
                    seen->actor[i].twin, "counts of its twin"),
             rules);
    }
    const bool surely = running == YES && gated == YES;
    const uint64_t twin = seen->actor[i].twin;
    c->edge_known = surely && present;
    if (surely && complements && CCCR_GET_THRESHOLD(c->cccr) == CCCR_GET_THRESHOLD(CCCR_THRESHOLD_MASK) &&
        !is_edge(c->cccr) && (seen->events >> i & 1)) /* without an event it is question 11.1 */
        NOTE(
            expect(wrong, i, ACTION_THRESHOLD, RULES(R16, R22), 1, UNBOUNDED, own, "clocks without an event"),
            RULES(R16, R22));
    if (complements && is_edge(c->cccr) && c->kind && c->kind->single &&
        CCCR_GET_THRESHOLD(c->cccr) >= SPARSE) {
        /* Without EDGE it counts each clock, and an occurrence lasts one; without an event see above. */
        const bool is_judged = surely && (seen->events >> i & 1) && due > access;

        if (is_judged)
            judged(c, ACTION_EDGE);
        NOTE(expect(wrong, i, ACTION_EDGE, RULES(R22, R23), 0, access, own, "edges") && is_judged,
             RULES(R22, R23));
    }
    if (running == NO || gated == NO) {
        const bool counts = c->has_twin && !course_is_sparse(c->cccr)
                                ? twin > (is_edge(c->cccr) ? EDGES : 0)
                                : selected == YES && c->kind->sure && !(c->cccr & CCCR_COMPARE);

        const uint32_t rules = rules_of_rest(s, c, running);

        NOTE(expect(wrong, i, action_of_rest(c, running, gated, counts && !complements), rules, 0, access,
                    own, "counts, which must be none") &&
                 (counts || complements),
             rules);
        return;
    }
    if (!present && !complements) {
        const bool given = seen->events >> i & 1;

        const bool is_judged =
            surely &&
            (!given || (c->kind->sure && !(c->cccr & CCCR_COMPARE) && due > (early ? E20_COUNTS : 0)));
        const uint32_t rules = given              ? RULES(R12, R13, R11)
                               : c->started != NO ? RULES(c->again ? R39 : R37, R33, R7)
                                                  : RULES(R7, R2);

        if (given && is_judged)
            judged(c, ACTION_QUALIFICATION);
        NOTE(expect(wrong, i, given ? ACTION_QUALIFICATION : ACTION_COUNT, rules, 0, early ? E20_COUNTS : 0,
                    own, "counts without an event") &&
                 is_judged,
             rules);
        return;
    }
    if (!c->has_twin) {
        if (surely && sure && is_powered(s))
            note_count(s, c, step,
                       expect(wrong, i, action_of_count(s, c, step, seen, true, false),
                              rules_of_count(s, c, step, false, seen->actor[i].value), due, UNBOUNDED, own,
                              "counts"),
                       false, seen->actor[i].value);
        return;
    }
    const uint64_t least = twin > spread ? twin - spread : 0;
    if (course_is_sparse(
            c->cccr)) { /* clocks with more than t events are at most a (t + 1)th of the events */
        if (surely && course_passes_none(c) && twin > 0)
            judged(c, ACTION_THRESHOLD);
        NOTE(expect(wrong, i, ACTION_THRESHOLD, RULES(R22, R26, R32), 0,
                    course_passes_none(c) ? 0 : (uint32_t)twin / (unsigned)(CCCR_GET_THRESHOLD(c->cccr) + 1),
                    own, "counts above the threshold, of its twin's") &&
                 surely && twin > 0,
             RULES(R22, R26, R32));
        return;
    }
    const bool by_carry = running != NO && is_wrong_by_carry(c, twin, own);
    const enum action action = action_of_count(s, c, step, seen, surely && least > 0, own > twin + spread);
    if (surely && carries(c, least) && carries(c, twin + spread))
        judged(c, ACTION_CARRY);
    const uint64_t low = surely ? least : started == YES && gated == YES && sure;
    const bool right = expect(
        wrong, i, by_carry ? ACTION_CARRY : action,
        by_carry ? RULES(R27, R28) : rules_of_count(s, c, step, own > twin + spread, seen->actor[i].value),
        low, twin + spread, own, "counts, as its twin");
    note_count(s, c, step, right && low, right && running != NO, seen->actor[i].value);
    NOTE(right && surely && rules_are_noted() && has_carry(c, twin, spread), RULES(R27, R28));
}

/* ---- Overflow, what it starts, and PMIs ---- */

/* E3: a counter that may be cascaded; E5: OVF_PMI_T1. */
static bool is_excused(const struct course_state *s, const struct course_counter *c, unsigned lp)
{
    return (s->e3 && (c->cccr & LINKS)) || (s->e5 && lp == 1);
}

static void raise(const struct course_state *s, struct course_counter *c, bool surely,
                  struct course_pmis *pmis)
{
    const uint8_t actor = (uint8_t)(1u << (c - s->actor));

    for (unsigned lp = 0; lp < 2; lp++) {
        if (!(c->cccr & ovf_pmi_of(lp)))
            continue;
        pmis->raisers[lp] |= actor;
        pmis->most[lp] = pmis->again[lp] ? 2 : 1; /* clocks: before LVTPC was unmasked, and then again */
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
        if (s->actor[i].ovf != NO && (s->actor[i].cccr & ovf_pmi_of(lp)))
            return true;
    return false;
}

/* R49: LVTPC of lp has been unmasked, and as long as OVF stands the request does. */
static void raise_again(const struct course_state *s, unsigned lp, struct course_pmis *pmis)
{
    pmis->again[lp] = true;
    pmis->most[lp] = stands(s, lp);
    for (unsigned i = 0; i < s->actors; i++) {
        if (s->actor[i].ovf != NO && (s->actor[i].cccr & ovf_pmi_of(lp)))
            pmis->raisers[lp] |= (uint8_t)(1u << i);
        if (s->actor[i].ovf == YES && (s->actor[i].raised >> lp & 1) && !is_excused(s, &s->actor[i], lp))
            pmis->least[lp] = pmis->most[lp] = 1;
    }
}

/* Courses unmask LVTPC by U where no request stands. But an SMI may have made a counter count past its
 * overflow several steps ago, when it was witnessed: R49 then brings the PMI again. */
static void note_standing(struct course_state *s, unsigned lp)
{
    for (unsigned i = 0; i < s->actors; i++)
        s->again[lp] |=
            s->actor[i].ovf != NO && s->actor[i].request != YES && (s->actor[i].cccr & ovf_pmi_of(lp));
}

/* Is only one of the actors, and one that raises one PMI in a step? With FORCE_OVF each count raises one. */
static bool is_only_raiser(const struct course_state *s, uint8_t raisers)
{
    for (unsigned i = 0; i < s->actors; i++)
        if (raisers == 1u << i)
            return !(s->actor[i].cccr & CCCR_FORCE_OVF);
    return false;
}

/* OVF of the actor has come, surely or perhaps: R33 starts what waits for it. */
static void start_others(struct course_state *s, struct course_counter *by, enum tri come)
{
    for (unsigned i = 0; i < s->actors; i++) {
        struct course_counter *c = &s->actor[i];

        if (!starts(by, c))
            continue;
        if (c->started == YES) {
            c->start_judged = true; /* a start that was lost comes by this OVF */
            continue;
        }
        c->again |= c->halted;
        c->start_judged = c->started == OPEN;
        c->by_bit_11 = (c->cccr & CCCR_CASCNT) && c->source == by->number;
        c->halted = c->rewritten = by->rewritten = false;
        c->started = come == YES && !(by->cccr & CCCR_FORCE_OVF) ? YES : OPEN;
    }
}

/* clocks: before the step or after it the actor counts clocks without an event. */
static void judge_overflow(struct course_state *s, unsigned i, bool clocks, const struct course_step *step,
                           const struct course_seen *seen, struct course_pmis *pmis,
                           struct course_wrong *wrong)
{
    struct course_counter *c = &s->actor[i];
    const uint64_t own = seen->actor[i].own, before = c->at, after = seen->actor[i].value;
    const bool complements = course_complements(c->cccr), forced = c->cccr & CCCR_FORCE_OVF;
    const bool single = !complements && c->kind && (c->kind->single || (c->cccr & CCCR_COMPARE));
    const bool ovf = seen->actor[i].cccr & CCCR_OVF;
    /* A write of the CCCR races with the clocks that the counter counts: the OVF of an overflow just before
     * it is lost (R32), and a PMI came by the flags before it or by those after it. */
    const bool races = clocks && (step->what == 'w' || step->what == 'k') && step->who == i;
    const enum tri moved = overflowed(s, c, seen, i), come = moved != NO && races ? OPEN : moved;

    const bool wrapped = moved_past_0(c, after) && c->ovf == NO && !races;

    c->wrapped = wrapped && (c->cccr & (CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1));
    c->unflagged = wrapped && may_be_unflagged(s, c, seen->actor[i].cccr);
    /* With FORCE_OVF the next count would set OVF, too. */
    if (come == YES && c->ovf == NO && !forced && !(c->cccr & (CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1)))
        judged(c, ACTION_OVF);
    if (come != NO) {
        c->ovf = come == YES || c->ovf == YES ? YES : OPEN;
        start_others(s, c, come);
    }
    /* R46: the count after the overflow raises the PMI. */
    if (c->request != NO && own) {
        raise(s, c, c->request == YES && !complements, pmis);
        c->request = NO;
    }
    if (forced && come != NO) {
        raise(s, c, own >= CLEAR && !complements, pmis);
        c->request = OPEN;
    } else if (come != NO) {
        const bool surely = (after >= CLEAR && !complements) || (single && after);

        if (after)
            raise(s, c, surely, pmis);
        c->request = surely ? NO : after || come == OPEN ? OPEN : YES;
    }
    if (own && before > COUNTER_OVERFLOW_IN(E20_COUNTS)) /* E20 */
        raise(s, c, false, pmis);
    for (unsigned lp = 0; lp < 2; lp++)
        if (races && come != NO && (step->bits & ovf_pmi_of(lp)))
            pmis->most[lp] = 1;
    if (c->ovf == OPEN) {
        c->ovf = ovf;
        if (ovf)
            start_others(s, c, OPEN);
        return;
    }
    const uint32_t rules = c->ovf != ovf || rules_are_noted() ? rules_of_ovf(c, step, i, come) : 0;

    NOTE(expect(wrong, i, ACTION_OVF, rules, c->ovf, c->ovf, ovf, "OVF"), rules);
}

/* The actor whose PMIs they are. */
static unsigned actor_of_pmis(const struct course_state *s, const struct course_pmis *due, unsigned lp)
{
    for (unsigned i = 0; i < s->actors; i++)
        if (due->raisers[lp] == 1u << i)
            return i;
    for (unsigned i = s->actors; i-- > 0;)
        if ((s->actor[i].cccr & ovf_pmi_of(lp)) && s->actor[i].ovf != NO)
            return i;
    return 0;
}

/* Too many PMIs on this logical processor, or too few. What LP0 lacks and LP1 has too many of has gone to the
 * wrong one; what LP1 alone lacks is not brought to it. */
static uint32_t rules_of_pmis(const struct course_state *s, unsigned lp, const struct course_pmis *due,
                              const unsigned taken[2])
{
    uint32_t cccrs = 0;
    bool started = false;

    for (unsigned i = 0; i < s->actors; i++) {
        cccrs |= s->actor[i].cccr & ovf_pmi_of(lp) ? s->actor[i].cccr : 0;
        started |= s->actor[i].cccr & ovf_pmi_of(lp) && s->actor[i].started != NO;
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

/* An overflow without OVF is E9 only if its own PMI came, and only now and then. Where none can come, or
 * comes with the next count, E9 cannot be told from an OVF that was lost. */
static void judge_unflagged(struct course_state *s, unsigned i, const unsigned taken[2],
                            struct course_wrong *wrong)
{
    struct course_counter *c = &s->actor[i];
    bool excused = c->at < JUST;

    if (!c->wrapped)
        return;
    for (unsigned lp = 0; lp < 2; lp++)
        if (c->cccr & ovf_pmi_of(lp))
            excused |= !s->open[lp] || taken[lp] || is_excused(s, c, lp);
    NOTE(expect(wrong, i, ACTION_OVF, RULES(R29, R28), 1, 1,
                unflagged_accepts(c->number, !c->unflagged, excused), "OVF"),
         RULES(R29, R28));
}

/* Does an actor have an OVF, or flags with which it would interrupt a logical processor? */
static bool concerns_pmis(const struct course_state *s)
{
    for (unsigned i = 0; i < s->actors; i++)
        if (s->actor[i].ovf != NO || (s->actor[i].cccr & (CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1)))
            return true;
    return false;
}

/* Note the rules by which a PMI too few, or too many, on this logical processor would be called wrong. A PMI
 * that LP0 lacks may have come to LP1. */
static void note_pmis(const struct course_state *s, unsigned lp, const struct course_pmis *due)
{
    const unsigned fewer[2] = {0, 0}, more[2] = {due->most[0] + 1, due->most[1] + 1};
    const unsigned misled[2] = {0, due->most[1] + 1};

    NOTE(due->again[lp], RULES(R49, R50, R45));
    if (due->again[lp] || !rules_are_noted())
        return;
    NOTE(due->least[lp], rules_of_pmis(s, lp, due, fewer));
    NOTE(due->least[lp] && lp == 0 && s->ht, rules_of_pmis(s, lp, due, misled));
    NOTE(true, rules_of_pmis(s, lp, due, more));
}

void course_judge_pmis(struct course_state *s, const struct course_pmis *due, const unsigned taken[2],
                       bool unmasked, struct course_wrong *wrong)
{
    for (unsigned i = 0; i < s->actors; i++)
        judge_unflagged(s, i, taken, wrong);
    for (unsigned lp = 0; lp < 2; lp++) {
        const unsigned by = actor_of_pmis(s, due, lp);
        const enum action action = lp ? ACTION_PMI_LP1 : ACTION_PMI_LP0;

        if (due->least[lp] && due->is_only_one[lp])
            judged(&s->actor[by], action);
        if (expect(wrong, by, action,
                   due->again[lp] ? RULES(R49, R50, R45) : rules_of_pmis(s, lp, due, taken), due->least[lp],
                   due->most[lp], taken[lp], lp ? "PMIs taken on LP1" : "PMIs taken on LP0") &&
            concerns_pmis(s))
            note_pmis(s, lp, due);
        if (taken[lp]) { /* by the delivery (R51), and the handler leaves it so */
            s->open[lp] = false;
            s->delivered[lp] = true;
        }
        s->again[lp] &= !taken[lp] && stands(s, lp);
    }
    NOTE(expect(wrong, 0, ACTION_OTHER, RULES(R51, R50), s->open[s->self], s->open[s->self], unmasked,
                "LVTPC unmasked") &&
             concerns_pmis(s),
         RULES(R51, R50));
}

/* ---- Steps ---- */

/* R32: a CCCR is what was written, and OVF is cleared by a 0. */
static void write_cccr(struct course_state *s, struct course_counter *c, const struct course_step *step,
                       const struct course_seen *seen)
{
    const uint32_t was = c->cccr;

    c->cccr = seen->written & ~CCCR_OVF;
    c->was_forced |= (was & CCCR_FORCE_OVF) != 0;
    c->rewritten = true;
    c->edge_known = false;
    c->again |= (c->cccr & ~was & LINKS) != 0;
    c->rerouted |= ((was ^ c->cccr) & CCCR_ESCR_SELECT_MASK) != 0;
    if (step->bits & CCCR_OVF) {
        c->ovf = NO;
        c->request = NO; /* R49: the request stands as long as OVF does */
        c->raised = 0;
    }
    c->raised &= (c->cccr & CCCR_OVF_PMI_T0 ? 1 : 0) | (c->cccr & CCCR_OVF_PMI_T1 ? 2 : 0);
    if ((course_complements(was) || course_complements(c->cccr)) && ((was | c->cccr) & CCCR_FORCE_OVF))
        c->ovf = OPEN;
    for (unsigned lp = 0; lp < 2; lp++) /* a written OVF, and OVF_PMI set while OVF stands: question 10.3 */
        s->again[lp] |= c->ovf != NO && (c->cccr & ovf_pmi_of(lp));
    for (unsigned i = 0; i < s->actors; i++) {
        struct course_counter *y = &s->actor[i];
        const bool armed_anew = y == c && (c->cccr & ~was & LINKS);

        y->halt_judged |= y == c || y->alternate == c->number || y->source == c->number; /* halts it again */
        const enum tri set = waits_for_set(s, y);

        /* R38: without the flag or without the OVF nothing runs by a cascade. R39 for a flag set while OVF
         * stands is inferred only. */
        if (set == NO) {
            if (y->started != NO) {
                y->halted = true;
                y->halt_judged = y->started == OPEN; /* perhaps there is nothing to halt */
            }
            y->started = NO;
        } else if ((step->bits & CCCR_OVF) && y->started == YES && starts(c, y))
            y->started = OPEN; /* the other flag and OVF may not have started it (question 10.1) */
        else if ((armed_anew && y->started == NO) || (y == c && seen->read_as_enabled))
            y->started = OPEN;
    }
}

/* What a step changes beside its events. */
static void act(struct course_state *s, const struct course_step *step, const struct course_seen *seen)
{
    const unsigned lp = s->self ^ step->by_sibling;

    /* While the sibling works this logical processor halts, or waits at CPL 3. */
    s->before = step->what != 'e' ? step->what : step->by_sibling ? 'h' : s->before;
    switch (step->what == 'e' && step->how == 'R' ? 'i' : step->what) {
    case 'w':
    case 'k':
        write_cccr(s, &s->actor[step->who], step, seen);
        break;
    case 'v':
        /* The upper half is what a write may lose. A second write, or clocks that are counted, hide it. */
        if (!seen->twice && !course_complements(s->actor[step->who].cccr) &&
            (seen->preset ^ s->actor[step->who].at) >> 32)
            judged(&s->actor[step->who], ACTION_PRESET);
        s->actor[step->who].at = seen->preset; /* R4: and nothing else */
        s->actor[step->who].rewritten = true;
        break;
    case 'l':
        if (step->how != 'I') {
            s->open[lp] = step->how != 'M';
            s->delivered[lp] = false;
        }
        if (step->how == 'U')
            note_standing(s, lp);
        break;
    case 'i':
        s->open[s->self ^ 1] = false;
        for (unsigned i = 0; i < s->actors; i++)
            s->actor[i].raised &= 1u << s->self; /* what INIT leaves of a request is open */
        break;
    case 's':
        s->runs = step->how == 'R';
        break;
    default:
        break;
    }
}

struct course_pmis course_judge(struct course_state *s, const struct course_step *step,
                                const struct course_seen *seen, struct course_wrong *wrong)
{
    struct course_pmis due = {.least = {0, 0}};
    const bool events = step->what == 'e';
    bool moved[2] = {false, false};   /* an actor that interrupts this logical processor */
    bool anytime[2] = {false, false}; /* and one that does so whenever an SMI wakes the sibling */
    uint32_t counted = 0; /* set of actors that count clocks without an event, before the step or after it */
    uint32_t wrapped = 0; /* set of actors that overflow */

    for (unsigned i = 0; i < s->actors; i++)
        counted |= (uint32_t)course_complements(s->actor[i].cccr) << i;
    act(s, step, seen);
    if (step->what == 'l' && step->how == 'F')
        raise_again(s, s->self ^ step->by_sibling, &due);
    for (unsigned i = 0; i < s->actors; i++) {
        const uint32_t held =
            ~(CCCR_OVF | (s->actor[i].cccr & LINKS ? CCCR_ENABLE : 0)); /* R36: it may read 1 */
        const uint32_t due_cccr = s->actor[i].cccr & held, cccr = seen->actor[i].cccr & held;

        counted |= (uint32_t)course_complements(s->actor[i].cccr) << i;
        if (due_cccr != cccr && !wrong->quantity) { /* and what it counts follows from that */
            (void)expect(wrong, i, ACTION_OTHER, rules_of_cccr(step, i, due_cccr & ~cccr), due_cccr, due_cccr,
                         cccr, "its CCCR");
            wrong->is_register = true;
        }
        NOTE(!wrong->quantity, rules_of_cccr(step, i, 0));
        NOTE(!wrong->quantity, rules_of_cccr(step, i, due_cccr));
        if (events)
            judge_movement(s, i, step, seen, wrong);
        else if (!(counted >> i & 1) && (seen->actor[i].own || rules_are_noted())) {
            const uint32_t rules = rules_of_side_effect(step, i, RULES(R32, R27));

            NOTE(expect(wrong, i, step->what == 'v' && step->who == i ? ACTION_PRESET : ACTION_COUNT, rules,
                        0, 0, seen->actor[i].own, "counts without an event"),
                 rules);
        }
    }
    for (unsigned i = 0; i < s->actors; i++) {
        struct course_counter *a = &s->actor[i];

        judge_overflow(s, i, counted >> i & 1, step, seen, &due, wrong);
        if (step->what == 'r' && step->who == i && !course_complements(a->cccr))
            judged(a, ACTION_READING);
        NOTE(expect(wrong, i, ACTION_READING, RULES(R57, R60, R5), 0, 0, seen->actor[i].differs,
                    "readings that differ") &&
                 step->what == 'r' && step->who == i,
             RULES(R57, R60, R5));
        if (seen->actor[i].escr_changed || (a->escr && rules_are_noted())) {
            const uint32_t rules = rules_of_side_effect(step, i, RULES(R3, R2));

            NOTE(expect(wrong, i, ACTION_OTHER, rules, 0, 0, seen->actor[i].escr_changed,
                        "bits of its ESCR that have changed"),
                 rules);
        }
        wrapped |= (uint32_t)moved_past_0(a, seen->actor[i].value) << i;
        a->at = seen->actor[i].value;
        for (unsigned lp = 0; lp < 2; lp++)
            moved[lp] |= seen->actor[i].own && (a->cccr & ovf_pmi_of(lp));
    }
    for (unsigned i = 0; i < s->actors; i++) {
        /* What the overflow brings may be why its start is judged later. */
        s->actor[i].start_judged |= wrapped >> i & 1;
        for (unsigned lp = 0; lp < 2; lp++)
            anytime[lp] |= counts_beside_smis(s, &s->actor[i]) && (s->actor[i].cccr & ovf_pmi_of(lp));
    }
    for (unsigned lp = 0; lp < 2; lp++) {
        due.is_only_one[lp] =
            due.most[lp] == 1 && is_only_raiser(s, due.raisers[lp]) && (due.again[lp] || !s->again[lp]);
        due.may_come[lp] = s->open[lp] && due.most[lp];
        s->again[lp] |= due.most[lp];
        if (!s->open[lp] || !s->again[lp] || (events && !moved[lp])) /* R46: only a count raises one */
            due.most[lp] = 0;
        else if (due.most[lp] == 0)
            due.most[lp] = 1;
        due.most[lp] |= s->open[lp] && anytime[lp];
        due.least[lp] &= s->open[lp];
    }
    return due;
}

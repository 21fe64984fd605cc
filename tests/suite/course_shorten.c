/*
 * A course is expected to do what the rules say. If it fails, what the failure does not need is left out: of
 * the shortest course that still fails and the nearest that passes the difference is the condition of the
 * defect.
 */
#include "course_failed.h"
#include "course_play.h"
#include "course_steps.h"
#include "expect.h"
#include "kernel/board/board.h"
#include "kernel/lib/lib.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "machine.h"
#include "needs.h"
#include "setting.h"

#define SHORTENING_MS 300 /* of a course */
#define SHORTENING_S  10  /* of all courses of a run together */

/* They say that something was written, and not what. */
#define WRITES (SETTING_CCCR_WRITE | SETTING_COUNTER_WRITE)

struct shortening {
    struct course_player player;
    struct course best, passes;
    struct course_wrong wrong; /* with the best */
    struct timeout patience;
    bool passed, shorter; /* shorter: the best has changed */
    uint32_t words;       /* course_in_use() of the actor that goes wrong */
    uint32_t needs;       /* those without which a course has passed */
};

/* The simpler course becomes the best if it still fails in the same way; it is played only once, so anything
 * else may be a disturbance. If it passes, the failure needs what it lacks: `without`, or if that is 0 the
 * one word that it lost. */
static void try_simpler(struct shortening *s, const struct course *simpler, uint32_t without)
{
    if (timeout_passed(&s->patience))
        return;
    const struct course_wrong wrong = course_play(&s->player, simpler);

    if (wrong.quantity && strcmp(wrong.quantity, s->wrong.quantity) != 0)
        return;
    if (wrong.quantity) {
        s->best = *simpler;
        s->best.steps = wrong.step;
        s->wrong = wrong;
        s->shorter = true;
        s->player.course = &s->best;
        s->words = course_in_use(&s->player, wrong.actor);
        return;
    }
    uint32_t lost = without ? without : s->words & ~course_in_use(&s->player, s->wrong.actor);

    if (lost & ~(uint32_t)WRITES)
        lost &= ~(uint32_t)WRITES;
    s->passes = *simpler;
    s->passed = true;
    if (without || (lost & (lost - 1)) == 0)
        s->needs |= lost;
}

static void leave_out_steps(struct shortening *s, unsigned width)
{
    for (unsigned end = s->best.steps; end >= width;
         end = end - 1 < s->best.steps ? end - 1 : s->best.steps) {
        struct course simpler = s->best;

        for (unsigned i = 0; i < width; i++)
            course_without(&simpler, end - 1 - i);
        try_simpler(s, &simpler, 0);
    }
}

static bool is_in_a_step(const struct course *course, unsigned actor)
{
    for (unsigned i = 0; i < course->steps; i++) {
        const struct course_step *step = &course->step[i];

        if ((step->actors >> actor & 1) || (course_row(step)->of == OF_ONE && step->actor == actor))
            return true;
    }
    return false;
}

/* Counters behind the one that goes wrong that no step is about: they only hold something. */
static void leave_out_actors(struct shortening *s)
{
    for (unsigned out = s->best.actors; --out > s->wrong.actor;) {
        struct course simpler = s->best;

        if (is_in_a_step(&simpler, out))
            continue;
        simpler.actors--;
        for (unsigned i = out; i < simpler.actors; i++)
            simpler.actor[i] = simpler.actor[i + 1];
        for (unsigned i = 0; i < simpler.steps; i++) {
            struct course_step *step = &simpler.step[i];
            const unsigned before = step->actors & ((1u << out) - 1);

            step->actors = (uint8_t)(before | (step->actors >> (out + 1) << out));
            step->actor -= step->actor > out;
        }
        try_simpler(s, &simpler, 0);
    }
}

static void leave_out_bits_of_actors(struct shortening *s)
{
    for (unsigned bit = 0; bit < s->best.actors * 32u; bit++) {
        struct course simpler = s->best;
        uint32_t *cccr = &simpler.actor[bit / 32].cccr;
        const uint32_t was = *cccr;

        *cccr = 1u << bit % 32 & CCCR_ACTIVE_MASK ? was | CCCR_ACTIVE_MASK
                                                  : was & ~(1u << bit % 32 & ~CCCR_ENABLE);
        if (*cccr != was)
            try_simpler(s, &simpler,
                        bit / 32 == s->wrong.actor ? setting_of_cccr(was) & ~setting_of_cccr(*cccr) : 0);
    }
}

static bool is_changed(const struct course_step *step, const struct course_step *was)
{
    return step->fields != was->fields || step->how != was->how || step->flags != was->flags ||
           step->level != was->level;
}

/* What is special in a step, and who does it. */
static void simplify_steps(struct shortening *s)
{
    for (unsigned i = 0; i < s->best.steps; i++) {
        const struct course_row *row = course_row(&s->best.step[i]);
        struct course simpler = s->best;

        for (unsigned way = 0; row->simplify && row->simplify(&simpler.step[i], way); way++) {
            if (is_changed(&simpler.step[i], &s->best.step[i]))
                try_simpler(s, &simpler, 0);
            simpler = s->best;
        }
        simpler = s->best;
        if (simpler.step[i].by_sibling) {
            simpler.step[i].by_sibling = false;
            try_simpler(s, &simpler, s->words & (SETTING_LP1 | SETTING_T1_ALONE));
        }
    }
}

/* A counter that counts by the ESCR of the one that goes wrong gets an event of another unit. If that passes,
 * the failure needs what they shared. */
static void separate_actors(struct shortening *s)
{
    const struct course_actor *wrong = &s->best.actor[s->wrong.actor];

    for (unsigned i = 0; i < s->best.actors; i++) {
        struct course simpler = s->best;
        struct course_actor *a = &simpler.actor[i];

        if (i == s->wrong.actor || PMC_COUNTER[a->counter].side != PMC_COUNTER[wrong->counter].side ||
            course_select(a->counter, a->event) != course_select(wrong->counter, wrong->event))
            continue;
        a->event = (uint8_t)course_first_like(a->counter, a->event ^ 1u);
        try_simpler(s, &simpler, SETTING_SHARED);
    }
}

/* Leave out what the failure does not need: steps, by halves and in the end one by one, then counters and
 * bits, then what is special in a step, and a shared ESCR; and all once more, as long as that makes something
 * else needless. */
static void shorten(struct shortening *s)
{
    s->patience = timeout_in_us(SHORTENING_MS * 1000);
    for (unsigned width = (s->best.steps + 1u) / 2; width > 1; width /= 2)
        leave_out_steps(s, width);
    do {
        s->shorter = false;
        leave_out_steps(s, 1);
        leave_out_actors(s);
        leave_out_bits_of_actors(s);
        simplify_steps(s);
        separate_actors(s);
    } while (s->shorter);
}

/* As long as there is time left for it in this run. */
static void shorten_in_time(struct shortening *s)
{
    static uint64_t spent; /* clocks */
    const uint64_t from = rdtsc();

    if (clock_seconds_since(from - spent) >= SHORTENING_S)
        return;
    shorten(s);
    spent += rdtsc() - from;
}

bool course_expect(const struct course *course, const char *name)
{
    static struct shortening s; /* larger than what a stack should hold */

    s.wrong = course_play(&s.player, course);
    if (!s.wrong.quantity) /* the judge has noted the rules */
        return true;
    s.best = *course;
    s.passed = false;
    s.needs = 0;
    s.best.steps = s.wrong.step;
    s.words = course_in_use(&s.player, s.wrong.actor);
    if (expect_decides())
        shorten_in_time(&s);
    const struct course_wrong *wrong = &s.wrong;
    const struct course_counter *c = &s.player.state.actor[wrong->actor];
    const unsigned n = s.best.actor[wrong->actor].counter;

    setting_only((s.needs & s.words ? s.needs & s.words : s.words) |
                 (wrong->of_twin ? setting_of_cccr(s.player.actor[wrong->actor].twin_cccr) : 0));
    if (c->escr)
        setting_counter(&(struct pmc_programming){.counter = (uint8_t)n, .escr_msr = c->escr});
    course_failed(&s.best, s.passed ? &s.passes : NULL);
    expect_about(course_act(&s.best, wrong));
    if (wrong->bystander) {
        const struct pmc_counter *const beside = &PMC_COUNTER[wrong->bystander - 1];

        expect_register(wrong->rules, wrong->low, wrong->observed,
                        "%R, beside counter %C and its course (%s)",
                        wrong->is_register ? beside->cccr_name : beside->counter_name, n, name);
    } else if (wrong->is_register)
        expect_register(wrong->rules, wrong->low, wrong->observed,
                        "%R of counter %C, step %u of its course (%s)", PMC_COUNTER[n].cccr_name, n,
                        wrong->step, name);
    else if (wrong->of_twin)
        expect_between(wrong->rules, wrong->low, wrong->high, wrong->observed,
                       "counter %C, step %u of its course (%s): %s, counter %u", n, wrong->step, name,
                       wrong->quantity, s.player.actor[wrong->actor].twin);
    else
        expect_between(wrong->rules, wrong->low, wrong->high, wrong->observed,
                       "counter %C, step %u of its course (%s): %s", n, wrong->step, name, wrong->quantity);
    return false;
}

/* ---- What this machine can do ---- */

/* The bits of a counter's CCCR that it lacks. */
static uint32_t lacking(unsigned counter)
{
    const bool sibling = machine_meets() & NEED_SIBLING;
    const bool extended =
        machine_meets() & NEED_EXTENDED_CASCADE && PMC_COUNTER[counter].extended_from != PMC_NONE;

    return (sibling ? 0 : CCCR_OVF_PMI_T1) | (extended ? 0 : CCCR_CASCNT);
}

/* A write that is left without a field writes ENABLE as it is. */
static void adapt_write(struct course *course, unsigned step)
{
    struct course_step *s = &course->step[step];

    s->fields &= ~lacking(course->actor[s->actor].counter);
    if (!(machine_meets() & NEED_SIBLING))
        s->fields &= ~CCCR_ACTIVE_MASK;
    if (s->fields == 0) {
        s->fields = CCCR_ENABLE;
        s->bits = course_cccr_before(course, step, s->actor);
    }
    s->bits &= s->fields;
}

bool course_adapt(struct course *course)
{
    const unsigned met = machine_meets();
    unsigned kept = 0;

    course->boot = (uint8_t)smp_self();
    for (unsigned i = 0; i < course->actors; i++) {
        struct course_actor *a = &course->actor[i];

        a->cccr &= ~lacking(a->counter);
        if (!(met & NEED_SIBLING))
            a->cccr |= CCCR_ACTIVE_MASK; /* R19 */
    }
    for (unsigned i = 0; i < course->steps; i++) {
        struct course_step *step = &course->step[kept];
        const struct course_row *row = course_row(&course->step[i]);

        if (row->needs & ~met)
            continue;
        *step = course->step[i];
        step->by_sibling &= (met & NEED_SIBLING) != 0;
        if (row->adapt)
            row->adapt(step, met);
        if (row->does & DOES_CCCR)
            adapt_write(course, kept);
        kept++;
    }
    course->steps = (uint8_t)kept;
    return course->steps > 0;
}

/*
 * Chains of cascades: a counter that was started starts others in its turn, by CASCADE and by bit 11 mixed
 * (18.15.5.5 to 18.15.5.7, Table 18-65; R33, R34, R35, R37, R38, R40).
 *
 * The counters of the IQ block make trees of which every branch is a link of the manual. The longest is 12 ->
 * 14 -> 16 -> 17 -> 15 -> 13. Only the root is enabled. One counter after the other gets a preset near its
 * overflow and its event, until it overflows. Then exactly its branches must have been started with it:
 * whenever an ESCR has its event, every counter on it that was started moves by as much as the others there,
 * and any other holds its value. Parent and branch are on different ESCRs, so a branch counts nothing while
 * its parent overflows. In the end one counter is halted by its own CCCR, and then OVF of others is cleared,
 * which halts their branches: all others go on.
 *
 * On parts without bit 11 the trees lack the branches that need it.
 */
#include "cascade_twins.h"
#include "pmc/msr.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"

enum link { ENABLED, CASCADED, EXTENDED };

#define NODES 6
static const struct node {
    uint8_t counter, parent; /* parent: its place in the tree, before this node */
    uint8_t depth;
    uint8_t link;
} TREES[][NODES] = {
    /* clang-format off */
    {{12, 0, 0, ENABLED}, {14, 0, 1, CASCADED}, {16, 1, 2, CASCADED}, {17, 2, 3, EXTENDED}, {15, 3, 4, EXTENDED}, {13, 4, 5, CASCADED}},
    {{14, 0, 0, ENABLED}, {12, 0, 1, CASCADED}, {16, 0, 1, CASCADED}, {17, 2, 2, EXTENDED}, {15, 3, 3, EXTENDED}, {13, 4, 4, CASCADED}},
    {{16, 0, 0, ENABLED}, {12, 0, 1, EXTENDED}, {17, 0, 1, EXTENDED}, {14, 1, 2, CASCADED}, {15, 2, 2, EXTENDED}, {13, 4, 3, CASCADED}},
    {{17, 0, 0, ENABLED}, {15, 0, 1, EXTENDED}, {16, 0, 1, EXTENDED}, {13, 1, 2, CASCADED}, {12, 2, 2, EXTENDED}, {14, 4, 3, CASCADED}},
    /* clang-format on */
};
/* Armed in the root as well, which is enabled: its own link changes nothing (R36, R40). */
static const uint32_t ROOT_ARMED[] = {CCCR_CASCNT, CCCR_CASCADE, CCCR_CASCNT, CCCR_CASCNT};

#define LAPS       60 /* of jumps: as many instructions and as many taken branches */
#define NEAR_COUNT 20 /* events to the overflow; not as near as the presets of E20 */
#define FAR        COUNTER_OVERFLOW_IN(1ull << 39)

struct tree {
    const struct node *node;
    struct pmc_programming p[NODES];
    uint32_t cccr[NODES]; /* with ENABLE, CASCADE or bit 11 */
    uint64_t at[NODES];
    unsigned there;   /* set of nodes that this part has */
    unsigned running; /* set of nodes that must count */
};

static void program(struct tree *t, uint32_t root_armed)
{
    const bool extended = machine_meets() & NEED_EXTENDED_CASCADE;

    t->there = t->running = 0;
    for (unsigned i = 0; i < NODES; i++) {
        const struct node *n = &t->node[i];

        if ((n->link == EXTENDED && !extended) || (i > 0 && !(t->there >> n->parent & 1)))
            continue;
        t->there |= 1u << i;
        const uint32_t bits = n->link == ENABLED    ? CCCR_ENABLE | root_armed
                              : n->link == CASCADED ? CCCR_CASCADE
                                                    : CCCR_CASCNT;
        if (n->depth % 2 == 0)
            pmc_program(&t->p[i], EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS, escr_self_all(), n->counter);
        else
            pmc_program(&t->p[i], EVENT_BRANCH_RETIRED, BRANCH_RETIRED_TAKEN, escr_self_all(), n->counter);
        t->cccr[i] = t->p[i].cccr | bits;
    }
}

/* The branches first, so that the root is enabled when all are armed. */
static void arm(struct tree *t)
{
    pmc_stop_all();
    for (unsigned i = NODES; i-- > 0;) {
        struct pmc_programming silent = t->p[i];

        if (!(t->there >> i & 1))
            continue;
        silent.escr = 0;
        require_true(R4, pmc_arm(&silent, FAR), "counter %u holds its preset", silent.counter);
        t->at[i] = FAR;
        msr_write(MSR_CCCR(silent.counter), t->cccr[i]);
    }
    t->running = 1;
}

/* Give one node's ESCR events; expect its running counters to move equally, and no other counter to move. */
static bool step(struct tree *t, unsigned active, uint32_t rules, const char *when)
{
    const uint32_t escr = t->p[active].escr_msr;
    uint64_t expected = 0;

    msr_write(escr, t->p[active].escr);
    work_exercise(&work_jmp, LAPS);
    msr_write(escr, 0);
    for (unsigned i = 0; i < NODES; i++) {
        if (!(t->there >> i & 1))
            continue;
        const uint64_t now = pmc_read(t->p[i].counter), moved_by = (now - t->at[i]) & COUNTER_MASK;
        const bool counts = (t->running >> i & 1) && t->p[i].escr_msr == escr;

        t->at[i] = now;
        if (counts && expected == 0) {
            expected = moved_by;
            if (!expect_true(rules, moved_by >= LAPS, "counter %u counts %u events, %s (tree of %u)",
                             t->p[i].counter, LAPS, when, t->node[0].counter))
                return false;
        } else if (!expect_equal(rules, counts ? expected : 0, moved_by,
                                 "events of counter %u, %s (tree of %u)", t->p[i].counter, when,
                                 t->node[0].counter)) {
            return false;
        }
    }
    return true;
}

/* One step for each ESCR of the tree. */
static bool step_each(struct tree *t, uint32_t rules, const char *when)
{
    for (unsigned i = 0; i < NODES; i++) {
        bool done = !(t->there >> i & 1);

        for (unsigned j = 0; j < i; j++)
            done |= (t->there >> j & 1) && t->p[j].escr_msr == t->p[i].escr_msr;
        if (!done && !step(t, i, rules, when))
            return false;
    }
    return true;
}

static unsigned branches_of(const struct tree *t, unsigned parent)
{
    unsigned branches = 0;

    for (unsigned i = 1; i < NODES; i++)
        if ((t->there >> i & 1) && t->node[i].parent == parent)
            branches |= 1u << i;
    return branches;
}

/* The node overflows, and its branches start. */
static bool overflow(struct tree *t, unsigned i)
{
    const unsigned counter = t->p[i].counter;

    /* The counter may run by now. It has no event and no COMPARE, so the write is sound (E1). */
    t->at[i] = COUNTER_OVERFLOW_IN(NEAR_COUNT);
    require_true(R4, pmc_preset(counter, t->at[i]), "counter %u holds its preset", counter);
    if (!expect_true(R28, !pmc_overflowed(counter), "OVF of counter %u is 0 before (tree of %u)", counter,
                     t->node[0].counter) ||
        !step(t, i, i ? RULES(R33, R40, R34, R35) : R27, "before its overflow starts others") ||
        !expect_true(RULES(R29, R28), pmc_overflowed(counter), "OVF of counter %u is set (tree of %u)",
                     counter, t->node[0].counter))
        return false;
    t->running |= branches_of(t, i);
    return true;
}

/* Halt what node i started, or node i alone: all others go on. */
static bool halt(struct tree *t, unsigned i, bool branches)
{
    const unsigned counter = t->p[i].counter;

    if (!(t->there >> i & 1))
        return true;
    /* The root's CCCR is written back as it was armed, all others as they are read, because a start may have
     * set ENABLE (questions 10.1a, 10.1c). */
    if (branches && i > 0) {
        if (msr_read(MSR_CCCR(counter)) & CCCR_ENABLE)
            t->there &= ~(1u << i); /* written back, ENABLE may let it run without its parent (R36) */
        pmc_halt_by_overflow_flag(counter);
    } else if (branches) {
        msr_write(MSR_CCCR(counter), t->cccr[i]);
    } else {
        pmc_halt_by_cascade_flag(&t->p[i]);
    }
    t->running &= ~(branches ? branches_of(t, i) : 1u << i);
    return step_each(t, RULES(R38, R33),
                     branches ? "OVF of one counter cleared" : "one counter halted by its own CCCR");
}

static void chains(void)
{
    for (unsigned i = 0; i < 2 * COUNT_OF(TREES); i++) {
        struct tree t = {.node = TREES[i / 2]};

        const bool has_bit = machine_meets() & NEED_EXTENDED_CASCADE || ROOT_ARMED[i / 2] == CCCR_CASCADE;

        program(&t, i % 2 && has_bit ? ROOT_ARMED[i / 2] : 0);
        arm(&t);
        bool sound = step_each(&t, RULES(R33, R37, R34), "before any overflow");
        for (unsigned n = 0; n < NODES && sound; n++)
            sound = !(t.there >> n & 1) || overflow(&t, n);
        if (!sound || !step_each(&t, RULES(R33, R40, R34, R35), "all started") || !halt(&t, 1, false) ||
            !halt(&t, 2, true) || !halt(&t, 0, true))
            return;
    }
}

static const struct vector cascade_chains_rows[] = {
    CHECK("cascade.chains", "counters that were started start others, up to 12-14-16-17-15-13", .also = "R36",
          .deadline_ms = 5000, .run = chains),
};
VECTOR_GROUP(cascade_chains);

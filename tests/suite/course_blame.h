/*
 * Which rules are broken when a question of the judge has a wrong answer. It is asked after a failure, and in
 * a verbose run, which notes by which rules the right answers were judged.
 */
#ifndef TESTS_SUITE_COURSE_BLAME_H
#define TESTS_SUITE_COURSE_BLAME_H

#include "course_judge.h"

/* What is asked of an actor after a step. */
enum course_asked {
    ASKED_TWIN,      /* does its twin count the work at all? */
    ASKED_CLOCKS,    /* does it count clocks without an event? */
    ASKED_EDGES,     /* does EDGE count a level that does not change, or more edges than there are? */
    ASKED_REST,      /* does it stand still, though its events come? */
    ASKED_NOTHING,   /* does it count without events that it counts? */
    ASKED_WORK,      /* does it count the work? It has no twin */
    ASKED_SPARSE,    /* does its threshold pass few clocks, or none? */
    ASKED_COUNT,     /* does it count as its twin? */
    ASKED_CCCR,      /* is its CCCR what was written? */
    ASKED_STILL,     /* does it stand still in a step without events? */
    ASKED_OVF,       /* is its OVF set, or clear, as it must be? */
    ASKED_UNFLAGGED, /* is OVF set, or excused by E9? */
    ASKED_PMIS,      /* are as many PMIs taken as are due? */
    ASKED_NMIS,      /* are they NMIs, or fixed interrupts, as LVTPC says? */
    ASKED_MASK,      /* does their delivery mask LVTPC? */
    ASKED_LVTPC,     /* is LVTPC masked, as the delivery leaves it? */
    ASKED_READING,   /* do RDMSR and RDPMC read the same? */
    ASKED_ESCR,      /* does its ESCR hold what was written? */
    COURSE_QUESTIONS
};

/* An actor in a step of events. */
struct course_movement {
    struct course_counter *c;
    unsigned i;
    uint64_t own, twin; /* how far it moved, and its twin */
    uint64_t due;       /* occurrences that the work causes at least */
    uint64_t access;    /* counts that an access adds at most, if it counts clocks */
    uint64_t spread;    /* counts by which its twin and it differ at most */
    bool complements, given, present, early;
    bool counts_each; /* occurrence, if it runs */
    bool any;         /* what passes threshold 0 is surely counted, but not each occurrence (R22) */
    enum tri gated, running;
    bool runs_surely; /* and nothing gates it */
    enum tri started;
};

struct course_question {
    uint8_t asked; /* enum course_asked */
    uint8_t actor;
    uint8_t action; /* enum action: what the PMU does here */
    bool certain;   /* the rules say what must come, so that the right answer is by them */
    uint64_t low, high, observed;
    /* What the rules depend on. */
    const struct course_movement *movement; /* of REST, NOTHING and COUNT */
    uint8_t come;                           /* of OVF: enum tri: it overflows in this step */
    bool by_carry;                          /* of COUNT: what is wrong is a carry */
    bool counts; /* of WORK and COUNT: it surely counts something; of EDGES: it may count some */
    uint8_t lp;  /* of PMIS, NMIS and MASK */
    const struct course_pmis *due; /* of PMIS */
};

/* The rules that the wrong answer breaks, the most specific first. */
uint32_t course_blame(struct course_state *s, const struct course_step *step, const struct course_seen *seen,
                      const struct course_question *q);
/* Has the actor counted what it should, so that it is its twin that has not? Without COMPARE the twin has the
 * other filter fields than the actor. */
bool course_blames_twin(const struct course_state *s, const struct course_seen *seen,
                        const struct course_question *q);
/* Note the rules that wrong answers would break, as this one is right. Only if rules_are_noted(). */
void course_note(struct course_state *s, const struct course_step *step, const struct course_seen *seen,
                 const struct course_question *q);

#endif

/*
 * The state of a course as the rules say that it is: what was written, what counts, what has overflowed, who
 * takes a PMI. course_judge.c and course_blame.c ask here; the steps of course_steps.c change it.
 */
#ifndef TESTS_SUITE_COURSE_STATE_H
#define TESTS_SUITE_COURSE_STATE_H

#include "course.h"

/* Bits of a CCCR. */
#define COURSE_FILTER (CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD_MASK | CCCR_EDGE)
#define COURSE_INERT  (CCCR_COMPLEMENT | CCCR_THRESHOLD_MASK | CCCR_EDGE) /* without COMPARE */
#define COURSE_LINKS  (CCCR_CASCADE | CCCR_CASCNT)
#define COURSE_PMIS   (CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1)
#define COURSE_SPARSE 4 /* a threshold that few clocks pass */
#define COURSE_JUST   4 /* a counter that holds less has just overflowed */

/* An answer of the rules. OPEN: the manual leaves it open. */
enum tri { NO, YES, OPEN };

/* An actor. */
struct course_counter {
    uint8_t number, alternate, source; /* who starts it by CASCADE, by bit 11; 0FFH: nobody */
    const struct course_event *event;  /* what its ESCR counts; null: nothing */
    uint16_t escr;                     /* its address; 0 for an ESCR select without ESCR */
    uint32_t cccr;                     /* as written, but for OVF */
    bool has_twin;
    bool start_judged, halt_judged; /* its last start by a cascade, and its last halt */
    bool by_bit_11;                 /* and not by CASCADE, it was started last */
    bool edge_known;                /* its edge filter has run since it started or was written */
    bool rerouted;                  /* its ESCR select was changed */
    bool halted;                    /* a cascade had started it, and what started it was cleared */
    bool waits_again; /* so, by OVF of X, and it has not counted since then, nor was its flag set anew */
    bool proves;      /* then X has overflowed: what it counts shows that it has started again */
    bool restarted;   /* it was started once more, or its link was set anew */
    bool rewritten;   /* it or its CCCR was written since its overflow, or it, was started */
    bool was_forced;  /* it had FORCE_OVF */
    bool wrapped, unflagged;       /* it overflowed in this step with OVF_PMI; and OVF is not set (E9) */
    uint8_t ovf, started, request; /* enum tri; request: a PMI is due with the next count */
    uint8_t raised;                /* set of the logical processors to which this OVF has raised a PMI */
    uint64_t at;                   /* its value */
};

struct course_state {
    unsigned actors;
    struct course_counter actor[COURSE_ACTORS];
    bool ht, e3, e5, e9, runs, open[2]; /* runs: the sibling runs a loop; open: LVTPC of LP0, LP1 */
    bool delivered[2];                  /* LVTPC is masked by the delivery of a PMI */
    bool as_nmis[2];                    /* LVTPC delivers NMIs */
    bool in_service;                    /* a fixed PMI of this logical processor, whose EOI is late */
    uint8_t held;                       /* enum tri: another one waits for that EOI in IRR */
    bool standing[2];                   /* a request may stand that LVTPC has not let through (R49) */
    bool unmasks;                       /* LVTPC of this logical processor, with the next events */
    bool restarts;                      /* some counter of this machine was seen to start again (10.1b) */
    unsigned self;                      /* 0 or 1 */
    uint8_t
        after; /* what was done last that was not our own work: the rule that says that it changes nothing */
};

/* What a step has shown. */
struct course_seen {
    struct {
        uint64_t own, twin; /* how far the counter and its twin have moved */
        uint64_t value;     /* of the counter, by RDMSR */
        uint32_t cccr;
        uint32_t apart;        /* clocks by which the readings of the counter and of its twin lay apart */
        bool differs;          /* RDPMC read something else than RDMSR */
        uint32_t escr_changed; /* bits of its ESCR */
    } actor[COURSE_ACTORS];
    uint32_t events;      /* of events: set of actors whose ESCR had one */
    uint32_t written;     /* of a write of a CCCR: the CCCR */
    bool read_as_enabled; /* ENABLE read 1, and 0 was written: of a started actor it may be what runs it (R36)
                           */
    uint64_t preset;      /* of a write of a counter: what was written */
    bool preset_twice;    /* it was written twice (E1) */
    unsigned pmis[2], nmis[2],
        found_unmasked[2]; /* so many PMIs; as NMIs; with LVTPC not masked by the delivery */
    bool owes_eoi;         /* for a PMI that the handler of this logical processor has taken */
};

/* ---- Filters ---- */

/* EDGE acts. */
bool course_is_edge(uint32_t cccr);
/* The actor's filter passes so little that the twin counts plainly instead (R22). */
bool course_is_sparse(const struct course_counter *c);
/* It passes no event at all, with EDGE or without. */
bool course_passes_none(const struct course_counter *c);

/* ---- Counters ---- */

/* The actor that is counter `number`, or null. */
struct course_counter *course_actor(struct course_state *s, unsigned number);
/* Thread independent: the flags of both logical processors are one (R13). */
bool course_is_independent(const struct course_state *s, const struct course_event *event);
/* CCCR.OVF_PMI_T0 or T1 (R45). */
uint32_t course_ovf_pmi(unsigned lp);

/* ---- Who runs ---- */

/* OVF of the one starts the other one (R34, R35). */
bool course_starts(const struct course_counter *by, const struct course_counter *c);
/* FORCE_OVF is set in an actor that a cascade has started, or in what starts it: whether they work together
 * is open (E14). */
bool course_is_forced_cascade(struct course_state *s, const struct course_counter *c);
/* R33, R36: by ENABLE, or started. */
enum tri course_runs(struct course_state *s, const struct course_counter *c);
/* The other logical processor of the worker executes nothing. */
bool course_other_rests(const struct course_state *s, const struct course_step *step);

/* ---- What a step changes ---- */

/* R32: a CCCR is what was written, and OVF is cleared by a 0. R38, R39: what that halts and starts. */
void course_write_cccr(struct course_state *s, const struct course_step *step, const struct course_seen *seen,
                       unsigned lp);

#endif

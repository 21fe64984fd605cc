/*
 * What a vector is, and what it may say. See docs/add-a-vector.md for the steps of adding one.
 *
 * A vector is one row of one of the ordered arrays in the theme files; list.c puts the arrays in order. A row
 * with a family stands for several members that differ only by data: each member is a point of the log with
 * an id of its own.
 */
#ifndef TESTS_SUITE_VECTOR_H
#define TESTS_SUITE_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a vector needs of the machine; one that is missing makes it a SKIP with the reason. */
enum need {
    NEED_SIBLING = 1u << 0,          /* the second logical processor of this core, running */
    NEED_SMT = 1u << 1,              /* a part with Hyper-Threading (T0/T1 fields), sibling running or not */
    NEED_EXTENDED_CASCADE = 1u << 2, /* bit 11: models 2, 3, 4, 6 */
    NEED_INSTR_COMPLETED = 1u << 3,  /* models 3, 4, 6 */
    NEED_SSE2 = 1u << 4,             /* for the FIRM events (every NetBurst part has it) */
    NEED_LAPIC = 1u << 5,            /* a local APIC: PMIs can be taken */
    NEED_LP0 = 1u << 6,              /* the boot processor is logical processor 0 */
};

struct family {
    unsigned (*count)(void);
    /* The member's id suffix, without the leading dot. */
    void (*suffix)(unsigned member, char *out, size_t size);
    /* Needs on top of the row's; may be null. */
    unsigned (*needs)(unsigned member);
};

struct vector {
    const char *id;    /* dotted lower case, stable once landed; members add "." and their suffix */
    const char *title; /* one line: what must happen */
    /* What it covers, blank separated: rules, errata, examples and questions of docs/pmu-rules.md:
     * "R33 R34", "EX18-1 E3", "10.1". */
    const char *rules;
    unsigned needs; /* set of enum need */
    bool probe;     /* reports, never fails */
    uint16_t deadline_ms;
    void (*run)(unsigned member);
    const struct family *family; /* null: a single vector */
};

/* An ordered array of vectors; the theme files export one each. */
struct vector_group {
    const struct vector *rows;
    size_t count;
};
#define VECTOR_GROUP(name) \
    const struct vector_group name = {name##_rows, sizeof name##_rows / sizeof name##_rows[0]}

/* ---- For the suite ---- */

extern const struct vector_group *const VECTOR_GROUPS[]; /* in order, ended by null */

#define VECTOR_ID_SIZE 64 /* with its NUL; a longer one would be cut and no longer unique */

/* The full id of a member ("" family: the row's own). */
void vector_id(const struct vector *row, unsigned member, char *out, size_t size);
unsigned vector_members(const struct vector *row);
/* What a member needs: a set of enum need. */
unsigned vector_needs(const struct vector *row, unsigned member);

#endif

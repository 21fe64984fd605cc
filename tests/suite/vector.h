/*
 * What a vector is. docs/add-a-vector.md has the steps of adding one.
 *
 * A vector is one row of one of the ordered arrays in the theme files, which tests/vectors/order puts in
 * order. A row is either a single vector, or runs once for each item of a table: each item is then a point of
 * the log with an id of its own.
 */
#ifndef TESTS_SUITE_VECTOR_H
#define TESTS_SUITE_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "pmc/count_of.h"
#include "stages.h"

/* What a vector needs of the machine. A vector whose need is not met is a SKIP with the reason. */
enum need {
    NEED_SIBLING = 1u << 0,          /* the second logical processor of this core, running */
    NEED_SMT = 1u << 1,              /* a part with Hyper-Threading (T0/T1 fields), sibling running or not */
    NEED_EXTENDED_CASCADE = 1u << 2, /* bit 11: models 2, 3, 4, 6 */
    NEED_INSTR_COMPLETED = 1u << 3,  /* models 3, 4, 6 */
    NEED_SSE2 = 1u << 4,             /* for the FIRM events (every NetBurst part has it) */
    NEED_LAPIC = 1u << 5,            /* a local APIC, and counters that interrupt us: PMIs can be taken */
    NEED_LP0 = 1u << 6,              /* the boot processor is logical processor 0 */
    NEED_SIBLING_LISTED = 1u << 7,   /* a second logical processor that firmware lists and INIT can reach */
};

/* The table of a row that runs once for each of its items. */
struct items {
    const void *first;
    uint16_t size, count; /* bytes of an item; number of items */
    /* Write the item's part of the id, which follows the row's id and a dot. */
    void (*name)(const void *item, char *out, size_t size);
    unsigned (*needs)(const void *item); /* a set of enum need on top of the row's; may be null */
};
/* The table is a whole array; further members of struct items may follow. */
#define ITEMS(array, ...)                                                                \
    {                                                                                    \
        .first = (array), .size = sizeof array[0], .count = COUNT_OF(array), __VA_ARGS__ \
    }

/* Names of items: a struct whose first member is its name; a number of 8 bits, in decimal. */
void named_item(const void *item, char *out, size_t size);
void number_item(const void *item, char *out, size_t size);

struct vector {
    const char *id;    /* dotted lower case, stable once landed */
    const char *title; /* one line: what must happen */
    /* What it covers beside the rules that it judges, blank separated: examples, questions and errata of
     * docs/pmu-rules.md: "EX18-1 E3", "10.1". A probe judges none, and names here what it is about. May be
     * null. */
    const char *also;
    union {
        void (*run)(void);                  /* a single vector, or */
        void (*run_item)(const void *item); /* what runs for each item of the table */
    };
    const struct items *items; /* the table; null: a single vector */
    uint16_t deadline_ms;      /* how long it may take; 0: DEADLINE_MS */
    uint8_t needs;             /* set of enum need */
    uint16_t stages;           /* what it rests on (stages.h): set of enum stage_flag */
    bool probe;                /* settles what the manual leaves open: reports, never fails */
};
#define DEADLINE_MS 1000

/* A row: the other members follow by their names. */
#define CHECK(id_, title_, ...)                     \
    {                                               \
        .id = (id_), .title = (title_), __VA_ARGS__ \
    }
#define PROBE(id_, title_, ...)                                    \
    {                                                              \
        .id = (id_), .title = (title_), .probe = true, __VA_ARGS__ \
    }

/* An ordered array of vectors; each theme file exports one. */
struct vector_group {
    const struct vector *rows;
    size_t count;
    void (*prepare)(
        void); /* make the tables of items that are not constant; called once, first; may be null */
};
#define VECTOR_GROUP(theme, ...)                  \
    const struct vector_group vectors_##theme = { \
        .rows = theme##_rows, .count = COUNT_OF(theme##_rows), __VA_ARGS__}

/* ---- For the suite, which counts the members of a row: 0 to vector_members() - 1 ---- */

/* In order, ended by null; made by tools/vectors. */
extern const struct vector_group *const VECTOR_GROUPS[];

/* The rules that a vector judges, ended by 0. Made by tools/vectors of the table tests/vectors/rules, which
 * has what the vectors judged on p4sim; ended by a null id. */
struct judged_rules {
    const char *id; /* of a vector, or of a row: all its members judge the same */
    const uint8_t *rules;
};
extern const struct judged_rules VECTORS_JUDGE[];

#define VECTOR_ID_SIZE 64 /* with its NUL; a longer id would be cut and no longer unique */

/* The items of the row's table, or 1. */
unsigned vector_members(const struct vector *row);
/* The full id of a member; of a single vector the row's own. */
void vector_id(const struct vector *row, unsigned member, char *out, size_t size);
/* What a member needs: a set of enum need. */
unsigned vector_needs(const struct vector *row, unsigned member);
/* All that the member with this id covers, blank separated, until the next call. If it names nothing
 * itself: "unlisted" if the table does not have it, "none" if it judged nothing. */
const char *vector_rules(const struct vector *row, const char *id);
/* The rules R1 to R61 that the member with this id judges: a RULE_SET. */
uint64_t vector_rule_set(const struct vector *row, const char *id);
/* Does the member with this id judge the rule? */
bool vector_judges(const struct vector *row, const char *id, unsigned rule);
/* False if no member does. */
bool vector_may_judge(const struct vector *row, unsigned rule);
/* Is it a point of what is below the PMU? Those run on a machine without a NetBurst PMU, too. */
bool vector_is_of_harness(const struct vector *row);
void vector_run(const struct vector *row, unsigned member);

/* The vector that provokes the fault of the harness with this name (boot word selftest=...), or null. */
const struct vector *selftest_named(const char *name);

#endif

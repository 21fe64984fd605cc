/*
 * The rules of docs/pmu-rules.md as tokens, for the expectations of the vectors.
 *
 * One rule is a byte; RULES() has up to four, the most specific first: RULES(R37, R33) is one number. A
 * single rule is its token: R37.
 */
#ifndef TESTS_SUITE_RULES_H
#define TESTS_SUITE_RULES_H

#include <stddef.h>
#include <stdint.h>

/* clang-format off */
enum rule {
    R1 = 1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, R13, R14, R15, R16, R17, R18, R19, R20, R21, R22, R23,
    R24, R25, R26, R27, R28, R29, R30, R31, R32, R33, R34, R35, R36, R37, R38, R39, R40, R41, R42, R43, R44, R45,
    R46, R47, R48, R49, R50, R51, R52, R53, R54, R55, R56, R57, R58, R59, R60, R61,
    /* Errata of docs/pmu-rules.md. */
    E1 = 65, E2, E3, E4, E5, E6, E7, E8, E9, E10, E11, E12, E13, E14, E15, E16, E17, E18, E19, E20, E21, E22, E23,
    MP = 95,
    HARNESS = 96 /* none: it is the vector that could not go on */
};
/* clang-format on */

#define RULES(...) RULES_OF(__VA_ARGS__, 0, 0, 0, 0)
/* A fifth rule does not compile. */
#define RULES_OF(a, b, c, d, e, ...)                                                  \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24 | \
     0 * sizeof(char[(e) ? -1 : 1]))

/* Write the names of up to four rules, blank separated: "R37 R33". Returns the length. */
#define RULES_TEXT 32
size_t rules_name(uint32_t rules, char out[RULES_TEXT]);

/* The rule with this name, or 0. */
unsigned rule_named(const char *name, size_t length);

#endif

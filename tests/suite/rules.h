/*
 * The rules of docs/pmu-rules.md as tokens, for the expectations of the vectors.
 *
 * tools/vectors makes them from the page: R1 = 1, R2 and so on, then E1, E2 and so on, MP, and HARNESS for no
 * rule: it is the vector that could not go on. One rule is a byte; RULES() has up to four, the most specific
 * first: RULES(R37, R33) is one number. A single rule is its token: R37.
 */
#ifndef TESTS_SUITE_RULES_H
#define TESTS_SUITE_RULES_H

#include <stddef.h>
#include <stdint.h>

#include "rule_tokens.h"

#define RULES(...) RULES_OF(__VA_ARGS__, 0, 0, 0, 0)
/* A fifth rule does not compile. */
#define RULES_OF(a, b, c, d, e, ...)                                                  \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24 | \
     0 * sizeof(char[(e) ? -1 : 1]))

/* Up to four rules: `first`, and then as many of `others` as find room. */
static inline uint32_t rules_before(uint32_t first, uint32_t others)
{
    for (uint32_t rest = first; rest; rest >>= 8)
        others <<= 8;
    return first | others;
}

/* Up to four rules: `rules`, and then as many of `others` that are not among them as find room. */
uint32_t rules_with(uint32_t rules, uint32_t others);

/* Write the names of up to four rules, blank separated: "R37 R33". Returns the length. */
#define RULES_TEXT 32
size_t rules_name(uint32_t rules, char out[RULES_TEXT]);

/* A set of the rules R1 to R61: bit n is Rn. An erratum, MP or HARNESS is in none. */
#define RULE_SET(rule) ((rule) < E1 ? 1ull << (rule) & ~1ull : 0)

/* The rule with this name, or 0. */
unsigned rule_named(const char *name, size_t length);

#endif

/* Every host test includes this header: cmocka, the headers that cmocka requires before it, TEST(), FIXTURE()
 * and COUNT_OF(). */
#ifndef TESTS_HOST_SUPPORT_HOST_TEST_H
#define TESTS_HOST_SUPPORT_HOST_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "pmc/count_of.h"

/* Head of a test: TEST(a_sentence_about_the_unit) { ... }. A test that calls its fixture again passes it
 * `state`. */
#define TEST(name) static void name(void **state __attribute__((unused)))

/* Head of a set-up or tear-down, which returns 0, or another number if it failed: FIXTURE(power_up) { ... }.
 */
#define FIXTURE(name) static inline int name(void **state __attribute__((unused)))

#endif

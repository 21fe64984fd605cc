/* Every host test includes this header: cmocka, the headers that cmocka requires before it, and TEST(). */
#ifndef TESTS_HOST_SUPPORT_HOST_TEST_H
#define TESTS_HOST_SUPPORT_HOST_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Head of a test: TEST(a_sentence_about_the_unit) { ... }. A test that calls its fixture again passes it
 * `state`. */
#define TEST(name) static void name(void **state __attribute__((unused)))

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

#endif

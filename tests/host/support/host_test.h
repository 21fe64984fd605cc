/* Every host test includes this header: cmocka, the headers that cmocka requires before it, TEST(),
 * BEFORE_EACH() and COUNT_OF(). host_main.c has the main() of every test. */
#ifndef TESTS_HOST_SUPPORT_HOST_TEST_H
#define TESTS_HOST_SUPPORT_HOST_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "pmc/count_of.h"

/* Head of a test: TEST(a_sentence_about_the_unit) { ... }. The tests of a program run in the order of their
 * lines. */
#define TEST(name)                                                 \
    static void name(void **state);                                \
    static void __attribute__((constructor)) add_test_##name(void) \
    {                                                              \
        host_test_add(#name, name, __LINE__);                      \
    }                                                              \
    static void name(void **state __attribute__((unused)))

/* Head of what is done before each test of the program: BEFORE_EACH(power_up) { ... }. A test may call it
 * again. */
#define BEFORE_EACH(name)                                             \
    static void name(void);                                           \
    static void __attribute__((constructor)) call_before_##name(void) \
    {                                                                 \
        host_test_before(name);                                       \
    }                                                                 \
    static void name(void)

/* A function of the kernel that does nothing here and returns this. A test that looks at its calls writes it
 * out. */
#define STUB(type, name, parameters, ...)                                                   \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-parameter\"") \
        type name parameters                                                                \
    {                                                                                       \
        return __VA_ARGS__;                                                                 \
    }                                                                                       \
    _Pragma("GCC diagnostic pop") _Static_assert(true, "takes the semicolon")

/* Does `make test-all` run this, or TEST_ALL=1? If not, a test with drawn cases draws fewer of them. */
bool host_test_all(void);

void host_test_add(const char *name, CMUnitTestFunction test, int line);
void host_test_before(void (*each)(void));

#endif

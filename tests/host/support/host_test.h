/* What every host test includes: cmocka with the headers it wants before it. */
#ifndef TESTS_HOST_SUPPORT_HOST_TEST_H
#define TESTS_HOST_SUPPORT_HOST_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

#endif

/* The tests that a program defines with TEST(), in the order of their lines, and its main(); and no vectors,
 * for the programs that link tests/suite and have no list of their own. */
#include <errno.h>
#include <stdlib.h>
#include "host_test.h"
#include "tests/suite/vector.h"

__attribute__((weak)) const struct vector_group *const VECTOR_GROUPS[] = {NULL};
__attribute__((weak)) const struct judged_rules VECTORS_JUDGE[] = {{NULL, NULL}};

#define MOST_TESTS 40

static struct CMUnitTest tests[MOST_TESTS]; /* cmocka passes over the empty ones at the end */
static int lines[MOST_TESTS];
static unsigned count;
static void (*before_each)(void);

static int set_up(void **state __attribute__((unused)))
{
    if (before_each)
        before_each();
    return 0;
}

void host_test_add(const char *name, CMUnitTestFunction test, int line)
{
    unsigned at = count;

    if (count++ == MOST_TESTS)
        abort();
    for (; at > 0 && lines[at - 1] > line; at--) {
        tests[at] = tests[at - 1];
        lines[at] = lines[at - 1];
    }
    tests[at] = (struct CMUnitTest){.name = name, .test_func = test, .setup_func = set_up};
    lines[at] = line;
}

void host_test_before(void (*each)(void))
{
    before_each = each;
}

bool host_test_all(void)
{
    const char *all = getenv("TEST_ALL");
    return all && *all;
}

int main(void)
{
    return count > 0 ? cmocka_run_group_tests_name(program_invocation_short_name, tests, NULL, NULL) : 1;
}

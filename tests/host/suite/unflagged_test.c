/* tests/suite/unflagged.c: E9 excuses an OVF that is missing only where the part has it, the PMI was not
 * missing, too, and only so often. Each test has counters of its own. */
#include "pmc/netburst/setup.h"
#include "tests/host/support/host_test.h"
#include "tests/suite/machine.h"
#include "tests/suite/unflagged.h"

static uint32_t errata;

STUB(bool, machine_has_erratum, (uint32_t erratum), (errata & erratum) != 0);

BEFORE_EACH(begin)
{
    errata = PMC_E9;
}

TEST(without_the_erratum_ovf_decides)
{
    for (unsigned came = 0; came < 2; came++) {
        errata = ~PMC_E9;
        assert_true(unflagged_accepts(0, true, came));
        assert_false(unflagged_accepts(0, false, came));
        errata = PMC_E9;
        assert_true(unflagged_accepts(1, true, came));
    }
}

TEST(an_overflow_without_ovf_and_without_its_pmi_is_not_excused)
{
    assert_false(unflagged_accepts(2, false, false));
    assert_true(unflagged_accepts(2, false, true));
}

/* How many of these overflows are excused, each of them without OVF, after so many with it? */
static unsigned excused(unsigned counter, unsigned flagged, unsigned unflagged)
{
    unsigned accepted = 0;

    for (unsigned i = 0; i < flagged; i++)
        assert_true(unflagged_accepts(counter, true, true));
    for (unsigned i = 0; i < unflagged; i++)
        accepted += unflagged_accepts(counter, false, true);
    return accepted;
}

/* Two, and one more for each five overflows: of 12 + 5 there are 3 fives. Each counter for itself. */
TEST(a_counter_is_excused_only_so_often)
{
    assert_int_equal(excused(3, 0, 3), 2);
    assert_int_equal(excused(4, 0, 2), 2);
    assert_int_equal(excused(5, 12, 5), 5);
    assert_int_equal(excused(6, 12, 6), 5);
}

TEST(one_in_ten_is_excused_always_and_one_in_three_is_not)
{
    unsigned seldom = 0, often = 0;

    for (unsigned i = 0; i < 100; i++) {
        seldom += excused(7, 9, 1);
        often += excused(8, 2, 1);
    }
    assert_int_equal(seldom, 100);
    assert_true(often < 100);
}

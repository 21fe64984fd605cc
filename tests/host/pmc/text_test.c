/* pmc/netburst/text.h: bounded, terminated, printable. */
#include <string.h>
#include "tests/host/support/host_test.h"
#include "pmc/netburst/text.h"

static char buffer[16];

BEFORE_EACH(fill)
{
    memset(buffer, '#', sizeof buffer);
}

TEST(appends_follow_each_other)
{
    char *end = buffer + sizeof buffer;
    assert_ptr_equal(text_append(buffer, end, ""), buffer);
    assert_string_equal(buffer, "");
    char *at = text_append_hex(text_append(buffer, end, "family "), end, 0x10E, 3);
    assert_string_equal(buffer, "family 10EH");
    assert_ptr_equal(at, buffer + 11);
    assert_ptr_equal(text_append(at, end, ""), at);
    text_append_hex(buffer, end, 0xABCDEF09, 8);
    assert_string_equal(buffer, "ABCDEF09H");
    text_append_hex(buffer, end, 6, 2);
    assert_string_equal(buffer, "06H");
    text_append(buffer, end, "a\n\x7F\xFF ~");
    assert_string_equal(buffer, "a??? ~");
}

/* Every size: cut at size - 1, terminated, nothing beyond. */
TEST(never_writes_past_the_end)
{
    for (size_t size = 1; size < sizeof buffer; size++) {
        fill();
        char *end = buffer + size;
        char *at = text_append_hex(text_append(buffer, end, "0123456"), end, 0x789ABCDE, 8);
        assert_int_equal(strlen(buffer), size - 1);
        assert_ptr_equal(at, end - 1);
        assert_memory_equal(buffer, "0123456789ABCDEH", size - 1);
        assert_int_equal(*end, '#');
    }
}

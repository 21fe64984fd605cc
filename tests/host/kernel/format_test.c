/*
 * kernel/lib/format.c and the division it uses. Expected texts follow kernel/lib/lib.h; where that says
 * "as C does", they come from the host's snprintf.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include "tests/host/support/host_test.h"
#include "kernel/lib/lib.h"

#define CANARY 0x5A

static char text[256];

#define expect(wanted, ...)                                                       \
    do {                                                                          \
        memset(text, CANARY, sizeof text);                                        \
        assert_int_equal(format(text, sizeof text, __VA_ARGS__), strlen(wanted)); \
        assert_string_equal(text, wanted);                                        \
    } while (0)

/* The conversions that C has too. */
#define expect_as_c(...)                              \
    do {                                              \
        char wanted[sizeof text];                     \
        snprintf(wanted, sizeof wanted, __VA_ARGS__); \
        expect(wanted, __VA_ARGS__);                  \
    } while (0)

TEST(plain_text_and_percent)
{
    expect("", "%s", "");
    expect("plain", "plain");
    expect("100%", "100%%");
    expect("%d", "%%d");
}

TEST(integers_as_c)
{
    expect_as_c("%d %d %d", 0, INT_MAX, INT_MIN);
    expect_as_c("%u %u", 0u, UINT_MAX);
    expect_as_c("%x %X", 0xDEADBEEFu, 0xDEADBEEFu);
    expect_as_c("%ld %ld", LONG_MIN, LONG_MAX);
    expect_as_c("%lu", ULONG_MAX);
    expect_as_c("%lld %lld", LLONG_MIN, LLONG_MAX);
    expect_as_c("%llu", ULLONG_MAX);
    expect_as_c("%llx", 0xFFFFFFFF38ull);
    expect_as_c("%zu %zd %zx", SIZE_MAX, (ssize_t)-1, (size_t)4096);
    expect_as_c("%c%c", 'o', 'k');
}

TEST(widths_and_flags_as_c)
{
    expect_as_c("[%5d][%-5d][%05d]", -42, -42, -42);
    expect_as_c("[%2d][%1u]", 12345, 678u);
    expect_as_c("[%08x][%8x][%-8X]", 0xABCu, 0xABCu, 0xABCu);
    expect_as_c("[%7s][%-7s][%2s]", "abc", "abc", "abc");
    expect_as_c("[%3c][%-3c]", 'x', 'x');
    expect_as_c("[%.2s][%.0s][%5.1s][%.9s]", "abc", "abc", "abc", "abc");
    expect("[7    ]", "[%-05d]", 7); /* the 0 is part of the width */
    expect_as_c("[%020llu]", 1ull);
}

TEST(registers_the_manuals_way)
{
    expect("FFFFFFFF38H", "%10llH", 0xFFFFFFFF38ull);
    expect("04000603H", "%8H", 0x04000603u);
    expect("0H", "%H", 0u);
    expect("36CH", "%3H", 0x36Cu);
    expect("123456789H", "%4llH", 0x123456789ull);
    expect("00ABH", "%-4H", 0xABu); /* digits, so there is nothing to align */
}

/* A precision bounds how far a string is read: it may lack its NUL. */
TEST(unusual_strings)
{
    const char unterminated[3] = {'a', 'b', 'c'};

    expect("abc", "%.3s", unterminated);
    expect("(null)", "%s", (char *)NULL);
    expect("(nu", "%.3s", (char *)NULL);
}

/* An unknown conversion is copied unchanged and consumes no argument: 42 is still the next one. */
TEST(unknown_conversions_take_no_argument)
{
    static const char *const unknown[] = {
        "%q",   "%f",    "%i",      "%p",       "%n",
        "%5",   "%-",    "%.3u",    "%.2H",     "%ls",
        "%lc",  "%0s",   "%05c",    "%hhd",     "%Lu",
        "%+d",  "% d",   "%#x",     "%*d",      "%lllu",
        "%zzu", "%--5d", "%12345d", "%.12345s", "%99999999999999999999u",
        "%5%",
    };

    for (size_t i = 0; i < COUNT_OF(unknown); i++) {
        char fmt[64], wanted[64];

        snprintf(fmt, sizeof fmt, "%s|%%d", unknown[i]);
        snprintf(wanted, sizeof wanted, "%s|42", unknown[i]);
        memset(text, CANARY, sizeof text);
        assert_int_equal(format(text, sizeof text, fmt, 42), strlen(wanted));
        assert_string_equal(text, wanted);
    }
}

TEST(format_may_end_inside_a_conversion)
{
    static const char *const cut[] = {"%", "%-", "%0", "%08", "%8.", "%8.4", "%l", "%ll", "%z", "text %"};

    for (size_t i = 0; i < COUNT_OF(cut); i++)
        expect(cut[i], cut[i]);
}

static void name_all(struct named *named, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vformat_named(text, sizeof text, named, fmt, args);
    va_end(args);
}

TEST(the_first_of_what_a_text_names_is_kept)
{
    struct named named = {0};

    name_all(&named, "%C %R %C %C %C %C %R", 1u, "ESCR", 2u, 3u, 4u, 5u, "CCCR");
    assert_string_equal(text, "1 ESCR 2 3 4 5 CCCR");
    assert_int_equal(named.numbers, COUNT_OF(named.number));
    for (unsigned i = 0; i < named.numbers; i++)
        assert_int_equal(named.number[i], i + 1);
    assert_string_equal(named.name, "ESCR");
}

/* At most size bytes are written, the NUL included; the length of the whole text is returned. */
TEST(never_writes_past_the_end)
{
    static const char whole[] = "value 00039000H, name MSR_IQ_CCCR0, -17";

    for (size_t size = 0; size <= sizeof whole + 1; size++) {
        char out[sizeof whole + 8];
        size_t kept = size < sizeof whole ? size : sizeof whole;

        memset(out, CANARY, sizeof out);
        assert_int_equal(format(out, size, "value %8H, name %s, %d", 0x39000u, "MSR_IQ_CCCR0", -17),
                         sizeof whole - 1);
        if (kept > 0) {
            assert_memory_equal(out, whole, kept - 1);
            assert_int_equal(out[kept - 1], '\0');
        }
        for (size_t i = kept; i < sizeof out; i++)
            assert_int_equal(out[i], CANARY);
    }
}

/* No buffer at all, and one that is smaller than the largest width, which has four digits. */
TEST(small_buffers)
{
    char out[4];

    assert_int_equal(format(NULL, 0, "%5d|%s", 1, "x"), 7);
    assert_int_equal(format(out, sizeof out, "%9999u", 1u), 9999);
    assert_string_equal(out, "   ");
}

TEST(division_as_the_processors)
{
    static const uint64_t numerators[] = {
        0, 1, 9, 10, UINT32_MAX, 1ull << 32, (1ull << 40) - 1, 0x123456789ABCDEFull, UINT64_MAX};
    static const uint32_t divisors[] = {1, 2, 3, 10, 1000, 0x80000000u, 0xFFFFFFFEu, UINT32_MAX};

    for (size_t n = 0; n < COUNT_OF(numerators); n++) {
        for (size_t d = 0; d < COUNT_OF(divisors); d++) {
            uint32_t remainder;

            assert_int_equal(div64(numerators[n], divisors[d], &remainder), numerators[n] / divisors[d]);
            assert_int_equal(remainder, numerators[n] % divisors[d]);
            assert_int_equal(div64(numerators[n], divisors[d], NULL), numerators[n] / divisors[d]);
        }
    }
}

/* An SMI of 1.55 ms at 3 GHz makes 4,650,000 clocks of a window: their product with 1,000 needs 33 bits. */
TEST(a_share_of_many_clocks)
{
    assert_int_equal(share(4650000, 4650000, 1000), 1000);
    assert_int_equal(share(3720000, 4650000, 1000), 800);
    assert_int_equal(share(3ull << 40, 4ull << 40, 1000), 750);
    assert_int_equal(share(750999, 750999, 1000), 1000); /* 750 thousands of ticks, and not a full one */
    assert_int_equal(share(42950000, 100, 100), 42950000);
    assert_int_equal(share(199, 100, 1), 1);
    assert_int_equal(share(1ull << 40, 1, 1000), UINT32_MAX);
    assert_int_equal(share(1, 0, 1000), 0);
}

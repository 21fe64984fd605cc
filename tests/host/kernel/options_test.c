/* kernel/run/options.c: the boot line as kernel/run/options.h describes it, malformed lines included. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/host/support/host_test.h"
#include "kernel/run/options.h"

static struct options options;
static char error[600];

static bool parse(const char *line)
{
    memset(&options, 0xA5, sizeof(options));
    memset(error, 0, sizeof(error));
    return options_parse(&options, line, error, sizeof(error));
}

#define accept(line) assert_true(parse(line))

/* Refused, and the message names the word and says what is allowed. */
static void refuse(const char *line, const char *word, const char *allowed)
{
    if (parse(line))
        fail_msg("accepted: %s", line);
    if (strstr(error, word) == NULL || strstr(error, "allowed") == NULL || strstr(error, allowed) == NULL ||
        strchr(error, '\n') != NULL)
        fail_msg("message for %s: %s", line, error);
}

static void assert_pattern(const struct pattern *pattern, const char *text)
{
    assert_int_equal(pattern->length, strlen(text));
    assert_memory_equal(pattern->text, text, pattern->length);
}

static void assert_defaults(void)
{
    assert_int_equal(options.console.kind, SERIAL_AUTO);
    assert_int_equal(options.console.baud, 0);
    assert_int_equal(options.exit, EXIT_HALT);
    assert_int_equal(options.loops, 1);
    assert_int_equal(options.timeout_s, 0);
    assert_true(options.log_file);
    assert_false(options.list || options.quiet || options.verbose || options.quick || options.inventory ||
                 options.stop_on_fail || options.watchdog);
    assert_null(options.selftest);
    assert_int_equal(options.only_count, 0);
    assert_int_equal(options.skip_count, 0);
}

TEST(nothing_gives_defaults)
{
    static const char *const lines[] = {NULL, "", " ", "\t \t"};

    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        accept(lines[i]);
        assert_defaults();
    }
}

TEST(loaders_first_word_is_ignored)
{
    static const char *const lines[] = {"/boot/pmuproof.elf", "pmuproof.elf",      "  build/kernel",
                                        "http://boot/k?a=b",  "tftp://10.0.0.1/k", "./x"};

    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        accept(lines[i]);
        assert_defaults();
    }
    accept("/boot/pmuproof.elf quiet");
    assert_true(options.quiet);
}

/* A file name is ignored only as the first word, and only without an '=' before its '/' or ".elf". */
TEST(other_file_names_are_words)
{
    refuse("quiet /boot/pmuproof.elf", "/boot/pmuproof.elf", "console=");
    refuse("a.elf b.elf", "b.elf", "console=");
    refuse("root=/dev/sda", "root=/dev/sda", "console=");
    refuse("file=k.elf", "file=k.elf", "console=");
    refuse("kernel.elf.gz", "kernel.elf.gz", "console=");
    accept("only=a/b");
    assert_pattern(&options.only[0], "a/b");
}

TEST(consoles)
{
    static const struct {
        const char *line;
        struct serial_request request;
    } rows[] = {
        {"console=ttyS0", {SERIAL_TTY, 0, 0}},
        {"console=ttyS1", {SERIAL_TTY, 1, 0}},
        {"console=ttyS3", {SERIAL_TTY, 3, 0}},
        {"console=ttyS1,9600", {SERIAL_TTY, 1, 9600}},
        {"console=ttyS0,57600n8", {SERIAL_TTY, 0, 57600}},
        {"console=0xD010", {SERIAL_PORT, 0xD010, 0}},
        {"console=0xd010,38400", {SERIAL_PORT, 0xD010, 38400}},
        {"console=0x3e8,19200n8", {SERIAL_PORT, 0x3E8, 19200}},
        {"console=0xFFF8", {SERIAL_PORT, 0xFFF8, 0}},
        {"console=0x100", {SERIAL_PORT, 0x100, 0}},
        {"console=ttyS0,2", {SERIAL_TTY, 0, 2}},
        {"console=pci", {SERIAL_PCI, 0, 0}},
        {"console=pci,115200n8", {SERIAL_PCI, 0, 115200}},
        {"console=auto", {SERIAL_AUTO, 0, 0}},
        {"console=auto,9600", {SERIAL_AUTO, 0, 9600}},
        {"console=none", {SERIAL_NONE, 0, 0}},
        {"console=none console=ttyS3", {SERIAL_TTY, 3, 0}},
        {"console=ttyS3,9600 console=none", {SERIAL_NONE, 0, 0}},
        {"console=ttyS3,9600 console=pci", {SERIAL_PCI, 0, 0}},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        accept(rows[i].line);
        if (options.console.kind != rows[i].request.kind ||
            options.console.number != rows[i].request.number || options.console.baud != rows[i].request.baud)
            fail_msg("%s: kind %d, number %XH, baud %u", rows[i].line, options.console.kind,
                     options.console.number, options.console.baud);
    }
}

/* A wrong word leaves the console of the words before it, on which its message is printed. */
TEST(console_before_a_wrong_word)
{
    assert_false(parse("console=ttyS1,9600 bogus"));
    assert_int_equal(options.console.kind, SERIAL_TTY);
    assert_int_equal(options.console.number, 1);
    assert_int_equal(options.console.baud, 9600);
    assert_false(parse("console=ttyS1 console=pci,1"));
    assert_int_equal(options.console.kind, SERIAL_TTY);
    assert_false(parse("console=0x2F8x"));
    assert_int_equal(options.console.kind, SERIAL_AUTO);
}

TEST(wrong_consoles)
{
    static const char *const words[] = {
        "console=",
        "console=ttyS",
        "console=ttyS4",
        "console=ttyS00",
        "console=tty0",
        "console=ttyS0,",
        "console=ttyS0,0",
        "console=ttyS0,1",
        "console=ttyS0,7",
        "console=ttyS0,9601",
        "console=ttyS0,230400",
        "console=ttyS0,9600n",
        "console=ttyS0,n8",
        "console=ttyS0,-9600",
        "console=ttyS0,9600n81",
        "console=0x",
        "console=0x0",
        "console=0xFFF9",
        "console=0x1",
        "console=0xF8",  /* below 100H every board has devices of its own */
        "console=0x3FC", /* the middle of a UART */
        "console=0x10000",
        "console=0x3F8x",
        "console=3F8",
        "console=none,9600",
        "console=pci,",
        "console=pcix",
        "console=autopci",
        "console=pci0",
        "console=NONE",
        "console=ttyS0,115200,",
        "console=ttyS0,4294976896", /* 2^32 + 9600 */
        "console=ttyS0,99999999999999999999999999",
    };

    for (size_t i = 0; i < COUNT_OF(words); i++)
        refuse(words[i], words[i],
               "console=auto|ttyS0..ttyS3|0xPORT|pci[,BAUD[n8]]|none; BAUD divides 115200");
}

TEST(exits)
{
    accept("exit=reboot");
    assert_int_equal(options.exit, EXIT_REBOOT);
    accept("exit=reboot exit=halt");
    assert_int_equal(options.exit, EXIT_HALT);
    refuse("exit=", "exit=", "halt|reboot");
    refuse("exit=halted", "exit=halted", "halt|reboot");
    refuse("exit=poweroff", "exit=poweroff", "exit=halt|reboot");
    refuse("exit", "exit", "exit=halt|reboot");
}

/* Each word sets one field and no other. */
TEST(switches)
{
    static const char *const words[] = {"list",    "quick",        "inventory", "quiet",
                                        "verbose", "stop-on-fail", "watchdog",  "logfile=off"};

    for (size_t i = 0; i < COUNT_OF(words); i++) {
        char wrong[32];
        accept(words[i]);
        const bool set[] = {options.list,    options.quick,        options.inventory, options.quiet,
                            options.verbose, options.stop_on_fail, options.watchdog,  !options.log_file};
        for (size_t j = 0; j < COUNT_OF(set); j++)
            if (set[j] != (i == j))
                fail_msg("%s and field %zu", words[i], j);
        snprintf(wrong, sizeof(wrong), "%ss", words[i]);
        refuse(wrong, wrong, words[i][3] == 'f' ? "logfile=on|off" : words[i]);
        snprintf(wrong, sizeof(wrong), "%s=1", words[i]);
        refuse(wrong, wrong, words[i][3] == 'f' ? "logfile=on|off" : words[i]);
    }
    refuse("Quiet", "Quiet", "quiet");
    refuse("logfile=", "logfile=", "logfile=on|off");
    accept("logfile=off logfile=on");
    assert_true(options.log_file);
    accept("quiet verbose");
    assert_true(options.verbose && !options.quiet);
    accept("verbose quiet");
    assert_true(options.quiet && !options.verbose);
    accept("list inventory");
    assert_true(options.inventory && !options.list);
    accept("inventory list");
    assert_true(options.list && !options.inventory);
}

TEST(loops_and_timeouts)
{
    static const char *const wrong[] = {"loop=",           "loop=0",    "loop=1000001",  "loop=-1",
                                        "loop=10000000",   "loop=ever", "loop=forever1", "loop=1x",
                                        "loop=4294967297", "loop",      "loop=0x10"};
    static const char *const wrong_times[] = {"timeout=",        "timeout=0",         "timeout=31536001",
                                              "timeout=1s",      "timeout=-1",        "timeout",
                                              "timeout=forever", "timeout=4294967297"};

    accept("loop=1000000 timeout=31536000");
    assert_int_equal(options.loops, 1000000);
    assert_int_equal(options.timeout_s, 31536000);
    accept("loop=7 loop=forever timeout=5 timeout=1");
    assert_int_equal(options.loops, 0);
    assert_int_equal(options.timeout_s, 1);
    accept("loop=forever loop=1");
    assert_int_equal(options.loops, 1);
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        refuse(wrong[i], wrong[i], strchr(wrong[i], '=') != NULL ? "N is 1 to 1000000" : "loop=N|forever");
    for (size_t i = 0; i < COUNT_OF(wrong_times); i++)
        refuse(wrong_times[i], wrong_times[i],
               strchr(wrong_times[i], '=') != NULL ? "SECONDS is 1 to 31536000" : "timeout=SECONDS");
}

TEST(selftests)
{
    static const char *const names[] = {"fault", "hang", "ap-fault", "fail", "storm", "late", "slow", "dead"};

    for (size_t i = 0; i < COUNT_OF(names); i++) {
        char line[64] = "selftest=";

        strcat(line, names[i]);
        strcat(line, " quiet");
        accept(line);
        assert_string_equal(options.selftest, names[i]);
    }
    refuse("selftest=", "selftest=", "ap-fault");
    refuse("selftest=faults", "selftest=faults", "ap-fault");
    refuse("selftest=fail,storm", "selftest=fail,storm", "ap-fault");
}

TEST(patterns_add_up)
{
    accept("only=cascade,R33 skip=pmi only=count.instructions");
    assert_int_equal(options.only_count, 3);
    assert_pattern(&options.only[0], "cascade");
    assert_pattern(&options.only[1], "R33");
    assert_pattern(&options.only[2], "count.instructions");
    assert_int_equal(options.skip_count, 1);
    assert_pattern(&options.skip[0], "pmi");
}

TEST(empty_patterns_are_refused)
{
    static const char *const words[] = {"only=", "only=,", "only=a,", "only=,a", "skip=a,,b", "skip="};

    for (size_t i = 0; i < COUNT_OF(words); i++)
        refuse(words[i], words[i], "PATTERN");
}

/* Exactly OPTIONS_PATTERNS fit, in one word or in many, for only= and skip= separately. */
TEST(too_many_patterns_are_refused)
{
    char one_word[256] = "only=", many_words[256] = "";

    assert_int_equal(OPTIONS_PATTERNS, 16);
    for (unsigned i = 0; i < OPTIONS_PATTERNS; i++) {
        strcat(one_word, i > 0 ? ",a" : "a");
        strcat(many_words, "skip=b ");
    }
    strcat(one_word, " ");
    strcat(one_word, many_words);
    accept(one_word);
    assert_int_equal(options.only_count, OPTIONS_PATTERNS);
    assert_int_equal(options.skip_count, OPTIONS_PATTERNS);
    strcat(many_words, "skip=last");
    refuse(many_words, "skip=last", "16");
}

TEST(unknown_words_list_the_allowed_ones)
{
    static const char *const allowed[] = {
        "console=", "exit=", "only=",    "skip=",        "quick",    "list",     "inventory", "quiet",
        "verbose",  "loop=", "timeout=", "stop-on-fail", "watchdog", "logfile=", "selftest="};

    for (size_t i = 0; i < COUNT_OF(allowed); i++) {
        refuse("quiet onyl=cascade list", "onyl=cascade", allowed[i]);
        assert_non_null(strstr(OPTIONS_ALLOWED, allowed[i]));
    }
}

TEST(other_characters_are_shown_as_question_marks)
{
    refuse("a\x1b[2J\nb", "'a?[2J?b'", "console=");
    refuse("\x80\xff\x7f", "'?\?\?'", "console=");
    refuse("quiet\r", "'quiet?'", "quiet");
}

TEST(long_words_do_no_harm)
{
    enum { LONG = 100000 };
    char *line = malloc(LONG + 1);

    memset(line, 'x', LONG);
    line[LONG] = '\0';
    refuse(line, "xxx...", "console=");
    memcpy(line, "only=", 5);
    accept(line);
    assert_int_equal(options.only[0].length, LONG - 5);
    free(line);
}

/* The message is cut to the buffer; a size of 0 writes nothing at all. */
TEST(error_buffer_is_respected)
{
    char small[16];

    memset(small, 0x5A, sizeof(small));
    assert_false(options_parse(&options, "wrong", small, 0));
    assert_int_equal(small[0], 0x5A);
    assert_false(options_parse(&options, "wrong", small, 8));
    assert_int_equal(strlen(small), 7);
    assert_int_equal(small[8], 0x5A);
}

/* Random bytes: never a crash (the sanitizers watch), and a refusal always has a one-line message. */
TEST(random_lines)
{
    static const char *const parts[] = {
        "console=", "ttyS", "0x",   ",",    "n8",    "only=", "skip=", " ",   "selftest=", "list",
        "=",        "/",    ".elf", "9600", "exit=", "halt",  "loop=", "pci", "timeout=",  "logfile="};
    uint32_t seed = 0x12345678;

    for (unsigned round = 0; round < 20000; round++) {
        char line[128] = "";

        for (unsigned i = 0; i < 8; i++) {
            char byte[2] = {0};

            seed ^= seed << 13;
            seed ^= seed >> 17;
            seed ^= seed << 5;
            byte[0] = (char)(seed >> 8);
            strcat(line, seed & 1 ? parts[(seed >> 16) % COUNT_OF(parts)] : byte);
        }
        if (!parse(line)) {
            assert_non_null(strstr(error, "allowed"));
            assert_null(strpbrk(error, "\r\n\t\x1b"));
        }
        assert_true(options.only_count <= OPTIONS_PATTERNS && options.skip_count <= OPTIONS_PATTERNS);
    }
}

TEST(matching)
{
    static const struct {
        const char *pattern, *id, *rules;
        bool matches;
    } rows[] = {
        {"cascade", "cascade.18-1.iq.12-14", "R33", true},
        {"cascade.18-1", "cascade.18-1.iq.12-14", "R33", true},
        {"cascade.18-1.iq.12-14", "cascade.18-1.iq.12-14", "R33", true},
        {"cascade.", "cascade.18-1.iq.12-14", "R33", true},
        {"cascade.", "cascade", "R33", false},
        {"casc", "cascade.18-1.iq.12-14", "R33", false},
        {"cascade.18", "cascade.18-1.iq.12-14", "R33", false},
        {"cascade.18-1.iq.12-14.more", "cascade.18-1.iq.12-14", "R33", false},
        {"18-1", "cascade.18-1.iq.12-14", "R33", false},
        {"", "cascade", "R33", false},
        {".", "cascade", "R33", false},
        {"R33", "cascade", "R33", true},
        {"R33", "cascade", "R31 R33 R34", true},
        {"R33", "cascade", "R31\t R33", true},
        {"R3", "cascade", "R33 R34", false},
        {"R33", "cascade", "R3 R331", false},
        {"R33", "cascade", "", false},
        {"R33", "cascade", NULL, false},
        {"18-1", "cascade", "18-1 R33", true},
        {"r33", "cascade", "R33", false},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct pattern pattern = {rows[i].pattern, strlen(rows[i].pattern)};

        if (pattern_matches(&pattern, rows[i].id, rows[i].rules) != rows[i].matches)
            fail_msg("%s against %s", rows[i].pattern, rows[i].id);
    }
}

/* A pattern is not terminated: it ends at its length. */
TEST(pattern_ends_at_its_length)
{
    const struct pattern pattern = {"cascade,R33 quiet", 7};

    assert_true(pattern_matches(&pattern, "cascade.18-1", "R1"));
    assert_false(pattern_matches(&pattern, "count", "R33"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_gives_defaults),
        cmocka_unit_test(loaders_first_word_is_ignored),
        cmocka_unit_test(other_file_names_are_words),
        cmocka_unit_test(consoles),
        cmocka_unit_test(wrong_consoles),
        cmocka_unit_test(console_before_a_wrong_word),
        cmocka_unit_test(exits),
        cmocka_unit_test(switches),
        cmocka_unit_test(loops_and_timeouts),
        cmocka_unit_test(selftests),
        cmocka_unit_test(patterns_add_up),
        cmocka_unit_test(empty_patterns_are_refused),
        cmocka_unit_test(too_many_patterns_are_refused),
        cmocka_unit_test(unknown_words_list_the_allowed_ones),
        cmocka_unit_test(other_characters_are_shown_as_question_marks),
        cmocka_unit_test(long_words_do_no_harm),
        cmocka_unit_test(error_buffer_is_respected),
        cmocka_unit_test(random_lines),
        cmocka_unit_test(matching),
        cmocka_unit_test(pattern_ends_at_its_length),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}

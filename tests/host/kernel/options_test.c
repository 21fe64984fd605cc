/* kernel/run/options.c: the boot line as kernel/run/options.h describes it, malformed lines included. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "boot_line.h"

static void assert_defaults(void)
{
    assert_int_equal(options.console.kind, SERIAL_AUTO);
    assert_int_equal(options.console.baud, 0);
    assert_int_equal(options.exit, EXIT_HALT);
    assert_int_equal(options.loops, 1);
    assert_int_equal(options.timeout_s, 0);
    assert_true(options.log_file);
    assert_false(options.instead != INSTEAD_NOTHING || options.lines != LINES_USUAL || options.quick ||
                 options.thorough || options.stop_on_fail || options.watchdog || options.lapic);
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
    assert_int_equal(options.lines, LINES_QUIET);
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
    static const char *const words[] = {"list",     "quick",       "inventory",    "quiet",
                                        "verbose",  "brief",       "stop-on-fail", "watchdog",
                                        "lapic=on", "logfile=off", "thorough",     "strict"};

    for (size_t i = 0; i < COUNT_OF(words); i++) {
        char wrong[32];
        accept(words[i]);
        const bool set[] = {options.instead == INSTEAD_LIST,
                            options.quick,
                            options.instead == INSTEAD_INVENTORY,
                            options.lines == LINES_QUIET,
                            options.lines == LINES_VERBOSE,
                            options.lines == LINES_BRIEF,
                            options.stop_on_fail,
                            options.watchdog,
                            options.lapic,
                            !options.log_file,
                            options.thorough,
                            options.strict};
        for (size_t j = 0; j < COUNT_OF(set); j++)
            if (set[j] != (i == j))
                fail_msg("%s and field %zu", words[i], j);
        snprintf(wrong, sizeof wrong, "%ss", words[i]);
        refuse(wrong, wrong, words[i][3] == 'f' ? "logfile=on|off" : words[i]);
        snprintf(wrong, sizeof wrong, "%s=1", words[i]);
        refuse(wrong, wrong, words[i][3] == 'f' ? "logfile=on|off" : words[i]);
    }
    refuse("Quiet", "Quiet", "quiet");
    refuse("lapic", "lapic", "lapic=on");
    refuse("lapic=off", "lapic=off", "lapic=on");
    refuse("logfile=", "logfile=", "logfile=on|off");
    accept("logfile=off logfile=on");
    assert_true(options.log_file);
    accept("brief quiet verbose");
    assert_int_equal(options.lines, LINES_VERBOSE);
    accept("verbose quiet");
    assert_int_equal(options.lines, LINES_QUIET);
    accept("quiet verbose brief");
    assert_int_equal(options.lines, LINES_BRIEF);
    accept("list inventory");
    assert_int_equal(options.instead, INSTEAD_INVENTORY);
    accept("inventory list");
    assert_int_equal(options.instead, INSTEAD_LIST);
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
    static const char *const names[] = {"fault", "hang", "ap-fault", "fail", "many",
                                        "storm", "late", "slow",     "dead"};

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

TEST(unknown_words_list_the_allowed_ones)
{
    static const char *const allowed[] = {"console=", "exit=",    "only=",     "skip=",        "quick",
                                          "thorough", "list",     "inventory", "quiet",        "verbose",
                                          "brief",    "loop=",    "timeout=",  "stop-on-fail", "watchdog",
                                          "logfile=", "selftest="};

    for (size_t i = 0; i < COUNT_OF(allowed); i++)
        refuse("quiet onyl=cascade list", "onyl=cascade", allowed[i]);
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

    memset(small, 0x5A, sizeof small);
    assert_false(options_parse(&options, "wrong", small, 0));
    assert_int_equal(small[0], 0x5A);
    assert_false(options_parse(&options, "wrong", small, 8));
    assert_int_equal(strlen(small), 7);
    assert_int_equal(small[8], 0x5A);
}

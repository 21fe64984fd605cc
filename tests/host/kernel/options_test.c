/*
 * kernel/run/options.c and pattern.c: the boot line as kernel/run/options.h describes it, malformed lines
 * included, and which vectors the patterns of only= and skip= match. What a message holds,
 * tests/image/input.t and tests/fuzz/boot_line.c show; the words of selftest= are those of
 * tests/image/selftest.t, soak.t and board.t.
 */
#include <stdio.h>
#include <string.h>
#include "kernel/run/options.h"
#include "tests/host/support/host_test.h"

static struct options options;
static char error[600];

static bool parse_from(const char *loader, const char *line)
{
    memset(&options, 0xA5, sizeof options);
    memset(error, 0, sizeof error);
    return options_parse(&options, loader, line, error, sizeof error);
}

static bool parse(const char *line)
{
    return parse_from("", line);
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

/* Each of these words alone, a list with blanks between them. */
static void refuse_each(const char *words, const char *allowed)
{
    char copy[800];

    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " "))
        refuse(word, word, allowed);
}

/* ---- Words ---- */

/* A loader puts its file name first; it is no word. */
TEST(defaults)
{
    static const char *const lines[] = {
        NULL,          "",   " ", "\t \t", "  build/k", "/boot/pmuproof.elf", "k.elf", "http://boot/k?a=b",
        "tftp://10/k", "./x"};

    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        accept(lines[i]);
        assert_int_equal(options.console.kind, SERIAL_AUTO);
        assert_int_equal(options.console.baud, 0);
        assert_int_equal(options.exit, EXIT_HALT);
        assert_int_equal(options.loops, 1);
        assert_int_equal(options.timeout_s, 0);
        assert_true(options.log_file);
        assert_false(options.instead != INSTEAD_NOTHING || options.lines != LINES_USUAL || options.quick ||
                     options.thorough || options.stop_on_fail || options.watchdog != WATCHDOG_OFF ||
                     options.lapic);
        assert_null(options.selftest);
        assert_int_equal(options.only_count + options.skip_count, 0);
    }
    accept("/boot/pmuproof.elf quiet");
    assert_int_equal(options.lines, LINES_QUIET);
}

/* A file name is ignored only as the first word, and only without an '=' before its '/' or ".elf". */
TEST(other_file_names_are_words)
{
    refuse("quiet /boot/pmuproof.elf", "/boot/pmuproof.elf", "console=");
    refuse("a.elf b.elf", "b.elf", "console=");
    refuse_each("root=/dev/sda file=k.elf kernel.elf.gz", "console=");
}

/* The names as the loaders of Debian 12 give them (ISOLINUX with mboot.c32, GRUB Legacy, QEMU 7.2, iPXE, GRUB
 * 2), and the line that each passes. */
TEST(the_loader_decides_whether_the_first_word_is_a_name)
{
    static const struct {
        const char *loader, *line, *refused; /* null: the line is accepted, as the word quick alone */
    } rows[] = {
        {"ISOLINUX 6.04 20200816 ", "pmuproof.gz quick", NULL},
        {"SYSLINUX 4.07 ", "PMUPROOF.ELF quick", NULL},
        {"PXELINUX 6.04 ", "pmuproof quick", NULL},
        {"EXTLINUX 4.05 ", "  a=b quick", NULL},
        {"GNU GRUB 0.97", "(hd0)1+900 quick", NULL},
        {"qemu", "verbose quick", NULL},
        {"iPXE 1.0.0+", "boot quick", NULL},
        {"GRUB 2.06-13+deb12u2", "quick", NULL},
        {"GRUB 2.06-13+deb12u2", "/boot/pmuproof.gz quick", NULL},
        {"another", "quick", NULL},
        {"", "./pmuproof quick", NULL},
        {"ISOLINUX 6.04 20200816 ", "pmuproof.gz quik", "quik"},
        {"qemu", "pmuproof quick pmuproof", "pmuproof"},
        {"GRUB 2.06-13+deb12u2", "quik", "quik"},
        {"GRUB 2.06-13+deb12u2", "pmuproof quick", "pmuproof"},
        {"another", "pmuproof quick", "pmuproof"},
        {"ISO", "pmuproof quick", "pmuproof"},
        {"", "pmuproof quick", "pmuproof"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const bool accepted = parse_from(rows[i].loader, rows[i].line);
        char named[40] = "";

        if (rows[i].refused != NULL)
            snprintf(named, sizeof named, "'%s' is not understood", rows[i].refused);
        if (accepted != (rows[i].refused == NULL) ||
            (accepted ? !options.quick || options.lines != LINES_USUAL : strstr(error, named) == NULL))
            fail_msg("%s: %s: %s", rows[i].loader, rows[i].line, error);
    }
}

/* Each word sets one field and no other. */
TEST(switches)
{
    static const char *const words[] = {"list",     "quick",        "inventory", "quiet",    "verbose",
                                        "brief",    "stop-on-fail", "watchdog",  "lapic=on", "logfile=off",
                                        "thorough", "strict",       "bringup"};

    for (size_t i = 0; i < COUNT_OF(words); i++) {
        char wrong[64];
        accept(words[i]);
        const bool set[] = {options.instead == INSTEAD_LIST,
                            options.quick,
                            options.instead == INSTEAD_INVENTORY,
                            options.lines == LINES_QUIET,
                            options.lines == LINES_VERBOSE,
                            options.lines == LINES_BRIEF,
                            options.stop_on_fail,
                            options.watchdog == WATCHDOG_ALWAYS,
                            options.lapic,
                            !options.log_file,
                            options.thorough,
                            options.strict,
                            options.instead == INSTEAD_BRINGUP};
        for (size_t j = 0; j < COUNT_OF(set); j++)
            if (set[j] != (i == j))
                fail_msg("%s and field %zu", words[i], j);
        snprintf(wrong, sizeof wrong, "%ss %s:1", words[i], words[i]);
        refuse_each(wrong, words[i][3] == 'f' ? "logfile=on|off" : words[i]);
    }
    refuse("Quiet", "Quiet", "quiet");
    refuse_each("lapic lapic=off", "lapic=on");
    refuse("logfile=", "logfile=", "logfile=on|off");
}

TEST(the_use_of_the_watchdog)
{
    static const struct {
        const char *line;
        enum watchdog_use use;
    } rows[] = {
        {"watchdog", WATCHDOG_ALWAYS},
        {"watchdog=once", WATCHDOG_ONCE},
        {"watchdog=off", WATCHDOG_OFF},
        {"watchdog=once quick watchdog=off", WATCHDOG_OFF},
        {"watchdog=once watchdog", WATCHDOG_ALWAYS},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        accept(rows[i].line);
        if (options.watchdog != rows[i].use)
            fail_msg("%s: %u", rows[i].line, options.watchdog);
    }
    refuse_each("watchdog= watchdog=on watchdog=twice watchdog=once2", "watchdog=once");
}

/* Of several words for one field the last one wins. */
TEST(the_last_word_wins)
{
    static const struct {
        const char *line;
        unsigned lines, instead, exit, loops, timeout_s;
    } rows[] = {
        {"brief quiet verbose inventory list", LINES_VERBOSE, INSTEAD_LIST, EXIT_HALT, 1, 0},
        {"verbose quiet list inventory", LINES_QUIET, INSTEAD_INVENTORY, EXIT_HALT, 1, 0},
        {"quiet verbose brief exit=reboot", LINES_BRIEF, INSTEAD_NOTHING, EXIT_REBOOT, 1, 0},
        {"exit=reboot exit=off", LINES_USUAL, INSTEAD_NOTHING, EXIT_OFF, 1, 0},
        {"exit=reboot exit=halt logfile=off logfile=on", LINES_USUAL, INSTEAD_NOTHING, EXIT_HALT, 1, 0},
        {"loop=1000000 timeout=31536000", LINES_USUAL, INSTEAD_NOTHING, EXIT_HALT, 1000000, 31536000},
        {"loop=7 loop=forever timeout=5 timeout=1", LINES_USUAL, INSTEAD_NOTHING, EXIT_HALT, 0, 1},
        {"loop=forever loop=1", LINES_USUAL, INSTEAD_NOTHING, EXIT_HALT, 1, 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        accept(rows[i].line);
        if (options.lines != rows[i].lines || options.instead != rows[i].instead ||
            options.exit != rows[i].exit || options.loops != rows[i].loops ||
            options.timeout_s != rows[i].timeout_s || !options.log_file)
            fail_msg("%s", rows[i].line);
    }
}

TEST(wrong_values)
{
    refuse_each("exit= exit=halted exit=poweroff exit=offf exit", "exit=halt|reboot|off");
    refuse_each(
        "loop= loop=0 loop=1000001 loop=-1 loop=10000000 loop=ever loop=forever1 loop=1x loop=4294967297 "
        "loop=0x10",
        "N is 1 to 1000000");
    refuse("loop", "loop", "loop=N|forever");
    refuse_each(
        "timeout= timeout=0 timeout=31536001 timeout=1s timeout=-1 timeout=forever timeout=4294967297",
        "SECONDS is 1 to 31536000");
    refuse("timeout", "timeout", "timeout=SECONDS");
    refuse_each("selftest= selftest=fails selftest=fail,many", "slow");
}

/* ---- console= ---- */

TEST(consoles)
{
    static const struct {
        const char *line;
        struct serial_request request;
    } rows[] = {
        {"console=ttyS0", {SERIAL_TTY, 0, 0}},
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
        {"console=pci:2,9600", {SERIAL_PCI, 2, 9600}},
        {"console=auto", {SERIAL_AUTO, 0, 0}},
        {"console=auto,9600", {SERIAL_AUTO, 0, 9600}},
        {"console=none", {SERIAL_NONE, 0, 0}},
        {"console=none console=ttyS3", {SERIAL_TTY, 3, 0}},
        {"console=ttyS3,9600 console=none", {SERIAL_NONE, 0, 0}},
        {"console=ttyS3,9600 console=pci", {SERIAL_PCI, 0, 0}},
        /* A wrong word leaves the console of the words before it, on which its message is printed. */
        {"console=ttyS1,9600 bogus", {SERIAL_TTY, 1, 9600}},
        {"console=ttyS1 console=pci,1", {SERIAL_TTY, 1, 0}},
        {"console=0x2F8x", {SERIAL_AUTO, 0, 0}},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct serial_request *request = &rows[i].request;
        bool accepted = parse(rows[i].line);

        if (accepted != (i < COUNT_OF(rows) - 3) || options.console.kind != request->kind ||
            options.console.number != request->number || options.console.baud != request->baud)
            fail_msg("%s: kind %d, number %XH, baud %u", rows[i].line, options.console.kind,
                     options.console.number, options.console.baud);
    }
}

/* Below 100H every board has devices of its own; 3FCH is the middle of a UART; the last baud but one is 2^32
 * + 9600. */
TEST(wrong_consoles)
{
    refuse_each(
        "console= console=ttyS console=ttyS4 console=ttyS00 console=tty0 console=ttyS0, console=ttyS0,0 "
        "console=ttyS0,1 console=ttyS0,7 console=ttyS0,9601 console=ttyS0,230400 console=ttyS0,9600n "
        "console=ttyS0,n8 console=ttyS0,-9600 console=ttyS0,9600n81 console=0x console=0x0 console=0xFFF9 "
        "console=0x1 console=0xF8 console=0x3FC console=0x10000 console=0x3F8x console=3F8 "
        "console=none,9600 console=pci, console=pcix console=autopci console=pci0 console=pci:0 "
        "console=pci:10 console=pci: console=NONE "
        "console=ttyS0,115200, console=ttyS0,4294976896 console=ttyS0,99999999999999999999999999",
        "console=auto|ttyS0..ttyS3|0xPORT|pci|pci:N[,BAUD[n8]]|none; BAUD divides 115200");
}

/* ---- only=, skip= ---- */

static void assert_pattern(const struct pattern *pattern, const char *text)
{
    assert_int_equal(pattern->length, strlen(text));
    assert_memory_equal(pattern->text, text, pattern->length);
}

TEST(patterns_add_up)
{
    accept("only=cascade,R33 skip=pmi only=a/b");
    assert_int_equal(options.only_count, 3);
    assert_pattern(&options.only[0], "cascade");
    assert_pattern(&options.only[1], "R33");
    assert_pattern(&options.only[2], "a/b");
    assert_int_equal(options.skip_count, 1);
    assert_pattern(&options.skip[0], "pmi");
    accept("list=cascade only=R33");
    assert_int_equal(options.instead, INSTEAD_LIST);
    assert_int_equal(options.only_count, 2);
    refuse_each("list= list=a,, only= only=, only=a, only=,a skip=a,,b skip=", "PATTERN");
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

/* Rows of the suite are passed over when no id that begins like theirs can match. */
TEST(matching)
{
    static const struct {
        const char *pattern, *id, *rules;
        bool matches, may_match;
    } rows[] = {
        {"cascade", "cascade.18-1.iq.12-14", "R33", true, true},
        {"cascade.18-1", "cascade.18-1.iq.12-14", "R33", true, true},
        {"cascade.18-1.iq.12-14", "cascade.18-1.iq.12-14", "R33", true, true},
        {"cascade.", "cascade.18-1.iq.12-14", "R33", true, true},
        {"cascade.", "cascade", "R33", false, true},
        {"casc", "cascade.18-1.iq.12-14", "R33", false, true},
        {"cascade.18", "cascade.18-1.iq.12-14", "R33", false, true},
        {"cascade.18-1.iq.12-14.more", "cascade.18-1.iq.12-14", "R33", false, true},
        {"cascade.18-1.iq", "cascade.18-1.iq", "R33", true, true},
        {"cascade.18-2", "cascade.18-1.iq", "R33", false, false},
        {"count.iq", "cascade.18-1.iq", "R33", false, false},
        {"18-1", "cascade.18-1.iq.12-14", "R33", false, false},
        {"R33", "cascade", "R33", true, true},
        {"R33", "cascade", "R31 R33 R34", true, true},
        {"R33", "cascade", "R31\t R33", true, true},
        {"R3", "cascade", "R33 R34", false, false},
        {"R33", "cascade", "R3 R331", false, false},
        {"R33", "cascade", "R34 R43 S33", false, false},
        {"R33", "cascade", "", false, false},
        {"R33", "cascade", NULL, false, false},
        {"18-1", "cascade", "18-1 R33", true, true},
        {"r33", "cascade", "R33", false, false},
    };
    const struct pattern ended_by_its_length = {"cascade,R33 quiet", 7}, empty = {"", 0}, point = {".", 1};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct pattern pattern = {rows[i].pattern, strlen(rows[i].pattern)};

        if (pattern_matches(&pattern, rows[i].id, rows[i].rules) != rows[i].matches)
            fail_msg("%s against %s", rows[i].pattern, rows[i].id);
        if (pattern_may_match(&pattern, rows[i].id, rows[i].rules) != rows[i].may_match)
            fail_msg("%s against %s...", rows[i].pattern, rows[i].id);
    }
    assert_true(pattern_matches(&ended_by_its_length, "cascade.18-1", "R1"));
    assert_false(pattern_matches(&ended_by_its_length, "count", "R33"));
    assert_false(pattern_matches(&empty, "cascade", "R33") || pattern_matches(&point, "cascade", "R33"));
}

/*
 * The boot line, word by word. Every word is judged by one parser of its own kind, which either takes the
 * whole word or fails with what is allowed there.
 */
#include "options.h"
#include "kernel/lib/lib.h"
#include "pmc/count_of.h"

#define SHOWN_CHARS 48 /* of a wrong word, in the message */

#define STRING_(n) #n
#define STRING(n)  STRING_(n)

const char SELFTEST_DEAD[] = "dead";
static const char *const SELFTEST[] = {"fail", "many", "late", "slow", SELFTEST_DEAD};

#define TTYS        4u /* as many as the BIOS data area has room for */
#define MAX_DIVISOR 0xFFFFu
#define MIN_PORT    0x100u  /* lower ports belong to devices that every board has */
#define MAX_PORT    0xFFF8u /* the highest multiple of 8 that leaves room for 8 registers */
#define PORT_BYTES  8u

/* The unread rest of a word. */
struct text {
    const char *at, *end;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool empty(const struct text *text)
{
    return text->at == text->end;
}

/* Take literal off the front when it is there. */
static bool take(struct text *text, const char *literal)
{
    const char *at = text->at;
    for (; *literal != '\0'; literal++, at++)
        if (at == text->end || *at != *literal)
            return false;
    text->at = at;
    return true;
}

static bool is(struct text text, const char *literal)
{
    return take(&text, literal) && empty(&text);
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Take 1 to max_digits digits. */
static bool take_number(struct text *text, unsigned base, unsigned max_digits, uint32_t *value)
{
    unsigned count = 0;

    *value = 0;
    for (; !empty(text); text->at++, count++) {
        int digit = digit_value(*text->at);
        if (digit < 0 || (unsigned)digit >= base)
            break;
        if (count == max_digits)
            return false;
        *value = *value * base + (unsigned)digit;
    }
    return count > 0;
}

static bool parse_console(struct options *options, struct text text)
{
    struct serial_request request = {SERIAL_AUTO, 0, 0};

    if (is(text, "none")) {
        request.kind = SERIAL_NONE;
        options->console = request;
        return true;
    }
    if (take(&text, "ttyS")) {
        request.kind = SERIAL_TTY;
        if (!take_number(&text, 10, 1, &request.number) || request.number >= TTYS)
            return false;
    } else if (take(&text, "0x")) {
        request.kind = SERIAL_PORT;
        if (!take_number(&text, 16, 4, &request.number) || request.number < MIN_PORT ||
            request.number > MAX_PORT || request.number % PORT_BYTES != 0)
            return false;
    } else if (take(&text, "pci")) {
        request.kind = SERIAL_PCI;
        if (take(&text, ":") && (!take_number(&text, 10, 1, &request.number) || request.number == 0))
            return false;
    } else if (!take(&text, "auto")) {
        return false;
    }
    if (take(&text, ",")) {
        if (!take_number(&text, 10, 6, &request.baud) || request.baud == 0 ||
            SERIAL_BAUD % request.baud != 0 || SERIAL_BAUD / request.baud > MAX_DIVISOR)
            return false;
        take(&text, "n8");
    }
    if (!empty(&text))
        return false;
    options->console = request;
    return true;
}

static bool parse_exit(struct options *options, struct text text)
{
    options->exit = is(text, "reboot") ? EXIT_REBOOT : is(text, "off") ? EXIT_OFF : EXIT_HALT;
    return options->exit != EXIT_HALT || is(text, "halt");
}

static bool parse_loop(struct options *options, struct text text)
{
    if (is(text, "forever")) {
        options->loops = 0;
        return true;
    }
    return take_number(&text, 10, 7, &options->loops) && empty(&text) && options->loops >= 1 &&
           options->loops <= OPTIONS_LOOPS;
}

static bool parse_timeout(struct options *options, struct text text)
{
    return take_number(&text, 10, 8, &options->timeout_s) && empty(&text) && options->timeout_s >= 1 &&
           options->timeout_s <= OPTIONS_TIMEOUT_S;
}

static bool parse_logfile(struct options *options, struct text text)
{
    options->log_file = is(text, "on");
    return options->log_file || is(text, "off");
}

static bool parse_selftest(struct options *options, struct text text)
{
    for (size_t i = 0; i < COUNT_OF(SELFTEST); i++) {
        if (is(text, SELFTEST[i])) {
            options->selftest = SELFTEST[i];
            return true;
        }
    }
    return false;
}

/* Comma-separated patterns, none of them empty, at most OPTIONS_PATTERNS in all. */
static bool parse_patterns(struct pattern *patterns, unsigned *count, struct text text)
{
    for (;;) {
        const char *first = text.at;

        while (!empty(&text) && *text.at != ',')
            text.at++;
        if (text.at == first || *count == OPTIONS_PATTERNS)
            return false;
        patterns[(*count)++] = (struct pattern){first, (size_t)(text.at - first)};
        if (empty(&text))
            return true;
        text.at++;
    }
}

static bool parse_only(struct options *options, struct text text)
{
    return parse_patterns(options->only, &options->only_count, text);
}

static bool parse_list(struct options *options, struct text text)
{
    options->instead = INSTEAD_LIST;
    return parse_only(options, text);
}

static bool parse_skip(struct options *options, struct text text)
{
    return parse_patterns(options->skip, &options->skip_count, text);
}

static bool parse_course(struct options *options, struct text text)
{
    options->course = text.at;
    return !empty(&text);
}

/* CHOICE: a word that sets a field of one byte. Of several for one field the last one given wins. */
#define CHOICE(word, field, value)                                   \
    {                                                                \
        word, "", "", NULL, offsetof(struct options, field), (value) \
    }
#define SWITCH(word, field) CHOICE(word, field, true)
_Static_assert(sizeof(bool) == 1, "SWITCH sets a byte");

/* A row for each word: docs/add-a-boot-word.md. */
static const struct word {
    const char *start;                            /* the word, as far as it is always the same */
    const char *values;                           /* what may follow */
    const char *limits;                           /* more about that, after a wrong value */
    bool (*parse)(struct options *, struct text); /* null: the word is a choice, */
    size_t field;                                 /* which sets the byte at this offset */
    uint8_t value;                                /* to this value */
} WORD[] = {
    {"console=", "auto|ttyS0..ttyS3|0xPORT|pci|pci:N[,BAUD[n8]]|none",
     "; BAUD divides 115200 and is at least 2; PORT is 100 to FFF8, a multiple of 8", parse_console, 0, 0},
    {"exit=", "halt|reboot|off", "", parse_exit, 0, 0},
    {"only=", "PATTERN[,PATTERN...]",
     " with at most " STRING(OPTIONS_PATTERNS) " patterns in all, none empty", parse_only, 0, 0},
    {"skip=", "PATTERN[,PATTERN...]",
     " with at most " STRING(OPTIONS_PATTERNS) " patterns in all, none empty", parse_skip, 0, 0},
    {"list=", "PATTERN[,PATTERN...]", "", parse_list, 0, 0}, /* before list, which begins as it does */
    {"course=", "COUNTERS/STEPS", "; docs/add-a-vector.md has the notation", parse_course, 0, 0},
    SWITCH("quick", quick),
    SWITCH("thorough", thorough),
    CHOICE("list", instead, INSTEAD_LIST),
    CHOICE("inventory", instead, INSTEAD_INVENTORY),
    CHOICE("bringup", instead, INSTEAD_BRINGUP),
    CHOICE("quiet", lines, LINES_QUIET),
    CHOICE("verbose", lines, LINES_VERBOSE),
    CHOICE("brief", lines, LINES_BRIEF),
    {"loop=", "N|forever", "; N is 1 to " STRING(OPTIONS_LOOPS), parse_loop, 0, 0},
    {"timeout=", "SECONDS", "; SECONDS is 1 to " STRING(OPTIONS_TIMEOUT_S), parse_timeout, 0, 0},
    SWITCH("stop-on-fail", stop_on_fail),
    CHOICE("watchdog=once", watchdog, WATCHDOG_ONCE), /* before watchdog, as above */
    CHOICE("watchdog=off", watchdog, WATCHDOG_OFF),
    CHOICE("watchdog", watchdog, WATCHDOG_ALWAYS),
    SWITCH("strict", strict),
    SWITCH("lapic=on", lapic),
    {"logfile=", "on|off", "", parse_logfile, 0, 0},
    {"selftest=", "fail|many|late|slow|dead", "", parse_selftest, 0, 0},
};

/* The word that this text begins with, or null; rest is what follows. */
static const struct word *word_of(struct text text, struct text *rest)
{
    for (size_t i = 0; i < COUNT_OF(WORD); i++) {
        *rest = text;
        if (take(rest, WORD[i].start))
            return &WORD[i];
    }
    return NULL;
}

static bool parse_word(struct options *options, struct text text)
{
    struct text rest;
    const struct word *word = word_of(text, &rest);

    if (word == NULL)
        return false;
    if (word->parse != NULL)
        return word->parse(options, rest);
    *((uint8_t *)options + word->field) = word->value;
    return empty(&rest);
}

/* How the multiboot names of the loaders begin that put the kernel's name before the words, as it was given
 * to them: mboot.c32 of the four Syslinux loaders, GRUB Legacy, `qemu -kernel`, iPXE and p4sim. GRUB 2 passes
 * the words alone. */
static const char *const NAMES_KERNEL[] = {"SYSLINUX", "ISOLINUX",   "PXELINUX", "EXTLINUX",
                                           "qemu",     "GNU GRUB 0", "iPXE",     "p4sim"};

static bool begins_with(const char *text, const char *start)
{
    while (*start != '\0')
        if (*text++ != *start++)
            return false;
    return true;
}

static bool names_kernel(const char *loader)
{
    for (size_t i = 0; i < COUNT_OF(NAMES_KERNEL); i++)
        if (begins_with(loader, NAMES_KERNEL[i]))
            return true;
    return false;
}

/* A file name or URL: a '/' or a final ".elf" with no '=' before it. */
static bool is_file_name(struct text text)
{
    for (; !empty(&text) && *text.at != '='; text.at++)
        if (*text.at == '/' || is(text, ".elf"))
            return true;
    return false;
}

/* Which word is wrong, and what is allowed: after a word with values its values, else every word. */
static void explain(char *error, size_t error_size, struct text text)
{
    char shown[SHOWN_CHARS + sizeof("...")];
    size_t length = (size_t)(text.end - text.at);
    size_t count = length < SHOWN_CHARS ? length : SHOWN_CHARS;
    struct text unused;
    const struct word *word = word_of(text, &unused);

    for (size_t i = 0; i < count; i++)
        shown[i] = text.at[i] > ' ' && text.at[i] <= '~' ? text.at[i] : '?';
    format(shown + count, sizeof shown - count, "%s", length > count ? "..." : "");
    size_t used = format(error, error_size, "boot line: '%s' is not understood; allowed:", shown);
    const bool asked = word != NULL && word->parse != NULL;
    for (size_t i = 0; i < COUNT_OF(WORD) && used < error_size; i++)
        if (!asked || word == &WORD[i])
            used += format(error + used, error_size - used, " %s%s%s", WORD[i].start, WORD[i].values,
                           asked ? WORD[i].limits : "");
}

bool options_parse(struct options *options, const char *loader, const char *line, char *error,
                   size_t error_size)
{
    bool first = true;

    *options =
        (struct options){.console = {SERIAL_AUTO, 0, 0}, .exit = EXIT_HALT, .loops = 1, .log_file = true};
    if (line == NULL)
        return true;
    for (;;) {
        while (is_blank(*line))
            line++;
        if (*line == '\0')
            return true;
        struct text word = {.at = line};
        while (*line != '\0' && !is_blank(*line))
            line++;
        word.end = line;
        if (!(first && (names_kernel(loader) || is_file_name(word))) && !parse_word(options, word)) {
            explain(error, error_size, word);
            return false;
        }
        first = false;
    }
}

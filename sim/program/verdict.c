/*
 * Reads the verdict from the last lines of the log.
 */
#include "program.h"
#include "pmc/count_of.h"

#include <stdio.h>
#include <string.h>

#define END_PREFIX    "# END OF TAP: "
#define BAIL_PREFIX   "Bail out!"
#define SKIP_PREFIX   "1..0 # SKIP "
#define SKIP_PMU      " - pmu # SKIP " /* after "ok N" */
#define CHECK_CODE    6                /* characters at the end of a point */
#define ID_PREFIX     "#> "
#define UNTESTED      "# not tested: "
#define TOTALS        " passed, " /* after "# N" */
#define UNEXPLAINED   " unexplained"
#define NOT_EXERCISED " not exercised"

static const struct outcome {
    const char *word; /* of the END line */
    uint32_t exit_value;
    enum verdict_status status;
    const char *meaning, *partly; /* partly: if the machine kept some points from being tested */
} OUTCOMES[] = {
    {"pass", 0x10, STATUS_PASS, "pass: every check passed", "pass: every check that ran passed"},
    {"fail", 0x11, STATUS_FAIL, "fail: a check failed", "fail: a check failed"},
    {"skip", 0x13, STATUS_SKIP, "skip: the PMU was not tested", "skip: too little was tested (strict)"},
};

#define EXIT_BROKEN 0x12u

/* Notes "N words" of the totals "# ...; N words". */
static void note_number(const char *totals, const char *words, char *noted, size_t size)
{
    const char *end = strstr(totals, words);
    if (!end)
        return;
    const char *number = end;
    while (number > totals && number[-1] >= '0' && number[-1] <= '9')
        number--;
    snprintf(noted, size, "%.*s", (int)(end - number + (int)strlen(words)), number);
}

static void end_of_line(struct serial_watch *watch)
{
    watch->line[watch->length] = '\0';
    if (strncmp(watch->line, END_PREFIX, strlen(END_PREFIX)) == 0) {
        /* The verdict's word; the number of lines and the CRC-32 follow it. */
        const char *word = watch->line + strlen(END_PREFIX);
        snprintf(watch->end, sizeof watch->end, "%.*s", (int)strcspn(word, ","), word);
    } else if (strncmp(watch->line, ID_PREFIX, strlen(ID_PREFIX)) == 0) {
        const char *id = watch->line + strlen(ID_PREFIX);
        snprintf(watch->vector, sizeof watch->vector, "%.*s", (int)strcspn(id, " "), id);
    } else if (strncmp(watch->line, BAIL_PREFIX, strlen(BAIL_PREFIX)) == 0) {
        watch->bailed_out = true;
        snprintf(watch->bail_out, sizeof watch->bail_out, "%.180s%s", watch->line + strlen(BAIL_PREFIX),
                 strlen(watch->line) > strlen(BAIL_PREFIX) + 180 ? "..." : "");
    } else if (strncmp(watch->line, UNTESTED, strlen(UNTESTED)) == 0 && !watch->untested[0]) {
        snprintf(watch->untested, sizeof watch->untested, "%.190s", watch->line + 2);
    } else if (strncmp(watch->line, "# ", 2) == 0 && strstr(watch->line, TOTALS)) {
        note_number(watch->line, UNEXPLAINED, watch->unexplained, sizeof watch->unexplained);
        note_number(watch->line, NOT_EXERCISED, watch->not_exercised, sizeof watch->not_exercised);
    } else if (strncmp(watch->line, "ok ", 3) == 0 && strstr(watch->line, SKIP_PMU) &&
               watch->length > CHECK_CODE) {
        watch->line[watch->length - CHECK_CODE] = '\0';
        snprintf(watch->skip, sizeof watch->skip, "%.120s", strstr(watch->line, SKIP_PMU) + strlen(SKIP_PMU));
    } else if (strncmp(watch->line, SKIP_PREFIX, strlen(SKIP_PREFIX)) == 0) {
        snprintf(watch->skip, sizeof watch->skip, "%.120s", watch->line + strlen(SKIP_PREFIX));
    }
    watch->length = 0;
}

void serial_watch_byte(struct serial_watch *watch, uint8_t byte)
{
    if (byte == '\n')
        end_of_line(watch);
    else if (byte != '\r' && watch->length < sizeof watch->line - 1)
        watch->line[watch->length++] = (char)byte;
}

#define DOUBTS_SIZE 280 /* of all three, with what separates them */

/* Why a run that tested the PMU is no plain pass: what was not tested, what is unexplained, and what was not
 * exercised; empty if there is none of these. */
static void doubts(const struct serial_watch *watch, char text[DOUBTS_SIZE])
{
    const char *parts[] = {watch->untested, watch->unexplained, watch->not_exercised};
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (parts[i][0])
            length +=
                (size_t)snprintf(text + length, DOUBTS_SIZE - length, "%s%s", length ? "; " : "", parts[i]);
}

enum verdict_status verdict_of(const struct serial_watch *watch, uint32_t exit_value, char *text, size_t size)
{
    if (watch->bailed_out) {
        snprintf(text, size, "broken: the kernel bailed out:%s", watch->bail_out);
        return STATUS_BROKEN;
    }
    if (!watch->end[0]) {
        snprintf(text, size, "broken: the log ended without an END line (debug exit value %XH)", exit_value);
        return STATUS_BROKEN;
    }
    for (size_t i = 0; i < COUNT_OF(OUTCOMES); i++) {
        if (strcmp(OUTCOMES[i].word, watch->end) != 0)
            continue;
        if (OUTCOMES[i].exit_value == exit_value) {
            const bool skipped = OUTCOMES[i].status == STATUS_SKIP && watch->skip[0];
            const bool only_unexplained =
                watch->unexplained[0] && !watch->untested[0] && !watch->not_exercised[0];
            const bool too_little =
                watch->untested[0] || (OUTCOMES[i].status == STATUS_SKIP && watch->not_exercised[0]);
            char doubtful[DOUBTS_SIZE];
            doubts(watch, doubtful);
            const char *why = skipped ? watch->skip : OUTCOMES[i].status == STATUS_FAIL ? "" : doubtful;
            const char *meaning = OUTCOMES[i].status == STATUS_SKIP && !skipped && only_unexplained
                                      ? "skip: results are unexplained (strict)"
                                  : too_little ? OUTCOMES[i].partly
                                               : OUTCOMES[i].meaning;
            snprintf(text, size, "%s%s%s", meaning,
                     why[0] ? OUTCOMES[i].status == STATUS_PASS ? "; " : ": " : "", why);
            return OUTCOMES[i].status;
        }
        break;
    }
    snprintf(text, size, "broken: the END line says %s and the debug exit value is %XH%s", watch->end,
             exit_value, exit_value == EXIT_BROKEN ? " (broken)" : "");
    return STATUS_BROKEN;
}

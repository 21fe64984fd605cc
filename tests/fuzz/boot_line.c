/*
 * The boot line (kernel/run/options.c). The first byte is the size of the message buffer, and whether the
 * loader names the kernel first; the rest is the line.
 * Whatever the line holds: no byte outside it is read, patterns lie within the line and are not empty, and
 * the message of a refusal is one line of printable ASCII.
 */
#include "fuzz.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/run/options.h"

static void check_patterns(const struct pattern *patterns, unsigned count, const char *line, size_t length)
{
    assert(count <= OPTIONS_PATTERNS);
    for (unsigned i = 0; i < count; i++) {
        assert(patterns[i].length > 0 && patterns[i].text >= line);
        assert(patterns[i].text + patterns[i].length <= line + length);
        pattern_matches(&patterns[i], "cascade.18-1.iq.12-14", "R33 R34");
    }
}

static void check_message(const char *error, size_t size)
{
    const char *end = memchr(error, '\0', size);

    assert(end != NULL && (size == 1 || end > error));
    for (const char *at = error; at < end; at++)
        assert(*at >= ' ' && *at <= '~');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct options options;
    size_t error_size = size > 0 ? 1u + data[0] : 1, length = size > 0 ? size - 1 : 0;
    char *line = malloc(length + 1), *error = malloc(error_size);

    assert(line != NULL && error != NULL);
    if (length > 0)
        memcpy(line, data + 1, length);
    line[length] = '\0';
    if (options_parse(&options, error_size % 2 ? "qemu" : "", line, error, error_size)) {
        assert(options.console.baud == 0 ||
               (options.console.baud >= 2 && 115200 % options.console.baud == 0));
        assert(options.console.number <= (options.console.kind == SERIAL_TTY ? 3 : 0xFFF8));
        assert(options.loops <= OPTIONS_LOOPS && options.timeout_s <= OPTIONS_TIMEOUT_S);
        assert(options.lines <= LINES_BRIEF);
        check_patterns(options.only, options.only_count, line, length);
        check_patterns(options.skip, options.skip_count, line, length);
    } else {
        check_message(error, error_size);
    }
    free(error);
    free(line);
    return 0;
}

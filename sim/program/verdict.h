/*
 * The verdict of a run. The END line on the serial output and the value that was written to isa-debug-exit
 * must agree.
 */
#ifndef SIM_PROGRAM_VERDICT_H
#define SIM_PROGRAM_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum verdict_status { STATUS_PASS = 0, STATUS_FAIL = 1, STATUS_BROKEN = 2, STATUS_SKIP = 77 };

/* What the serial output has said up to now. */
struct serial_watch {
    char line[256];
    size_t length;
    char vector[64];    /* id of the vector that was announced last, empty before the first */
    char end[16];       /* the word of the END line, empty before it */
    char bail_out[200]; /* reason of a `Bail out!` line, empty without one */
    bool bailed_out;
    char untested[200]; /* the first line about what was not tested and why; empty without one */
    char skip[128];     /* reason of a plan without points, `1..0 # SKIP reason`; empty without one */
};

void serial_watch_byte(struct serial_watch *watch, uint8_t byte);

/*
 * The status of a run that ended by writing exit_value to isa-debug-exit. Writes one line of text to
 * text[0..size).
 */
enum verdict_status verdict_of(const struct serial_watch *watch, uint32_t exit_value, char *text,
                               size_t size);

#endif

/*
 * p4sim: boot a multiboot kernel on a simulated Pentium 4 and report its verdict.
 */
#include <stdio.h>
#include <stdlib.h>
#include "options.h"
#include "run.h"

static int broken(const char *text)
{
    fprintf(stderr, "p4sim: %s\n", text);
    return STATUS_BROKEN;
}

int main(int argc, char **argv)
{
    struct sim_options options;
    char text[TEXT_MAX];

    switch (sim_options_parse(&options, argc, argv, text, sizeof text)) {
    case OPTIONS_DONE:
        return output_lost(text, sizeof text) ? broken(text) : EXIT_SUCCESS;
    case OPTIONS_WRONG:
        return broken(text);
    case OPTIONS_RUN:
        break;
    }
    struct machine *machine = calloc(1, sizeof *machine);
    if (!machine)
        return broken("out of memory");
    enum verdict_status status = run_kernel(machine, &options, text, sizeof text);
    fprintf(stderr, "p4sim: %s\n", text);
    machine_free(machine);
    free(machine);
    return (int)status;
}

/*
 * p4sim --serve: many runs, each in a process of its own that starts with warm engines (sim/engine/warm.h).
 */
#ifndef SIM_SERVE_H
#define SIM_SERVE_H

#include "options.h"

/*
 * Run once as the options say, without output, then read requests from standard input until it ends:
 *
 *     OUT <tab> ERR <tab> ARGUMENT <tab> ARGUMENT ... <newline>
 *
 * Each is one run of p4sim with these arguments; its standard output and error go to the files OUT and ERR.
 * When the run has ended, a line on standard output says how: `exit STATUS` or `signal NUMBER`. Returns the
 * exit status.
 */
int serve(const struct sim_options *options);

#endif

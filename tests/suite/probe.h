/* What the probes share: workloads for counters that are running already. */
#ifndef TESTS_SUITE_PROBE_H
#define TESTS_SUITE_PROBE_H

#include <stdbool.h>
#include <stdint.h>
#include "frame.h"

/* Cause n occurrences. */
void probe_exercise(const struct workload *work, uint32_t n);

/* Does a counter move while n occurrences are caused? */
bool probe_moves(unsigned counter, const struct workload *work, uint32_t n);

#endif

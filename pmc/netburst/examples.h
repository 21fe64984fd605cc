/*
 * The manual's two examples as procedures, step for step.
 */
#ifndef PMC_NETBURST_EXAMPLES_H
#define PMC_NETBURST_EXAMPLES_H

#include "setup.h"

#define EXAMPLE_18_1_X 200  /* occurrences of event A before counter X overflows */
#define EXAMPLE_18_1_Y 400  /* occurrences of event B before counter Y overflows */
#define EXAMPLE_18_2_X 4096 /* instructions retired on logical processor 0 before the sampling of 1 */

/*
 * Example 18-1, everything up to and including the write of Y's CCCR (CASCADE = 1, ENABLE = 0). What is left
 * is the write that begins the nested counting, *start_msr := *start_value (X's CCCR with ENABLE), which the
 * measured workload does itself. y->cccr may carry OVF_PMI. Presets are -x_count and -y_count (1 to 2^40).
 * False when a preset did not read back; nothing is left enabled then.
 */
bool example_18_1(const struct pmc_programming *x, uint64_t x_count, const struct pmc_programming *y,
                  uint64_t y_count, uint32_t *start_msr, uint32_t *start_value);

/*
 * One row of pmu-rules 7.4: X counts on logical processor 0 and starts Y, which counts on
 * logical processor 1 (in row V the manual's own, contradictory values). For machines with Hyper-Threading.
 */
struct example_18_2 {
    char version; /* 'A'..'H'; 'V' the verbatim programming */
    uint8_t x, y; /* flat counter numbers */
    uint32_t escr_x_msr, escr_x, escr_y_msr, escr_y;
    uint64_t preset_x;
    uint32_t cccr_y;        /* cascade form with the PMI flag */
    uint32_t cccr_y_no_pmi; /* without it; the same as cccr_y in row V */
    uint32_t cccr_x;        /* with ENABLE: the write that starts everything */
    bool extended;          /* needs bit 11: models 2, 3, 4, 6 */
    bool probe;             /* depends on an open reading (G, H) or is the verbatim text (V) */
};
#define EXAMPLE_18_2_ROWS      9
#define EXAMPLE_18_2_CORRECTED 6 /* rows A to F, which come first, are no probes */
extern const struct example_18_2 EXAMPLE_18_2[EXAMPLE_18_2_ROWS];

/*
 * Write a row in its order of steps, all but the last write (cccr_x to the CCCR of X, which starts it). All
 * CCCRs must be 0 (pmc_clear), because an OVF of X that is set would start Y at once (R39).
 *
 * sampling: PMI form of CCCR Y and preset Y = 2^40 - (distance - 1), distance >= 2 (R46); else the no-PMI
 * form and preset 0. Row V ignores both arguments and keeps every value the manual prints, the 32-bit preset
 * included (pmu-rules 7.3). False when a preset did not read back or the distance is too small; the CCCRs are
 * 0 again then.
 */
bool example_18_2(const struct example_18_2 *row, bool sampling, uint32_t distance);

#endif

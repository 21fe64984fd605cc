/*
 * The manual's two examples as procedures, step for step.
 */
#ifndef PMC_EXAMPLES_H
#define PMC_EXAMPLES_H

#include "setup.h"

#define EXAMPLE_18_1_X 200 /* occurrences of event A before counter X overflows */
#define EXAMPLE_18_1_Y 400 /* occurrences of event B before counter Y overflows */
#define EXAMPLE_18_2_X 4096

/*
 * Example 18-1, everything up to and including the write of Y's CCCR (CASCADE = 1, ENABLE = 0). What is left
 * is the write that begins the nested counting, *start_msr := *start_value (X's CCCR with ENABLE), which the
 * measured workload does itself. y->cccr may carry OVF_PMI. Presets are -x_count and -y_count. False when a
 * preset did not read back.
 */
bool example_18_1(const struct pmc_programming *x, uint64_t x_count, const struct pmc_programming *y,
                  uint64_t y_count, uint32_t *start_msr, uint32_t *start_value);

/* One row of the reference's section 7.4. */
struct example_18_2 {
    char variant; /* 'A'..'H'; 'V' the verbatim programming */
    uint8_t x, y; /* flat counter numbers */
    uint32_t escr_x_msr, escr_x, escr_y_msr, escr_y;
    uint64_t preset_x;
    uint32_t cccr_y, cccr_y_no_pmi, cccr_x;
    bool extended; /* needs bit 11: models 2, 3, 4, 6 */
    bool probe;    /* depends on an UNCONFIRMED reading (G, H) or is the verbatim text (V) */
};
#define EXAMPLE_18_2_ROWS 9
extern const struct example_18_2 EXAMPLE_18_2[EXAMPLE_18_2_ROWS];

/*
 * Write a row in its order of steps, all but the last write (CCCR of X, which starts it). sampling: PMI form
 * of CCCR Y and preset Y = 2^40 - (distance - 1) (R46); else the no-PMI form and preset 0. verbatim keeps
 * every value the manual prints, 32-bit preset included (reference 7.3). False when a preset did not read
 * back.
 */
bool example_18_2(const struct example_18_2 *row, bool sampling, uint32_t distance);

#endif

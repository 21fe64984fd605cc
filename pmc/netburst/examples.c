/*
 * The manual's two examples, to be read beside SDM 18.15.5.6 and 18.15.5.7. Example 18-1 counts on from one
 * counter to another; Example 18-2 samples one logical processor after the other has done something.
 */
#include "examples.h"
#include "pmc/msr.h"

bool example_18_1(const struct pmc_programming *x, uint64_t x_count, const struct pmc_programming *y,
                  uint64_t y_count, uint32_t *start_msr, uint32_t *start_value)
{
    /* Stop both and clear OVF of both while they are programmed: an OVF of X would start Y at once (R39). */
    msr_write(MSR_CCCR(y->counter), 0);
    msr_write(MSR_CCCR(x->counter), 0);

    /* "Each counter is set up to count a specific event": 18.15.5.1, step 5, for A and for B. */
    msr_write(x->escr_msr, x->escr);
    msr_write(y->escr_msr, y->escr);

    /* "Preset for a count of" -200 and -400: they overflow on the 200th A and on the 400th B. */
    if (!pmc_preset(x->counter, COUNTER_OVERFLOW_IN(x_count)) ||
        !pmc_preset(y->counter, COUNTER_OVERFLOW_IN(y_count)))
        return false;

    /* Y: cascade flag 1, enable flag 0. X's overflow will enable it. */
    pmc_arm_cascade(y);

    /* "To begin the nested counting, the enable bit for the counter X is set": that write is left to the
     * caller. */
    *start_msr = MSR_CCCR(x->counter);
    *start_value = pmc_cccr_enabled(x);
    return true;
}

/* clang-format off */

/* instr_retired, both tagged and not, on one logical processor at every CPL; all branches on processor 0. */
#define INSTR(lp) (ESCR_EVENT_SELECT(INSTR_RETIRED_SELECT) | ESCR_EVENT_MASK(INSTR_RETIRED_NBOGUS) | (lp))
#define INSTR_LP0    INSTR(ESCR_T0_ALL)
#define INSTR_LP1    INSTR(ESCR_T1_ALL)
#define BRANCHES_LP0 \
    (ESCR_EVENT_SELECT(BRANCH_RETIRED_SELECT) | ESCR_EVENT_MASK(BRANCH_RETIRED_ALL) | ESCR_T0_ALL)

/* CCCRs: the ESCR of either event; X enabled; Y armed for plain or extended cascading, PMI to LP1 or none. */
#define ON_CRU01    (CCCR_ESCR_SELECT(INSTR_RETIRED_CCCR_SELECT) | CCCR_ACTIVE_THREAD(ACTIVE_ANY))
#define ON_CRU23    (CCCR_ESCR_SELECT(BRANCH_RETIRED_CCCR_SELECT) | CCCR_ACTIVE_THREAD(ACTIVE_ANY))
#define X_INSTR     (ON_CRU01 | CCCR_ENABLE)
#define X_BRANCHES  (ON_CRU23 | CCCR_ENABLE)
#define Y_CASCADE   ON_CRU01 | CCCR_CASCADE | CCCR_OVF_PMI_T1, ON_CRU01 | CCCR_CASCADE
#define Y_EXTENDED  ON_CRU01 | CCCR_CASCNT | CCCR_OVF_PMI_T1, ON_CRU01 | CCCR_CASCNT
/* In step 3 of the manual the PMI goes to LP0. */
#define Y_MANUAL    ON_CRU01 | CCCR_CASCNT | CCCR_OVF_PMI_T0, ON_CRU01 | CCCR_CASCNT | CCCR_OVF_PMI_T0

#define PRESET_40 COUNTER_OVERFLOW_IN(EXAMPLE_18_2_X)
#define PRESET_32 (PRESET_40 & FIELD_MASK(31, 0)) /* as step 4 prints it */

#define CRU(n) MSR_CRU_ESCR##n
#define BIT11  true
#define PLAIN  false
#define CHECK  false
#define PROBE  true

const struct example_18_2 EXAMPLE_18_2[EXAMPLE_18_2_ROWS] = {
    /*     X   Y   ESCR of X             ESCR of Y          preset X   CCCR Y      CCCR X      needs  kind */
    { 'A', 17, 16, CRU(1), INSTR_LP0,    CRU(0), INSTR_LP1, PRESET_40, Y_EXTENDED, X_INSTR,    BIT11, CHECK },
    { 'B', 16, 17, CRU(0), INSTR_LP0,    CRU(1), INSTR_LP1, PRESET_40, Y_EXTENDED, X_INSTR,    BIT11, CHECK },
    { 'C', 14, 16, CRU(1), INSTR_LP0,    CRU(0), INSTR_LP1, PRESET_40, Y_CASCADE,  X_INSTR,    PLAIN, CHECK },
    { 'D', 12, 14, CRU(0), INSTR_LP0,    CRU(1), INSTR_LP1, PRESET_40, Y_CASCADE,  X_INSTR,    PLAIN, CHECK },
    { 'E', 16, 12, CRU(2), BRANCHES_LP0, CRU(0), INSTR_LP1, PRESET_40, Y_EXTENDED, X_BRANCHES, BIT11, CHECK },
    { 'F', 17, 15, CRU(3), BRANCHES_LP0, CRU(1), INSTR_LP1, PRESET_40, Y_EXTENDED, X_BRANCHES, BIT11, CHECK },
    { 'G', 15, 17, CRU(3), BRANCHES_LP0, CRU(1), INSTR_LP1, PRESET_40, Y_CASCADE,  X_BRANCHES, PLAIN, PROBE },
    { 'H', 13, 17, CRU(0), INSTR_LP0,    CRU(1), INSTR_LP1, PRESET_40, Y_CASCADE,  X_INSTR,    PLAIN, PROBE },
    { 'V', 16, 12, CRU(2), INSTR_LP0,    CRU(0), INSTR_LP1, PRESET_32, Y_MANUAL,   X_INSTR,    BIT11, PROBE },
};

/* clang-format on */

/* The manual's order; its counters are 12 (Y) and 16 (X). */
static bool write_verbatim(const struct example_18_2 *row)
{
    /* Step 1: 0 to counter 12. */
    if (!pmc_preset(row->y, 0))
        return false;
    /* Step 2: CRU_ESCR0, instructions retired on logical processor 1. */
    msr_write(row->escr_y_msr, row->escr_y);
    /* Step 3: IQ_CCCR0, CASCNT4INTO0 and OVF_PMI; neither ENABLE nor CASCADE. */
    msr_write(MSR_CCCR(row->y), row->cccr_y);
    /* Step 4: -4096 to counter 16, as printed. */
    if (!pmc_preset(row->x, row->preset_x)) {
        msr_write(MSR_CCCR(row->y), 0);
        return false;
    }
    /* Step 5: CRU_ESCR2, meant as instructions retired on logical processor 0. Step 6 is left to the caller.
     */
    msr_write(row->escr_x_msr, row->escr_x);
    return true;
}

bool example_18_2(const struct example_18_2 *row, bool sampling, uint32_t distance)
{
    if (row->version == 'V')
        return write_verbatim(row);
    if (sampling && distance < 2)
        return false;

    msr_write(row->escr_x_msr, row->escr_x);
    msr_write(row->escr_y_msr, row->escr_y);
    /* The PMI comes one count after the overflow, so the overflow is set one early (R46). */
    if (!pmc_preset(row->x, row->preset_x) ||
        !pmc_preset(row->y, sampling ? COUNTER_OVERFLOW_IN(distance - 1) : 0))
        return false;
    msr_write(MSR_CCCR(row->y), sampling ? row->cccr_y : row->cccr_y_no_pmi);
    return true;
}

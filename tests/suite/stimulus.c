/* The table of stimuli: which event, which workload causes it, and how many counts an occurrence makes. */
#include "stimulus.h"

#include "kernel/run/run.h"
#include "kernel/x86/cpu.h"
#include "kernel/log/log.h"
#include "exercised.h"
#include "expect.h"
#include "machine.h"
#include "bits.h"

void skip_without_ioq(void)
{
    if (!machine_cpu.ioq)
        skip_now("no IOQ events on a Xeon 7100");
}

static void prepare_uncached(void)
{
    if (!paging_on())
        skip_now("no page-size extension, so no uncached page");
    work_uncached_page = PAGING_UNCACHED;
}

#define RISING_EDGE (CCCR_COMPARE | CCCR_EDGE) /* threshold 0 (R24) */
#define SLACK       8

/* Classes: of how many occurrences one counts at least, the most counts an occurrence may make, and the
 * slack. */
#define EXACT     1, 1, 0
#define BRANCHES  1, 2, SLACK          /* F17: it may overcount near a new trace or a machine clear */
#define UOPS      1, 2, SLACK          /* 10.11a, 10.11b: a 128-bit operand may take two */
#define TRANSFERS 1, 16, SLACK         /* F15, 10.11e: nobody knows how many transfers a CPUID is */
#define ACCESSES  2, 4, SLACK          /* F17, 10.11d, 10.11g: each half of a split access, each retry */
#define ASSISTS   2, 4, SLACK          /* 10.11e: for each operand, or again when it is executed again */
#define ANY       1, UINT32_MAX, SLACK /* F18 */

/* clang-format off */
const struct stimulus STIMULUS[STIMULI] = {
    /*                          name                          event                      mask                filter         workload, preparation, clean-up, needs, class */
    [STIMULUS_CLOCKS]         = {"global_power_events",        EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING,   0,           &work_nop,           NULL, NULL, 0, EXACT},
    [STIMULUS_INSTRUCTIONS]   = {"instr_retired",              EVENT_INSTR_RETIRED,       INSTR_RETIRED_NBOGUS,   0,           &work_nop,           NULL, NULL, 0, EXACT},
    [STIMULUS_COMPLETED]      = {"instr_completed",            EVENT_INSTR_COMPLETED,     INSTR_COMPLETED_NBOGUS, 0,           &work_nop,           NULL, NULL, NEED_INSTR_COMPLETED, EXACT},
    [STIMULUS_BRANCHES]       = {"branch_retired.all",         EVENT_BRANCH_RETIRED,      BRANCH_RETIRED_ALL,     0,           &work_loop,          NULL, NULL, 0, EXACT},
    [STIMULUS_TAKEN]          = {"branch_retired.taken",       EVENT_BRANCH_RETIRED,      BRANCH_RETIRED_TAKEN,   0,           &work_jmp,           NULL, NULL, 0, EXACT},
    [STIMULUS_NOT_TAKEN]      = {"branch_retired.not-taken",   EVENT_BRANCH_RETIRED,      BRANCH_RETIRED_UNTAKEN, 0,           &work_not_taken,     NULL, NULL, 0, EXACT},
    [STIMULUS_CALLS]          = {"retired_branch_type.call",   EVENT_RETIRED_BRANCH_TYPE, BRANCH_TYPE_CALL,       0,           &work_call,          NULL, NULL, 0, BRANCHES},
    [STIMULUS_RETURNS]        = {"retired_branch_type.return", EVENT_RETIRED_BRANCH_TYPE, BRANCH_TYPE_RETURN,     0,           &work_return,        NULL, NULL, 0, BRANCHES},
    [STIMULUS_PACKED_SP]      = {"packed_sp_uop",              EVENT_PACKED_SP_UOP,       FIRM_ALL,               0,           &work_packed_sp,     work_prepare_sse, NULL, NEED_SSE2, UOPS},
    [STIMULUS_PACKED_DP]      = {"packed_dp_uop",              EVENT_PACKED_DP_UOP,       FIRM_ALL,               0,           &work_packed_dp,     work_prepare_sse, NULL, NEED_SSE2, UOPS},
    [STIMULUS_SCALAR_SP]      = {"scalar_sp_uop",              EVENT_SCALAR_SP_UOP,       FIRM_ALL,               0,           &work_scalar_sp,     work_prepare_sse, NULL, NEED_SSE2, UOPS},
    [STIMULUS_SCALAR_DP]      = {"scalar_dp_uop",              EVENT_SCALAR_DP_UOP,       FIRM_ALL,               0,           &work_scalar_dp,     work_prepare_sse, NULL, NEED_SSE2, UOPS},
    [STIMULUS_MMX_64]         = {"64bit_mmx_uop",              EVENT_64BIT_MMX_UOP,       FIRM_ALL,               0,           &work_mmx_64,        NULL, work_finish_mmx, NEED_SSE2, UOPS},
    [STIMULUS_MMX_128]        = {"128bit_mmx_uop",             EVENT_128BIT_MMX_UOP,      FIRM_ALL,               0,           &work_mmx_128,       work_prepare_sse, NULL, NEED_SSE2, UOPS},
    [STIMULUS_X87]            = {"x87_fp_uop",                 EVENT_X87_FP_UOP,          FIRM_ALL,               0,           &work_x87,           work_prepare_fp, NULL, NEED_SSE2, UOPS},
    [STIMULUS_SPLIT_LOADS]    = {"memory_complete.lsc",        EVENT_MEMORY_COMPLETE,     MEMORY_COMPLETE_LSC,    0,           &work_split_load,    NULL, NULL, 0, ACCESSES},
    [STIMULUS_SPLIT_STORES]   = {"memory_complete.ssc",        EVENT_MEMORY_COMPLETE,     MEMORY_COMPLETE_SSC,    0,           &work_split_store,   NULL, NULL, 0, ACCESSES},
    [STIMULUS_MICROCODE]      = {"tc_ms_xfer",                 EVENT_TC_MS_XFER,          TC_MS_XFER_CISC,        0,           &work_cpuid_leaf_0,  NULL, NULL, 0, TRANSFERS},
    [STIMULUS_UNCACHED_READS] = {"ioq_allocation.uc-read",     EVENT_IOQ_ALLOCATION,      IOQ_UNCACHED_READ,      RISING_EDGE, &work_uncached_load, prepare_uncached, paging_off, 0, ACCESSES},
    [STIMULUS_X87_ASSISTS]    = {"x87_assist",                 EVENT_X87_ASSIST,          X87_ASSIST_FPSU,        0,           &work_stack_fault,   work_prepare_fp, NULL, 0, ASSISTS},
    [STIMULUS_SELF_MODIFYING] = {"machine_clear.smclear",      EVENT_MACHINE_CLEAR,       MACHINE_CLEAR_SMCLEAR,  0,           &work_self_modify,   NULL, NULL, 0, ANY},
};
/* clang-format on */

bool stimulus_reaches(enum stimulus_id id, unsigned counter)
{
    struct pmc_programming p;

    if (STIMULUS[id].event == EVENT_IOQ_ALLOCATION &&
        (!machine_cpu.ioq || (PMC_COUNTER[counter].side == 1 && machine_has_erratum(PMC_E10))))
        return false;
    return pmc_program(&p, STIMULUS[id].event, STIMULUS[id].mask, escr_self_all(), counter);
}

struct pmc_programming stimulus_program(enum stimulus_id id, unsigned counter)
{
    struct pmc_programming p;

    if (!pmc_program(&p, STIMULUS[id].event, STIMULUS[id].mask, escr_self_all(), counter))
        bail_out("%s cannot be counted on counter %u", STIMULUS[id].name, counter);
    p.cccr |= STIMULUS[id].filter;
    return p;
}

struct pmc_programming stimulus_prepared(enum stimulus_id id, unsigned counter)
{
    stimulus_prepare(id);
    return stimulus_program(id, counter);
}

enum stimulus_id stimulus_a(unsigned counter)
{
    static const uint8_t a[4] = {
        [BLOCK_BPU] = STIMULUS_CLOCKS,
        [BLOCK_MS] = STIMULUS_CALLS,
        [BLOCK_FLAME] = STIMULUS_PACKED_SP,
        [BLOCK_IQ] = STIMULUS_TAKEN,
    };
    return a[PMC_COUNTER[counter].block];
}

enum stimulus_id stimulus_b(unsigned counter)
{
    static const uint8_t b[4] = {
        [BLOCK_BPU] = STIMULUS_CLOCKS,
        [BLOCK_MS] = STIMULUS_RETURNS,
        [BLOCK_FLAME] = STIMULUS_X87,
        [BLOCK_IQ] = STIMULUS_INSTRUCTIONS,
    };
    return b[PMC_COUNTER[counter].block];
}

/* What a FIRM event counted beyond the uops that retired (F11); nothing else is known to err as much. */
#define FEW_WRONG 64

uint64_t stimulus_least(enum stimulus_id id, uint32_t n)
{
    return n / STIMULUS[id].one_of - STIMULUS[id].slack;
}

uint64_t stimulus_most(enum stimulus_id id, uint32_t n)
{
    const struct stimulus *s = &STIMULUS[id];

    return s->slack == 0 ? n : (uint64_t)s->most * (n + n / 8) + FEW_WRONG;
}

uint64_t stimulus_spread(enum stimulus_id id, uint64_t counted)
{
    return STIMULUS[id].slack == 0 ? 0 : STIMULUS[id].slack + counted / 8;
}

void stimulus_prepare(enum stimulus_id id)
{
    if (STIMULUS[id].prepare)
        STIMULUS[id].prepare();
}

void stimulus_finish(enum stimulus_id id)
{
    if (STIMULUS[id].finish)
        STIMULUS[id].finish();
}

static uint64_t clocks_on(unsigned counter)
{
    struct pmc_programming p = stimulus_program(STIMULUS_CLOCKS, counter);

    pmc_arm(&p, 0);
    pmc_start(&p);
    work_exercise(&work_loop, 1000);
    uint64_t clocks = pmc_read(counter);
    pmc_clear(&machine_cpu);
    return clocks;
}

/* If counter 0 counts no clocks either, the ESCR of the clocks is at fault, and not ENABLE of CCCR1. */
bool counter_is_dead(unsigned counter)
{
    if (counter != 1 || !machine_has_erratum(PMC_E4) || clocks_on(counter) > 0 || clocks_on(0) == 0)
        return false;
    report_erratum(PMC_E4);
    not_exercised("counter 1", "ENABLE of its CCCR may not work on this part (E4, open)", 0);
    return true;
}

void end_if_dead(unsigned counter)
{
    if (counter_is_dead(counter))
        expect_end();
}

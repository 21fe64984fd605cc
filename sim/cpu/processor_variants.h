/*
 * In what the events of healthy parts may differ: how often an occurrence counts, what happens beside it. The
 * PMU itself has its own variants (struct nbpmu_variants). All false is the default, which is what the facts
 * of docs/pmu-rules.md, section 12, make likeliest.
 */
#ifndef SIM_CPU_PROCESSOR_VARIANTS_H
#define SIM_CPU_PROCESSOR_VARIANTS_H

#include <stdbool.h>

struct processor_variants {
    bool tc_ms_xfer_once; /* a transfer to the microcode ROM counts once; default: twice (F15) */
    bool smclear_repeats; /* a store into code makes 1 to 3 clears; default: one (F18) */
    bool
        smc_by_change; /* only a store that changes code is self-modifying; default: also one near it (F18) */
    bool firm_replays; /* a FIRM uop that waits for a load executes 1 to 3 times (F11) */
    bool split_twice;  /* an access that crosses a line counts twice in the events of split accesses */
    bool ioq_retries;  /* IOQ_allocation counts now and then a transaction again */
    bool halt_glitches; /* up to 1000 more clocks and two more edges of RUNNING on the way into HLT (F22) */
    bool doubled_on_6_only; /* instr_retired counts the instructions of E13 twice on model 6 alone (F8) */
    bool
        built_branches_again; /* retired_branch_type counts a conditional branch in a new trace twice (F17) */
    bool from_rom_incomplete; /* uop_queue_writes FROM_ROM leaves out uops of a long microcode sequence (F16)
                               */
    bool no_resource_stall;   /* resource_stall never counts (F20) */
    bool fetch_by_line;       /* BPU_fetch_request counts lines of new code; default: instructions (F17) */
    bool core_below_tsc;      /* from model 3 on the core is slower than the TSC (F23) */
    bool replay_needs_pebs;   /* replay tagging needs bit 25 of MSR_PEBS_ENABLE as well (F35) */
};

/* Set the variant called name. False when there is none of that name. */
bool processor_set_variant(struct processor_variants *variants, const char *name);

/*
 * Name of variant number index, counted from 0, as processor_set_variant() takes it, and in *meaning a line
 * about it. Null after the last one. Both texts are constants.
 */
const char *processor_variant_name(unsigned index, const char **meaning);

#endif

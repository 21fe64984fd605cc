/*
 * In what processors differ: identity (models.c), legal variants (processor_variants.c), and costs
 * (timing.c).
 */
#ifndef SIM_CPU_MODELS_H
#define SIM_CPU_MODELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "sim/decode/insn.h"
#include "sim/lib/random.h"

/*
 * ---- models.c ----
 * The processors that p4sim can simulate, named by CPUID signature (CPUID.1 EAX[11:0]): identity, features
 * and nominal frequency of each. Data only.
 */

struct cpuid_leaf {
    uint32_t eax, ebx, ecx, edx;
};

struct cpu_model {
    uint16_t signature;    /* 0F43H is family 0FH, model 4, stepping 3 */
    const char *core;      /* core and stepping, as in pmu-rules 1.1 */
    const char *brand;     /* CPUID 80000002H..80000004H, at most 47 characters */
    unsigned cores;        /* 1 or 2, each with a PMU */
    bool ht;               /* two logical processors per core */
    unsigned bus_mhz;      /* bus clock, which the local APIC timer counts */
    unsigned multiplier;   /* core clock = bus clock times this */
    uint32_t microcode;    /* revision in IA32_BIOS_SIGN_ID[63:32] */
    uint32_t misc_enable;  /* IA32_MISC_ENABLE at power-up */
    uint32_t max_leaf;     /* CPUID.0 EAX */
    uint32_t brand_index;  /* CPUID.1 EBX[7:0] */
    uint32_t features_ecx; /* CPUID.1 ECX */
    uint32_t features_edx; /* CPUID.1 EDX with Hyper-Threading or two cores as built */
    uint32_t extended_edx; /* CPUID 80000001H EDX */
    uint32_t cache_edx;    /* CPUID.2 EDX: L2 descriptor, trace cache, data TLB */
    uint32_t tlb_eax;      /* CPUID.2 EAX */
    unsigned l2_kib;       /* for CPUID.4 */
    unsigned l3_kib;       /* 0: no third level, nor its counters */
};

#define EXTENDED_EDX_XD    (1u << 20) /* pages can be marked as data (execute disable) */
#define EXTENDED_EDX_EM64T (1u << 29)

/* All models in the order of their signatures; the last row has signature 0. */
extern const struct cpu_model CPU_MODELS[];

#define CPU_MODEL_DEFAULT 0x0F43u

/* Row with this signature, or null. */
const struct cpu_model *cpu_model_find(uint32_t signature);

/* Core clock over bus clock: the multiplier or, if the core is slower than a TSC that ticks at a rate of its
 * own (F23), four fifths of it. */
unsigned cpu_model_ratio(const struct cpu_model *model, bool core_below_tsc);

/* CPUID family is always 0FH; model is EAX[7:4]. */
uint8_t cpu_model_number(const struct cpu_model *model);

/*
 * What CPUID returns for leaf and subleaf. threads is the present number of logical processors per core (1
 * when Hyper-Threading is off), apic_id the initial APIC ID of the processor that executes CPUID. A leaf
 * above the highest one returns what the highest basic leaf returns (SDM vol. 2, CPUID).
 */
struct cpuid_leaf cpu_model_cpuid(const struct cpu_model *model, unsigned threads, uint8_t apic_id,
                                  uint32_t leaf, uint32_t subleaf);

/*
 * ---- processor_variants.c ----
 * In what the events of healthy parts may differ: how often an occurrence counts, what happens beside it. The
 * PMU itself has its own variants (struct nbpmu_variants). All false is the default, which is what the facts
 * of docs/pmu-rules.md, section 12, make likeliest.
 */

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
    bool no_resource_stall;   /* resource_stall never counts, on models without extended cascading (F20) */
    bool fetch_by_line;       /* BPU_fetch_request counts lines of new code; default: instructions (F17) */
    bool core_below_tsc;      /* from model 3 on the core is slower than the TSC (F23) */
};

/* Set the variant called name. False when there is none of that name. */
bool processor_set_variant(struct processor_variants *variants, const char *name);

/*
 * Name of variant number index, counted from 0, as processor_set_variant() takes it, and in *meaning a line
 * about it. Null after the last one. Both texts are constants.
 */
const char *processor_variant_name(unsigned index, const char **meaning);

/*
 * ---- timing.c ----
 * What instructions and accesses cost in clocks, by the model of the processor: measured costs (T1, pmu-rules
 * F1 and F5 to F7), or cheap ones in whole clocks, which no processor has (TIMING_KIND). With a seed, the
 * machine is one of those that silicon showed, and its accesses vary.
 *
 * Fractions of a clock are twelfths: thirds are needed for uops, and quarters for stores.
 */

#define TWELFTHS 12u /* of a clock */

enum timing_kind {
    TIMING_KIND,    /* cheap accesses; no instruction takes a fraction of a clock */
    TIMING_TYPICAL, /* the costs that are usual on a processor of this model, always the same */
    TIMING_DRAWN    /* a machine drawn by a seed */
};

/* How the cost of an access of one machine varies from one access to the next. */
enum timing_spread {
    SPREAD_NONE,
    SPREAD_READ,  /* by 5 percent */
    SPREAD_WRMSR, /* by 3 percent; one in a hundred takes up to 30 percent longer (F2) */
    SPREAD_WIDE   /* over a part of the row's range, which the machine draws */
};

/* Processors with costs of their own: models 0 to 2; models 3 and 4; model 6. */
enum timing_group { TIMING_WILLAMETTE, TIMING_PRESCOTT, TIMING_CEDAR_MILL, TIMING_GROUPS };

struct timing_row {
    const char *name;
    double kind; /* clocks with TIMING_KIND; 0 for the clocks of the uops */
    struct {
        double typical, least, most; /* clocks, or microseconds */
    } of[TIMING_GROUPS];
    enum timing_spread spread;
    bool microseconds;
};

/* The table, by enum cost. A row of COST_UOPS is per uop. */
extern const struct timing_row TIMING_ROWS[COSTS];

struct timing {
    enum timing_kind kind;
    uint32_t cost[COSTS];               /* twelfths */
    uint32_t least[COSTS], most[COSTS]; /* of a drawn machine's rows of SPREAD_WIDE, in twelfths */
    unsigned fp_window;  /* instructions by which a floating-point or SIMD uop may execute late */
    unsigned sibling;    /* percent that an access to an MSR takes longer while the sibling is active (F2) */
    unsigned wrmsr_acts; /* percent of a WRMSR's clocks that pass before it takes effect (F3) */
    struct random random;
};

/*
 * The timing of a processor of this model number with this core clock. The seed matters to TIMING_DRAWN
 * alone.
 */
void timing_init(struct timing *timing, enum timing_kind kind, uint32_t seed, unsigned model, uint32_t mhz);

/*
 * Set the clocks of a decoded instruction from its row and uops. An instruction of a row from COST_DRAWN on
 * gets 0: timing_draw() says what one execution costs.
 */
void timing_price(const struct timing *timing, struct insn *insn);

/* Clocks of one access of a row from COST_DRAWN on. */
uint32_t timing_draw(struct timing *timing, enum cost cost);
/* As timing_draw(), for an access that an active sibling slows down (F2). */
uint32_t timing_draw_shared(struct timing *timing, enum cost cost, bool sibling_active);

/* The row of a read or a write of this MSR. */
enum cost timing_of_rdmsr(uint32_t msr);
enum cost timing_of_wrmsr(uint32_t msr);

/* Write the table for this model number, a line for each row: usual costs, what machines and accesses vary
 * in. */
void timing_list(FILE *out, unsigned model);

#endif

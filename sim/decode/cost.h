/*
 * What costs clocks: the rows of the timing table (sim/cpu/timing_table.c). The decoder names the row of each
 * instruction.
 */
#ifndef SIM_DECODE_COST_H
#define SIM_DECODE_COST_H

enum cost {
    /* Instructions that the trace cache holds. COST_UOPS: no more than their uops. */
    COST_UOPS,
    COST_INCREMENT,
    COST_STORE,
    COST_X87,
    COST_MMX64,
    COST_MMX128,
    COST_SSE,
    /* Microcode, and what waits for something */
    COST_STRING, /* one string instruction */
    COST_REPEAT, /* one iteration of a repeated one */
    COST_PAUSE,
    COST_LFENCE,
    COST_SFENCE,
    COST_MFENCE,
    COST_LOCKED,
    COST_POPF,
    COST_DIRECTION, /* CLD, STD */
    COST_DIVIDE,
    COST_PUSHA,
    COST_POPA,
    COST_EMMS,
    COST_MASKMOVQ,
    COST_CLFLUSH,
    COST_FROM_CR,
    COST_DESCRIPTOR_TABLE, /* LGDT, LIDT */
    COST_TASK_REGISTER,
    COST_FAR_JUMP,
    COST_FAR_CALL, /* far CALL and RETF */
    COST_SOFTWARE_INTERRUPT,
    COST_CMPXCHG8B,
    COST_FXSAVE, /* FXSAVE and FXRSTOR */
    COST_FNINIT,
    COST_FLDENV,
    COST_FRSTOR,
    COST_FLDCW,
    COST_INVLPG,
    COST_WBINVD,
    COST_HLT,
    COST_IN_OUT, /* the instruction without the access to the port */
    /* Accesses, whose cost is drawn each time they are made (timing_draw()) */
    COST_DRAWN,
    COST_CPUID = COST_DRAWN,
    COST_RDTSC,
    COST_RDPMC,
    COST_RDPMC_FAST,
    COST_RDMSR_COUNTER,
    COST_RDMSR_SELECT, /* an ESCR or a CCCR */
    COST_RDMSR_OTHER,
    COST_WRMSR_COUNTER,
    COST_WRMSR_ESCR,
    COST_WRMSR_CCCR,
    COST_WRMSR_OTHER,
    COST_TO_CR,
    COST_IRET,
    COST_INTERRUPT, /* entry of a handler */
    COST_APIC_STORE,
    COST_APIC_LOAD,
    COST_UNCACHED, /* an access to uncached memory */
    COST_PORT,
    /* What passes by itself */
    COST_PMI,        /* from the count that raises a PMI to its arrival in the local APIC */
    COST_APIC_LATE,  /* from a store to the local APIC to its effect */
    COST_MISPREDICT, /* a branch that was not predicted */
    COST_CLEAR,      /* a machine clear for self-modifying code, with the refilling of the trace cache */
    COSTS
};

#endif

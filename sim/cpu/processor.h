/*
 * The state of one logical processor: what its parts in this room keep, and what the engine (sim/engine/), a
 * libunicorn emulator that executes the instructions, needs to keep between them.
 */
#ifndef SIM_CPU_PROCESSOR_H
#define SIM_CPU_PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>
#include <unicorn/unicorn.h>
#include "sim/decode/insn.h"
#include "core.h"
#include "lapic.h"
#include "models.h"
#include "msrs.h"
#include "predictor.h"
#include "quirks.h"
#include "run_control.h"
#include "tlb.h"

struct engine;

enum processor_state {
    PROCESSOR_ACTIVE,
    PROCESSOR_HALTED,       /* HLT: until an interrupt */
    PROCESSOR_WAIT_FOR_SIPI /* after INIT, and from power-up on all but the boot processor */
};

/*
 * What the trace cache does for a logical processor (TC_deliver_mode), in the order of the letters of the
 * event's members: DD DB DI BD BB BI ID IB.
 */
enum tc_mode { TC_MODE_DELIVER, TC_MODE_BUILD, TC_MODE_INACTIVE, TC_MODES };

/* Why the engine was left. */
enum processor_exit {
    EXIT_NONE,
    EXIT_QUANTUM,     /* its quantum is over, or somebody wants the scheduler to look */
    EXIT_RETRANSLATE, /* code changed: go on with what it is now */
    EXIT_INTERRUPT,   /* an interrupt is to be delivered before the next instruction */
    EXIT_VECTOR,      /* the instruction raised exit_vector */
    EXIT_HALT
};

struct processor {
    unsigned index;  /* number on the board = initial APIC ID */
    unsigned thread; /* number in its core = T0 or T1 of the PMU */
    bool is_boot;    /* the board starts on this one */
    struct core *core;
    struct run_control *control;
    struct engine *engine; /* sim/engine/engine.h */
    const struct cpu_model *model;
    const struct quirks *quirks;
    uint8_t *ram; /* RAM_SIZE bytes */

    uc_engine *uc;
    uint8_t *boot_rom; /* of its own: leads from protected mode to real mode and where it shall begin */
    uint64_t since_forgotten; /* instructions since libunicorn gave up its translations */
    bool cut_lifted;          /* it goes on at a cut of an x87 block (block_cuts.h) */
    bool ram_writable;        /* libunicorn does its own stores (ram_stores.h) */
    bool code_changed;        /* by a store: what was translated of it may be running */
    bool in_boot_rom;         /* executing it: nothing there counts */
    enum processor_state state;
    uint32_t eip;      /* next instruction while the engine is stopped */
    uint32_t cs_base;  /* not 0 in real mode only */
    uint64_t mode_tag; /* INSN_TAG_16BIT in 16-bit code */
    uint8_t cpl;

    struct insn *pending; /* the instruction that now executes; retires when the next one shows up */
    bool just_decoded;    /* it was decoded just now: its trace is being built */
    enum tc_mode tc_mode; /* of the last instruction */
    bool modified;        /* its bytes had changed since it ran last: self-modifying code */
    bool operand_known;   /* an event needs its memory operand: */
    uint32_t operand;     /* the linear address of that */
    uint32_t store;       /* that of the last store, and its size, for store forwarding */
    uint8_t store_size;
    uint64_t stores_drained; /* core clock at which the store buffer is empty */
    uint8_t x87_fault;       /* the x87 stack fault it meets, a mask of x87_assist */
    uint32_t stall_clocks;   /* clocks its port or APIC accesses cost */
    bool shadow;             /* the last instruction holds interrupts off for one more */
    bool nmi_blocked;        /* from an NMI to the next IRET */
    uint64_t stop_clock;     /* the fast path ends at this core clock */
    uint64_t quantum_end;
    uint64_t pmi_arrives; /* core clock at which a PMI on its way is here (noise.h), LAPIC_NEVER: none */

    enum processor_exit exit;
    uint8_t exit_vector;

    struct lapic lapic;
    struct msrs msrs;
    struct predictor predictor;
    struct tlb dtlb, itlb;
};

#endif

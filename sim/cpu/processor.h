/*
 * One logical processor: a libunicorn engine that executes the instructions, and everything of the processor
 * that the engine does not do: retirement, interrupts, MSRs, local APIC.
 */
#ifndef SIM_CPU_PROCESSOR_H
#define SIM_CPU_PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>
#include <unicorn/unicorn.h>
#include "sim/events/tc_mode.h"
#include "sim/decode/insn.h"
#include "lapic.h"
#include "msrs.h"
#include "predictor.h"
#include "tlb.h"

struct machine;
struct core;

enum processor_state {
    PROCESSOR_ACTIVE,
    PROCESSOR_HALTED,       /* HLT: until an interrupt */
    PROCESSOR_WAIT_FOR_SIPI /* after INIT, and LP1 from power-up */
};

/* Why the engine was left. */
enum processor_exit {
    EXIT_NONE,
    EXIT_SLICE,       /* its turn is over, or somebody wants the scheduler to look */
    EXIT_RETRANSLATE, /* code changed: go on with what it is now */
    EXIT_INTERRUPT,   /* an interrupt is to be delivered before the next instruction */
    EXIT_VECTOR,      /* the instruction raised exit_vector */
    EXIT_HALT
};

struct processor {
    struct machine *machine;
    struct core *core;
    unsigned index;  /* number on the board = initial APIC ID */
    unsigned thread; /* number in its core = T0 or T1 of the PMU */

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
    bool fresh;           /* it was decoded just now: its trace is being built */
    enum deliver_mode deliver_mode; /* of the last instruction */
    bool modified;                  /* its bytes had changed since it ran last: self-modifying code */
    bool operand_known;             /* an event needs its memory operand: */
    uint32_t operand;               /* the linear address of that */
    uint32_t store;                 /* that of the last store, and its size, for store forwarding */
    uint8_t store_size;
    uint64_t stores_drained; /* core clock at which the store buffer is empty */
    uint8_t x87_fault;       /* the x87 stack fault it meets, a mask of x87_assist */
    uint32_t extra;          /* clocks its port or APIC accesses cost */
    bool shadow;             /* the last instruction holds interrupts off for one more */
    bool nmi_blocked;        /* from an NMI to the next IRET */
    uint64_t stop_clock;     /* the fast path ends at this core clock */
    uint64_t slice_end;
    uint64_t pmi_arrives; /* core clock at which a PMI on its way is here (noise.h), LAPIC_NEVER: none */

    enum processor_exit exit;
    uint8_t exit_vector;

    struct lapic lapic;
    struct msrs msrs;
    struct predictor predictor;
    struct tlb dtlb, itlb;
};

/*
 * Create the engine over the machine's memory, in wait-for-SIPI. False with one line in error[0..size) when
 * libunicorn refuses.
 */
bool processor_init(struct processor *processor, struct machine *machine, struct core *core, unsigned index,
                    unsigned thread, char *error, size_t size);
void processor_free(struct processor *processor);

/* The hooks that see every instruction and vector; called by processor_init(). False when libunicorn refuses.
 */
bool processor_install_hooks(struct processor *processor);

/* Make it begin as a multiboot kernel expects (flat segments, EAX, EBX): the boot processor. */
void processor_boot(struct processor *processor, uint32_t entry, uint32_t eax, uint32_t ebx);

/* INIT: local APIC reset, wait for SIPI. The PMU is not touched (R1). */
void processor_receive_init(struct processor *processor);
/* SIPI: begin in real mode at page * 1000H; ignored unless waiting for it. */
void processor_receive_sipi(struct processor *processor, uint8_t page);

/* Something changed that may interrupt this processor: wake it, or have it look before its next instruction.
 */
void processor_notice(struct processor *processor);

/* Execute until slice_end or until something needs the scheduler. The state must be active. */
void processor_run(struct processor *processor);

/* CR0.PE is set? */
bool processor_protected(const struct processor *processor);
/* CR0.PG is set? */
bool processor_paged(const struct processor *processor);
/* EFLAGS.IF is set? */
bool processor_interruptible(const struct processor *processor);

/* CPL and code segment may have changed: look again. */
void processor_refresh_segments(struct processor *processor);

/* Both TLBs are emptied. */
void processor_flush_translations(struct processor *processor);

/* Registers of the engine, by libunicorn's numbers. */
uint32_t processor_get(const struct processor *processor, int reg);
void processor_set(struct processor *processor, int reg, uint32_t value);

#endif

/*
 * The state of one logical processor: its parts in this room, and what sim/engine/, which executes the
 * instructions by libunicorn, remembers from one instruction to the next.
 */
#ifndef SIM_CPU_PROCESSOR_H
#define SIM_CPU_PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>
#include <unicorn/unicorn.h>
#include "sim/decode/insn.h"
#include "sim/lib/random.h"
#include "core.h"
#include "fp_window.h"
#include "lapic.h"
#include "models.h"
#include "msrs.h"
#include "predictor.h"
#include "processor_variants.h"
#include "quirks.h"
#include "run_control.h"
#include "timing.h"
#include "tlb.h"

struct engine;

enum processor_state {
    PROCESSOR_ACTIVE,
    PROCESSOR_HALTED,       /* by HLT, until an interrupt */
    PROCESSOR_WAIT_FOR_SIPI /* after INIT, and from power-up on all but the boot processor */
};

/*
 * What the trace cache does for a logical processor (TC_deliver_mode), in the order of the letters of the
 * event's members: DD DB DI BD BB BI ID IB.
 */
enum tc_mode { TC_MODE_DELIVER, TC_MODE_BUILD, TC_MODE_INACTIVE, TC_MODES };

#define FIRST_LEVEL_LINES 128u /* of 64 bytes: the 8 KB of models 0 to 2 */

/* Why the engine was left. */
enum processor_exit {
    EXIT_NONE,
    EXIT_QUANTUM,     /* the quantum is over, or the scheduler is wanted */
    EXIT_RETRANSLATE, /* a store changed code: libunicorn translates it again */
    EXIT_INTERRUPT,   /* an interrupt is to be delivered before the next instruction */
    EXIT_RAISED,      /* p4sim executed the instruction, which raised exit_exception */
    EXIT_EXCEPTION,   /* libunicorn raised exit_exception */
    EXIT_HALT
};

#define NO_RAM_STORE UINT32_MAX

#define APIC_STORES 8u

/* A store to the local APIC that has not arrived there yet (F6). */
struct apic_store {
    uint32_t offset, value;
    uint64_t arrives; /* core clock */
};

/* What libunicorn's translator does (sim/engine/translation.h). */
struct translation {
    uint32_t next;    /* address after its last fetch */
    uint32_t bytes;   /* of the code that it translates */
    uint32_t total;   /* bytes that it has translated */
    uint32_t least;   /* bytes after which that translation is cut */
    bool rewritten;   /* what is translated next is code that a store changed */
    bool single;      /* its last fetch was that of a byte */
    uint32_t refused; /* address of a fetch that was refused, 0 = none */
    uint32_t allowed; /* address of a fetch that is not refused */
    uint32_t retried; /* where the translation starts that was last cut because of a refusal */
    bool cuts;        /* it has exit addresses */
};

/* An instruction that p4sim executed, and libunicorn executes too (sim/engine/intercept.h). */
struct repeated {
    bool harmless; /* libunicorn may execute it */
    bool due;      /* EDX and EAX are to become edx_eax, whatever libunicorn makes of them */
    uint64_t edx_eax;
    uint64_t stop_clock; /* of the processor when that is done */
};

struct processor {
    unsigned index;  /* number on the board, and initial APIC ID */
    unsigned thread; /* number in its core: T0 or T1 of the PMU */
    bool is_boot;    /* the board starts on this processor */
    struct core *core;
    struct run_control *control;
    struct engine *engine; /* sim/engine/engine.h */
    const struct cpu_model *model;
    const struct insn_cache *insns; /* of the machine */
    const struct quirks *quirks;
    const struct processor_variants *variants;
    uint8_t *ram;          /* RAM_SIZE bytes */
    struct timing *timing; /* of the machine */

    uc_engine *uc;
    uc_context *context;                 /* context.h: a copy of the engine's state, */
    size_t context_state, context_debug; /* and where its parts are in it */
    uint8_t *boot_rom; /* leads from protected mode to real mode and to the start address (boot_rom.h) */
    struct translation translation;
    struct repeated repeated;
    bool ram_writable; /* libunicorn does the stores to RAM itself (ram_stores.h) */
    bool code_changed; /* a store changed code, whose old translation may be running */
    bool in_boot_rom;  /* it executes the boot ROM, where nothing is counted */
    enum processor_state state;
    uint32_t eip;      /* next instruction while the engine is stopped */
    uint32_t cs_base;  /* of the code segment */
    bool guarded;      /* a segment is not flat: an access may end the run (sim/engine/unsupported.h) */
    uint64_t mode_tag; /* INSN_TAG_16BIT in 16-bit code, and the traces of INSN_TAG_TRACE */
    uint8_t cpl;

    uint32_t zeros, zeros_end; /* instructions of zeros on end that were new, and the address after them */
    struct insn *pending; /* the instruction that is executing; it retires when the hook sees the next one */
    bool just_decoded;    /* it was not in the cache: its trace is being built */
    enum tc_mode tc_mode; /* of the last instruction */
    bool modified;        /* it makes a clear: it is self-modifying code (F18) */
    bool operand_known;   /* `operand` is valid, since an event needs it */
    uint32_t operand;     /* linear address of its memory operand */
    uint32_t store;       /* linear address of the last store, for store forwarding */
    uint8_t store_size;
    uint32_t ram_store; /* address of the last store that ram_stores.h saw and that hit no code */
    uint32_t first_level[FIRST_LEVEL_LINES]; /* line number + 1 of the data in the first-level cache */
    uint64_t stores_drained;                 /* core clock at which the store buffer is empty */
    uint8_t x87_fault;                       /* the x87 stack fault that it causes: mask bits of x87_assist */
    uint32_t stall_clocks;                   /* clocks that its accesses add to the clocks of its row */
    uint8_t twelfths;    /* of a clock, that the instructions so far took beyond whole clocks */
    bool shadow;         /* the last instruction holds interrupts off until after the next one */
    bool remapped;       /* its page tables map a page to another address than its own */
    bool nmi_blocked;    /* from an NMI to the next IRET */
    bool machine_check;  /* the hardware has failed: #MC waits */
    uint64_t stop_clock; /* core clock at which the fast path must return to step() */
    uint64_t quantum_end;
    struct fp_window fp_window;
    uint32_t fetched;     /* address of the last instruction that was built while fetches were counted */
    uint32_t copied;      /* bytes that the REP MOVS copies which has begun, if that is counted */
    uint64_t fp_loaded;   /* core clock of the last load of an SSE, MMX or x87 register */
    struct random dice;   /* for variants that repeat an event irregularly */
    uint64_t pmi_arrives; /* core clock at which the PMI that is under way arrives, LAPIC_NEVER: none */

    enum processor_exit exit;
    uint8_t exit_exception;

    struct lapic lapic;
    struct apic_store apic_store[APIC_STORES]; /* in their order */
    unsigned apic_stores;
    struct msrs msrs;
    struct predictor predictor;
    struct tlb dtlb, itlb;
};

#endif

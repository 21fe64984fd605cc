/*
 * A logical processor: its state, its parts, and what it shares with the others of the machine.
 */
#ifndef SIM_CPU_PROCESSOR_H
#define SIM_CPU_PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>
#include <unicorn/unicorn.h>
#include "sim/decode/insn.h"
#include "pmc/netburst/regs.h"
#include "sim/lib/random.h"
#include "core.h"
#include "lapic.h"
#include "models.h"

struct engine;
struct processor;

/*
 * ---- The board, as a processor sees it ----
 * What a processor of a defective or unusual board is. Plain data, read by the parts of a processor and
 * filled in by sim/inject/. All zero is a sound board.
 */

/* How RDMSR and WRMSR end. */
enum msr_access {
    MSR_WORKS,  /* as the register says */
    MSR_FAULTS, /* #GP(0) */
    MSR_IS_ZERO /* the register reads 0 and drops what is written */
};

#define FAULTING_MSRS  8u /* at most */
#define PACKAGES_APART 6u /* initial APIC IDs, from one of the two packages to the other */

struct quirks {
    enum msr_access pmu_msrs, other_msrs;
    uint32_t faulting_msrs[FAULTING_MSRS]; /* #GP(0), whatever the two above say; 0: none */
    bool hypervisor;                       /* CPUID.1 ECX[31] = 1 */
    uint8_t first_apic_id;                 /* the local APICs are numbered from this ID on */
    bool apic_never_on;                    /* a write leaves ENABLE in IA32_APIC_BASE as it is */
    bool boots_on_last;   /* the board starts on its last logical processor instead of its first */
    uint32_t port_clocks; /* by which each access to an I/O port takes longer than usual */
    bool two_packages;    /* two cores, with initial APIC IDs as of two packages */
    bool ht_manufactured; /* CPUID says two logical processors where the BIOS left one on */
};

/*
 * ---- run_control.c ----
 * What the processors of a machine share with its scheduler: which one runs, whether the scheduler is wanted,
 * and whether the run is over. Every processor points to it, so that none needs to know the machine.
 */

enum machine_end {
    MACHINE_RUNS,
    MACHINE_EXIT,         /* isa-debug-exit was written */
    MACHINE_RESET,        /* the kernel reset the board */
    MACHINE_WATCHDOG,     /* the watchdog reset the board */
    MACHINE_ALL_HALTED,   /* every processor is halted and no interrupt can come */
    MACHINE_LIMIT,        /* the instruction limit was reached */
    MACHINE_TRIPLE_FAULT, /* `reason` says where and why */
    MACHINE_BROKEN        /* libunicorn failed; `reason` says why */
};

struct run_control {
    struct processor *running; /* null while the scheduler chooses */
    bool reschedule;           /* set to make the running processor return to the scheduler */
    enum machine_end end;
    char reason[200];
};

/* End the run before the next instruction. Only the first call counts; reason is copied. */
void run_control_stop(struct run_control *control, enum machine_end end, const char *reason);

/* Make the running processor return to the scheduler before its next instruction. */
void run_control_reschedule(struct run_control *control);

/* Make the running processor return to the scheduler when its core's clock has reached `clock`. */
void run_control_limit(struct run_control *control, uint64_t clock);

/* Let the clock of a core that was halted catch up with the clock of the core that runs. */
void run_control_catch_up(const struct run_control *control, struct core *core);

/*
 * ---- paging.c ----
 * A translation look-aside buffer: for which pages a logical processor holds translations.
 *
 * A processor has one for data and one for instructions, each with TLB_ENTRIES entries, direct-mapped by page
 * number. A 4 MB page is held in pieces of 4 KB (pmu-rules 4.1: large pages count as 4 KB
 * look-ups). Look-ups are made only while an event that depends on them is counted.
 */

#define TLB_ENTRIES 64u
#define TLB_PAGE    4096u

struct tlb {
    uint32_t entry[TLB_ENTRIES]; /* page number + 1; 0 = empty */
};

/* Look up a linear address. False: it missed, and the page walk has put it into the TLB. */
bool tlb_look_up(struct tlb *tlb, uint32_t linear);
/* Empty it: INVLPG and writes of CR0, CR3 and CR4 do. */
void tlb_flush(struct tlb *tlb);

/*
 * ---- Floating-point uops that wait ----
 * Floating-point and SIMD uops that have been issued and not executed yet. They execute in an order that
 * their registers allow (sim/events/fp_uop.c).
 */

#define FP_WINDOW 16u

struct fp_uop {
    uint8_t fp;       /* enum insn_fp */
    uint8_t to, from; /* registers, as in struct insn */
    uint8_t times;    /* that it executes */
    uint8_t age;      /* instructions since it was issued */
};

struct fp_window {
    struct fp_uop uop[FP_WINDOW]; /* oldest first */
    unsigned count;
    uint32_t ahead[FP_WINDOW]; /* addresses of the instructions whose uop has executed before its turn */
    unsigned aheads;
    uint64_t executed; /* core clock at which one executed last */
};

/*
 * ---- predictor.c ----
 * The branch predictor: a table of two-bit counters for conditional branches, a table of last targets for
 * indirect branches, and a return stack. It is far smaller than NetBurst's, and simple enough to work out by
 * hand.
 */

#define PREDICTOR_COUNTERS 1024
#define PREDICTOR_TARGETS  256
#define PREDICTOR_RETURNS  16

/* Values of a counter. */
enum {
    PREDICTOR_UNSEEN,
    PREDICTOR_STRONG_NOT,
    PREDICTOR_WEAK_NOT,
    PREDICTOR_WEAK_TAKEN,
    PREDICTOR_STRONG_TAKEN
};

struct predictor {
    uint8_t counter[PREDICTOR_COUNTERS];
    uint32_t target[PREDICTOR_TARGETS];
    uint32_t returns[PREDICTOR_RETURNS]; /* circular */
    unsigned top;
};

/*
 * The branch insn at address went to next. Returns whether that was predicted, and learns from it. A
 * conditional branch that is seen first is predicted taken when its target is not ahead; a direct jump or
 * call is always predicted, a far transfer never.
 */
bool predictor_resolve(struct predictor *predictor, const struct insn *insn, uint32_t address, uint32_t next,
                       bool taken);

/*
 * ---- msrs.c ----
 * RDMSR and WRMSR, and the model-specific registers of a logical processor outside of the PMU.
 */

#define MTRR_VARIABLE 8
#define MTRR_FIXED    11
#define MC_BANKS      4u
#define MC_REGISTERS  4u
#define SYSCALL_MSRS  4u
#define BASE_MSRS     3u

#define MSR_SYSENTER_CS 0x174u /* and ESP, EIP */

/* Bits of IA32_EFER. */
#define EFER_LME FIELD_MASK64(8, 8)
#define EFER_NXE FIELD_MASK64(11, 11)

struct msrs {
    uint64_t tsc_offset; /* of the TSC, see msrs_tsc() */
    uint64_t apic_base, bios_sign, misc_enable, debugctl, pat, ds_area, efer, clock_modulation;
    uint64_t sysenter[3];
    uint64_t syscall[SYSCALL_MSRS], base[BASE_MSRS]; /* of 64-bit mode, where alone they have an effect */
    uint64_t mtrr_variable[2 * MTRR_VARIABLE];       /* base, mask, base, mask, ... */
    uint64_t mtrr_fixed[MTRR_FIXED];
    uint64_t mtrr_default;
    uint64_t l3[L3_COUNTERS];                       /* only stored: they count nothing */
    uint64_t machine_check[MC_BANKS][MC_REGISTERS]; /* control, status, address, miscellaneous */
};

/* Power-up values. */
void msrs_reset(struct processor *processor);

/* RDMSR and WRMSR at CPL 0, the PMU's registers included. False means #GP(0). */
bool msrs_read(struct processor *processor, uint32_t msr, uint64_t *value);
bool msrs_write(struct processor *processor, uint32_t msr, uint64_t value);

/* The time-stamp counter: core clocks, or with the variant core_below_tsc clocks of the processor's own ratio
 * (F23). */
uint64_t msrs_tsc(const struct processor *processor);

/* CPUID leaf 1 loads the microcode revision into IA32_BIOS_SIGN_ID (SDM vol. 3, 9.11.7). */
void msrs_load_microcode_revision(struct processor *processor);

/*
 * ---- The logical processor ----
 * The state of one logical processor: its parts in this room, and what sim/engine/, which executes the
 * instructions by libunicorn, remembers from one instruction to the next.
 */

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

#define STORES 32u /* that a store buffer holds at most (F20) */

enum store_waits { STORE_READY, STORE_WITHOUT_ADDRESS, STORE_WITHOUT_DATA };

#define APIC_STORES 8u

/* A store to the local APIC that has not arrived there yet (F6). */
struct apic_store {
    uint32_t offset, value;
    uint64_t arrives; /* core clock */
};

/* What libunicorn's translator does (sim/engine/translation.c). */
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

/* An instruction that p4sim executed, and libunicorn executes too (sim/engine/intercept.c). */
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
    bool woken;      /* an INIT or a start-up IPI has reached it */
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
    uc_context *context;                 /* context.c: a copy of the engine's state, */
    size_t context_state, context_debug; /* and where its parts are in it */
    uint8_t *boot_rom; /* leads from protected mode to real mode and to the start address (power.c) */
    struct translation translation;
    struct repeated repeated;
    bool ram_writable; /* libunicorn does the stores to RAM itself (ram_stores.c) */
    bool code_changed; /* a store changed code, whose old translation may be running */
    bool in_boot_rom;  /* it executes the boot ROM, where nothing is counted */
    enum processor_state state;
    uint32_t eip;      /* next instruction while the engine is stopped */
    uint32_t cs_base;  /* of the code segment */
    bool guarded;      /* a segment is not flat: an access may end the run (sim/engine/unsupported.c); or
                          alignment is checked (intercept.c) */
    uint64_t mode_tag; /* INSN_TAG_16BIT in 16-bit code, and the traces of INSN_TAG_TRACE */
    uint8_t cpl;

    uint32_t zeros, zeros_end; /* instructions of zeros on end that were new, and the address after them */
    struct insn *pending; /* the instruction that is executing; it retires when the hook sees the next one */
    bool just_decoded;    /* it was not in the cache: its trace is being built */
    bool uncached_code;   /* it lies in uncached memory */
    enum tc_mode tc_mode; /* of the last instruction */
    bool modified;        /* it makes a clear: it is self-modifying code (F18) */
    /* What retire_look_ahead() clears together */
    bool operand_known;  /* `operand` is valid, since an event needs it */
    bool sse_assist;     /* its operands need SSE_input_assist */
    uint8_t x87_assists; /* what its operands need: mask bits of x87_assist */
    uint8_t x87_normal;  /* the x87 registers that it calculates with, if all hold normal numbers */
    uint32_t copied;     /* bytes that the REP MOVS copies which has begun, if that is counted */
    uint32_t operand;    /* linear address of its memory operand */
    uint32_t store;      /* linear address of the last store, for store forwarding */
    uint8_t store_size;
    uint32_t ram_store; /* address of the last store that ram_stores.c saw and that hit no code */
    uint32_t first_level[FIRST_LEVEL_LINES]; /* line number + 1 of the data in the first-level cache */
    uint64_t stores_drained[STORES]; /* core clocks at which the last stores have left the store buffer, by */
    unsigned stores;                 /* the number of stores that entered it */
    uint32_t loaded;                 /* line number + 1 of the last load, if that is counted */
    uint32_t stores_made;         /* stores that were noted, of which the other logical processor has seen */
    uint32_t stores_seen;         /* so many */
    bool divided;                 /* the last DIV has not been stored yet, and its result comes late */
    enum store_waits store_waits; /* what the last store waits for */
    uint32_t stall_clocks;        /* clocks that its accesses add to the clocks of its row */
    uint8_t twelfths;             /* of a clock, that the instructions so far took beyond whole clocks */
    bool shadow;                  /* the last instruction holds interrupts off until after the next one */
    bool remapped;                /* its page tables map a page to another address than its own */
    bool nmi_blocked;             /* from an NMI to the next IRET */
    bool machine_check;           /* the hardware has failed: #MC waits */
    uint64_t stop_clock;          /* core clock at which the fast path must return to step() */
    uint64_t quantum_end;
    struct fp_window fp_window;
    uint32_t fetched;     /* address of the last instruction that was built while fetches were counted */
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

/*
 * ---- registers.c ----
 * Interrupts from outside, NMIs and vectors of the local APIC, that wait for a processor; and making a
 * processor notice a change.
 */

/* Is an NMI waiting, and not blocked by an NMI handler? */
bool nmi_wanted(const struct processor *processor);

/* Is an interrupt waiting that the processor takes before its next instruction? */
bool interrupt_wanted(const struct processor *processor);

/*
 * As interrupt_wanted(), but ignores the one-instruction shadow of STI and MOV SS: the interrupt is taken now
 * or after the next instruction. An interrupt that IF holds back does not count; only an INSN_IF or INSN_IRET
 * can let it through.
 */
bool interrupt_near(const struct processor *processor);

/*
 * Something changed that may interrupt this processor. If it is the running one, it checks before its next
 * instruction. If it is halted and an interrupt can now be taken, it becomes active and the scheduler chooses
 * again. No other function is needed after a change of local APIC, NMI or code.
 */
void processor_kick(struct processor *processor);

/* Add clocks to the cost of the instruction that the running processor executes. */
void processor_stall(struct processor *processor, uint32_t clocks);

#endif

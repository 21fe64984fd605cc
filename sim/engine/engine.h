/*
 * The room around libunicorn: it lets the processors of a machine run, sees each instruction before
 * libunicorn executes it, and does what libunicorn cannot do itself.
 */
#ifndef SIM_ENGINE_ENGINE_H
#define SIM_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sim/board/board.h"
#include "sim/cpu/processor.h"
#include "sim/decode/insn.h"
#include "sim/cpu/registers.h"
#include "pmc/netburst/regs.h"

/* ---- engine.c: What the engines of all logical processors of a machine share ---- */

/* Code is said to have changed by pages of this size. */
#define CODE_PAGE 4096u

struct engine {
    uint8_t *ram;
    struct board *board;
    struct processor *processors; /* all logical processors, by index */
    unsigned processor_count;
    unsigned threads;      /* logical processors in each core */
    unsigned ids_apart;    /* the APIC IDs of logical processors that follow each other */
    uint64_t instructions; /* started by all logical processors */
    uint64_t limit;        /* the run ends after so many */
    struct decoder *decoder;
    struct insn_cache *cache;
    struct insn_cache *decoded; /* what the other one held earlier, too (step.c) */
    unsigned reported; /* kinds of what is not simulated that were reported, as bits (unsupported.c) */
    uint8_t code_map[RAM_SIZE / 8 +
                     1]; /* a bit for each byte that libunicorn may have translated (code_map_note()) */
    uint8_t code_changed[RAM_SIZE / CODE_PAGE / 8]; /* a bit for each page in which a store changed code */
};

/* Create decoder and instruction caches, in an engine whose memory is otherwise zero. False when out of
 * memory. */
bool engine_init(struct engine *engine);
/* A store hit code: the trace caches of all processors are emptied, and every instruction is built anew
 * (F18). */
void engine_empty_trace_caches(struct engine *engine);
void engine_free(struct engine *engine);

/* libunicorn translates these bytes: mark them in engine->code_map. */
void code_map_note(struct engine *engine, uint32_t address, unsigned bytes);

/* Has libunicorn translated one of these bytes? There are at most eight. */
bool code_map_has(const struct engine *engine, uint32_t address, size_t bytes);

/*
 * ---- create.c ----
 * Making a logical processor: its state at power-up, its libunicorn engine, and the memory map of that.
 */

/*
 * Create the engine and bring the processor to its state at power-up, in which it waits for a SIPI. Before
 * the call *processor is all zero, except for the members before `uc` and those of the local APIC that
 * survive its reset, which the caller has set. False with one line in error[0..size) when libunicorn refuses.
 */
bool processor_init(struct processor *processor, char *error, size_t size);

/*
 * Replace the engine by a new one in the same state. It has translated nothing: libunicorn 2.0.1 can also
 * drop its translations, but then writes to each byte of the buffer of 1 GB that they were in. False when
 * libunicorn refuses.
 */
bool processor_renew_engine(struct processor *processor);

/* Free what processor_init() made, also after it has failed. */
void processor_free(struct processor *processor);

/* ---- run.c: Letting a logical processor run ---- */

/* Execute until the core's clock reaches quantum_end or the scheduler is wanted. The processor must be
 * active. */
void processor_run(struct processor *processor);

/* ---- step.c: One instruction, with all that can be necessary before libunicorn executes it ---- */

/*
 * libunicorn is about to execute the instruction at address; the one before it, if any is pending, has
 * executed. Leaves the engine if there is a reason to; otherwise the instruction becomes the pending one.
 */
void step(struct processor *processor, uint32_t address);

/* Make libunicorn stop before the next instruction. */
void step_leave(struct processor *processor, enum processor_exit why);

/* The end of an instruction: as retire(), and then bring TLBs, code segment and the blocking of NMIs to the
 * state that the instruction left, which libunicorn does not report. */
void complete(struct processor *processor, uint32_t next);

/*
 * ---- execute.c ----
 * The hooks by which p4sim sees every instruction before libunicorn executes it, and every exception it
 * raises.
 */

/* Install them in the processor's engine. False when libunicorn refuses. */
bool execute_install(struct processor *processor);

/*
 * ---- translation.c ----
 * What libunicorn 2.0.1 translates, straight-line code at a time, and where it stops. One such piece of code
 * is a translation.
 *
 * - It keeps everything that it ever translated, even code that was overwritten, and crashes when its buffer
 * of 1 GB is full. So what is translated is counted, and the engine renewed in time.
 * - Its translator has 512 temporaries for a translation and leaks some of them for many instructions, two
 * for every x87 register instruction. One with too many overruns the table and crashes. So translations are
 * cut: when one becomes long, the addresses that follow are made libunicorn's exit addresses. It stops at the
 * one that is the next instruction, and is started again.
 * - It aborts when it translates CALL FAR or JMP FAR with a register, FFH /3 and /5, which should raise #UD.
 * So the fetch of such an instruction is refused, the translation is cut before it, and p4sim raises #UD when
 * it is next.
 *
 * RAM is mapped without the right to execute, so that libunicorn asks a hook about each fetch of its
 * translator.
 */

/* Install the hook in the processor's new engine. False when libunicorn refuses. */
bool translation_init(struct processor *processor);

/* The translation that is being cut is done, or will not be: remove the exit addresses. Does nothing without
 * any. */
void translation_cut(struct processor *processor);

/* libunicorn stopped with UC_ERR_FETCH_PROT: was that a fetch that the hook refused? */
bool translation_refused(const struct processor *processor);

/* After such a stop: let libunicorn translate as far as it can. False: the first instruction raises
 * #UD. */
bool translation_retried(struct processor *processor);

/* A store changed code, which is now translated again: the next translation becomes a short one, so that code
 * which is stored to time and again does not cost a long translation each time. */
void translation_rewritten(struct processor *processor);

/* Has so much been translated that the engine must be stopped and renewed? */
bool translation_full(const struct processor *processor);

/*
 * ---- ram_stores.c ----
 * Stores of the logical processors to RAM, which p4sim does instead of libunicorn.
 *
 * A store to writable RAM is slow in libunicorn 2.0.1: it never learns that a page holds no translated code,
 * so every store locks the page and looks for translations to drop, which takes about 1,300 host
 * instructions. A store that a hook for write-protected memory handles takes about 150. So RAM is mapped
 * read-only, the hook does the stores, and it drops translations only where code was executed. While paging
 * is on, RAM is mapped writable and libunicorn does the stores, because the hook would run before page
 * faults, and accessed and dirty bits need libunicorn's stores.
 */

/* Map RAM in a new engine, without the rights to write and to execute (translation.c), and install the hook.
 * False when libunicorn refuses. */
bool ram_stores_map(struct processor *processor);

/* CR0 may have changed: map RAM writable if paging is on, else read-only. */
void ram_stores_refresh(struct processor *processor);

/* Fill a stretch of RAM while no processor is inside of libunicorn: no instruction makes these stores. */
void ram_stores_fill(struct engine *engine, uint32_t begin, uint32_t end, uint8_t value);

/* ---- mmio.c: Physical addresses without RAM: the processor's own local APIC, and an empty bus ---- */

/* Map them into the processor's engine. False when libunicorn refuses. */
bool apic_bus_map(struct processor *processor);

/* Stores to the local APIC are posted: they take effect some clocks after they have executed, in their order
 * (F6). A load from the local APIC and a serialising instruction wait for them. Let those that are due take
 * effect. */
void apic_stores_arrive(struct processor *processor);
/* Let all of them take effect. */
void apic_stores_drain(struct processor *processor);

/* Core clock by which apic_stores_arrive() is to be called, LAPIC_NEVER when no store waits. */
static inline uint64_t apic_stores_next(const struct processor *processor)
{
    return processor->apic_stores ? processor->apic_store[0].arrives : LAPIC_NEVER;
}

/*
 * ---- intercept.c ----
 * The instructions that p4sim executes instead of libunicorn: RDTSC, RDMSR, WRMSR, RDPMC, CPUID, IN and OUT.
 *
 * libunicorn can skip an instruction only by leaving its inner loop, after which it translates the rest of
 * the code as a piece of its own. So where it does no harm, libunicorn executes the instruction too: WRMSR
 * of a register of the PMU, which it ignores, and RDTSC and RDMSR, whose results p4sim replaces before the
 * next instruction.
 */

#define NO_EXCEPTION (-1)

/*
 * Execute RDTSC, RDMSR, WRMSR or RDPMC with its privilege checks (SDM vol. 2; pmu-rules 3.5). Returns
 * NO_EXCEPTION or the exception that it raises. What it reads is due in processor->repeated. The caller
 * advances EIP, unless libunicorn may execute the instruction too.
 */
int intercept_execute(struct processor *processor, const struct insn *insn);

/* Put what is due into EDX and EAX. Does nothing when nothing is. */
void intercept_give(struct processor *processor);

/* Install the engine's hooks for CPUID, IN and OUT. False when libunicorn refuses. */
bool intercept_install(struct processor *processor);

/* The exception that an INSN_PORT raises, by IOPL and the bitmap of the task-state segment (SDM vol.
 * 1, 18.5), or NO_EXCEPTION. */
int privilege_of_port(struct processor *processor, const struct insn *insn);

/* The exception that an INSN_FLUSH raises, by the value that it moves to CR0 or CR4 (SDM vol. 2, MOV to
 * control registers), or NO_EXCEPTION. */
int privilege_of_control(const struct processor *processor, const struct insn *insn);

/* #AC of an operand of 2, 4 or 8 bytes (SDM vol. 3, 6.15), or NO_EXCEPTION. */
int privilege_of_access(const struct processor *processor, const struct insn *insn);

/* #XM of an INSN_DIVSS by zero (SDM vol. 1, 11.5.2.3), the only one of SSE that is simulated, or
 * NO_EXCEPTION. */
int privilege_of_divide(const struct processor *processor, const struct insn *insn);

/* ---- unsupported.c: Saying that a kernel needs what p4sim does not simulate ---- */

enum unsupported {
    UNSUPPORTED_TASK_GATE,
    UNSUPPORTED_TSS16,
    UNSUPPORTED_REAL_MODE_EVENT,
    UNSUPPORTED_VIRTUAL_8086,
    UNSUPPORTED_BREAKPOINT,
    UNSUPPORTED_SEGMENT,
    UNSUPPORTED_REMAPPING,
    UNSUPPORTED_REMAPPED_CODE,
    UNSUPPORTED_LONG_MODE,
    UNSUPPORTED_NO_EXECUTE,
    UNSUPPORTED_IPI,
    UNSUPPORTED_SYSENTER,
    UNSUPPORTED_KINDS
};

/* The run goes on, but may do something else than on a processor: one line on standard error, once for each
 * kind. */
void unsupported_report(struct processor *processor, enum unsupported kind);

/* Is this linear address mapped to another physical one? Then the run ends. */
bool unsupported_code(struct processor *processor, uint32_t address);

/* Does the instruction at this address set a breakpoint, or access memory by way of a segment in a way that a
 * processor may refuse? Then the run ends. What libunicorn cannot be sure of counts as refused: a string
 * instruction while DS or ES is not flat. */
bool unsupported_instruction(struct processor *processor, const struct insn *insn, uint32_t address);

/* The run cannot go on: it ends as MACHINE_BROKEN with that line as its reason. */
void unsupported_end(struct processor *processor, enum unsupported kind);

/*
 * ---- interrupt.c ----
 * Delivery of interrupts and exceptions through the IDT, which libunicorn leaves to its user.
 */

enum interrupt_kind {
    INTERRUPT_EXTERNAL, /* an NMI, an interrupt of the local APIC, an instruction breakpoint, a single step */
    INTERRUPT_FAULT,
    INTERRUPT_SOFTWARE, /* INT n: the interrupt gate's DPL is checked */
    INTERRUPT_INT1      /* INT1: its DPL is not checked */
};

/* Take the interrupt that waits (interrupt_wanted()), an NMI before others. The engine must be stopped. */
void interrupt_take(struct processor *processor);

/*
 * Enter the handler of this interrupt, with processor->eip as return address (SDM vol. 3, 6.12). When the
 * gate's DPL forbids a software interrupt, the #GP has the return address fault_eip. A fault that has an
 * error code pushes error. A fault during delivery becomes #DF, and a fault during the delivery of #DF a
 * triple fault, which ends the run.
 */
void interrupt_deliver(struct processor *processor, uint8_t interrupt, enum interrupt_kind kind,
                       uint32_t fault_eip, uint32_t error);

/*
 * ---- delivery.c ----
 * An interrupt or exception on its way to its handler, and what its delivery reads from memory: gate,
 * segments, task-state segment. A function that returns false leaves in *fault the fault that prevents the
 * delivery, or has ended the run.
 */

struct delivery {
    uint8_t interrupt;
    enum interrupt_kind kind;
    uint32_t error;
};

struct stack {
    struct segment ss;
    uint32_t esp;
};

/* Fields of a descriptor's second word. */
#define DESCRIPTOR_TYPE(word)    FIELD_GET(12, 8, word) /* with the S bit */
#define DESCRIPTOR_DPL(word)     FIELD_GET(14, 13, word)
#define DESCRIPTOR_PRESENT(word) FIELD_GET(15, 15, word)
#define TYPE_SEGMENT             FIELD_MASK(4, 4) /* bits of the type: not a gate or a system segment, */
#define TYPE_CODE                FIELD_MASK(3, 3) /* code, */
#define TYPE_CONFORMING          FIELD_MASK(2, 2) /* conforming code, */
#define TYPE_DOWNWARDS           FIELD_MASK(2, 2) /* or expand-down data, */
#define TYPE_READABLE            FIELD_MASK(1, 1) /* code that may be read, */
#define TYPE_WRITABLE            FIELD_MASK(1, 1) /* or data that may be written */

#define SELECTOR_RPL 3u
#define SELECTOR_LDT 4u

/* Types of an interrupt gate. */
#define GATE_TASK      0x05u
#define GATE_INTERRUPT 0x0Eu
#define GATE_TRAP      0x0Fu

/* Sets *fault. Returns false. */
bool delivery_fails(struct delivery *fault, uint8_t interrupt, uint32_t error);

/* The error code of a fault that comes from a selector, or from the number of an interrupt gate. */
uint32_t delivery_selector_error(const struct delivery *delivery, uint32_t selector);

/* Read (access = 0) or write (PAGE_WRITE) linear memory as by CPL 0. */
bool delivery_access(struct processor *processor, uint32_t address, uint32_t access, void *data, size_t size,
                     struct delivery *fault);

/*
 * Read the interrupt gate of a delivery: its type, the handler's offset and code segment, whose RPL is set to
 * the handler's CPL. Of a task gate only the type is read.
 */
bool delivery_read_gate(struct processor *processor, const struct delivery *delivery, unsigned *type,
                        uint32_t *entry, struct segment *cs, struct delivery *fault);

/* Read the stack of an inner CPL from the task-state segment. */
bool delivery_inner_stack(struct processor *processor, const struct delivery *delivery, uint8_t cpl,
                          struct stack *stack, struct delivery *fault);

/*
 * ---- power.c ----
 * The states in which a logical processor starts: after the boot loader, after INIT, after a SIPI.
 */

/* Start the boot processor at entry in the state that multiboot promises: flat segments, EAX and EBX as
 * given. */
void processor_boot(struct processor *processor, uint32_t entry, uint32_t eax, uint32_t ebx);

/* INIT: local APIC reset, wait for SIPI. The PMU's registers keep their values (R1). */
void processor_receive_init(struct processor *processor);
/* SIPI: begin in real mode at page * 1000H; ignored unless the processor waits for it. */
void processor_receive_sipi(struct processor *processor, uint8_t page);

/* Empty both TLBs, and check whether paging was switched on or off. */
void processor_flush_translations(struct processor *processor);

/* A page of ROM at the top of memory, one for each processor: a GDT with flat segments, and the instructions
 * that lead from protected mode to the real-mode state in which a SIPI starts a processor. libunicorn cannot
 * start in real mode by itself. */

#define BOOT_ROM_BASE 0xFFFFF000u
#define BOOT_ROM_SIZE 0x1000u

/* Selectors of the ROM's GDT. */
#define BOOT_ROM_CODE32 0x08u
#define BOOT_ROM_CODE16 0x10u
#define BOOT_ROM_DATA16 0x18u
#define BOOT_ROM_DATA32 0x20u

#define BOOT_ROM_GDT       (BOOT_ROM_BASE + 0x80) /* physical address and limit of the GDT */
#define BOOT_ROM_GDT_LIMIT (5 * 8 - 1)
#define BOOT_ROM_TO_REAL   BOOT_ROM_BASE /* entry, flat 32-bit code */

/* Fill a page of BOOT_ROM_SIZE bytes. */
void boot_rom_fill(uint8_t *rom);

#endif

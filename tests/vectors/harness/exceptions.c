/*
 * What every vector relies on when something goes wrong: exceptions arrive with the number, the error code
 * and the address that the manual says (SDM vol. 3, 6.15), the privilege levels refuse what they should, and
 * whatever hangs or crashes is ended, with the run going on after it.
 *
 * Each exception is provoked and caught (trap_catch_next()). The saved address is that of the instruction (a
 * fault) or that of the next one (a trap).
 */
#include "kernel/board/board.h"
#include "kernel/lib/lib.h"
#include "kernel/log/log.h"
#include "kernel/run/guard.h"
#include "kernel/run/pmi.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/trap.h"
#include "pmc/msr.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/vector.h"

static struct trap_catch catch;   /* what came */
static volatile uint32_t address; /* of the instruction */

/* The instruction at label 1 takes the exception; the code goes on at label 2. */
#define PROVOKE(before, instruction, ...)                           \
    __asm__ volatile("movl $1f, %0\n\tmovl $2f, %1\n\t" before "\n" \
                     "1:\t" instruction "\n"                        \
                     "2:"                                           \
                     : "=m"(address), "=m"(catch.resume)            \
                     : __VA_ARGS__)

#define LARGE_PAGE    22
#define PDE_LARGE     0x87u /* present, writable, for every ring, 4 MB */
#define PAGES         1024u
#define PAGE_MISSING  PAGING_REGION
#define BEYOND_GDT    0xFFF8u
#define INTERRUPT_OWN 0x20u /* one of ours with a gate of DPL 0 */

static void divide(void)
{
    PROVOKE("", "divl %2", "r"(0), "a"(1), "d"(0) : "cc");
}

static void step(void)
{
    PROVOKE("pushfl\n\torl $0x100, (%%esp)\n\tpopfl", "nop", "r"(0) : "cc", "memory");
}

static void breakpoint(void)
{
    PROVOKE("", "int3", "r"(0));
}

static void overflow(void)
{
    PROVOKE("movb $127, %%al\n\taddb $1, %%al", "into", "r"(0) : "eax", "cc");
}

static void bounds(void)
{
    static const int32_t range[2] = {1, 2};

    PROVOKE("", ".byte 0x62, 0x02", "a"(3),
            "d"(range)); /* BOUND EAX, [EDX]: assemblers differ in the order of its operands */
}

static void undefined(void)
{
    PROVOKE("", "ud2", "r"(0));
}

static void no_fpu(void)
{
    PROVOKE("movl %%cr0, %%eax\n\torl $8, %%eax\n\tmovl %%eax, %%cr0", "fnop", "r"(0) : "eax", "cc");
    __asm__ volatile("clts");
}

static void bad_selector(void)
{
    PROVOKE("", "movw %w2, %%fs", "r"(BEYOND_GDT));
}

/* A copy of the GDT with one more descriptor: flat data, writable, not present. */
#define ABSENT          0xF8u
#define ABSENT_SEGMENT  0x00CF12000000FFFFull
#define GDT_DESCRIPTORS (ABSENT / 8 + 1)

static void with_absent(void (*provoke)(void))
{
    static uint64_t copy[GDT_DESCRIPTORS];
    struct {
        uint16_t limit;
        uint32_t base;
    } __attribute__((packed)) ours, more = {sizeof copy - 1, (uint32_t)copy};

    __asm__ volatile("sgdt %0" : "=m"(ours));
    memcpy(copy, (const void *)(uintptr_t)ours.base, ours.limit + 1u);
    copy[GDT_DESCRIPTORS - 1] = ABSENT_SEGMENT;
    __asm__ volatile("lgdt %0" : : "m"(more), "m"(copy));
    provoke();
    __asm__ volatile("lgdt %0" : : "m"(ours));
}

static void load_absent_data(void)
{
    PROVOKE("", "movw %w2, %%fs", "r"(ABSENT));
}

static void load_absent_stack(void)
{
    PROVOKE("", "movw %w2, %%ss", "r"(ABSENT));
}

static void absent_data(void)
{
    with_absent(load_absent_data);
}

static void absent_stack(void)
{
    with_absent(load_absent_stack);
}

/* A directory of large pages, all but one mapped as they are; in .bss, aligned at run time as in paging.c. */
static volatile uint32_t *missing_page(void)
{
    static uint32_t room[2 * PAGES];
    uint32_t *directory = (uint32_t *)(((uintptr_t)room + 4095) & ~(uintptr_t)4095);

    if (!paging_on())
        skip_now("no page-size extension");
    for (uint32_t i = 0; i < PAGES; i++)
        directory[i] = i << LARGE_PAGE | PDE_LARGE;
    directory[PAGE_MISSING >> LARGE_PAGE] = 0;
    __asm__ volatile("movl %0, %%cr3" : : "r"(directory) : "memory");
    return (volatile uint32_t *)PAGE_MISSING;
}

static void load(void)
{
    PROVOKE("", "movl (%2), %%eax", "r"(missing_page()) : "eax");
}

static void store(void)
{
    PROVOKE("", "movl %2, (%2)", "r"(missing_page()) : "memory");
}

#define FCW_DIVIDE_UNMASKED 0x37Bu

static void x87_error(void)
{
    static const uint16_t control = FCW_DIVIDE_UNMASKED;

    PROVOKE("fninit\n\tfldcw %2\n\tfld1\n\tfldz\n\tfdivrp", "fwait", "m"(control));
    __asm__ volatile("fnclex");
    cpu_clean_fpu();
}

#define MXCSR_DIVIDE_UNMASKED 0x1D80u /* as after reset, but for ZM [9] */
#define CR4_OSXMMEXCPT        (1u << 10)

static void sse_error(void)
{
    static const uint32_t control = MXCSR_DIVIDE_UNMASKED;

    if (!(cr4_read() & CR4_OSXMMEXCPT))
        skip_now("no SSE");
    PROVOKE("ldmxcsr %2\n\tcvtsi2ss %2, %%xmm0\n\txorps %%xmm1, %%xmm1", "divss %%xmm1, %%xmm0",
            "m"(control));
    cpu_clean_fpu();
}

/* With EFLAGS.AC, bit 18. */
static void load_misaligned(void *unused)
{
    (void)unused;
    PROVOKE("pushfl\n\tbtsl $18, (%%esp)\n\tpopfl", "movl 1(%2), %%eax", "r"(&address) : "eax", "cc");
    __asm__ volatile("pushfl\n\tbtrl $18, (%%esp)\n\tpopfl" : : : "cc", "memory");
}

#define WAIT_US 100000u

static volatile unsigned interrupts_of_17;

static void take_17(struct trap_frame *frame)
{
    (void)frame;
    interrupts_of_17++;
    lapic_eoi();
}

/* A BIOS may have left the number to a local APIC, whose interrupts have no error code. */
static void interrupt_17(void)
{
    struct timeout patience = timeout_in_us(WAIT_US);

    interrupts_of_17 = 0;
    trap_set_handler(INTERRUPT_AC, take_17);
    lapic_send_self(INTERRUPT_AC);
    while (interrupts_of_17 == 0 && !timeout_passed(&patience))
        cpu_relax();
    trap_set_handler(INTERRUPT_AC, NULL);
    expect_true(HARNESS, interrupts_of_17 > 0,
                "an interrupt with the number of #AC is taken as an interrupt");
}

static void misaligned(void)
{
    trap_check_alignment(true);
    ring_run(3, load_misaligned, NULL);
    if (lapic_present())
        interrupt_17();
    trap_check_alignment(false);
}

#define NO_ERROR 0
static const struct exception {
    const char *name;
    void (*provoke)(void);
    uint8_t interrupt;
    bool trap;
    uint16_t error;
} EXCEPTIONS[] = {
    {"de", divide, 0, false, NO_ERROR},      {"db", step, 1, true, NO_ERROR},
    {"bp", breakpoint, 3, true, NO_ERROR},   {"of", overflow, 4, true, NO_ERROR},
    {"br", bounds, 5, false, NO_ERROR},      {"ud", undefined, 6, false, NO_ERROR},
    {"nm", no_fpu, 7, false, NO_ERROR},      {"np", absent_data, 11, false, ABSENT},
    {"ss", absent_stack, 12, false, ABSENT}, {"gp", bad_selector, INTERRUPT_GP, false, BEYOND_GDT},
    {"pf-load", load, 14, false, 0},         {"pf-store", store, 14, false, 2},
    {"mf", x87_error, 16, false, NO_ERROR},  {"ac", misaligned, INTERRUPT_AC, false, 0},
    {"xm", sse_error, 19, false, NO_ERROR},
};
static const struct items exceptions_of = ITEMS(EXCEPTIONS, .name = named_item);

static void exception(const void *item)
{
    const struct exception *e = item;

    catch = (struct trap_catch){.frame.interrupt = NO_EXCEPTION};
    trap_catch_next(&catch);
    e->provoke();
    trap_catch_next(NULL);
    const uint32_t cr2 = cr2_read();
    paging_off();
    if (e->interrupt >= INTERRUPT_AC && catch.frame.interrupt == NO_EXCEPTION && machine_is_virtual())
        skip_now("this emulator does not raise it");
    expect_exception(HARNESS, e->interrupt, catch.frame.interrupt, "exception");
    if (catch.frame.interrupt == NO_EXCEPTION)
        return;
    expect_register(HARNESS, e->error, catch.frame.error, "its error code");
    expect_register(HARNESS, e->trap ? catch.resume : address, catch.frame.eip, "its saved EIP");
    if (e->interrupt == 14)
        expect_register(HARNESS, PAGE_MISSING, cr2, "CR2");
}

/* ---- What is refused ---- */

#define NO_MSR 0xDEADBEE0u /* an address that no processor has given to a register */
#define NO_PMC 0x3FFFFFFFu

static unsigned try_rdmsr(void)
{
    uint64_t value;

    return msr_try_read(NO_MSR, &value);
}

static unsigned try_wrmsr(void)
{
    return msr_try_write(NO_MSR, 0);
}

static unsigned try_rdpmc(void)
{
    uint64_t value;

    return rdpmc_try(NO_PMC, &value);
}

static const struct access {
    const char *name;
    unsigned (*try)(void);
} ACCESSES[] = {{"rdmsr", try_rdmsr}, {"wrmsr", try_wrmsr}, {"rdpmc", try_rdpmc}};
static const struct items accesses_of = ITEMS(ACCESSES, .name = named_item);

/* Emulators let them pass, or say #UD to RDPMC: then there is nothing to be learnt of the fix-up. */
static void refused(const void *item)
{
    const unsigned fault = ((const struct access *)item)->try();

    if (fault == NO_FAULT)
        skip_now("this machine does not refuse it");
    if (fault == 6)
        skip_now("this machine does not know the instruction");
    expect_fault(HARNESS, INTERRUPT_GP, fault, "exception");
}

/* ---- Privilege levels ---- */

/* Each is #GP at CPL 3 (SDM vol. 3, 5.9; QEMU 10 lets WBINVD pass), with error code 0; INT of a gate of DPL 0
 * names the gate. */
#define PRIVILEGED_INSTRUCTION(name, instruction, ...)  \
    static void name(void)                              \
    {                                                   \
        PROVOKE("", instruction, "r"(0) : __VA_ARGS__); \
    }

PRIVILEGED_INSTRUCTION(do_cli, "cli", "memory")
PRIVILEGED_INSTRUCTION(do_hlt, "hlt", "memory")
PRIVILEGED_INSTRUCTION(do_in, "inb $0x61, %%al", "eax")
PRIVILEGED_INSTRUCTION(do_out, "outb %%al, $0x80", "memory")
PRIVILEGED_INSTRUCTION(do_rdmsr, "rdmsr", "eax", "edx")
PRIVILEGED_INSTRUCTION(do_wrmsr, "wrmsr", "memory")
PRIVILEGED_INSTRUCTION(do_mov_cr, "movl %%cr0, %%eax", "eax")
PRIVILEGED_INSTRUCTION(do_clts, "clts", "memory")
PRIVILEGED_INSTRUCTION(do_lidt, "lidt (%%esp)", "memory")
PRIVILEGED_INSTRUCTION(do_int, "int $0x20", "memory")

static const struct privileged {
    const char *name;
    void (*run)(void);
    uint16_t error;
} PRIVILEGED[] = {
    {"CLI", do_cli, 0},
    {"HLT", do_hlt, 0},
    {"IN", do_in, 0},
    {"OUT", do_out, 0},
    {"RDMSR", do_rdmsr, 0},
    {"WRMSR", do_wrmsr, 0},
    {"MOV from CR0", do_mov_cr, 0},
    {"CLTS", do_clts, 0},
    {"LIDT", do_lidt, 0},

    {"INT 20H", do_int, INTERRUPT_OWN * 8 + 2},
};

static void run_privileged(void *what)
{
    ((const struct privileged *)what)->run();
}

static void refused_at_cpl_3(void)
{
    for (unsigned i = 0; i < COUNT_OF(PRIVILEGED); i++) {
        const struct privileged *p = &PRIVILEGED[i];

        catch = (struct trap_catch){.frame.interrupt = NO_EXCEPTION};
        trap_catch_next(&catch);
        ring_run(3, run_privileged, (void *)(uintptr_t)p);
        trap_catch_next(NULL);
        expect_exception(HARNESS, INTERRUPT_GP, catch.frame.interrupt, "exception of %s at CPL 3", p->name);
        if (catch.frame.interrupt == NO_EXCEPTION)
            continue;
        expect_register(HARNESS, p->error, catch.frame.error, "error code of %s at CPL 3", p->name);
        expect_register(HARNESS, address, catch.frame.eip, "saved EIP of %s at CPL 3", p->name);
    }
}

static const uint8_t RINGS[] = {1, 2, 3};
static const struct items rings = ITEMS(RINGS, .name = number_item);

/* An interrupt waits for the TPR, which the code in the ring lowers. */
static struct {
    bool lowers;
    unsigned cpl;
    volatile unsigned interrupted; /* CPL that the interrupt found, plus 1; 0: none came */
} visit;

static void interrupted(struct trap_frame *frame)
{
    visit.interrupted = (frame->cs & 3) + 1;
    lapic_eoi();
}

#define SOON_LAPS 100000u /* far more than an interrupt that waits needs */

static void visit_ring(void *unused)
{
    (void)unused;
    visit.cpl = cpl();
    if (visit.lowers)
        lapic_write(LAPIC_TPR, 0);
    for (unsigned i = 0; i < SOON_LAPS && !visit.interrupted && visit.lowers; i++)
        cpu_relax();
}

static void ring(const void *item)
{
    const unsigned n = *(const uint8_t *)item;

    visit.lowers = lapic_present() && !lapic_is_x2apic(); /* CPL 3 reaches the TPR in memory alone */
    visit.interrupted = 0;
    trap_set_handler(INTERRUPT_PMI, interrupted);
    if (visit.lowers) {
        lapic_write(LAPIC_TPR, INTERRUPT_PMI);
        lapic_send_self(INTERRUPT_PMI);
    }
    ring_run(n, visit_ring, NULL);
    expect_equal(HARNESS, n, visit.cpl, "CPL in ring %u", n);
    expect_equal(HARNESS, 0, cpl(), "CPL after it");
    if (visit.lowers)
        expect_equal(HARNESS, n + 1, visit.interrupted, "CPL that an interrupt found there, plus 1");
}

/* ---- What ends work that does not end ---- */

#define HANG_MS 2

#define INTERRUPT_ABOVE (INTERRUPT_TIMER + 1) /* in the priority class above a PMI's */

/* Without a local APIC the exception comes without an interrupt. */
static void interrupt_and_crash(uint8_t interrupt)
{
    irq_on();
    lapic_send_self(interrupt);
    delay_us(PMI_DELIVERY_US);
    __asm__ volatile("ud2");
}

static void crash_in_service(struct trap_frame *frame)
{
    if (frame->interrupt == INTERRUPT_PMI)
        interrupt_and_crash(INTERRUPT_ABOVE);
    __asm__ volatile("ud2");
}

static void crash(void *unused)
{
    (void)unused;
    trap_set_handler(INTERRUPT_PMI, crash_in_service);
    trap_set_handler(INTERRUPT_ABOVE, crash_in_service);
    interrupt_and_crash(INTERRUPT_PMI);
}

static void spin(void *unused)
{
    (void)unused;
    for (;;)
        cpu_relax();
}

static volatile unsigned passed; /* places that work which hangs has passed */

#define LINE_HANG_MS (2 * HANG_MS) /* longer than an SMI, during which the deadline goes on */

/* The deadline does not cut off a line of the log, nor is the time of the line the work's. */
static void hang(void *unused)
{
    log_hold();
    delay_us(1000 * LINE_HANG_MS + 1000);
    passed++;
    log_release();
    delay_us(50);
    passed++;
    spin(unused);
}

static void hang_at_cpl_3(void *unused)
{
    ring_run(3, spin, unused);
}

static bool storms;

static void again(struct trap_frame *frame, unsigned lp, bool nmi)
{
    (void)frame;
    (void)lp;
    (void)nmi;
    if (storms)
        lapic_send_self(INTERRUPT_PMI);
    lapic_eoi();
}

static void storm(void *unused)
{
    storms = true;
    pmi_set_handler(again);
    lapic_send_self(INTERRUPT_PMI);
    spin(unused);
}

static const struct ending {
    const char *name;
    void (*work)(void *);
    enum guard_end end;
    uint16_t deadline_ms;
    uint8_t needs;
} ENDINGS[] = {
    {"crash", crash, GUARD_FAULT, DEADLINE_MS / 2, 0},
    {"hang", hang, GUARD_DEADLINE, LINE_HANG_MS, NEED_LAPIC},
    {"hang-cpl3", hang_at_cpl_3, GUARD_DEADLINE, HANG_MS, NEED_LAPIC},
    {"storm", storm, GUARD_STORM, DEADLINE_MS / 2, NEED_LAPIC},
};

static unsigned ending_needs(const void *item)
{
    return ((const struct ending *)item)->needs;
}

static const struct items endings = ITEMS(ENDINGS, .name = named_item, .needs = ending_needs);

static void ends(const void *item)
{
    const struct ending *e = item;
    struct trap_report report;

    irq_off();
    passed = 0;
    const enum guard_end end = guard_run(e->work, NULL, e->deadline_ms, &report);
    storms = false;
    pmi_set_handler(again); /* the last one of the storm */
    irq_on();
    delay_us(PMI_DELIVERY_US);
    pmi_set_handler(NULL);
    if (end == GUARD_DEADLINE && e->end == GUARD_STORM && !machine_has_pmu)
        return; /* an emulator may be too slow for a storm */
    expect_equal(
        HARNESS, e->end, end,
        "how it ended (0 by itself, 1 aborted, 2 exception, 3 deadline, 4 the other processor, 5 storm)");
    if (e->end == GUARD_FAULT)
        expect_equal(HARNESS, 6, report.frame.interrupt, "exception that ended it");
    if (e->work == hang && machine_has_pmu) /* an emulator may have no time before either place */
        expect_equal(HARNESS, 2, passed, "places that it passed");
    expect_true(HARNESS, cpl() == 0 && !lapic_in_service(INTERRUPT_PMI) && !lapic_in_service(INTERRUPT_ABOVE),
                "CPL 0 after it, and no interrupt in service");
}

static const struct vector exceptions_rows[] = {
    CHECK("harness.exception", "it comes with number, error code and address as the manual says",
          .also = "PC", .run_item = exception, .items = &exceptions_of),
    CHECK("harness.refused", "an MSR or a counter that no processor has: #GP, and the run goes on",
          .also = "PC", .run_item = refused, .items = &accesses_of),
    CHECK("harness.ring", "code runs there, is interrupted there, and comes back", .also = "PC",
          .run_item = ring, .items = &rings),
    CHECK("harness.privileged", "instructions of CPL 0 are #GP at CPL 3", .also = "PC",
          .run = refused_at_cpl_3),
    CHECK("harness.ends", "what does not end by itself is ended", .also = "PC", .run_item = ends,
          .items = &endings),
};
VECTOR_GROUP(exceptions);

/*
 * The local APIC and the interrupts, as every PMI needs them (SDM vol. 3, 6.7, 6.8, 10.5, 10.8): an interrupt
 * is taken once, at once or when IF, the task priority or a higher interrupt lets it in, and its EOI ends it;
 * an NMI blocks further ones until IRET; the entries of the LVT hold what is written; nothing of the FPU or
 * of SSE is lost on the way.
 *
 * LVTPC holds the vector of the interrupts that are sent, masked: so what a defect does to the PMI's
 * interrupt alone shows here, too.
 */
#include "kernel/board/board.h"
#include "kernel/lib/lib.h"
#include "kernel/run/pmi.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/trap.h"
#include "pmc/netburst/regs.h"
#include "tests/suite/expect.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/repeat.h"
#include "tests/suite/vector.h"

#define LOW     INTERRUPT_PMI         /* class DH */
#define SAME    (INTERRUPT_PMI + 2)   /* of the same class */
#define HIGH    (INTERRUPT_TIMER + 1) /* class EH */
#define TIMES   5
#define WAIT_US 100000u /* the timer of a virtual machine may be late */

static struct {
    volatile unsigned count;
    volatile uint8_t order[TIMES]; /* vectors, the first ones */
    volatile bool not_in_service, still_in_service, nested;
} came;

static void note(const struct trap_frame *frame)
{
    if (came.count < TIMES)
        came.order[came.count] = (uint8_t)frame->interrupt;
    came.count++;
}

static void end(const struct trap_frame *frame)
{
    came.not_in_service |= !lapic_in_service(frame->interrupt);
    lapic_eoi();
    came.still_in_service |= lapic_in_service(frame->interrupt);
}

static void take(struct trap_frame *frame)
{
    note(frame);
    end(frame);
}

/* Nothing is waited for longer than this. */
static void wait_for(unsigned count)
{
    struct timeout patience = timeout_in_us(WAIT_US);

    while (came.count < count && !timeout_passed(&patience))
        cpu_relax();
}

static void begin(trap_handler *handler)
{
    static const uint8_t numbers[] = {LOW, SAME, HIGH};

    came.count = 0;
    came.not_in_service = came.still_in_service = came.nested = false;
    pmi_mask();
    for (unsigned i = 0; i < COUNT_OF(numbers); i++)
        trap_set_handler(numbers[i], handler);
}

static bool is_requested(uint32_t interrupt)
{
    return lapic_read(LAPIC_IRR + interrupt / 32 * 0x10) >> interrupt % 32 & 1;
}

static void self(void)
{
    begin(take);
    for (unsigned i = 1; i <= TIMES; i++) {
        lapic_send_self(LOW);
        wait_for(i);
        require_equal(HARNESS, i, came.count, "interrupts taken after %u to this processor itself", i);
    }
    expect_true(HARNESS, !came.not_in_service, "its bit in ISR is set in the handler");
    expect_true(HARNESS, !came.still_in_service, "and clear after the EOI");
}

static void held(void)
{
    begin(take);
    irq_off();
    lapic_send_self(LOW);
    delay_us(PMI_DELIVERY_US);
    expect_equal(HARNESS, 0, came.count, "interrupts taken with IF clear");
    expect_true(HARNESS, is_requested(LOW), "its bit in IRR is set");
    irq_on();
    wait_for(1);
    expect_equal(HARNESS, 1, came.count, "interrupts taken once IF is set");
    expect_true(HARNESS, !is_requested(LOW), "its bit in IRR is clear");
}

/* While the first one is in service, one of its class waits and a higher one does not. */
static void nest(struct trap_frame *frame)
{
    const bool first = came.count == 0;

    note(frame);
    if (first) {
        lapic_send_self(SAME);
        lapic_send_self(HIGH);
        irq_on();
        wait_for(2);
        delay_us(PMI_DELIVERY_US);
        irq_off();
        came.nested = came.count == 2;
    }
    end(frame);
}

static void expect_order(const char *when, uint8_t first, uint8_t second)
{
    expect_register(HARNESS, first, came.order[0], "vector of the first interrupt, %s", when);
    expect_register(HARNESS, second, came.order[1], "vector of the second, %s", when);
}

static void priority(void)
{
    begin(take);
    irq_off();
    lapic_send_self(LOW);
    lapic_send_self(HIGH);
    delay_us(PMI_DELIVERY_US);
    irq_on();
    wait_for(2);
    expect_order("both pending", HIGH, LOW);
    begin(nest);
    lapic_send_self(LOW);
    wait_for(3);
    expect_true(HARNESS, came.nested, "in a handler the higher class is taken, its own waits");
    expect_order("the second sent in the handler of the first", LOW, HIGH);
    expect_equal(HARNESS, 3, came.count, "interrupts taken");
}

static void task_priority(void)
{
    begin(take);
    lapic_write(LAPIC_TPR, LOW & 0xF0);
    lapic_send_self(LOW);
    lapic_send_self(HIGH);
    delay_us(PMI_DELIVERY_US);
    const unsigned above = came.count;
    const uint8_t first = came.order[0];
    lapic_write(LAPIC_TPR, (LOW & 0xF0) - 1); /* the class below, and in it the highest priority */
    wait_for(2);
    const unsigned all = came.count;
    lapic_write(LAPIC_TPR, 0);
    expect_equal(HARNESS, 1, above, "interrupts taken of two, one of them above the TPR");
    expect_register(HARNESS, HIGH, first, "vector of the one that is taken");
    expect_equal(HARNESS, 2, all, "interrupts taken once the TPR is of the class below");
}

/* ---- LVT ---- */

/* The entries of the SMIs that the firmware needs stay as they are. */
static void lvt(void)
{
    static const uint32_t ENTRY[LAPIC_LVT_ENTRIES] = {LAPIC_LVT_TIMER, LAPIC_LVT_LINT0, LAPIC_LVT_LINT1,
                                                      LAPIC_LVT_ERROR, LAPIC_LVTPC,     LAPIC_LVT_THERMAL};
    static const uint8_t VECTORS[] = {0x5A, 0xA5};
    uint32_t kept[COUNT_OF(VECTORS)];
    const unsigned entries = (lapic_read(LAPIC_VERSION) >> 16 & 0xFF) + 1;

    irq_off();
    for (unsigned i = 0; i < COUNT_OF(ENTRY) && i < entries; i++) {
        const uint32_t before = lapic_read(ENTRY[i]);

        if ((before & LVT_DELIVERY_MASK) == LVT_DELIVERY_SMI)
            continue;
        if (ENTRY[i] != LAPIC_LVT_TIMER) /* that one is the deadline's */
            expect_true(HARNESS, before & LVT_MASKED, "LVT entry %3H is masked", ENTRY[i]);
        for (unsigned v = 0; v < COUNT_OF(VECTORS); v++) {
            lapic_write(ENTRY[i], LVT_MASKED | LVT_VECTOR(VECTORS[v]));
            kept[v] = lapic_read(ENTRY[i]) & ~LVT_PENDING;
        }
        lapic_write(ENTRY[i], before & ~LVT_PENDING);
        for (unsigned v = 0; v < COUNT_OF(VECTORS); v++)
            expect_register(HARNESS, LVT_MASKED | LVT_VECTOR(VECTORS[v]), kept[v], "LVT entry %3H", ENTRY[i]);
        expect_register(HARNESS, before & ~LVT_PENDING, lapic_read(ENTRY[i]) & ~LVT_PENDING,
                        "LVT entry %3H, put back", ENTRY[i]);
    }
    irq_on();
}

/* ---- NMI ---- */

/* The second one is sent while the first is handled, and must wait for the IRET. */
static void nmi_handler(struct trap_frame *frame)
{
    const unsigned n = came.count;

    note(frame);
    if (n > 0)
        return;
    lapic_send_nmi(lapic_id());
    delay_us(PMI_DELIVERY_US);
    came.nested = came.count > 1;
}

static unsigned take_nmis(void *unused)
{
    (void)unused;
    begin(take);
    irq_off();
    trap_handler *const usual = trap_set_handler(INTERRUPT_NMI, nmi_handler);
    lapic_send_nmi(lapic_id());
    wait_for(2);
    trap_set_handler(INTERRUPT_NMI, usual);
    irq_on();
    return came.count;
}

/* NMIs of the board are taken, too. */
static void nmi(void)
{
    const unsigned taken = pmis_as_nmis(take_nmis, NULL, 2);

    expect_true(HARNESS, !came.nested, "an NMI waits while another one is handled");
    expect_equal(HARNESS, 2, taken, "NMIs taken, with IF clear");
}

/* ---- FPU and SSE ---- */

#define FXSAVE_BYTES 512u
#define FXSAVE_XMM   160u /* offset of XMM0 */
#define CR4_OSFXSR   (1u << 9)

static void fpu(void)
{
    static uint8_t area[3][FXSAVE_BYTES] __attribute__((aligned(16)));

    if (!(cr4_read() & CR4_OSFXSR))
        skip_now("no FXSAVE and SSE");
    begin(take);
    __asm__ volatile("fninit\n\tfldpi\n\tfldl2e\n\tfxsave %0" : "=m"(area[0]));
    for (unsigned i = 0; i < 128; i++)
        area[0][FXSAVE_XMM + i] = (uint8_t)(i * 37 + 1);
    __asm__ volatile("fxrstor %1\n\tfxsave %0" : "=m"(area[1]) : "m"(area[0]));
    lapic_send_self(LOW);
    wait_for(1);
    __asm__ volatile("fxsave %0" : "=m"(area[2]));
    cpu_clean_fpu();
    expect_equal(HARNESS, 1, came.count, "interrupts taken");
    expect_equal(HARNESS, 0, memcmp(area[0] + FXSAVE_XMM, area[1] + FXSAVE_XMM, 128) != 0,
                 "XMM registers that FXRSTOR did not load");
    expect_equal(HARNESS, 0, memcmp(area[1], area[2], FXSAVE_BYTES) != 0,
                 "FPU and SSE state differs after an interrupt");
}

/* ---- Timer ---- */

#define TIMER_US 200u

/* An SMI may make it late, nothing makes it early; clock.c measured its rate to a thousandth. */
static void timer(void)
{
    begin(take);
    irq_off();
    const struct timeout early = timeout_in_us(TIMER_US - TIMER_US / 50);
    timer_interrupt_in_us(TIMER_US, LOW);
    irq_on();
    wait_for(1);
    const bool in_time = timeout_passed(&early);
    delay_us(2 * TIMER_US);
    timer_interrupt_in_us(1000 * DEADLINE_MS, INTERRUPT_TIMER);
    expect_true(HARNESS, in_time || clock_assumed(),
                "the timer of the local APIC interrupts not before its time");
    expect_equal(HARNESS, 1, came.count, "interrupts of the timer, set once");
}

static const struct vector interrupts_rows[] = {
    CHECK("harness.apic.self", "an interrupt to itself is taken once, and its EOI ends it", .also = "PC",
          .needs = NEED_LAPIC, .run = self),
    CHECK("harness.apic.held", "an interrupt waits while IF is clear", .also = "PC", .needs = NEED_LAPIC,
          .run = held),
    CHECK("harness.apic.priority", "the higher class comes first, and interrupts the lower one", .also = "PC",
          .needs = NEED_LAPIC, .run = priority),
    CHECK("harness.apic.tpr", "the TPR holds off its class and those below", .also = "PC",
          .needs = NEED_LAPIC, .run = task_priority),
    CHECK("harness.apic.lvt", "LVT entries are masked, hold a vector, and are put back", .also = "PC",
          .needs = NEED_LAPIC, .run = lvt),
    CHECK("harness.apic.timer", "one interrupt, not before its time", .also = "PC", .needs = NEED_LAPIC,
          .run = timer),
    CHECK("harness.nmi", "an NMI is taken with IF clear, and blocks others until IRET", .also = "PC",
          .needs = NEED_LAPIC, .run = nmi),
    CHECK("harness.fpu", "an interrupt leaves FPU and SSE as they are", .also = "PC", .needs = NEED_LAPIC,
          .run = fpu),
};
VECTOR_GROUP(interrupts);

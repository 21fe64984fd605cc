/* Whatever ends it early is an interrupt handler that calls
 * guard_end_by(). */
#include "guard.h"
#include <stddef.h>
#include "kernel/board/board.h"
#include "kernel/x86/cpu.h"
#include "kernel/lib/lib.h"
#include "kernel/x86/lapic.h"
#include "kernel/log/log.h"
#include "kernel/smp/smp.h"
#include "pmi.h"
#include "boot/boot.h"

#define TWO_BYTE_OPCODE 0x0Fu
#define OPCODE_WRMSR    0x30u
#define OPCODE_RDMSR    0x32u

#define RETRY_US 1000u
/* Many times the shortest deadline, however wrong the clocks are, and however late a virtual machine. */
#define OUTLASTING_US 2000000u

static struct guarded {
    volatile bool active;
    struct timeout deadline;
    uint64_t log_clocks; /* when the work began */
    struct unwind mark;
    struct trap_report report;
    char reason[160]; /* why it was aborted, "" when the work gave no reason */
    uint32_t msr;     /* whose access faulted, or 0 */
} run;

/* unwind_mark() returns 0 when it sets the mark, so an early end is passed to unwind_to() as its number
 * plus 1. */
static int code_of(enum guard_end end)
{
    return (int)end + 1;
}

static enum guard_end run_work(void (*work)(void *), void *arg, uint32_t deadline_ms)
{
    int code = unwind_mark(&run.mark);

    if (code != 0)
        return (enum guard_end)(code - 1);
    run.deadline = timeout_in_us(deadline_ms * 1000);
    run.log_clocks = log_clocks();
    run.active = true;
    timer_interrupt_in_us(deadline_ms * 1000, INTERRUPT_TIMER);
    irq_on();
    work(arg);
    irq_off();
    if (smp_state() == AP_FAULTED)
        guard_ap_faulted();
    run.active = false;
    return GUARD_DONE;
}

enum guard_end guard_run(void (*work)(void *), void *arg, uint32_t deadline_ms, struct trap_report *report)
{
    bool interrupts = irq_off();
    const struct guarded outer = run;
    enum guard_end end;

    run.report = (struct trap_report){0};
    run.reason[0] = '\0';
    run.msr = 0;
    end = run_work(work, arg, deadline_ms);
    timer_interrupt_in_us(0, INTERRUPT_TIMER);
    lapic_end_all();
    cpu_clean_fpu();
    *report = run.report;
    if (outer.active) {
        run = outer;
        timer_interrupt_in_us(RETRY_US, INTERRUPT_TIMER); /* guard_timer() knows how much time is left */
    }
    irq_restore(interrupts);
    return end;
}

void guard_end_by(enum guard_end end, const struct trap_frame *frame)
{
    if (!run.active)
        return;
    run.active = false;
    log_release_all();
    pmi_set_handler(NULL); /* ends a storm of NMIs: the next one leaves LVTPC masked */
    if (frame != NULL && end != GUARD_ABORTED)
        run.report = (struct trap_report){*frame, cr2_read(), smp_self()};
    unwind_to(&run.mark, code_of(end));
}

/* The value of the TSC at which the work has had its time: what its lines of the log took is added, which on
 * a slow serial line is more than the deadline. */
static struct timeout deadline(void)
{
    return (struct timeout){run.deadline.end_tsc + log_clocks() - run.log_clocks};
}

/* The TSC decides, because the timer's interrupt and NMIs may come early. While a log line is being written
 * the work goes on, and guard_timer() tries again. */
void guard_check_deadline(const struct trap_frame *frame)
{
    const struct timeout end = deadline();

    if (run.active && !log_held() && cpu_index() == CPU_BOOT && timeout_passed(&end))
        guard_end_by(GUARD_DEADLINE, frame);
}

/* A log line is finished before the work is ended. */
void guard_storm(const struct trap_frame *frame)
{
    if (!log_held())
        guard_end_by(GUARD_STORM, frame);
}

/* The timer may interrupt before the TSC reaches the deadline, because their rates were measured separately
 * or the interrupt belongs to an earlier deadline. Set it again. */
void guard_timer(const struct trap_frame *frame)
{
    guard_check_deadline(frame);
    if (run.active && cpu_index() == CPU_BOOT)
        timer_interrupt_in_us(RETRY_US, INTERRUPT_TIMER);
}

static void outlast_deadline(void *unused)
{
    (void)unused;
    delay_us(OUTLASTING_US);
}

bool guard_deadline_works(void)
{
    struct trap_report report;

    return guard_run(outlast_deadline, NULL, 1, &report) == GUARD_DEADLINE;
}

void guard_ap_faulted(void)
{
    if (!run.active || log_held()) /* run_work() checks again */
        return;
    const uint32_t interrupt = smp_fault()->frame.interrupt;

    run.report = *smp_fault();
    const bool by_storm =
        interrupt == INTERRUPT_NMI || interrupt == INTERRUPT_PMI || interrupt == INTERRUPT_PMI_TOO;

    guard_end_by(by_storm ? GUARD_STORM : GUARD_AP_FAULT, NULL);
}

void guard_abort(void)
{
    for (;;) /* "memory": the handler reads what was stored before */
        __asm__ volatile("int %0" : : "i"(INTERRUPT_ABORT) : "memory");
}

void guard_abort_by_msr(uint32_t msr, const char *fmt, ...)
{
    va_list args;

    run.msr = msr;
    va_start(args, fmt);
    vformat(run.reason, sizeof run.reason, fmt, args);
    va_end(args);
    guard_abort();
}

uint32_t guard_faulted_msr(void)
{
    const struct trap_frame *frame = &run.report.frame;
    const uint8_t *at = (const uint8_t *)(uintptr_t)frame->eip;

    if (run.msr != 0 || frame->interrupt != INTERRUPT_GP)
        return run.msr;
    return at[0] == TWO_BYTE_OPCODE && (at[1] == OPCODE_RDMSR || at[1] == OPCODE_WRMSR) ? frame->ecx : 0;
}

static const char *fault_text(const char *who)
{
    static char text[120];
    const struct trap_frame *frame = &run.report.frame;

    format(text, sizeof text, "%s %u (%s) at %8H", who, frame->interrupt, trap_name(frame->interrupt),
           frame->eip);
    return text;
}

const char *guard_end_name(enum guard_end end)
{
    switch (end) {
    case GUARD_DONE:
        return "done";
    case GUARD_ABORTED:
        return run.reason[0] != '\0' ? run.reason : "aborted";
    case GUARD_FAULT:
        return fault_text("fault");
    case GUARD_DEADLINE:
        return "reached the deadline";
    case GUARD_AP_FAULT:
        return fault_text("the second logical processor took exception");
    case GUARD_STORM:
        return "a storm of PMIs";
    }
    return "ended in an unknown way";
}

/*
 * The IDT and what becomes of every trap: a fix-up, the PMI handler, the deadline, the end of an attempt, or
 * the end of the run.
 */
#include "trap.h"
#include <stddef.h>
#include "kernel/run/attempt.h"
#include "cpu.h"
#include "kernel/run/panic.h"
#include "lapic.h"
#include "kernel/lib/string.h"
#include "pic.h"
#include "segments.h"
#include "kernel/smp/smp.h"
#include "boot/boot.h"
#include "pmc/netburst/regs.h"

#define VECTORS     256u
#define EXCEPTIONS  32u
#define LOWEST_APIC 16u /* a local APIC takes no vector below */
#define VECTOR_DB   1u
#define VECTOR_NMI  2u
#define VECTOR_BP   3u
#define VECTOR_DF   8u
#define VECTOR_MC   18u
/* Vectors 8 and 10 to 14 (SDM vol. 3, Table 6-1). 17 is not among them: with CR0.AM = 0 there is no #AC, and
 * an interrupt of that number, which a BIOS may have left in LVTPC, pushes none. */
#define PUSH_ERROR  0x07D00u
#define CALL        0xE8u
#define CALL_BYTES  5
#define GATE_KERNEL 0x8Eu /* present, DPL 0, 32-bit interrupt gate */
#define GATE_RING3  0xEEu /* the same with DPL 3: for INT instructions there */

struct gate {
    uint16_t offset_low, selector;
    uint8_t zero, access;
    uint16_t offset_high;
};

static struct gate idt[VECTORS];
static pmi_handler *volatile handler;
static volatile struct strays strays;

static void set_gate(uint32_t vector, uint32_t target, uint8_t access)
{
    idt[vector] = (struct gate){.offset_low = target & 0xFFFF,
                                .selector = (uint16_t)(uintptr_t)kernel_code_selector,
                                .access = access,
                                .offset_high = (uint16_t)(target >> 16)};
}

/* A stub is one CALL, whose return address tells the vector. Written here, the 256 of them cost the image
 * nothing. */
static uint32_t stub_of(uint32_t vector)
{
    uint8_t *stub = trap_stubs + vector * (uint32_t)trap_stub_bytes;
    bool error = vector < EXCEPTIONS && (PUSH_ERROR >> vector & 1) != 0;
    uint32_t distance = (uint32_t)(error ? trap_common : trap_without_error) - (uint32_t)(stub + CALL_BYTES);

    stub[0] = CALL;
    memcpy(stub + 1, &distance, sizeof(distance));
    return (uint32_t)stub;
}

void traps_init(void)
{
    for (uint32_t vector = 0; vector < VECTORS; vector++)
        set_gate(vector, stub_of(vector), vector == VECTOR_GIVE_UP ? GATE_RING3 : GATE_KERNEL);
    set_gate((uint32_t)ring_return_vector, (uint32_t)ring_return, GATE_RING3);
    pic_take();
    traps_load();
}

void traps_load(void)
{
    const struct {
        uint16_t limit;
        uint32_t base;
    } __attribute__((packed)) table = {sizeof(idt) - 1, (uint32_t)idt};

    __asm__ volatile("lidt %0" : : "m"(table));
}

void pmi_set_handler(pmi_handler *new_handler)
{
    handler = new_handler;
}

struct strays strays_seen(void)
{
    return (struct strays){strays.pmi, strays.nmi, strays.other};
}

/* An NMI is a PMI when LVTPC delivers NMIs and has masked itself for one (R50, R51). */
static void nmi(struct trap_frame *frame)
{
    uint32_t lvtpc = lapic_present() ? lvtpc_read() : 0;
    bool from_pmu = (lvtpc & LVT_DELIVERY_MASK) == LVT_DELIVERY_NMI && (lvtpc & LVT_MASKED) != 0;

    if (!from_pmu)
        strays.nmi++;
    else if (handler != NULL)
        handler(frame, smp_self(), true);
    else
        strays.pmi++;
    attempt_deadline(frame); /* a storm of NMIs would never let the timer's interrupt through */
}

static void pmi(struct trap_frame *frame)
{
    if (handler != NULL) {
        handler(frame, smp_self(), false);
        return;
    }
    strays.pmi++;
    lapic_eoi();
}

/* Only what the instruction itself can have caused: no debug trap, no abort. */
static bool fix_up(struct trap_frame *frame)
{
    if (frame->vector == VECTOR_DB || frame->vector == VECTOR_BP || frame->vector == VECTOR_DF ||
        frame->vector == VECTOR_MC)
        return false;
    for (const struct fixup *f = fixups_begin; f < fixups_end; f++) {
        if (f->fault_eip == frame->eip) {
            frame->eip = f->fixup_eip;
            frame->eax = frame->vector;
            return true;
        }
    }
    return false;
}

static void fault(struct trap_frame *frame, enum attempt_end end)
{
    if (processor_slot() == SLOT_SIBLING)
        smp_sibling_fault(frame, cr2_read());
    attempt_end_by(end, frame);
    crash(frame, cr2_read());
}

/* Did a local APIC deliver this vector, which means something else to us? Its LVT or ICR may have been
 * programmed before our time, and the request may have waited for our first STI. */
static bool from_apic(uint32_t vector)
{
    return vector >= LOWEST_APIC && lapic_in_service(vector);
}

/* Nobody's interrupt: acknowledged only when the local APIC holds it in service, which the spurious vector
 * and the 8259s' never are. */
static void stray(uint32_t vector)
{
    strays.other++;
    if (lapic_in_service(vector))
        lapic_eoi();
}

void trap_dispatch(struct trap_frame *frame)
{
    if (frame->vector == VECTOR_NMI) {
        nmi(frame);
    } else if ((frame->vector < EXCEPTIONS || frame->vector == VECTOR_GIVE_UP) && from_apic(frame->vector)) {
        stray(frame->vector);
    } else if (frame->vector < EXCEPTIONS) {
        if (!fix_up(frame))
            fault(frame, ATTEMPT_FAULT);
    } else if (frame->vector == VECTOR_GIVE_UP) {
        fault(frame, ATTEMPT_GAVE_UP);
    } else if (frame->vector == VECTOR_PMI) {
        pmi(frame);
    } else if (frame->vector == VECTOR_TIMER) {
        lapic_eoi();
        attempt_timer(frame);
    } else if (frame->vector == VECTOR_WAKE) {
        lapic_eoi();
        if (processor_slot() == SLOT_BOOT && smp_state() == LP1_FAULTED)
            attempt_sibling_faulted();
    } else {
        stray(frame->vector);
    }
}

/* The interrupt controllers: the local APIC and the two 8259s. */
#ifndef KERNEL_X86_LAPIC_H
#define KERNEL_X86_LAPIC_H

#include <stdbool.h>
#include <stdint.h>

/* ---- lapic.c: the local APIC of the logical processor that calls (SDM 10.4, 10.5, 10.12, R50-R53) ---- */

/* Register offsets from the base (IA32_APIC_BASE, FEE00000H by default). */
#define LAPIC_ID            0x020
#define LAPIC_VERSION       0x030
#define LAPIC_TPR           0x080
#define LAPIC_EOI           0x0B0
#define LAPIC_SVR           0x0F0
#define LAPIC_SVR_ENABLE    (1u << 8) /* APIC software enable; while 0 every LVT entry is masked (R53) */
#define LAPIC_ISR           0x100
#define LAPIC_IRR           0x200
#define LAPIC_ESR           0x280
#define LAPIC_ICR_LOW       0x300
#define LAPIC_ICR_HIGH      0x310
#define LAPIC_LVT_TIMER     0x320
#define LAPIC_LVT_THERMAL   0x330
#define LAPIC_LVTPC         0x340
#define LAPIC_LVT_LINT0     0x350
#define LAPIC_LVT_LINT1     0x360
#define LAPIC_LVT_ERROR     0x370
#define LAPIC_TIMER_INITIAL 0x380
#define LAPIC_TIMER_CURRENT 0x390
#define LAPIC_TIMER_DIVIDE  0x3E0

/*
 * True when there is a local APIC that the firmware left disabled (IA32_APIC_BASE[11] = 0). Laptops are known
 * whose firmware hangs in its next SMI once such a local APIC is enabled (F39).
 */
bool lapic_left_disabled(void);

/*
 * Enable in SVR, set TPR to 0 and mask the LVT (lapic_mask_lvt()); acknowledge everything in service. enable:
 * enable in IA32_APIC_BASE too, when the firmware left that bit 0. Returns null, or why there is no local
 * APIC to use: CPUID.1 EDX[9] = 0, it was left disabled, or it does not enable.
 */
const char *lapic_init(bool enable);

/* Mask every LVT entry, except those that the firmware left with delivery mode SMI. These get the value that
 * they had on the boot processor, because the firmware may cool the processor by them (SDM 10.5.1, thermal
 * sensor). INIT and a software disable have masked them. LVTPC is masked in any case. */
void lapic_mask_lvt(void);

/* True if the firmware left it in x2APIC mode: its registers are MSRs then, which CPL 3 does not reach, and
 * not in memory. The mode stays as it is, because some parts do not leave it; a second processor is brought
 * into the mode of the first. */
bool lapic_is_x2apic(void);

/* True once an lapic_init() succeeded. Until then the functions from lapic_eoi() on do nothing. */
bool lapic_present(void);
/* Why there is no local APIC to use, as the first lapic_init() returned it; null when there is one. */
const char *lapic_missing(void);

#define LAPIC_LVT_ENTRIES 6

/* What the first lapic_init() read before it wrote anything. The LVT in the order timer, LINT0, LINT1, error,
 * performance counter, thermal; this version has `entries` of these. */
struct lapic_at_boot {
    uint32_t version, svr, lvt[LAPIC_LVT_ENTRIES];
    unsigned entries;
};
/* Null when there is no local APIC, or the firmware left it disabled in IA32_APIC_BASE. */
const struct lapic_at_boot *lapic_at_boot(void);

/*
 * Prepare for a BIOS call, on the boot processor: let the interrupts of the 8259s through as the BIOS had
 * set it up, and no interrupt of the local APIC. lapic_leave_virtual_wire() undoes this. Without a local
 * APIC both functions do nothing.
 */
void lapic_enter_virtual_wire(void);
void lapic_leave_virtual_wire(void);

/* The local APIC's ID, which is its address on the bus. A BIOS may have changed it since reset. */
uint8_t lapic_id(void);

/* Physical address of a register; not in x2APIC mode. */
uint32_t lapic_address(uint32_t reg);
uint32_t lapic_read(uint32_t reg);
/*
 * Write, and read a register of the local APIC: the processor does not wait for the store, but the load comes
 * back only after the store has arrived (E16, F6). So the write has taken effect when this returns, unless
 * the local APIC is in x2APIC mode.
 */
void lapic_write(uint32_t reg, uint32_t value);
/* Acknowledge the interrupt of the highest priority in service (EOI). */
void lapic_eoi(void);

/* True while the interrupt's bit in ISR is set: an EOI is owed for it. */
bool lapic_in_service(uint32_t interrupt);
/* Acknowledge everything in service. Needed after unwinding out of an interrupt handler. */
void lapic_end_all(void);

/* LVTPC (340H) with values composed from pmc/netburst/regs.h; written by lapic_write(). */
void lvtpc_write(uint32_t value);
uint32_t lvtpc_read(void);

/* IPIs to one local APIC; each waits, bounded, for delivery. */
void lapic_send_init(uint32_t apic_id);
void lapic_send_startup(uint32_t apic_id, uint8_t page);
void lapic_send_fixed(uint32_t apic_id, uint8_t interrupt);
void lapic_send_nmi(uint32_t apic_id);

/* A fixed IPI to this local APIC itself, by one store, which may still be on its way. */
void lapic_send_self(uint8_t interrupt);

/* One-shot timer of this local APIC: an interrupt with this vector number after count ticks of its input,
 * divided by LAPIC_TIMER_DIVIDER. 0 stops it. */
#define LAPIC_TIMER_DIVIDER 16u
void lapic_timer_set(uint32_t count, uint8_t interrupt);

/* ---- pic.c: the first 8259, masked while the kernel runs, restored for calls of the BIOS ---- */

/* Give it interrupt vectors apart from the exceptions' and mask every request, also those that come through
 * it from the second one. The first call saves the BIOS's mask. */
void pic_remap(void);

/* Restore the BIOS's interrupt vectors and mask. */
void pic_restore(void);

#endif

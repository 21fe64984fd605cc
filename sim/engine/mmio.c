/*
 * Memory-mapped accesses to the local APIC and the I/O APIC, and what a write to the local APIC causes
 * outside of it: interprocessor interrupts and PMIs that stand. A read of an address without a device gives
 * ones.
 */
#include "mmio.h"
#include "engine.h"
#include "unsupported.h"
#include "power.h"

#include <string.h>
#include "sim/board/board.h"

static uint64_t ones(unsigned size)
{
    return size >= 8 ? UINT64_MAX : (1ull << 8 * size) - 1;
}

static uint64_t read_empty(uc_engine *uc, uint64_t offset, unsigned size, void *context)
{
    (void)uc;
    (void)offset;
    (void)context;
    return ones(size);
}

static void write_empty(uc_engine *uc, uint64_t offset, unsigned size, uint64_t value, void *context)
{
    (void)uc;
    (void)offset;
    (void)size;
    (void)value;
    (void)context;
}

static bool apic_answers(struct processor *processor, enum cost cost)
{
    processor_stall(processor, timing_draw(processor->timing, cost));
    return processor->msrs.apic_base & APIC_BASE_ENABLE;
}

static uint64_t read_apic(uc_engine *uc, uint64_t offset, unsigned size, void *context)
{
    struct processor *processor = context;
    struct lapic *lapic = &processor->lapic;
    (void)uc;
    if (!apic_answers(processor, COST_APIC_LOAD))
        return ones(size);
    apic_stores_drain(processor);
    lapic_run_timer(lapic, processor->core->clock);
    return lapic_read(lapic, (uint32_t)offset, processor->core->clock) >> offset % 4 * 8 & ones(size);
}

/* ---- Interprocessor interrupts (SDM 10.6) ---- */

enum { DELIVERY_FIXED = 0, DELIVERY_LOWEST = 1, DELIVERY_NMI = 4, DELIVERY_INIT = 5, DELIVERY_STARTUP = 6 };
enum { SHORTHAND_NONE, SHORTHAND_SELF, SHORTHAND_ALL, SHORTHAND_OTHERS };

#define ICR_LOGICAL (1u << 11)
#define ICR_ASSERT  (1u << 14)

static bool ipi_reaches(const struct processor *target, const struct processor *sender)
{
    uint32_t icr = sender->lapic.icr_low;
    if (!(target->msrs.apic_base & APIC_BASE_ENABLE))
        return false;
    switch (icr >> 18 & 3) {
    case SHORTHAND_SELF:
        return target == sender;
    case SHORTHAND_ALL:
        return true;
    case SHORTHAND_OTHERS:
        return target != sender;
    default:
        return lapic_addressed(&target->lapic, (uint8_t)(sender->lapic.icr_high >> 24), icr & ICR_LOGICAL);
    }
}

static void receive_ipi(struct processor *target, uint32_t icr)
{
    struct run_control *control = target->control;
    switch (icr >> 8 & 7) {
    case DELIVERY_FIXED:
    case DELIVERY_LOWEST:
        lapic_fixed(&target->lapic, (uint8_t)icr);
        break;
    case DELIVERY_NMI:
        if (target->state != PROCESSOR_WAIT_FOR_SIPI)
            target->lapic.nmi_pending = true;
        break;
    case DELIVERY_INIT:
        if (!(icr & ICR_ASSERT))
            break;
        target->woken = true;
        if (target->is_boot)
            run_control_stop(control, MACHINE_RESET, ""); /* the boot processor would start the BIOS */
        else if (target != control->running)
            processor_receive_init(target);
        else
            unsupported_report(target, UNSUPPORTED_IPI);
        break;
    case DELIVERY_STARTUP:
        target->woken = true;
        processor_receive_sipi(target, (uint8_t)icr);
        run_control_reschedule(control);
        break;
    default:
        unsupported_report(target, UNSUPPORTED_IPI);
        break;
    }
    processor_kick(target);
}

static void send_ipi(struct processor *sender)
{
    const struct engine *engine = sender->engine;
    for (unsigned i = 0; i < engine->processor_count; i++)
        if (ipi_reaches(&engine->processors[i], sender))
            receive_ipi(&engine->processors[i], sender->lapic.icr_low);
}

/* ---- Registers ---- */

static void apic_bus_write(struct processor *processor, uint32_t offset, uint32_t value)
{
    struct lapic *lapic = &processor->lapic;
    switch (lapic->stages->write(lapic, offset, value, processor->core->clock)) {
    case LAPIC_SEND_IPI:
        send_ipi(processor);
        break;
    case LAPIC_LVTPC_ENABLED:
        if (nbpmu_lvtpc_unmasked(processor->core->pmu, processor->thread))
            lapic->stages->raise(lapic, LVT_PERFORMANCE);
        break;
    case LAPIC_TIMER_CHANGED:
        run_control_reschedule(processor->control); /* the quantum may have to end earlier */
        break;
    case LAPIC_NOTHING:
        break;
    }
    processor_kick(processor);
}

/* ---- Stores to the local APIC on their way ---- */

static void perform_first(struct processor *processor)
{
    struct apic_store first = processor->apic_store[0];
    processor->apic_stores--;
    memmove(processor->apic_store, processor->apic_store + 1,
            processor->apic_stores * sizeof *processor->apic_store);
    apic_bus_write(processor, first.offset, first.value);
}

/* Post a store of value to the register at offset; one that is not delayed takes effect at once. */
static void apic_stores_post(struct processor *processor, uint32_t offset, uint32_t value)
{
    uint64_t arrives = processor->core->clock + timing_draw(processor->timing, COST_APIC_LATE);
    if (processor->apic_stores == APIC_STORES)
        perform_first(processor);
    if (processor->apic_stores) {
        uint64_t last = processor->apic_store[processor->apic_stores - 1].arrives;
        arrives = arrives < last ? last : arrives;
    }
    processor->apic_store[processor->apic_stores++] =
        (struct apic_store){.offset = offset, .value = value, .arrives = arrives};
    apic_stores_arrive(processor);
    uint64_t next = apic_stores_next(processor); /* the instruction hook knew nothing of this store */
    processor->stop_clock = processor->stop_clock < next ? processor->stop_clock : next;
}

void apic_stores_arrive(struct processor *processor)
{
    while (apic_stores_next(processor) <= processor->core->clock)
        perform_first(processor);
}

void apic_stores_drain(struct processor *processor)
{
    while (processor->apic_stores)
        perform_first(processor);
}

/* ---- The map ---- */

static void write_apic(uc_engine *uc, uint64_t offset, unsigned size, uint64_t value, void *context)
{
    struct processor *processor = context;
    (void)uc;
    (void)size;
    if (apic_answers(processor, COST_APIC_STORE))
        apic_stores_post(processor, (uint32_t)offset, (uint32_t)value);
}

static uint64_t read_io_apic(uc_engine *uc, uint64_t offset, unsigned size, void *context)
{
    const struct processor *processor = context;
    (void)uc;
    return io_apic_read(&processor->engine->board->io_apic, offset % IO_APIC_APART) & ones(size);
}

static void write_io_apic(uc_engine *uc, uint64_t offset, unsigned size, uint64_t value, void *context)
{
    struct processor *processor = context;
    (void)uc;
    (void)size;
    io_apic_write(&processor->engine->board->io_apic, offset % IO_APIC_APART, (uint32_t)value);
}

static uint64_t read_uart(uc_engine *uc, uint64_t offset, unsigned size, void *context)
{
    struct board *board = ((const struct processor *)context)->engine->board;
    const unsigned reg = board_uart_register(board, offset, size);
    (void)uc;
    return reg < UART_PORTS ? uart_read(&board->uart, reg) : ones(size);
}

static void write_uart(uc_engine *uc, uint64_t offset, unsigned size, uint64_t value, void *context)
{
    struct board *board = ((const struct processor *)context)->engine->board;
    const unsigned reg = board_uart_register(board, offset, size);
    (void)uc;
    if (reg < UART_PORTS)
        uart_write(&board->uart, reg, (uint8_t)value);
}

static bool map(struct processor *processor, uint64_t start, uint64_t end, uc_cb_mmio_read_t read,
                uc_cb_mmio_write_t write)
{
    return uc_mmio_map(processor->uc, start, end - start, read, processor, write, processor) == UC_ERR_OK;
}

bool apic_bus_map(struct processor *processor)
{
    const uint64_t apic_end = LAPIC_BASE + LAPIC_SIZE;
    const uint64_t io_apic_end = IO_APIC_BASE + IO_APIC_SIZE;
    const uint64_t uart_end = BOARD_UART + 0x1000u;
    return map(processor, RAM_SIZE, BOARD_UART, read_empty, write_empty) &&
           map(processor, BOARD_UART, uart_end, read_uart, write_uart) &&
           map(processor, uart_end, IO_APIC_BASE, read_empty, write_empty) &&
           map(processor, IO_APIC_BASE, io_apic_end, read_io_apic, write_io_apic) &&
           map(processor, io_apic_end, LAPIC_BASE, read_empty, write_empty) &&
           map(processor, LAPIC_BASE, apic_end, read_apic, write_apic) &&
           map(processor, apic_end, BOOT_ROM_BASE, read_empty, write_empty);
}

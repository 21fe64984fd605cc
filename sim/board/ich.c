/*
 * Configuration space is read-only, except for NO_REBOOT: other writes have no effect.
 */
#include "ich.h"

#include <string.h>

#define CONFIG_ADDRESS 0xCF8u
#define CONFIG_DATA    0xCFCu
#define CONFIG_ENABLE  0x80000000u
#define HOST_BRIDGE    0x0000u /* bus, device and function as in CONFIG_ADDRESS [23:8] */
#define LPC_BRIDGE     0x00F8u /* device 31 */
#define REG_GEN_STA    0xD4u
#define NO_REBOOT      0x02u

#define PMBASE         0x400u
#define ACPI_TIMER_MAX 0xFFFFFFu
#define SMI_EN         (PMBASE + 0x30)
#define SMI_EN_BYTES   4u
#define TCO            (PMBASE + 0x60)
#define TCO_BYTES      0x10u
#define TICKS          0x3Fu
#define STS1_TIMEOUT   0x08u
#define STS2_SECOND    0x02u
#define CNT_HALT       0x08u /* in the upper byte of TCO1_CNT */
#define TENTHS_OF_TICK 6u    /* a tick is 0.6 s */

enum tco_register {
    TCO_RLD = 0x00,
    TCO_TMR = 0x01,
    TCO1_STS = 0x04,
    TCO2_STS = 0x06,
    TCO1_CNT_HIGH = 0x09,
    TCO_WDSTATUS = 0x0E,
};

void ich_init(struct ich *ich, uint64_t clock_hz)
{
    memset(ich, 0, sizeof *ich);
    ich->clock_hz = clock_hz;
    ich->acpi_timer_hz = ICH_ACPI_TIMER_HZ;
    ich->tick = clock_hz * TENTHS_OF_TICK / 10;
    ich->expiry = ICH_NEVER;
    ich->halted = true;
    ich->no_reboot = true;
    ich->initial = 4;
    ich->smi_en = ICH_GBL_SMI_EN;
}

void ich_resume(struct ich *ich, const struct ich *before)
{
    ich->second_timeout = before->second_timeout;
    ich->watchdog_status = before->watchdog_status;
}

/* ---- The timer ---- */

static bool taken_by_smi(const struct ich *ich)
{
    const uint32_t enabled = ICH_GBL_SMI_EN | ICH_TCO_EN;

    return ich->smi_handler && (ich->smi_en & enabled) == enabled;
}

uint64_t ich_next(const struct ich *ich)
{
    /* A time-out that resets nothing needs no call at its clock: ich_in() and ich_out() catch up. */
    return ich->no_reboot || taken_by_smi(ich) ? ICH_NEVER : ich->expiry;
}

void ich_run(struct ich *ich, uint64_t clock)
{
    while (clock >= ich->expiry) {
        ich->second_timeout |= ich->timed_out;
        ich->reset_asked |= ich->timed_out && !ich->no_reboot;
        ich->timed_out = !taken_by_smi(ich);
        ich->expiry += ich->initial * ich->tick;
        if (ich->initial == 0)
            ich->expiry = ICH_NEVER;
    }
}

static uint8_t ticks_left(const struct ich *ich, uint64_t clock)
{
    if (ich->expiry == ICH_NEVER)
        return ich->initial;
    return (uint8_t)((ich->expiry - clock + ich->tick - 1) / ich->tick);
}

/* Hardware that was halted goes on with the ticks that were left; here it starts from TCO_TMR, too. */
static void start(struct ich *ich, uint64_t clock)
{
    ich->expiry = ich->halted ? ICH_NEVER : clock + ich->initial * ich->tick;
}

static uint8_t tco_in(const struct ich *ich, unsigned reg, uint64_t clock)
{
    switch (reg) {
    case TCO_RLD:
        return ticks_left(ich, clock);
    case TCO_TMR:
        return ich->initial;
    case TCO1_STS:
        return ich->timed_out ? STS1_TIMEOUT : 0;
    case TCO2_STS:
        return ich->second_timeout ? STS2_SECOND : 0;
    case TCO1_CNT_HIGH:
        return ich->halted ? CNT_HALT : 0;
    case TCO_WDSTATUS:
        return ich->watchdog_status;
    default:
        return 0;
    }
}

static void tco_out(struct ich *ich, unsigned reg, uint8_t value, uint64_t clock)
{
    bool was_halted = ich->halted;

    switch (reg) {
    case TCO_RLD:
        start(ich, clock);
        break;
    case TCO_TMR:
        ich->initial = value & TICKS;
        break;
    case TCO1_STS:
        ich->timed_out &= !(value & STS1_TIMEOUT);
        break;
    case TCO2_STS:
        ich->second_timeout &= !(value & STS2_SECOND);
        break;
    case TCO1_CNT_HIGH:
        ich->halted = value & CNT_HALT;
        if (ich->halted != was_halted)
            start(ich, clock);
        break;
    case TCO_WDSTATUS:
        ich->watchdog_status = value;
        break;
    default:
        break;
    }
}

/* ---- Configuration space ---- */

static uint32_t bridge_register(const struct ich *ich, unsigned reg)
{
    switch (reg) {
    case 0x00:
        return 0x24D08086; /* ICH5 */
    case 0x08:
        return 0x06010002; /* ISA bridge */
    case 0x0C:
        return 0x00800000; /* one of several functions */
    case 0x40:
        return PMBASE | 1;
    case 0x44:
        return 0x10; /* PMBASE is decoded */
    case REG_GEN_STA:
        return ich->no_reboot ? NO_REBOOT : 0;
    default:
        return 0;
    }
}

static uint32_t config_register(const struct ich *ich)
{
    unsigned reg = ich->config_address & 0xFC;

    if (!(ich->config_address & CONFIG_ENABLE))
        return UINT32_MAX;
    switch (ich->config_address >> 8 & 0xFFFF) {
    case HOST_BRIDGE:
        return reg == 0x00 ? 0x25788086 /* 82875P */ : reg == 0x08 ? 0x06000002 : 0;
    case LPC_BRIDGE:
        return bridge_register(ich, reg);
    default:
        return UINT32_MAX;
    }
}

static void config_write(struct ich *ich, unsigned reg, uint8_t value)
{
    if ((ich->config_address & ~0xFCu) == (CONFIG_ENABLE | LPC_BRIDGE << 8) && reg == REG_GEN_STA)
        ich->no_reboot = value & NO_REBOOT || ich->strapped;
}

/* ---- Ports ---- */

static bool is_config_data(uint16_t port)
{
    return port >= CONFIG_DATA && port < CONFIG_DATA + 4;
}

static bool is_smi_en(uint16_t port, unsigned size)
{
    return port == SMI_EN && size == SMI_EN_BYTES;
}

static bool is_tco(uint16_t port)
{
    return port >= TCO && port < TCO + TCO_BYTES;
}

static uint32_t acpi_timer(const struct ich *ich, uint64_t clock)
{
    const uint64_t seconds = clock / ich->clock_hz, rest = clock % ich->clock_hz;

    return (uint32_t)(seconds * ich->acpi_timer_hz + rest * ich->acpi_timer_hz / ich->clock_hz) &
           ACPI_TIMER_MAX;
}

bool ich_in(struct ich *ich, uint16_t port, unsigned size, uint64_t clock, uint32_t *value)
{
    if (ich->absent)
        return false;
    if (port == CONFIG_ADDRESS && size == 4) {
        *value = ich->config_address;
    } else if (is_config_data(port)) {
        *value = config_register(ich) >> 8 * (port - CONFIG_DATA);
    } else if (is_smi_en(port, size)) {
        *value = ich->smi_en;
    } else if (port == ICH_ACPI_TIMER && size == 4) {
        *value = acpi_timer(ich, clock);
    } else if (is_tco(port)) {
        ich_run(ich, clock);
        *value = 0;
        for (unsigned i = 0; i < size; i++)
            *value |= (uint32_t)tco_in(ich, port - TCO + i, clock) << 8 * i;
    } else {
        return false;
    }
    return true;
}

bool ich_out(struct ich *ich, uint16_t port, unsigned size, uint32_t value, uint64_t clock)
{
    if (ich->absent)
        return false;
    if (port == CONFIG_ADDRESS && size == 4) {
        ich->config_address = value & 0x80FFFFFC;
    } else if (is_config_data(port)) {
        config_write(ich, (ich->config_address & 0xFC) + port - CONFIG_DATA, (uint8_t)value);
    } else if (is_smi_en(port, size)) {
        ich_run(ich, clock);
        ich->smi_en = value | ICH_GBL_SMI_EN; /* SMI_LOCK keeps it set */
    } else if (is_tco(port)) {
        ich_run(ich, clock);
        for (unsigned i = 0; i < size; i++)
            tco_out(ich, port - TCO + i, (uint8_t)(value >> 8 * i), clock);
    } else {
        return false;
    }
    return true;
}

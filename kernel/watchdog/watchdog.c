/*
 * The TCO timer. Registers by the data sheets of the 82801 hubs (290655 ICH, 252516 ICH5, 301473 ICH6, 316972
 * ICH9), chapters "LPC interface bridge" and "System management TCO registers". From ICH6 on the timer has
 * ten bits instead of six and NO_REBOOT is in memory instead of in configuration space.
 */
#include "watchdog.h"
#include "kernel/board/board.h"
#include "kernel/lib/lib.h"
#include "kernel/x86/cpu.h"
#include "pmc/count_of.h"

/* Configuration space of the LPC bridge. */
#define BRIDGE          PCI_BDF(0, 31, 0)
#define INTEL           0x8086u
#define PMBASE          0x40 /* [15:7] I/O address of the power management registers */
#define PMBASE_ADDRESS  0xFF80u
#define ACPI_CNTL       0x44
#define ACPI_EN_OLD     0x10u /* the ports at PMBASE are enabled: bit 4, from ICH6 on bit 7 */
#define ACPI_EN_NEW     0x80u
#define GEN_STA         0xD4
#define GEN_STA_NO_BOOT 0x02u /* NO_REBOOT of the old hubs */
#define RCBA            0xF0  /* [31:14] address of the chip set's memory, [0] enabled */
#define RCBA_ADDRESS    0xFFFFC000u
#define RCBA_ENABLED    0x1u
#define GCS             0x3410u /* offset from RCBA */
#define GCS_NO_BOOT     0x20u   /* NO_REBOOT of the new hubs */

/* Port offsets from PMBASE. */
#define SMI_EN                  0x30u
#define SMI_EN_TCO              0x2000u
#define TCO                     0x60u
#define TCO_RLD                 (TCO + 0x00) /* read: the count; write: load it from TCO_TMR */
#define TCO_TMR_OLD             (TCO + 0x01)
#define TCO1_STS                (TCO + 0x04)
#define STS1_TIMEOUT            0x0008u /* expired once; written 1 to clear */
#define TCO2_STS                (TCO + 0x06)
#define STS2_SECOND             0x0002u /* expired twice: survives the reset that it causes; written 1 to clear */
#define TCO1_CNT                (TCO + 0x08)
#define CNT_HALT                0x0800u
#define CNT_NOW                 0x0500u      /* SEND_NOW and NMI_NOW: commands, never to be written back */
#define TCO_WDSTATUS            (TCO + 0x0E) /* 8 bits for software, which a reset leaves as they are */
#define WDSTATUS_MARK           0x50u /* ours, of any: a run has started the watchdog and is not over */
#define TCO_TMR_NEW             (TCO + 0x12)
#define TICKS_OLD               0x3Fu
#define TICKS_NEW               0x3FFu
#define TICKS_PER_HALF(seconds) ((seconds)*5 / 6) /* ticks of 0.6 s in half the time */

#define COUNT_POLLS   200u /* in 2 s a timer that counts has done three ticks */
#define COUNT_POLL_US 10000u

static const struct hub {
    uint16_t first, last; /* PCI device */
    char name[8];
    bool old;
} HUBS[] = {
    {0x2410, 0x2410, "ICH", true},      {0x2420, 0x2420, "ICH0", true},    {0x2440, 0x2440, "ICH2", true},
    {0x244C, 0x244C, "ICH2", true},     {0x2450, 0x2450, "C-ICH", true},   {0x2480, 0x2480, "ICH3", true},
    {0x248C, 0x248C, "ICH3", true},     {0x24C0, 0x24C0, "ICH4", true},    {0x24CC, 0x24CC, "ICH4", true},
    {0x24D0, 0x24D0, "ICH5", true},     {0x25A1, 0x25A1, "6300ESB", true}, {0x2640, 0x2642, "ICH6", false},
    {0x2670, 0x267F, "631xESB", false}, {0x27B0, 0x27BD, "ICH7", false},   {0x2810, 0x2815, "ICH8", false},
    {0x2912, 0x2919, "ICH9", false},
};

static const struct hub *hub; /* null: no watchdog runs */
static uint16_t pm;           /* the I/O address in PMBASE */
static bool smi_was_on;       /* SMI_EN_TCO as the BIOS left it */

static const struct hub *find_hub(void)
{
    uint32_t id = pci_present() ? pci_read(BRIDGE, PCI_ID, 4) : 0;

    for (size_t i = 0; i < COUNT_OF(HUBS); i++)
        if ((id & 0xFFFF) == INTEL && id >> 16 >= HUBS[i].first && id >> 16 <= HUBS[i].last)
            return &HUBS[i];
    return NULL;
}

/* ---- Steps; each reads back whether it worked ---- */

static bool open_ports(const struct hub *of)
{
    uint8_t enable = of->old ? ACPI_EN_OLD : ACPI_EN_NEW;

    pm = pci_read(BRIDGE, PMBASE, 2) & PMBASE_ADDRESS;
    if (pm == 0)
        return false;
    if ((pci_read(BRIDGE, ACPI_CNTL, 1) & enable) == 0)
        pci_write(BRIDGE, ACPI_CNTL, 1, pci_read(BRIDGE, ACPI_CNTL, 1) | enable);
    return (pci_read(BRIDGE, ACPI_CNTL, 1) & enable) != 0;
}

static bool set_halted(bool halted)
{
    uint16_t control = in16(pm + TCO1_CNT) & ~(CNT_NOW | CNT_HALT);

    out16(pm + TCO1_CNT, control | (halted ? CNT_HALT : 0));
    return ((in16(pm + TCO1_CNT) & CNT_HALT) != 0) == halted;
}

static bool set_ticks(const struct hub *of, uint16_t ticks)
{
    if (of->old) {
        out8(pm + TCO_TMR_OLD, (uint8_t)((in8(pm + TCO_TMR_OLD) & ~TICKS_OLD) | ticks));
        return (in8(pm + TCO_TMR_OLD) & TICKS_OLD) == ticks;
    }
    out16(pm + TCO_TMR_NEW, (uint16_t)((in16(pm + TCO_TMR_NEW) & ~TICKS_NEW) | ticks));
    return (in16(pm + TCO_TMR_NEW) & TICKS_NEW) == ticks;
}

static bool set_no_reboot(const struct hub *of, bool no_reboot)
{
    if (of->old) {
        uint32_t status = pci_read(BRIDGE, GEN_STA, 1) & ~GEN_STA_NO_BOOT;

        pci_write(BRIDGE, GEN_STA, 1, status | (no_reboot ? GEN_STA_NO_BOOT : 0));
        return ((pci_read(BRIDGE, GEN_STA, 1) & GEN_STA_NO_BOOT) != 0) == no_reboot;
    }
    uint32_t rcba = pci_read(BRIDGE, RCBA, 4);
    volatile uint32_t *gcs = (volatile uint32_t *)(uintptr_t)((rcba & RCBA_ADDRESS) + GCS);

    if ((rcba & RCBA_ENABLED) == 0)
        return false;
    *gcs = (*gcs & ~GCS_NO_BOOT) | (no_reboot ? GCS_NO_BOOT : 0);
    return ((*gcs & GCS_NO_BOOT) != 0) == no_reboot;
}

/*
 * Only the second time-out resets the board. On old hubs many a BIOS takes an SMI at the first time-out and
 * clears the time-out, so that there never is a second one; the SMI is therefore switched off. On new hubs
 * the timer's SMIs are left to the BIOS, as Linux does.
 */
static bool set_smi(const struct hub *of, bool on)
{
    uint32_t enable = in32(pm + SMI_EN) & ~SMI_EN_TCO;

    if (!of->old)
        return true;
    out32(pm + SMI_EN, enable | (on ? SMI_EN_TCO : 0));
    return ((in32(pm + SMI_EN) & SMI_EN_TCO) != 0) == on;
}

static bool set_mark(uint8_t mark)
{
    out8(pm + TCO_WDSTATUS, mark);
    return in8(pm + TCO_WDSTATUS) == mark;
}

/* What was before this start. Clears it. */
struct before {
    bool second_timeout, marked;
};

static struct before take_before(void)
{
    const struct before before = {(in16(pm + TCO2_STS) & STS2_SECOND) != 0,
                                  in8(pm + TCO_WDSTATUS) == WDSTATUS_MARK};

    out16(pm + TCO2_STS, STS2_SECOND);
    if (before.marked)
        set_mark(0);
    return before;
}

static uint16_t count(const struct hub *of)
{
    return of->old ? in8(pm + TCO_RLD) & TICKS_OLD : in16(pm + TCO_RLD) & TICKS_NEW;
}

static void reload(void)
{
    out16(pm + TCO1_STS, STS1_TIMEOUT);
    out8(pm + TCO_RLD, 1);
}

static bool counts_down(const struct hub *of)
{
    uint16_t before = count(of);

    for (unsigned poll = 0; poll < COUNT_POLLS; poll++) {
        uint16_t now;

        delay_us(COUNT_POLL_US);
        now = count(of);
        if (now + 1 == before)
            return true;
        before = now;
    }
    return false;
}

/* Returns null when the timer runs, else the reason why it does not. */
static const char *start(const struct hub *of, uint16_t ticks, bool once, struct before *before)
{
    if (!open_ports(of))
        return "its ports are not assigned";
    if (!set_halted(true))
        return "it is locked";
    *before = take_before();
    if (once && (before->second_timeout || before->marked))
        return "the board was reset before the end of a run, by hand or by it, and it resets once";
    if (!set_ticks(of, ticks))
        return "its time does not read back";
    smi_was_on = (in32(pm + SMI_EN) & SMI_EN_TCO) != 0;
    hub = of; /* watchdog_stop() gives all of this back */
    if (!set_no_reboot(of, false))
        return "NO_REBOOT does not clear";
    if (!set_smi(of, false))
        return "its SMI does not switch off";
    if (once && !set_mark(WDSTATUS_MARK))
        return "TCO_WDSTATUS does not read back";
    reload();
    return set_halted(false) && counts_down(of) ? NULL : "it does not count";
}

bool watchdog_ended_last_run(void)
{
    const struct hub *found = find_hub();

    if (found == NULL || !open_ports(found) || (in16(pm + TCO2_STS) & STS2_SECOND) == 0 ||
        in8(pm + TCO_WDSTATUS) != WDSTATUS_MARK)
        return false;
    set_halted(true);
    take_before();
    return true;
}

const char *watchdog_start(uint32_t seconds, bool once)
{
    static char description[120];
    const struct hub *found = find_hub();
    struct before before = {false, false};
    const char *why_not;

    if (found == NULL)
        return "none: no Intel ICH at PCI 00:1f.0";
    why_not = start(found, (uint16_t)TICKS_PER_HALF(seconds), once, &before);
    if (why_not != NULL) {
        watchdog_stop();
        format(description, sizeof description, "%s, not used: %s", found->name, why_not);
        return description;
    }
    progress_set_hook(reload);
    format(description, sizeof description, "%s, resets after %u s%s%s", found->name, seconds,
           once ? ", once" : "", before.second_timeout ? "; it reset this board before" : "");
    return description;
}

void watchdog_stop(void)
{
    if (hub == NULL)
        return;
    progress_set_hook(NULL);
    set_halted(true);
    set_mark(0);
    set_no_reboot(hub, true);
    set_smi(hub, smi_was_on);
    hub = NULL;
}

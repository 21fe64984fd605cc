/* Registers are read with the try forms: one that this part does not have is reported as unknown. */
#include "run.h"
#include "kernel/board/board.h"
#include "kernel/x86/cpu.h"
#include "kernel/lib/lib.h"
#include "kernel/x86/lapic.h"
#include "kernel/firmware/firmware.h"
#include "kernel/console/console.h"
#include "kernel/smp/smp.h"
#include "kernel/log/log.h"
#include "kernel/x86/trap.h"
#include "pmc/msr.h"
#include "pmc/netburst/regs.h"
#include "pmc/count_of.h"

/* CPUID.1 */
#define LEAF1_EAX_MODEL(eax)  ((unsigned)FIELD_GET(7, 4, eax))
#define LEAF1_EAX_FAMILY(eax) ((unsigned)FIELD_GET(11, 8, eax))
#define LEAF1_EDX_MSR         FIELD_MASK(5, 5)
#define LEAF1_EDX_DS          FIELD_MASK(21, 21)
#define FAMILY_P6             6u
#define FAMILY_NETBURST       0xFu

#define LEAF_EXTENDED 0x80000000u
#define LEAF_BRAND    0x80000002u /* to 80000004H, 16 characters each */
#define BRAND_LEAVES  3u

#define REVISION(bios_sign)       ((uint32_t)FIELD_GET(63, 32, bios_sign))
#define PLATFORM_ID(platform)     ((unsigned)FIELD_GET(52, 50, platform))
#define BUS_RATIO(frequency)      ((unsigned)FIELD_GET(31, 24, frequency))
#define BUS_SPEED(frequency)      ((unsigned)FIELD_GET(18, 16, frequency)) /* models 2 and later */
#define BUS_SPEED_OLD(frequency)  ((unsigned)FIELD_GET(23, 21, frequency)) /* models 0 and 1 */
#define FIRST_MODEL_WITH_RATIO    2u
#define FIRST_MODEL_WITH_FAST_BUS 3u

#define LIST_CHARS 400

/* String builder. */
struct list {
    char text[LIST_CHARS];
    size_t length;
};

static void list_add(struct list *list, const char *separator, const char *fmt, uint32_t value)
{
    char *at = list->text + list->length;
    size_t room = sizeof list->text - list->length, length;

    length = format(at, room, "%s", list->length > 0 ? separator : "");
    if (length < room)
        length += format(at + length, room - length, fmt, value);
    list->length = length < room ? list->length + length : sizeof list->text - 1;
}

/* Read msr for the line of this key. When RDMSR faults, print the line as unknown and return false. */
static bool known(const char *key, uint32_t msr, uint64_t *value)
{
    unsigned fault = msr_try_read(msr, value);

    if (fault != NO_FAULT)
        tap_comment(COMMENT_DETAIL, "%s: unknown: RDMSR of %3H faults: %s", key, msr, trap_name(fault));
    return fault == NO_FAULT;
}

static const char *watchdog;

void inventory_set_watchdog(const char *description)
{
    watchdog = description;
}

/* What a line says of an empty text. */
static const char *or_else(const char *text, const char *otherwise)
{
    while (*text == ' ')
        text++;
    return *text != '\0' ? text : otherwise;
}

void inventory_image(const char *boot_line)
{
    struct image image = image_loaded();

    tap_comment(COMMENT_INFO, "build: %s", BUILD_ID);
    tap_comment(COMMENT_INFO, "version: %s", VERSION);
    tap_comment(COMMENT_DETAIL, "image: CRC-32 %08X, %u bytes, as built", image.crc32, image.bytes);
    tap_comment(COMMENT_INFO, "boot line: %s", or_else(boot_line, "(empty)"));
    tap_comment(COMMENT_DETAIL, "loader: %s, multiboot %u", or_else(multiboot_loader_name(), "unknown"),
                multiboot_version());
    tap_comment(COMMENT_DETAIL, "console: %s", serial_description());
    if (serial_cards()[0] != '\0')
        tap_comment(COMMENT_DETAIL, "serial cards: %s", serial_cards());
    if (watchdog != NULL)
        tap_comment(COMMENT_INFO, "watchdog: %s", watchdog);
}

static void brand(void)
{
    union {
        struct cpuid leaves[BRAND_LEAVES];
        char text[BRAND_LEAVES * sizeof(struct cpuid) + 1];
    } brand = {0};

    if (cpuid(LEAF_EXTENDED, 0).eax < LEAF_BRAND + BRAND_LEAVES - 1) {
        tap_comment(COMMENT_DETAIL, "brand: unknown: CPUID has no brand string");
        return;
    }
    for (unsigned i = 0; i < BRAND_LEAVES; i++)
        brand.leaves[i] = cpuid(LEAF_BRAND + i, 0);
    tap_comment(COMMENT_DETAIL, "brand: %s", or_else(brand.text, "unknown: the brand string is empty"));
}

/* CPUID.1 loads the revision into the register. The register is set to 0 before, so that an old value is not
 * taken for the revision (SDM vol. 3, 9.11.7.1). */
static void microcode(void)
{
    unsigned fault = msr_try_write(MSR_IA32_BIOS_SIGN_ID, 0);
    uint64_t value;

    if (fault != NO_FAULT) {
        tap_comment(COMMENT_INFO, "microcode: unknown: WRMSR of %3H faults: %s", MSR_IA32_BIOS_SIGN_ID,
                    trap_name(fault));
        return;
    }
    cpuid(1, 0);
    if (known("microcode", MSR_IA32_BIOS_SIGN_ID, &value))
        tap_comment(COMMENT_INFO, "microcode: revision %XH", REVISION(value));
}

static void misc_enable(void)
{
    /* The bits that change what can be counted, or how fast things run (SDM vol. 3, Table 35-41). */
    static const struct {
        uint8_t bit;
        const char *name;
    } BITS[] = {
        {0, "fast strings"},   {3, "TM1"},      {7, "PMU"},
        {11, "no BTS"},        {12, "no PEBS"}, {13, "TM2"},
        {16, "SpeedStep"},     {18, "MONITOR"}, {19, "no adjacent-line prefetch"},
        {22, "CPUID limited"}, {34, "no XD"},
    };
    struct list list = {0};
    uint64_t value;

    if (!known("misc enable", MSR_IA32_MISC_ENABLE, &value))
        return;
    for (size_t i = 0; i < COUNT_OF(BITS); i++)
        if ((value >> BITS[i].bit & 1) != 0)
            list_add(&list, ", ", BITS[i].name, 0);
    if (cpuid_was_limited())
        list_add(&list, ", ", "CPUID limit lifted", 0);
    tap_comment(COMMENT_DETAIL, "misc enable: %8llH: %s", value, or_else(list.text, "none"));
}

/* What a BIOS may have left in parts of performance monitoring that no vector uses. */
static void unused_registers(const struct pmc_cpuid *id)
{
    unsigned set = 0;
    uint64_t value;

    if (id->leaf1_edx & LEAF1_EDX_DS && known("ds area", MSR_IA32_DS_AREA, &value))
        tap_comment(COMMENT_DETAIL, "ds area: %8llH", value);
    if (!id->l3)
        return;
    for (unsigned i = 0; i < L3_COUNTERS; i++) {
        if (!known("cache counters", MSR_L3_COUNTERS + i, &value))
            return;
        set += value != 0;
    }
    tap_comment(COMMENT_DETAIL, "cache counters: 107CCH to 107D3H, %u set", set);
}

static void processor(const struct pmc_cpuid *id, const char *core)
{
    unsigned family = LEAF1_EAX_FAMILY(id->leaf1_eax);
    uint64_t value;

    tap_comment(COMMENT_INFO, "processor: %s %4H, %s", id->vendor, id->leaf1_eax, core);
    brand();
    if (memcmp(id->vendor, "GenuineIntel", sizeof id->vendor) != 0 || family < FAMILY_P6 ||
        (id->leaf1_edx & LEAF1_EDX_MSR) == 0)
        return;
    microcode();
    if (known("platform", MSR_IA32_PLATFORM_ID, &value))
        tap_comment(COMMENT_DETAIL, "platform: ID %u", PLATFORM_ID(value));
    misc_enable();
    if (family == FAMILY_NETBURST)
        unused_registers(id);
}

static void topology(void)
{
    const struct topology *t = smp_topology();
    struct list ids = {0};

    tap_comment(COMMENT_INFO, "threads: %u per core, %u core%s; boot processor is LP%u; sibling %s%s",
                t->threads_per_core, t->cores_per_package, t->cores_per_package == 1 ? "" : "s", smp_self(),
                smp_has_sibling()          ? "runs"
                : t->threads_per_core == 1 ? "absent"
                : !lapic_present()         ? "out of reach: "
                : t->sibling_elsewhere     ? "not in this core"
                : t->sibling_listed        ? "does not answer"
                                           : "not listed",
                t->threads_per_core > 1 && lapic_missing() ? lapic_missing() : "");
    for (unsigned i = 0; i < t->processors && i < sizeof t->apic_ids; i++)
        list_add(&ids, " ", "%u", t->apic_ids[i]);
    tap_comment(COMMENT_DETAIL, "apic ids: %s (%s)", ids.text, t->source);
}

/* The bus clock in MHz by the processor's own register; "unknown" for a value that the manual does not
 * define. */
static const char *bus_clock(unsigned model, uint64_t frequency)
{
    static const char *const MHZ[8] = {[1] = "133.33", [2] = "200", [3] = "166.67", [4] = "333.33"};
    unsigned speed = BUS_SPEED(frequency);

    if (model < FIRST_MODEL_WITH_RATIO)
        return BUS_SPEED_OLD(frequency) == 0 ? "100" : "unknown";
    if (speed == 0)
        return model < FIRST_MODEL_WITH_FAST_BUS ? "100" : "266.67";
    return MHZ[speed] != NULL ? MHZ[speed] : "unknown";
}

static void clocks(const struct pmc_cpuid *id)
{
    unsigned model = LEAF1_EAX_MODEL(id->leaf1_eax);
    char bus[100] = "", about[80] = "";
    uint64_t value;

    if (smp_topology()->netburst && msr_try_read(MSR_EBC_FREQUENCY_ID, &value) == NO_FAULT) {
        const char *mhz = bus_clock(model, value);
        size_t length = format(bus, sizeof bus, "; EBC_FREQUENCY_ID %8llH: ", value);

        if (model >= FIRST_MODEL_WITH_RATIO && BUS_RATIO(value) == 0) /* virtual machines do not keep it */
            format(bus + length, sizeof bus - length, "gives no bus clock and no ratio");
        else if (model >= FIRST_MODEL_WITH_RATIO)
            format(bus + length, sizeof bus - length, "bus %s MHz, ratio %u", mhz, BUS_RATIO(value));
        else
            format(bus + length, sizeof bus - length, "bus %s MHz", mhz);
    }
    if (clock_assumed())
        format(about, sizeof about, " (assumed: %s)", clock_assumed());
    tap_comment(COMMENT_DETAIL, "clocks: TSC %u kHz, APIC timer %u kHz%s%s", clock_tsc_khz(),
                clock_apic_khz(), clock_is_foreign() ? " (no NetBurst part has this rate)" : about, bus);
}

static void board(void)
{
    struct smbios smbios;
    const char *reason = smbios_read(&smbios);

    if (memory_map_empty())
        tap_comment(COMMENT_DETAIL, "memory: unknown: the loader gives no memory map");
    else
        tap_comment(COMMENT_DETAIL, "memory: %llu KB", memory_map_ram_kb());
    if (reason != NULL) {
        tap_comment(COMMENT_DETAIL, "board: unknown: %s", reason);
        tap_comment(COMMENT_DETAIL, "bios: unknown: %s", reason);
        return;
    }
    tap_comment(COMMENT_DETAIL, "board: %s, %s", or_else(smbios.board_vendor, "unknown"),
                or_else(smbios.board, "unknown"));
    tap_comment(COMMENT_DETAIL, "bios: %s, %s, %s", or_else(smbios.bios_vendor, "unknown"),
                or_else(smbios.bios_version, "unknown"), or_else(smbios.bios_date, "unknown"));
}

void inventory_machine(const struct pmc_cpuid *id, const char *core)
{
    processor(id, core);
    topology();
    clocks(id);
    board();
    inventory_raw();
}

/* The raw lines of the inventory: CPUID leaf by leaf, and the APICs as the firmware left them. */
#include "run.h"
#include "kernel/board/board.h"
#include "kernel/lib/lib.h"
#include "kernel/log/log.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "pmc/msr.h"
#include "pmc/netburst/regs.h"

#define LEAF_EXTENDED   0x80000000u
#define BRAND_FIRST     0x80000002u /* the brand string has a line of its own */
#define BRAND_LAST      0x80000004u
#define LEAVES_MOST     16u /* of each range: a virtual machine may announce many */
#define LEAF_CACHES     4u  /* has a subleaf for each cache; EAX[4:0] = 0 ends them */
#define CACHE_TYPE(eax) FIELD_GET(4, 0, eax)
#define SUBLEAVES_MOST  8u
#define LINE_CHARS      900

struct line {
    char text[LINE_CHARS];
    size_t length;
};

static void add(struct line *line, const char *fmt, uint32_t value)
{
    if (line->length < sizeof line->text)
        line->length += format(line->text + line->length, sizeof line->text - line->length, fmt, value);
}

static struct cpuid add_leaf(struct line *line, uint32_t leaf, uint32_t subleaf)
{
    struct cpuid value = cpuid(leaf, subleaf);

    add(line, line->length > 0 ? "; %X" : "%X", leaf);
    if (leaf == LEAF_CACHES)
        add(line, ".%u", subleaf);
    add(line, ": %X", value.eax);
    add(line, " %X", value.ebx);
    add(line, " %X", value.ecx);
    add(line, " %X", value.edx);
    return value;
}

static void add_range(struct line *line, uint32_t first)
{
    uint32_t last = cpuid(first, 0).eax;

    if (last - first >= LEAVES_MOST)
        last = last < first ? first : first + LEAVES_MOST - 1;
    for (uint32_t leaf = first; leaf <= last; leaf++) {
        uint32_t subleaf = 0;

        if (leaf >= BRAND_FIRST && leaf <= BRAND_LAST)
            continue;
        if (leaf != LEAF_CACHES)
            add_leaf(line, leaf, 0);
        else
            while (CACHE_TYPE(add_leaf(line, leaf, subleaf).eax) != 0 && ++subleaf < SUBLEAVES_MOST)
                ;
    }
}

static void raw_cpuid(void)
{
    struct line line = {.length = 0};

    add_range(&line, 0);
    if (cpuid(LEAF_EXTENDED, 0).eax >= LEAF_EXTENDED)
        add_range(&line, LEAF_EXTENDED);
    tap_comment(COMMENT_DETAIL, "cpuid: %s", line.text);
}

static void local_apic(void)
{
    static const char *const NAMES[LAPIC_LVT_ENTRIES] = {" timer %XH", " LINT0 %XH",       " LINT1 %XH",
                                                         " error %XH", " performance %XH", " thermal %XH"};
    const struct lapic_at_boot *apic = lapic_at_boot();
    struct line line = {.length = 0};

    if (apic == NULL) {
        tap_comment(COMMENT_DETAIL, "apic at boot: unknown: %s",
                    lapic_missing() != NULL ? lapic_missing() : "firmware left it disabled");
        return;
    }
    for (unsigned i = 0; i < apic->entries; i++)
        add(&line, NAMES[i], apic->lvt[i]);
    tap_comment(COMMENT_DETAIL, "apic at boot: %sversion %XH, SVR %XH, LVT%s",
                lapic_is_x2apic() ? "x2APIC, " : "", apic->version, apic->svr, line.text);
}

static void io_apic(void)
{
    struct io_apics io_apics = io_apics_at_boot();

    if (io_apics.entries == 0)
        tap_comment(COMMENT_DETAIL, "io apic at boot: none answers");
    else
        tap_comment(COMMENT_DETAIL, "io apic at boot: %u of %u entries open", io_apics.open,
                    io_apics.entries);
}

/* Print the errors that were recorded before this run, for example those that made the machine reset. */
static void machine_checks(void)
{
    char text[200] = "none";
    size_t length = 0;
    uint64_t status, address;

    for (unsigned bank = 0; bank < machine_check_banks() && length < sizeof text; bank++)
        if (machine_check_read(bank, &status, &address))
            length += format(text + length, sizeof text - length, "%sbank %u %16llH", length > 0 ? ", " : "",
                             bank, status);
    tap_comment(COMMENT_DETAIL, "machine checks at boot: %s", text);
}

void inventory_raw(void)
{
    raw_cpuid();
    local_apic();
    io_apic();
    machine_checks();
}

/*
 * Probes of what is implemented: the bits of every register of the PMU, and RDPMC beyond the last counter
 * (questions 10.18 and 10.19; R3, pmu-rules 3.4).
 *
 * Each bit is written alone, with nothing enabled, by the form that survives a fault, and the register is 0
 * again before the next one. A probe judges nothing; its lines go to the sheet, with registers of equal bits
 * in one group.
 */
#include "kernel/lib/lib.h"
#include "pmc/count_of.h"
#include "pmc/msr.h"
#include "pmc/netburst/map.h"
#include "tests/suite/sheet.h"
#include "tests/suite/vector.h"

#define TEXT_SIZE 380

struct bits {
    uint64_t kept, faulting;
    bool absent; /* RDMSR faults */
};

static bool equal(const struct bits *a, const struct bits *b)
{
    return a->kept == b->kept && a->faulting == b->faulting && a->absent == b->absent;
}

/* `fixed` is written with every bit. */
static struct bits bits_of(uint32_t msr, uint64_t fixed)
{
    struct bits bits = {0};
    uint64_t value;

    if (msr_try_read(msr, &value) != NO_FAULT)
        return (struct bits){.absent = true};
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t one = 1ull << bit;

        if (msr_try_write(msr, fixed | one) != NO_FAULT)
            bits.faulting |= one;
        else if (msr_try_read(msr, &value) == NO_FAULT)
            bits.kept |= value & one;
    }
    msr_try_write(msr, 0);
    return bits;
}

/* ---- Lists: "FFFFF000H: 0-11 13" for each group, separated by semicolons ---- */

struct text {
    char chars[TEXT_SIZE];
    size_t length;
};

static void add(struct text *text, const char *fmt, unsigned a, unsigned b)
{
    if (text->length < sizeof text->chars)
        text->length += format(text->chars + text->length, sizeof text->chars - text->length, fmt, a, b);
}

/* Bits that fault in every register, `common`, are not said again. */
static void add_bits(struct text *text, const struct bits *bits, uint64_t common)
{
    size_t room = text->length < sizeof text->chars ? sizeof text->chars - text->length : 0;
    char *end = text->chars + text->length;

    if (bits->absent)
        text->length += format(end, room, "RDMSR faults");
    else if ((bits->faulting & ~common) != 0)
        text->length += format(end, room, "%8llH (%8llH faults)", bits->kept, bits->faulting & ~common);
    else
        text->length += format(end, room, "%8llH", bits->kept);
}

static uint64_t fault_everywhere(const struct bits *bits, unsigned count)
{
    uint64_t common = ~0ull;

    for (unsigned i = 0; i < count; i++)
        if (!bits[i].absent)
            common &= bits[i].faulting;
    return common;
}

/* Print the groups of registers, each name by fmt, a range of consecutive names by fmt_range. */
static void add_groups(struct text *text, const struct bits *bits, unsigned count, const unsigned *names,
                       const char *fmt, const char *fmt_range)
{
    uint64_t common = fault_everywhere(bits, count);

    if (common != 0)
        text->length += format(text->chars, sizeof text->chars, "%8llH faults in all; ", common);
    for (unsigned i = 0; i < count; i++) {
        unsigned j = 0;

        while (!equal(&bits[j], &bits[i]))
            j++;
        if (j < i)
            continue; /* its group is there already */
        add(text, i == 0 ? "" : "; ", 0, 0);
        add_bits(text, &bits[i], common);
        add(text, ":", 0, 0);
        for (unsigned from = i; from < count; from++) {
            unsigned to = from;

            if (!equal(&bits[from], &bits[i]))
                continue;
            while (to + 1 < count && equal(&bits[to + 1], &bits[i]) && names[to + 1] == names[to] + 1)
                to++;
            add(text, from == to ? fmt : fmt_range, names[from], names[to]);
            from = to;
        }
    }
}

static void escrs(void)
{
    static struct bits bits[PMC_ESCRS];
    static unsigned names[PMC_ESCRS];
    struct text text = {.length = 0};

    for (unsigned i = 0; i < PMC_ESCRS; i++) {
        names[i] = PMC_ESCR[i].msr;
        bits[i] = bits_of(PMC_ESCR[i].msr, 0);
    }
    add_groups(&text, bits, PMC_ESCRS, names, " %3X", " %3X-%3X");
    sheet_line("10.18a", "%s", text.chars);
}

static void cccrs(void)
{
    struct bits bits[PMC_COUNTERS];
    unsigned names[PMC_COUNTERS];
    struct text text = {.length = 0};

    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        names[n] = n;
        bits[n] = bits_of(MSR_CCCR(n), CCCR_ACTIVE_THREAD(ACTIVE_ANY));
    }
    add_groups(&text, bits, PMC_COUNTERS, names, " %u", " %u-%u");
    sheet_line("10.18b", "%s", text.chars);
}

/* Nothing is tagged and no counter runs, so that PEBS, which two of these bits enable, has nothing to record.
 */
static void pebs(void)
{
    static const unsigned names[] = {MSR_TC_PRECISE_EVENT, MSR_PEBS_ENABLE, MSR_PEBS_MATRIX_VERT};
    struct bits bits[COUNT_OF(names)];
    struct text text = {.length = 0};

    for (unsigned i = 0; i < COUNT_OF(names); i++)
        bits[i] = bits_of(names[i], 0);
    add_groups(&text, bits, COUNT_OF(names), names, " %3X", " %3X-%3X");
    sheet_line("10.18c", "%s", text.chars);
}

#define LAST_INDEX 63

static void beyond(void)
{
    struct text text = {.length = 0};
    unsigned faults[LAST_INDEX + 1];
    uint64_t value;

    for (unsigned i = PMC_COUNTERS; i <= LAST_INDEX; i++)
        faults[i] = rdpmc_try(i, &value);
    for (unsigned from = PMC_COUNTERS, to; from <= LAST_INDEX; from = to + 1) {
        for (to = from; to < LAST_INDEX && faults[to + 1] == faults[from];)
            to++;
        add(&text, from == PMC_COUNTERS ? "%u to %u: " : "; %u to %u: ", from, to);
        add(&text, faults[from] == NO_FAULT ? "no fault" : "exception %u", faults[from], 0);
    }
    sheet_line("10.19", "%s", text.chars);
}

static const struct vector probes_bits_rows[] = {
    PROBE("probe.bits.escr", "implemented bits of the ESCRs", .also = "R3 10.18", .deadline_ms = 2000,
          .stages = STAGE_REGISTERS, .run = escrs),
    PROBE("probe.bits.cccr", "implemented bits of the CCCRs", .also = "R3 10.18", .deadline_ms = 2000,
          .stages = STAGE_REGISTERS, .run = cccrs),
    PROBE("probe.bits.pebs", "implemented bits of 3F0H to 3F2H", .also = "10.18", .stages = STAGE_REGISTERS,
          .run = pebs),
    PROBE("probe.bits.rdpmc", "RDPMC beyond index 17", .also = "R60 10.19", .run = beyond),
};
VECTOR_GROUP(probes_bits);

/* The lines of the sheet, in the order of pmu-rules 10 and 11, and what was stated for them. */
#include "sheet.h"

#include <stdarg.h>
#include <stdint.h>

#include "kernel/run/run.h"
#include "kernel/run/options.h"
#include "pmc/count_of.h"
#include "kernel/lib/lib.h"
#include "kernel/log/log.h"
#include "rules.h"
#include "vector.h"

#define LINE_SIZE 400

/* What a probe takes for granted: areas of rules, and what points of the harness test. */
enum {
    ACCESS = 1 << 0,
    COUNT = 1 << 1,
    EVENT = 1 << 2, /* events of which silicon decides the number */
    FILTER = 1 << 3,
    QUALIFY = 1 << 4,
    OVERFLOW = 1 << 5,
    CASCADE = 1 << 6,
    PMI = 1 << 7,
    TIME = 1 << 8,    /* the TSC and the timers */
    SIBLING = 1 << 9, /* the second logical processor: its start, its HLT, its work */
    BY_CASCADE = CASCADE | OVERFLOW | COUNT,
    BY_PMI = PMI | OVERFLOW | COUNT,
};

#define FROM_TO(first, last) ((RULE_SET(last) << 1) - RULE_SET(first))
static const uint64_t AREAS[] = {
    FROM_TO(R3, R5) | RULE_SET(R32) | RULE_SET(R57) | RULE_SET(R60),
    RULE_SET(R2) | FROM_TO(R6, R8) | RULE_SET(R10) | RULE_SET(R17) | RULE_SET(R27) | RULE_SET(R44),
    RULE_SET(R7) | RULE_SET(R9),
    RULE_SET(R16) | FROM_TO(R21, R26),
    FROM_TO(R11, R14) | FROM_TO(R18, R20) | RULE_SET(R42),
    FROM_TO(R28, R31),
    FROM_TO(R33, R41),
    FROM_TO(R45, R56),
};

/* The areas that rest on points of the harness. */
#define POINTS(id)        \
    {                     \
        id, sizeof id - 1 \
    }
static const struct {
    struct pattern points;
    uint16_t areas;
} HARNESS_POINTS[] = {
    {POINTS("harness.exception.gp"), ACCESS},
    {POINTS("harness.refused"), ACCESS},
    {POINTS("harness.ring"), QUALIFY},
    {POINTS("harness.fpu"), EVENT},
    {POINTS("harness.apic"), PMI},
    {POINTS("harness.nmi"), PMI},
    {POINTS("harness.clock"), TIME},
    {POINTS("harness.second.lvtpc"), PMI},
    {POINTS("harness.second"), SIBLING},
    {POINTS("harness.sibling"), SIBLING},
};

#define DOUBTS (E1 + COUNT_OF(HARNESS_POINTS)) /* each brings at least one rule or area */

/* The checks that failed, as far as one brings a rule that no earlier one did, or an area of the harness. */
static struct {
    char id[VECTOR_ID_SIZE];
    uint64_t rules;
    uint16_t areas;
} failed[DOUBTS];
static unsigned failures;

/* clang-format off */
static const struct question {
    const char *number, *what;
    const char *vector; /* id of the probe that settles it */
    uint16_t needs;
} QUESTIONS[] = {
    {"10.1a",  "cascade start",                                              "probe.cascade.start",           BY_CASCADE},
    {"10.1b",  "after OVF of X was cleared, its next overflow",              "probe.cascade.start",           BY_CASCADE},
    {"10.1c",  "ENABLE of a started Y reads",                                "probe.cascade.start",           BY_CASCADE},
    {"10.1d",  "first clock of Y",                                           "probe.cascade.latency",         BY_CASCADE},
    {"10.1e",  "first clock of Y after X's overflow",                        "probe.cascade.start-latency",   BY_CASCADE},
    {"10.2",   "CASCADE of counter 17 listens to",                           "probe.cascade.alt17",           BY_CASCADE},
    {"10.3a",  "OVF of X written by software",                               "probe.cascade.written-ovf",     BY_CASCADE},
    {"10.3b",  "PMI of an OVF written by software",                          "probe.pmi.written-ovf",         BY_PMI},
    {"10.4",   "ENABLE of CCCR 1",                                           "probe.count.cccr1",             COUNT},
    {"10.5a",  "PMI of a Y started by CASCADE",                              "probe.pmi.cascade",             BY_CASCADE | BY_PMI},
    {"10.5b",  "PMI of a Y started by bit 11",                               "probe.pmi.extended",            BY_CASCADE | BY_PMI},
    {"10.6a",  "FORCE_OVF in X",                                             "probe.cascade.force-ovf",       BY_CASCADE},
    {"10.6b",  "FORCE_OVF in Y",                                             "probe.cascade.force-ovf",       BY_CASCADE},
    {"10.6c",  "first PMI with FORCE_OVF",                                   "probe.pmi.force-ovf",           BY_PMI},
    {"10.7a",  "edge filter at the start of a counter",                      "probe.filter.edge-start",       FILTER | COUNT},
    {"10.7b",  "unmapped ESCR select",                                       "probe.filter.no-event",         FILTER | COUNT},
    {"10.7c",  "edges of a true level, the CCCR being written",              "probe.filter.edge-start",       FILTER | COUNT},
    {"10.8a",  "counter bits 63:40",                                         "probe.reserved.counter",        ACCESS},
    {"10.8b",  "CCCR bits 7:0",                                              "probe.reserved.cccr",           ACCESS},
    {"10.8c",  "CCCR bits 10:8 of counters 0 to 15",                         "probe.reserved.cccr",           ACCESS},
    {"10.8d",  "CCCR bit 11 where it has no name",                           "probe.reserved.cccr",           ACCESS},
    {"10.8e",  "CCCR bit 27 without Hyper-Threading",                        "probe.reserved.cccr",           ACCESS},
    {"10.8f",  "CCCR bits 29:28",                                            "probe.reserved.cccr",           ACCESS},
    {"10.8g",  "CCCR bits 63:32",                                            "probe.reserved.cccr",           ACCESS},
    {"10.8h",  "ESCR bit 31",                                                "probe.reserved.escr",           ACCESS},
    {"10.8i",  "ESCR bits 63:32",                                            "probe.reserved.escr",           ACCESS},
    {"10.8j",  "ESCR bits 30:0",                                             "probe.reserved.escr",           ACCESS},
    {"10.9a",  "b2b_cycles, bnr, snoop, response by select 3",               "probe.count.fsb",               COUNT | EVENT},
    {"10.9b",  "the same by select 6",                                       "probe.count.fsb",               COUNT | EVENT},
    {"10.10",  "CCCR bits 10:8 of counters 16 and 17",                       "probe.reserved.cccr",           ACCESS},
    {"10.11a", "uops per SSE and SSE2 instruction",                          "probe.count.uops",              COUNT | EVENT},
    {"10.11b", "uops per MMX and x87 instruction",                           "probe.count.uops",              COUNT | EVENT},
    {"10.11c", "uops_retired per NOP",                                       "probe.count.uops",              COUNT | EVENT},
    {"10.11d", "memory_complete per split access",                           "probe.count.uops",              COUNT | EVENT},
    {"10.11e", "counts per CPUID, x87 stack fault, store into code",         "probe.slope.microcode",         COUNT | EVENT},
    {"10.11f", "retired_branch_type per CALL, RET",                          "probe.slope.branches",          COUNT | EVENT},
    {"10.11g", "IOQ_allocation per uncached read",                           "probe.slope.bus",               COUNT | EVENT},
    {"10.11h", "instr_retired per instruction of E13",                       "probe.erratum.recounted",       COUNT},
    {"10.12a", "threads",                                                    "probe.count.clock",             0},
    {"10.12b", "IA32_MISC_ENABLE",                                           "probe.count.clock",             0},
    {"10.12c", "RUNNING clocks per tick of the TSC",                         "probe.count.clock",             COUNT | TIME},
    {"10.13a", "ACTIVE_THREAD without Hyper-Threading",                      "probe.count.active-thread",     QUALIFY | COUNT},
    {"10.13b", "T1 bits without Hyper-Threading",                            "probe.reserved.escr",           ACCESS},
    {"10.14a", "clocks of RDMSR of counter, ESCR, CCCR",                     "probe.cost.registers",          ACCESS | TIME},
    {"10.14b", "clocks of WRMSR of counter, ESCR, CCCR",                     "probe.cost.registers",          ACCESS | TIME},
    {"10.14c", "clocks of RDPMC, 40 bits and fast",                          "probe.cost.instructions",       TIME},
    {"10.14d", "clocks of RDTSC, CPUID",                                     "probe.cost.instructions",       TIME},
    {"10.14e", "clocks of a local APIC load, store",                         "probe.cost.apic",               TIME},
    {"10.14f", "clocks of an IPI to itself until its handler",               "probe.cost.apic",               TIME},
    {"10.14g", "uops retired per clock",                                     "probe.cost.uops",               COUNT | TIME},
    {"10.14h", "clocks of RDMSR, WRMSR of counter beside a running sibling", "probe.cost.sibling",            ACCESS | TIME | SIBLING},
    {"10.15a", "clocks from overflow to PMI handler",                        "probe.pmi.latency",             BY_PMI},
    {"10.15b", "presets whose PMI comes early",                              "probe.pmi.early",               BY_PMI},
    {"10.15c", "PMIs after their counter was disabled",                      "probe.pmi.in-flight",           BY_PMI},
    {"10.16a", "gaps in a loop of RDTSC",                                    "probe.board.gaps",              TIME},
    {"10.16b", "RUNNING clocks per tick of the TSC",                         "probe.board.rates",             COUNT | TIME},
    {"10.16c", "ticks of the TSC per tick of the APIC timer",                "probe.board.bus",               TIME},
    {"10.16d", "IA32_THERM_STATUS, IA32_CLOCK_MODULATION",                   "probe.board.thermal",           0},
    {"10.17a", "accesses with clocks selected, not enabled",                 "probe.erratum.live-select",     ACCESS | COUNT},
    {"10.17b", "accesses with uops_retired selected, not enabled",           "probe.erratum.live-select",     ACCESS | COUNT},
    {"10.18a", "bits that ESCRs keep",                                       "probe.bits.escr",               ACCESS},
    {"10.18b", "bits that CCCRs keep",                                       "probe.bits.cccr",               ACCESS},
    {"10.18c", "bits that 3F0H to 3F2H keep",                                "probe.bits.pebs",               ACCESS},
    {"10.19",  "RDPMC beyond index 17",                                      "probe.bits.rdpmc",              ACCESS},
    {"10.20",  "highest value of the bus queues",                            "probe.filter.highest",          FILTER | COUNT},
    {"11.1",   "COMPLEMENT with event select 0",                             "probe.filter.no-event",         FILTER | COUNT},
    {"11.2",   "ENABLE of X cleared, its OVF standing",                      "probe.cascade.handed-over",     BY_CASCADE},
    {"11.3a",  "OVF_PMI set while OVF stands",                               "probe.pmi.repeat",              BY_PMI},
    {"11.3b",  "LVTPC unmasked while OVF and OVF_PMI stand",                 "probe.pmi.repeat",              BY_PMI},
    {"11.4",   "PMI by counts beyond the wrap in its clock",                 "probe.pmi.surplus",             BY_PMI},
    {"11.5",   "ACTIVE_THREAD 00B while all are halted",                     "probe.halted.clocks",           QUALIFY | COUNT | SIBLING},
    {"11.6",   "edge filter behind a closed ACTIVE_THREAD gate",             "probe.filter.edge-gate",        FILTER | QUALIFY | COUNT},
    {"11.7",   "Y armed while OVF of X stands",                              "probe.cascade.latency",         BY_CASCADE},
    {"11.8",   "PMI of an enabled counter with CASCADE set",                 "probe.pmi.cascade",             BY_CASCADE | BY_PMI},
    {"11.9a",  "TC_deliver_mode while all are halted",                       "probe.halted.clocks",           QUALIFY | COUNT | SIBLING},
    {"11.9b",  "OS-only TI event at CPL 3, the sibling halted at CPL 0",     "probe.halted.cpl",              QUALIFY | COUNT | SIBLING},
    {"11.12",  "edge filter switched on in a counter that runs",              "probe.filter.edge-switched-on", FILTER | COUNT},
};
/* clang-format on */

static char line[COUNT_OF(QUESTIONS)][LINE_SIZE];

static size_t question_index(const char *number)
{
    for (size_t i = 0; i < COUNT_OF(QUESTIONS); i++)
        if (strcmp(QUESTIONS[i].number, number) == 0)
            return i;
    bail_out("the sheet has no question %s", number);
}

void sheet_line(const char *question, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vformat(line[question_index(question)], LINE_SIZE, fmt, args);
    va_end(args);
}

static uint16_t areas_on(const char *id)
{
    for (unsigned i = 0; i < COUNT_OF(HARNESS_POINTS); i++)
        if (pattern_matches(&HARNESS_POINTS[i].points, id, NULL))
            return HARNESS_POINTS[i].areas;
    return 0;
}

void sheet_doubt(const char *id, uint64_t rules)
{
    uint64_t doubted = 0;
    uint16_t areas = areas_on(id), known = 0;

    for (unsigned i = 0; i < failures; i++) {
        doubted |= failed[i].rules;
        known |= failed[i].areas;
    }
    if ((rules & ~doubted) == 0 && (areas & ~known) == 0)
        return;
    format(failed[failures].id, sizeof failed[0].id, "%s", id);
    failed[failures].areas = areas;
    failed[failures++].rules = rules;
}

/* The first check that failed by one of these rules, or is of the harness and carries one of these areas; or
 * null. */
static const char *doubt(uint64_t rules, unsigned areas)
{
    for (unsigned i = 0; i < failures; i++)
        if (failed[i].rules & rules || failed[i].areas & areas)
            return failed[i].id;
    return NULL;
}

const char *sheet_harness_doubt(const struct vector *row, const char *id)
{
    const uint64_t rules = vector_rule_set(row, id);
    unsigned areas = (row->needs & NEED_SIBLING ? SIBLING : 0) | (row->needs & NEED_LAPIC ? PMI : 0);

    if (vector_is_of_harness(row))
        return NULL;
    for (unsigned i = 0; i < COUNT_OF(AREAS); i++)
        areas |= rules & AREAS[i] ? 1u << i : 0;
    return doubt(0, areas);
}

/* The first check that failed by what the question's probe takes for granted, or null. */
static const char *doubt_of(const struct question *q)
{
    uint64_t granted = 0;

    for (unsigned i = 0; i < COUNT_OF(AREAS); i++)
        granted |= q->needs >> i & 1 ? AREAS[i] : 0;
    return doubt(granted, q->needs);
}

void sheet_print(const char *(*why_not)(const char *probe))
{
    size_t first = 0;

    while (first < COUNT_OF(QUESTIONS) && line[first][0] == '\0')
        first++;
    if (first == COUNT_OF(QUESTIONS))
        return;
    for (size_t i = 0; i < COUNT_OF(QUESTIONS); i++) {
        const struct question *q = &QUESTIONS[i];
        const char *reason = why_not(q->vector), *check = doubt_of(q);

        if (line[i][0])
            tap_comment(COMMENT_INFO, check ? "sheet %s %s: %s (in doubt: %s)" : "sheet %s %s: %s", q->number,
                        q->what, line[i], check);
        else if (reason)
            tap_comment(COMMENT_INFO, "sheet %s %s: not probed: %s", q->number, q->what, reason);
        else
            tap_comment(COMMENT_INFO, "sheet %s %s: not probed: %s gave no answer", q->number, q->what,
                        q->vector);
    }
}

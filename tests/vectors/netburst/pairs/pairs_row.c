/*
 * Rows of the covering array: decoded, adapted to the machine, and in words.
 */
#include "pairs_row.h"

#include "kernel/lib/format.h"
#include "kernel/lib/string.h"
#include "pmc/netburst/map.h"
#include "tests/suite/machine.h"

#define PAIRS_NO_FEATURE(feature, words)
#define PAIRS_WORDS(feature, name, words)      words,
#define PAIRS_FEATURE_OF(feature, name, words) FEATURE_##feature,
static const char *const WORDS[] = {PAIRS(PAIRS_NO_FEATURE, PAIRS_WORDS)};
static const uint8_t FEATURE_OF[] = {PAIRS(PAIRS_NO_FEATURE, PAIRS_FEATURE_OF)};

const struct pairs_table *pairs_table_of(unsigned counter)
{
    switch (PMC_COUNTER[counter].block) {
    case BLOCK_BPU:
        return &PAIRS_BPU;
    case BLOCK_IQ:
        return &PAIRS_IQ;
    default:
        return &PAIRS_MS_FLAME;
    }
}

static unsigned first_of_block(unsigned counter)
{
    unsigned first = counter;

    while (first > 0 && PMC_COUNTER[first - 1].block == PMC_COUNTER[counter].block)
        first--;
    return first;
}

#define BECOMES(feature, name) row->level[FEATURE_##feature] = PAIR_##feature##_##name

/* What needs the second logical processor, or Hyper-Threading. */
static void adapt_threads(struct pairs_row *row)
{
    if (machine_meets() & NEED_SIBLING)
        return;
    BECOMES(WORKER, THIS);
    BECOMES(OTHER, HALTED);
    BECOMES(ACTIVE, ANY); /* R19 */
    if (pairs_has(row, FLAGS, OTHER))
        BECOMES(FLAGS, ALL);
    if (pairs_has(row, MEANWHILE, INIT) || pairs_has(row, MEANWHILE, ACCESS))
        BECOMES(MEANWHILE, NOTHING);
    if (machine_cpu.ht)
        return;
    if (pairs_has(row, PMI, T1))
        BECOMES(PMI, NONE);
    else if (pairs_has(row, PMI, BOTH))
        BECOMES(PMI, T0);
}

/* FSB_ESCR1 of the parts of E10, and the privilege level of bus events there (R14). */
static void adapt_bus(struct pairs_row *row)
{
    if (PMC_COUNTER[row->counter].block != BLOCK_BPU || !machine_has_erratum(PMC_E10))
        return;
    BECOMES(FLAGS, ALL);
    if (PMC_COUNTER[row->counter].side == 1)
        BECOMES(EVENT, CLOCKS);
}

static void adapt_links(struct pairs_row *row)
{
    if (pairs_links_of(row).x == PMC_NONE)
        BECOMES(STARTED, ENABLE);
    else if (pairs_has(row, STARTED, CHAIN) && pairs_links_of(row).z == PMC_NONE)
        BECOMES(STARTED, CASCADE);
}

static void adapt(struct pairs_row *row)
{
    adapt_threads(row);
    adapt_bus(row);
    if (!(machine_meets() & NEED_EXTENDED_CASCADE) && pairs_has(row, STARTED, BIT_11))
        BECOMES(STARTED, CASCADE);
    adapt_links(row);
    if (!(machine_meets() & NEED_LAPIC)) {
        BECOMES(PMI, NONE);
        BECOMES(LVTPC, MASKED);
        if (pairs_has(row, MEANWHILE, HLT))
            BECOMES(MEANWHILE, NOTHING);
    }
}

bool pairs_row_of(const struct pairs_table *table, unsigned index, unsigned counter, struct pairs_row *row)
{
    uint32_t word = table->rows[index];

    for (unsigned f = 0; f < PAIRS_FEATURES; f++) {
        row->level[f] = (uint8_t)(word & ((1u << PAIRS_WIDTH[f]) - 1));
        word >>= PAIRS_WIDTH[f];
    }
    if (first_of_block(counter) + word != counter)
        return false;
    row->counter = (uint8_t)counter;
    row->number = (uint16_t)(index + 1);
    adapt(row);
    return true;
}

void pairs_words(const struct pairs_row *row, char *out, size_t size)
{
    size_t length = 0;
    unsigned level = 0;

    out[0] = '\0';
    for (unsigned i = 0; i < COUNT_OF(WORDS); i++) {
        level = i > 0 && FEATURE_OF[i] == FEATURE_OF[i - 1] ? level + 1 : 0;
        if (level > 0 && row->level[FEATURE_OF[i]] == level && length < size)
            length += format(out + length, size - length, "%s%s", length > 0 ? ", " : "", WORDS[i]);
    }
}

/* The counter that starts n by CASCADE. Who starts 17 is open (10.2). */
static int8_t cascades(unsigned n)
{
    return PMC_COUNTER[n].cascade_from_alternative == PMC_NONE ? PMC_COUNTER[n].cascade_from : PMC_NONE;
}

static int8_t extends(unsigned n)
{
    return machine_meets() & NEED_EXTENDED_CASCADE ? PMC_COUNTER[n].extended_from : PMC_NONE;
}

/* X and Z of a chain: by CASCADE or bit 11 each, and Z is not the counter itself. */
static struct pairs_links chain_to(unsigned n)
{
    for (unsigned way = 0; way < 4; way++) {
        struct pairs_links links = {.by_bit_11 = way & 1, .x_by_bit_11 = way & 2};
        links.x = links.by_bit_11 ? extends(n) : cascades(n);
        links.z = links.x == PMC_NONE ? PMC_NONE
                  : links.x_by_bit_11 ? extends((unsigned)links.x)
                                      : cascades((unsigned)links.x);
        if (links.z != PMC_NONE && links.z != (int)n)
            return links;
    }
    return (struct pairs_links){.x = cascades(n), .z = PMC_NONE};
}

struct pairs_links pairs_links_of(const struct pairs_row *row)
{
    switch (row->level[FEATURE_STARTED]) {
    case PAIR_STARTED_CASCADE:
        return (struct pairs_links){.x = cascades(row->counter), .z = PMC_NONE};
    case PAIR_STARTED_BIT_11:
        return (struct pairs_links){.x = extends(row->counter), .z = PMC_NONE, .by_bit_11 = true};
    case PAIR_STARTED_CHAIN:
        return chain_to(row->counter);
    default:
        return (struct pairs_links){.x = PMC_NONE, .z = PMC_NONE};
    }
}

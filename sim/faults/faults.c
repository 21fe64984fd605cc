/*
 * The catalogue by name: look-up, list, and which parts a fault applies to; and the families that several
 * files share: one fault for every counter, ESCR or pair, enumerated from the tables of the model.
 */
#include "faults.h"

#include <stdarg.h>
#include <string.h>

/* The walk through the catalogue, fault by fault: a row, or one member of its family. */
struct walk {
    unsigned chapter, row, number, double_number;
    const struct nbpmu_fault_row *at;
    struct fault_member member;
    struct fault_double twofold; /* its text is null for a single fault */
    char name[64];
};

static const struct nbpmu_fault_row *const CHAPTERS[] = {
    nbpmu_fault_registers, nbpmu_fault_values,   nbpmu_fault_filters, nbpmu_fault_in_flight,
    nbpmu_fault_counts,    nbpmu_fault_cascades, nbpmu_fault_pmis,    nbpmu_fault_reading,
};

static void begin_member(struct walk *walk, const struct nbpmu_fault_row *row)
{
    walk->at = row;
    walk->member = (struct fault_member){
        .fault = {.row = row, .at = row->at, .to = row->to, .needs = (uint8_t)row->part, .when = row->when},
        .unseen = row->unseen,
    };
}

static const struct nbpmu_fault_row *row_named(const char *name)
{
    for (unsigned chapter = 0; chapter < COUNT_OF(CHAPTERS); chapter++)
        for (const struct nbpmu_fault_row *row = CHAPTERS[chapter]; row->name; row++)
            if (strcmp(row->name, name) == 0)
                return row;
    return NULL;
}

/* A double fault needs what its row needs or, if that is nothing, what the condition needs. */
static bool next_double(struct walk *walk)
{
    struct nbpmu_fault *fault = &walk->member.fault;
    if (!nbpmu_fault_double(&walk->double_number, &walk->twofold))
        return false;
    begin_member(walk, row_named(walk->twofold.row));
    fault->condition = walk->twofold.condition;
    fault->needs = fault->needs == PART_ANY ? (uint8_t)walk->twofold.part : fault->needs;
    snprintf(walk->name, sizeof walk->name, "%s-while-%s", walk->twofold.row, walk->twofold.name);
    return true;
}

/* Go on to the next fault. False when there is none. */
static bool next_fault(struct walk *walk)
{
    while (walk->chapter < COUNT_OF(CHAPTERS)) {
        const struct nbpmu_fault_row *row = &CHAPTERS[walk->chapter][walk->row];
        if (!row->name) {
            walk->chapter++;
            walk->row = 0;
            continue;
        }
        begin_member(walk, row);
        bool exists = row->family ? row->family(walk->number, &walk->member) : true;
        if (++walk->number == (row->family ? FAULT_NUMBERS : 1)) {
            walk->row++;
            walk->number = 0;
        }
        if (row->anywhere)
            walk->member.fault.only = 0;
        if (exists) {
            snprintf(walk->name, sizeof walk->name, "%s%s", row->name, walk->member.suffix);
            return true;
        }
    }
    return next_double(walk);
}

bool nbpmu_fault_find(const char *name, struct nbpmu_fault *fault)
{
    struct walk walk = {0};
    while (next_fault(&walk)) {
        if (strcmp(name, walk.name) == 0) {
            *fault = walk.member.fault;
            return true;
        }
    }
    return false;
}

/* By enum fault_part: what the list says, and what is said of another part. */
static const struct {
    const char *listed, *misfit;
} PARTS[] = {
    [PART_ANY] = {"", NULL},
    [PART_HT] = {" (Hyper-Threading)", "it needs Hyper-Threading"},
    [PART_NO_HT] = {" (no Hyper-Threading)", "it needs a part without Hyper-Threading"},
    [PART_EXTENDED] = {" (models 2, 3, 4, 6)", "it needs extended cascading (models 2, 3, 4, 6)"},
};

void nbpmu_fault_list(FILE *out)
{
    struct walk walk = {0};
    while (next_fault(&walk)) {
        const char *condition = walk.twofold.text, *unseen = walk.member.unseen;
        fprintf(out, "%-32s %-4s %s%s%s%s%s%s\n", walk.name, walk.at->rule,
                walk.twofold.row_text ? walk.twofold.row_text : walk.at->text, condition ? " while " : "",
                condition ? condition : "", PARTS[walk.member.fault.needs].listed, unseen ? "; unseen: " : "",
                unseen ? unseen : "");
    }
}

const char *nbpmu_fault_misfit(const struct nbpmu_fault *fault, const struct nbpmu_part *part)
{
    const bool fits[] = {[PART_ANY] = true,
                         [PART_HT] = part->lps > 1,
                         [PART_NO_HT] = part->lps < 2,
                         [PART_EXTENDED] = part->model >= 2};
    return fits[fault->needs] ? NULL : PARTS[fault->needs].misfit;
}

enum nbpmu_lvtpc_fault nbpmu_fault_of_lvtpc(const struct nbpmu_fault *fault)
{
    return fault->row ? fault->row->lvtpc : NBPMU_LVTPC_SOUND;
}

uint32_t nbpmu_fault_lvtpc_bits(const struct nbpmu_fault *fault, unsigned *of)
{
    static const uint32_t fields[] = {LVT_VECTOR(0xFF), LVT_DELIVERY_MASK, LVT_MASKED};
    const enum nbpmu_lvtpc_fault lvtpc = nbpmu_fault_of_lvtpc(fault);
    const bool stuck = lvtpc == NBPMU_LVTPC_BIT_STUCK || lvtpc == NBPMU_LVTPC_VECTOR_STUCK;
    *of = fault->to;
    return stuck ? 1u << fault->at : fields[fault->at];
}

/* ---- Families ---- */

bool nbpmu_fault_member(struct fault_member *member, unsigned at, unsigned to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(member->suffix, sizeof member->suffix, format, arguments);
    va_end(arguments);
    member->fault.at = (uint8_t)at;
    member->fault.to = (uint8_t)to;
    return true;
}

bool nbpmu_fault_bit_of(unsigned number, uint64_t bits, struct fault_member *member)
{
    return number < 64 && (bits >> number & 1) && nbpmu_fault_member(member, number, 0, "-%u", number);
}

SHARED_FAMILY(number_below_4, nbpmu_fault_bit_of(number, FIELD_MASK(3, 0), member))

/* Bit number / 2 reads as number % 2 whatever is written, if it is one of these bits. */
bool nbpmu_fault_stuck_bit_of(unsigned number, uint64_t bits, struct fault_member *member)
{
    const unsigned bit = number / 2, value = number % 2;
    return bit < 64 && (bits >> bit & 1) && nbpmu_fault_member(member, bit, value, "-%u-at-%u", bit, value);
}

bool nbpmu_fault_counter(unsigned number, struct fault_member *member)
{
    member->fault.only = (uint8_t)(number + 1);
    return number < PMC_COUNTERS && nbpmu_fault_member(member, number, member->fault.to, "-%u", number);
}

SHARED_FAMILY(counter_of_16, number < 16 && nbpmu_fault_counter(number, member))

/* One value above 1 after another, or a value that falls to 1. */
bool nbpmu_fault_counter_of_several(unsigned number, struct fault_member *member)
{
    if (number >= 8 && number < 12)
        member->unseen = "no workload is known to present such values in this block";
    return nbpmu_fault_counter(number, member);
}

bool nbpmu_fault_two_counters(unsigned n, unsigned other, struct fault_member *member)
{
    member->fault.only = (uint8_t)(n + 1);
    member->fault.other = (uint8_t)(other + 1);
    return nbpmu_fault_member(member, n, other, "-%u-%u", n, other);
}

SHARED_FAMILY(next_counter,
              number < PMC_COUNTERS && nbpmu_fault_two_counters(number, (number + 1) % PMC_COUNTERS, member))

/* Two partners for each counter: the other one of its pair, and a counter of another block. */
bool nbpmu_fault_beside(unsigned number, struct fault_member *member)
{
    const unsigned n = number % PMC_COUNTERS, other = number == n ? n ^ 1 : (n + 7) % PMC_COUNTERS;
    return number < 2 * PMC_COUNTERS && nbpmu_fault_two_counters(n, other, member);
}

/* Returns why software cannot see that this ESCR reaches no counter: it has no event to select, not even one
 * whose absence could be counted (R16, question 11.11). Returns null if software can see it. */
static const char *uncounted(uint32_t msr)
{
    static const uint32_t without_event[] = {MSR_SSU_ESCR0,   MSR_IS_ESCR0,  MSR_IX_ESCR0, MSR_IQ_ESCR0,
                                             MSR_FLAME_ESCR0, MSR_U2L_ESCR0, MSR_CRU_ESCR4};
    for (unsigned i = 0; i < COUNT_OF(without_event); i++)
        if ((msr & ~1u) == without_event[i])
            return "this ESCR has no documented event";
    return (msr & ~1u) == MSR_RAT_ESCR0
               ? "its event only tags, and whether its absence reaches a counter is an open question"
               : NULL;
}

bool nbpmu_fault_escr(unsigned number, struct fault_member *member)
{
    const uint32_t msr = ESCR_MSR(number);
    if (number >= ESCR_INDICES || !nbpmu_escr_exists(msr))
        return false;
    member->unseen = uncounted(msr);
    return nbpmu_fault_member(member, number, member->fault.to, "-%s", nbpmu_escr_name(msr));
}

/* The ESCRs that hold something. */
bool nbpmu_fault_held_escr(unsigned number, struct fault_member *member)
{
    const bool exists = nbpmu_fault_escr(number, member);
    member->unseen = NULL;
    return exists && (ESCR_MSR(number) & ~1u) != MSR_IQ_ESCR0;
}

/* An ESCR that holds something does something to the next one. */
bool nbpmu_fault_next_escr(unsigned number, struct fault_member *member)
{
    unsigned to = number;
    do
        to = (to + 1) % ESCR_INDICES;
    while (!nbpmu_escr_exists(ESCR_MSR(to)) || (ESCR_MSR(to) & ~1u) == MSR_IQ_ESCR0);
    member->fault.to = (uint8_t)to;
    return nbpmu_fault_held_escr(number, member);
}

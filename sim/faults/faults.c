/*
 * The catalogue by name: look-up, list, and which parts a fault applies to.
 */
#include "faults.h"

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

bool nbpmu_fault_set_rate(struct nbpmu_fault *fault, uint32_t once_in, uint32_t seed)
{
    if (!fault->row || once_in < NBPMU_ONCE_IN_LEAST || once_in > NBPMU_ONCE_IN_MOST)
        return false;
    fault->once_in = once_in;
    fault->seed = seed;
    return true;
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

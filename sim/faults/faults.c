/*
 * The fault catalogue by name: look-up, list, and which parts a fault applies to.
 */
#include "catalogue.h"
#include "nbpmu_fault.h"
#include "sim/netburst/private.h"

#include <string.h>
#include "pmc/count_of.h"
#include "pmc/netburst/regs.h"

#define NAME_SIZE 64

/* Called for each fault of the catalogue. Return true to end the walk. */
typedef bool visit_fn(const struct fault_row *row, const char *name, struct nbpmu_fault fault,
                      const struct fault_member *member, void *context);

static struct nbpmu_fault fault_of(const struct fault_row *row, const struct fault_member *member)
{
    return (struct nbpmu_fault){.kind = (uint16_t)row->kind,
                                .lvtpc = (uint8_t)row->lvtpc,
                                .at = member->at,
                                .to = member->to,
                                .condition = member->condition,
                                .needs = (uint8_t)member->part,
                                .keeps_skipping_valid = row->keeps_skipping_valid};
}

/* The members of a family. One that a condition makes needs what its row needs or, if that is nothing, what
 * the condition needs. */
static bool visit_family(const struct fault_row *row, visit_fn *visit, void *context)
{
    for (unsigned i = 0; i < row->family->members; i++) {
        char name[NAME_SIZE];
        struct fault_member member = {row->at, row->to, .part = row->part, .unseen = row->unseen};
        if (!row->family->member(i, &member) || (row->without >> member.condition & 1)) {
            continue;
        }
        snprintf(name, sizeof name, "%s%s", row->name, member.suffix);
        if (visit(row, name, fault_of(row, &member), &member, context)) {
            return true;
        }
    }
    return false;
}

static bool visit_rows(const struct fault_row *rows, size_t count, visit_fn *visit, void *context)
{
    for (const struct fault_row *row = rows; row < rows + count; row++) {
        const struct fault_member itself = {row->at, row->to, .part = row->part, .unseen = row->unseen};
        bool done = row->family ? visit_family(row, visit, context)
                                : visit(row, row->name, fault_of(row, &itself), &itself, context);
        if (done) {
            return true;
        }
    }
    return false;
}

static void visit_all(visit_fn *visit, void *context)
{
    if (!visit_rows(nbpmu_fault_rows, nbpmu_fault_row_count, visit, context)) {
        visit_rows(nbpmu_double_rows, nbpmu_double_row_count, visit, context);
    }
}

struct wanted {
    const char *name;
    struct nbpmu_fault *fault;
    bool found;
};

static bool is_wanted(const struct fault_row *row, const char *name, struct nbpmu_fault fault,
                      const struct fault_member *member, void *context)
{
    struct wanted *wanted = context;
    (void)row;
    (void)member;
    if (strcmp(name, wanted->name) == 0) {
        *wanted->fault = fault;
        wanted->found = true;
    }
    return wanted->found;
}

bool nbpmu_fault_find(const char *name, struct nbpmu_fault *fault)
{
    struct wanted wanted = {name, fault, false};
    visit_all(is_wanted, &wanted);
    return wanted.found;
}

static bool print(const struct fault_row *row, const char *name, struct nbpmu_fault fault,
                  const struct fault_member *member, void *context)
{
    static const char *const needs[] = {
        [PART_ANY] = "",
        [PART_HT] = " (Hyper-Threading)",
        [PART_NO_HT] = " (no Hyper-Threading)",
        [PART_EXTENDED] = " (models 2, 3, 4, 6)",
        [PART_BEFORE_F27] = " (before 0F27)",
    };
    fprintf(context, "%-32s %-4s %s%s%s%s%s%s\n", name, row->rule, row->text, member->text ? " while " : "",
            member->text ? member->text : "", needs[fault.needs], member->unseen ? "; unseen: " : "",
            member->unseen ? member->unseen : "");
    return false;
}

void nbpmu_fault_list(FILE *out)
{
    visit_all(print, out);
}

const char *nbpmu_fault_misfit(const struct nbpmu_fault *fault, const struct nbpmu_part *part)
{
    switch (fault->needs) {
    case PART_HT:
        return part->lps > 1 ? NULL : "it needs Hyper-Threading";
    case PART_NO_HT:
        return part->lps > 1 ? "it needs a part without Hyper-Threading" : NULL;
    case PART_EXTENDED:
        return part->model >= 2 ? NULL : "it needs extended cascading (models 2, 3, 4, 6)";
    case PART_BEFORE_F27:
        return nbpmu_before_f27(part) ? NULL : "it needs a part before 0F27";
    default:
        return NULL;
    }
}

enum nbpmu_lvtpc_fault nbpmu_fault_of_lvtpc(const struct nbpmu_fault *fault)
{
    return fault->lvtpc;
}

unsigned nbpmu_fault_stuck_bit(const struct nbpmu_fault *fault, bool *value)
{
    *value = fault->to;
    return fault->at;
}

uint32_t nbpmu_fault_lvtpc_field(const struct nbpmu_fault *fault, unsigned *lp)
{
    static const uint32_t bits[] = {LVT_VECTOR(0xFF), LVT_DELIVERY_MASK, LVT_MASKED};
    *lp = fault->to;
    return bits[fault->at];
}

#include "visit.h"

#include "engine.h"
#include "sim/events/branch.h"
#include "sim/events/retire.h"

struct visit visit_end(struct processor *processor, const struct block *block, unsigned earlier,
                       uint32_t next)
{
    struct visit visit = {.block = block, .earlier = earlier, .outcome = {.predicted = true}};
    if (block->branch) {
        visit.outcome = branch_resolve(processor, block->branch, (uint32_t)block->branch->tag, next);
        visit.penalty = branch_penalty(processor, block->branch, visit.outcome);
    }
    return visit;
}

void visit_add(struct block_counts *counts, const struct visit *visit)
{
    block_events_add(counts, &visit->block->work);
    if (visit->block->branch)
        block_events_add_branch(counts, visit->block->branch, visit->outcome);
}

void visit_add_open(struct block_counts *open, const struct processor *processor, const struct visit *visit)
{
    const struct block *block = visit->block;
    unsigned twelfths = visit->earlier;
    uint32_t address = block->address;
    for (unsigned i = 1; i <= block->work.instructions; i++) {
        const struct insn *insn = insn_slot(processor->engine->cache, address);
        bool last = i == block->work.instructions;
        block_events_pass(open, processor, insn, twelfths, last ? visit->penalty : 0,
                          last && block->branch ? &visit->outcome : NULL);
        twelfths = (twelfths + insn->twelfths) % TWELFTHS;
        address += insn->length;
    }
}

void visit_replay(struct processor *processor, const struct visit *visit)
{
    const struct block *block = visit->block;
    uint32_t address = block->address;
    for (unsigned i = 1; i <= block->work.instructions; i++) {
        struct insn *insn = insn_slot(processor->engine->cache, address);
        address += insn->length;
        processor->pending = insn;
        retire_look_ahead(processor);
        if (insn == block->branch)
            retire_branch(processor, address, visit->outcome, (uint32_t)visit->penalty);
        else
            retire(processor, address);
    }
}

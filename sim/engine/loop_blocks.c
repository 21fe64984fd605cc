#include "loop_blocks.h"

#include "blocks.h"
#include "engine.h"
#include "fetches.h"
#include "sim/events/branch.h"

static void forget(struct loops *loops, struct block *block)
{
    loop_engine_drop(loops, block->address, block->bytes);
    block->bytes = 0;
}

/* Can its events be added up? */
static bool countable(const struct loops *loops, const struct block *block)
{
    const struct processor *processor = loops->processor;
    bool tags = block->fp && is_counted(processor, EVENT_BIT(NBPMU_INSTR_RETIRED));
    bool modes = block->microcoded && is_counted(processor, EVENT_BIT(NBPMU_TC_DELIVER_MODE));
    return !tags && !modes;
}

static struct block *slot(struct loops *loops, uint32_t address)
{
    return &loops->block[(address ^ address >> 12) % LOOP_BLOCKS];
}

/* Can this block be accounted as a whole? Its entry in the table, null if not. */
static struct block *look_up(struct loops *loops, uint32_t address, uint32_t bytes)
{
    const struct processor *processor = loops->processor;
    struct block *block = slot(loops, address);
    uint64_t code;

    if (block->address == address && block->bytes == bytes &&
        block->generation == blocks_generation(processor->engine->blocks, block) &&
        block->mode_tag == processor->mode_tag)
        return block->barred ? NULL : block;
    if (address > RAM_SIZE - bytes - FETCHES_INSN)
        return NULL;
    if (loops->counts && block->bytes && block->address != address)
        return NULL; /* the other one is still to be added up */
    code = block_hash(processor->ram + address, bytes);
    if (block->address != address || block->bytes != bytes) {
        if (block->bytes)
            forget(loops, block); /* the table is what knows which bytes were translated */
        *block = (struct block){.address = address, .bytes = bytes, .code = code};
    } else if (block->code != code) {
        forget(loops, block);
        return NULL;
    }
    block->mode_tag = processor->mode_tag;
    block_measure(block, processor, bytes);
    bool whole = block->bytes == bytes;
    block->bytes = bytes;
    block->generation = whole ? blocks_generation(processor->engine->blocks, block) : 0;
    return block->generation && !block->barred ? block : NULL;
}

void loop_blocks_add(struct loops *loops, const struct loop_visit *visit)
{
    block_events_add(&loops->events, &visit->block->work);
    if (visit->block->branch)
        block_events_add_branch(&loops->events, visit->block->branch, visit->outcome);
}

/* May this block be executed in this run? As look_up(), and nothing is doubted before the run is over. */
static struct block *admit(struct loops *loops, uint32_t address, uint32_t bytes)
{
    struct block *block = look_up(loops, address, bytes);
    if (!block || block->events & loops->counted || (loops->counts && !countable(loops, block)) ||
        loops->translation.total >= LOOP_CODE)
        return NULL;
    block->run = loops->run;
    return block;
}

/* The events of the block go into the total when no more than LOOP_LAST blocks follow it. */
static void note_visit(struct loops *loops, const struct block *block, unsigned earlier, uint64_t penalty,
                       struct branch_outcome outcome)
{
    struct loop_visit *visit = &loops->last[loops->visits++ % LOOP_LAST];
    if (loops->visits > LOOP_LAST)
        loop_blocks_add(loops, visit);
    *visit = (struct loop_visit){block, earlier, penalty, outcome};
}

/* The block has executed, after which so many twelfths of a clock are spent; next, if not null, executes now.
 */
static inline void pass(struct loops *loops, const struct block *block, uint64_t spent, struct block *next)
{
    loops->spent = spent;
    loops->instructions += block->work.instructions;
    loops->tc_mode = block->tc_mode;
    loops->branch = block->branch;
    loops->current = next;
}

void loop_blocks_account(struct loops *loops, uint32_t next)
{
    struct processor *processor = loops->processor;
    const struct block *block = loops->current;
    struct branch_outcome outcome = {.predicted = true};
    uint64_t penalty = 0;
    if (block->branch) {
        outcome = branch_resolve(processor, block->branch, (uint32_t)block->branch->tag, next);
        if (!outcome.predicted)
            penalty = branch_penalty(processor, block->branch, outcome);
    }
    if (loops->counts)
        note_visit(loops, block, loops->spent % TWELFTHS, penalty, outcome);
    pass(loops, block, loops->spent + block->twelfths + penalty * TWELFTHS, NULL);
}

/* The short cut of a loop: a block whose branch is predicted to go where it went before has executed, and the
 * block there is known, too. */
static bool pass_known(struct loops *loops, uint32_t address, uint32_t bytes)
{
    const struct block *block = loops->current;
    struct block *next = block ? block->successor : NULL;
    if (!next || next->run != loops->run || next->address != address || next->bytes != bytes ||
        loops->counts || loops->failed || loops->translation.cuts || loops->stores > LOOP_STORES / 2)
        return false;
    uint64_t spent = loops->spent + block->twelfths;
    if (spent + next->twelfths >= loops->budget)
        return false;
    const struct insn *branch = block->branch;
    if (branch && branch->branch != BRANCH_JUMP &&
        (branch->branch != BRANCH_CONDITIONAL ||
         !predictor_is_sure(&loops->processor->predictor, (uint32_t)branch->tag,
                            address != block->address + block->bytes)))
        return false;
    pass(loops, block, spent, next);
    return true;
}

static __attribute__((noinline)) void follow(struct loops *loops, uint32_t address, uint32_t bytes)
{
    struct block *before = loops->current;
    fetches_end_cut(&loops->translation, loops->uc);
    if (loops->leaving || loops->failed)
        return;
    if (before)
        loop_blocks_account(loops, address);
    struct block *block = slot(loops, address);
    if (block->run != loops->run || block->address != address || block->bytes != bytes)
        block = admit(loops, address, bytes);
    if (!block || loops->spent + block->twelfths >= loops->budget || loops->stores > LOOP_STORES / 2) {
        loops->leaving = true;
        loops->left_at = address;
        uc_emu_stop(loops->uc);
        return;
    }
    if (before)
        before->successor = block;
    loops->current = block;
}

void loop_blocks_next(struct loops *loops, uint32_t address, uint32_t bytes)
{
    if (!pass_known(loops, address, bytes))
        follow(loops, address, bytes);
}

/* The events of a retired branch, by its direction, its kind and whether it was predicted. */
#include "events.h"

#include "sim/cpu/registers.h"
#include "pmc/count_of.h"

#define EFLAGS_CF (1u << 0)
#define EFLAGS_PF (1u << 2)
#define EFLAGS_ZF (1u << 6)
#define EFLAGS_SF (1u << 7)
#define EFLAGS_OF (1u << 11)

/* What kind of branch it is: the members of retired_branch_type, as mask bits; none for a far transfer. */
static unsigned branch_types(const struct insn *insn)
{
    static const uint8_t TYPES[] = {
        [BRANCH_CONDITIONAL] = 1u << TYPE_CONDITIONAL,
        [BRANCH_JUMP] = 1u << TYPE_UNCONDITIONAL,
        [BRANCH_CALL] = 1u << TYPE_CALL,
        [BRANCH_RETURN] = 1u << TYPE_RETURN | 1u << TYPE_INDIRECT,
        [BRANCH_INDIRECT_CALL] = 1u << TYPE_CALL | 1u << TYPE_INDIRECT,
        [BRANCH_INDIRECT_JUMP] = 1u << TYPE_INDIRECT,
    };
    return insn->branch < COUNT_OF(TYPES) ? TYPES[insn->branch] : 0;
}

/* Was the condition true? The flags are still those of the branch, and LOOP has already decremented ECX. */
static bool condition_holds(const struct processor *processor, unsigned condition)
{
    uint32_t flags = processor_get(processor, UC_X86_REG_EFLAGS);
    uint32_t count = processor_get(processor, UC_X86_REG_ECX);
    bool zero = flags & EFLAGS_ZF, less = !(flags & EFLAGS_SF) != !(flags & EFLAGS_OF);
    const bool even[] = {flags & EFLAGS_OF, flags & EFLAGS_CF, zero, flags & (EFLAGS_CF | EFLAGS_ZF),
                         flags & EFLAGS_SF, flags & EFLAGS_PF, less, zero || less};
    switch (condition) {
    case CONDITION_LOOPNE:
        return count != 0 && !zero;
    case CONDITION_LOOPE:
        return count != 0 && zero;
    case CONDITION_LOOP:
        return count != 0;
    case CONDITION_JCXZ:
        return count == 0;
    default: /* an odd condition negates the even one before it */
        return even[condition / 2] != (condition % 2 != 0);
    }
}

/* The next address says whether it was taken, unless the target is the following instruction. */
static bool was_taken(const struct processor *processor, const struct insn *insn, uint32_t address,
                      uint32_t next)
{
    if (insn->branch != BRANCH_CONDITIONAL)
        return true;
    if (insn->target == address + insn->length)
        return condition_holds(processor, insn->condition);
    return next != address + insn->length;
}

struct branch_outcome branch_resolve(struct processor *processor, const struct insn *insn, uint32_t address,
                                     uint32_t next)
{
    bool taken = was_taken(processor, insn, address, next);
    bool predicted = predictor_resolve(&processor->predictor, insn, address, next, taken);
    return (struct branch_outcome){.taken = taken, .predicted = predicted};
}

/* The cost of a far transfer includes that it is not predicted. */
uint32_t branch_penalty(struct processor *processor, const struct insn *insn, struct branch_outcome outcome)
{
    return outcome.predicted || insn->branch == BRANCH_FAR ? 0
                                                           : timing_draw(processor->timing, COST_MISPREDICT);
}

void branch_events_post(const struct processor *processor, const struct insn *insn,
                        struct branch_outcome outcome)
{
    unsigned types = branch_types(insn);

    bool again = processor->variants->built_branches_again && processor->just_decoded &&
                 insn->branch == BRANCH_CONDITIONAL; /* F17 */
    post(processor, NBPMU_BRANCH_RETIRED, MMNP + !outcome.predicted + 2 * outcome.taken, 1);
    if (types)
        post_mask(processor, NBPMU_RETIRED_BRANCH_TYPE, types, again ? 2 : 1);
    if (outcome.predicted)
        return;
    post(processor, NBPMU_MISPRED_BRANCH_RETIRED, NBOGUS, 1);
    if (types)
        post_mask(processor, NBPMU_RETIRED_MISPRED_BRANCH_TYPE, types, 1);
}

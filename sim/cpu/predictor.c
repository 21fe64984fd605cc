/*
 * Prediction of one branch at a time, and what is learnt from it.
 */
#include "processor.h"

static bool conditional(struct predictor *predictor, const struct insn *insn, uint32_t address, bool taken)
{
    uint8_t *counter = &predictor->counter[address % PREDICTOR_COUNTERS];
    if (*counter == PREDICTOR_UNSEEN)
        *counter = insn->target <= address ? PREDICTOR_WEAK_TAKEN : PREDICTOR_WEAK_NOT;
    bool predicted = *counter >= PREDICTOR_WEAK_TAKEN;
    if (taken && *counter < PREDICTOR_STRONG_TAKEN)
        ++*counter;
    else if (!taken && *counter > PREDICTOR_STRONG_NOT)
        --*counter;
    return predicted == taken;
}

static bool indirect(struct predictor *predictor, uint32_t address, uint32_t next)
{
    uint32_t *target = &predictor->target[address % PREDICTOR_TARGETS];
    bool right = *target == next;
    *target = next;
    return right;
}

static void push_return(struct predictor *predictor, uint32_t address)
{
    predictor->top = (predictor->top + 1) % PREDICTOR_RETURNS;
    predictor->returns[predictor->top] = address;
}

static bool pop_return(struct predictor *predictor, uint32_t next)
{
    bool right = predictor->returns[predictor->top] == next;
    predictor->top = (predictor->top + PREDICTOR_RETURNS - 1) % PREDICTOR_RETURNS;
    return right;
}

bool predictor_resolve(struct predictor *predictor, const struct insn *insn, uint32_t address, uint32_t next,
                       bool taken)
{
    switch (insn->branch) {
    case BRANCH_CONDITIONAL:
        return conditional(predictor, insn, address, taken);
    case BRANCH_JUMP:
        return true;
    case BRANCH_CALL:
        push_return(predictor, address + insn->length);
        return true;
    case BRANCH_INDIRECT_CALL:
        push_return(predictor, address + insn->length);
        return indirect(predictor, address, next);
    case BRANCH_INDIRECT_JUMP:
        return indirect(predictor, address, next);
    case BRANCH_RETURN:
        return pop_return(predictor, next);
    default:
        return false;
    }
}

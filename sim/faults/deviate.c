/*
 * What the result of a stage becomes by a deviation, by the type of the result; and the numbers by which
 * faults and register programs are drawn.
 */
#include "faults.h"

bool nbpmu_deviating_truth(const struct nbpmu_composition *composition, bool sound)
{
    switch (deviation_of(composition)) {
    case DEVIATION_NEVER:
        return false;
    case DEVIATION_ALWAYS:
        return true;
    case DEVIATION_INVERTED:
        return !sound;
    default:
        return sound;
    }
}

uint64_t nbpmu_deviating_number(const struct nbpmu_composition *composition, uint64_t sound)
{
    const unsigned width = nbpmu_fault_stages[stage_of(composition)].width;
    const uint64_t most = FIELD_MASK64(width - 1, 0), bits = nbpmu_fault_bits(composition);
    switch (deviation_of(composition)) {
    case DEVIATION_ZERO:
        return sound & ~bits;
    case DEVIATION_PLUS_1:
        return sound || stage_of(composition) == STAGE_THRESHOLD ? (sound + 1) & most : 0;
    case DEVIATION_MINUS_1:
        return sound ? sound - 1 : 0;
    case DEVIATION_TWICE:
        return 2 * sound;
    case DEVIATION_HALF:
        return sound / 2;
    case DEVIATION_BIT_0:
        return sound & ~bits;
    case DEVIATION_BIT_1:
        return sound | bits;
    case DEVIATION_BIT_INVERTED:
        return sound ^ bits;
    case DEVIATION_AT_MOST:
        return sound > composition->amount ? composition->amount : sound;
    default:
        return sound;
    }
}

static uint64_t highest_bit(uint64_t bits)
{
    while (bits & (bits - 1))
        bits &= bits - 1;
    return bits;
}

uint64_t nbpmu_deviating_set(const struct nbpmu_composition *composition, uint64_t sound)
{
    const unsigned width = nbpmu_fault_stages[stage_of(composition)].width;
    const uint64_t most = FIELD_MASK64(width - 1, 0), bits = nbpmu_fault_bits(composition);
    const uint64_t even = 0x5555555555555555;
    switch (deviation_of(composition)) {
    case DEVIATION_NONE:
        return 0;
    case DEVIATION_ALL:
        return most;
    case DEVIATION_WITHOUT_BIT:
        return sound & ~bits;
    case DEVIATION_WITH_BIT:
        return sound | bits;
    case DEVIATION_SHIFTED:
        return sound << 1 & most;
    case DEVIATION_LOWEST:
        return sound & -sound;
    case DEVIATION_HIGHEST:
        return highest_bit(sound);
    case DEVIATION_SWAPPED:
        return ((sound & even) << 1 | (sound >> 1 & even)) & most;
    default:
        return sound;
    }
}

/* Of `limit` indices; `limit` itself stands for none. */
unsigned nbpmu_deviating_index(const struct nbpmu_composition *composition, unsigned sound, unsigned limit)
{
    switch (deviation_of(composition)) {
    case DEVIATION_NONE:
        return limit;
    case DEVIATION_NEIGHBOUR:
        return (sound ^ 1) < limit ? sound ^ 1 : sound;
    case DEVIATION_NEXT:
        return (sound + 1) % limit;
    default:
        return sound;
    }
}

uint64_t nbpmu_deviating_register(const struct nbpmu_composition *composition, uint64_t before,
                                  uint64_t value)
{
    const uint64_t bits = nbpmu_fault_bits(composition);
    switch (deviation_of(composition)) {
    case DEVIATION_NOT_KEPT:
        return value & ~bits;
    case DEVIATION_NOT_WRITTEN:
        return (value & ~bits) | (before & bits);
    case DEVIATION_NOT_CLEARED:
        return value | (before & bits);
    case DEVIATION_BIT_1:
        return value | bits;
    case DEVIATION_SIGN_EXTENDED:
        return (uint64_t)(int64_t)(int32_t)value;
    default:
        return value;
    }
}

/* ---- Drawn numbers (splitmix64) ---- */

uint64_t nbpmu_drawn_bits(uint64_t *state)
{
    uint64_t bits = *state += 0x9E3779B97F4A7C15;
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EB;
    return bits ^ bits >> 31;
}

uint32_t nbpmu_drawn_below(uint64_t *state, uint32_t limit)
{
    return (uint32_t)(nbpmu_drawn_bits(state) % limit);
}

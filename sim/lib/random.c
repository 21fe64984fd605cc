/* Pseudo-random numbers that depend on a seed alone, not on the host. */
#include "random.h"

struct random random_of_seed(uint32_t seed)
{
    return (struct random){0x9E3779B97F4A7C15ull ^ (uint64_t)seed << 16 ^ seed};
}

uint64_t random_bits(struct random *random)
{
    random->state ^= random->state >> 12;
    random->state ^= random->state << 25;
    random->state ^= random->state >> 27;
    return random->state * 0x2545F4914F6CDD1Dull;
}

uint32_t random_below(struct random *random, uint32_t limit)
{
    return (uint32_t)((random_bits(random) >> 32) * limit >> 32);
}

uint64_t random_log_uniform(struct random *random, unsigned least_log2, unsigned most_log2)
{
    unsigned log2 = least_log2 + random_below(random, most_log2 - least_log2);
    return (1ull << log2) + random_below(random, 1u << log2);
}

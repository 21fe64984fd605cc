/*
 * Families of the fault catalogue whose members are two counters, or a counter and a bit of its CCCR or of
 * its increment.
 */
#include "catalogue.h"

#include <stdio.h>
#include "sim/netburst/private.h"

static void name(struct fault_member *member, const char *format, unsigned first, unsigned second)
{
    /* A format with one number leaves the second unused. */
    /* cppcheck-suppress wrongPrintfScanfArgNum */
    snprintf(member->suffix, sizeof member->suffix, format, first, second);
}

/* Two partners for each counter: the other one of its pair, and one of another block. */
static bool beside(unsigned number, struct fault_member *member)
{
    unsigned n = number % PMC_COUNTERS;
    member->at = (uint8_t)n;
    member->to = (uint8_t)(number < PMC_COUNTERS ? n ^ 1 : (n + 7) % PMC_COUNTERS);
    name(member, "-%u-%u", member->at, member->to);
    return true;
}

/* Two counters of one ESCR: the pairs, and 16 and 17 with the first of theirs. */
static bool twins(unsigned number, struct fault_member *member)
{
    member->at = (uint8_t)(2 * number);
    member->to = (uint8_t)(2 * number + 1);
    if (number >= 8) {
        member->at = (uint8_t)(8 + number);
        member->to = (uint8_t)(12 + 2 * (number - 8));
    }
    name(member, "-%u-%u", member->at, member->to);
    return true;
}

/* Counters whose block has events on several ESCRs of their side, each with a number that is known. */
static bool paired(unsigned number, struct fault_member *member)
{
    member->at = (uint8_t)(number + 4);
    name(member, "-%u", member->at, 0);
    return true;
}

static bool bit_of_counter(unsigned n, unsigned bit, struct fault_member *member)
{
    member->at = (uint8_t)n;
    member->to = (uint8_t)bit;
    name(member, "-%u-bit-%u", n, bit);
    return true;
}

static bool threshold_bit(unsigned number, struct fault_member *member)
{
    return bit_of_counter(number / 4, number % 4, member);
}

static bool threshold_of_a_bit(unsigned number, struct fault_member *member)
{
    return bit_of_counter(number, number % 4, member);
}

/* Bits 0 and 1 of four, and all of counters 2 and 3: only they reach events that present more than 3 in a
 * clock. */
static bool increment_bit(unsigned number, struct fault_member *member)
{
    unsigned n = number / 4, bit = number % 4;
    return (bit < 2 || n == 2 || n == 3) && bit_of_counter(n, bit, member);
}

/* A bit of the adder for each counter: another one for each, from 6 to 39. */
static bool counter_carry(unsigned number, struct fault_member *member)
{
    member->at = (uint8_t)(6 + 11 * number % 34);
    member->to = (uint8_t)number;
    name(member, "-%u-bit-%u", number, member->at);
    return true;
}

static bool third_carry(unsigned number, struct fault_member *member)
{
    member->at = (uint8_t)(1 + 3 * number);
    member->to = EVERY_COUNTER;
    name(member, "-%u", member->at, 0);
    return true;
}

/* The counters of the BPU block can count so many clocks that rarer losses show. */
static bool counter_losing(unsigned number, struct fault_member *member)
{
    member->at = number < 4 ? 23 : 14;
    member->to = (uint8_t)number;
    name(member, "-on-%u", number, 0);
    return true;
}

const struct fault_family nbpmu_every_beside = {2 * PMC_COUNTERS, beside};
const struct fault_family nbpmu_every_paired = {12, paired};
const struct fault_family nbpmu_every_twins = {10, twins};
const struct fault_family nbpmu_every_threshold_bit = {4 * PMC_COUNTERS, threshold_bit};
const struct fault_family nbpmu_every_threshold_of_a_bit = {PMC_COUNTERS, threshold_of_a_bit};
const struct fault_family nbpmu_every_increment_bit = {4 * PMC_COUNTERS, increment_bit};
const struct fault_family nbpmu_every_counter_carry = {PMC_COUNTERS, counter_carry};
const struct fault_family nbpmu_every_third_carry = {COUNTER_BITS / 3, third_carry};
const struct fault_family nbpmu_every_counter_losing = {PMC_COUNTERS, counter_losing};

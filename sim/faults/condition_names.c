/*
 * The conditions of the faults in pairs by name, and the family of all of them.
 */
#include "catalogue.h"

#include <stdio.h>
#include "pmc/count_of.h"

/* What follows "while" in the name of a fault and in its description. */
static const struct {
    const char *name, *text;
    enum nbpmu_fault_part part;
} CONDITIONS[] = {
    [WHILE_ALWAYS] = {"", "", PART_ANY},
    [WHILE_COMPARE] = {"compare", "its CCCR has COMPARE", PART_ANY},
    [WHILE_COMPLEMENT] = {"complement", "its CCCR has COMPLEMENT", PART_ANY},
    [WHILE_THRESHOLD] = {"threshold", "its CCCR has a threshold above 0", PART_ANY},
    [WHILE_EDGE] = {"edge", "its CCCR has EDGE", PART_ANY},
    [WHILE_FORCE_OVF] = {"force-ovf", "its CCCR has FORCE_OVF", PART_ANY},
    [WHILE_PMI_T0] = {"pmi-t0", "its CCCR has OVF_PMI_T0", PART_ANY},
    [WHILE_PMI_T1] = {"pmi-t1", "its CCCR has OVF_PMI_T1", PART_HT},
    [WHILE_CASCADE] = {"cascade", "its CCCR has CASCADE", PART_ANY},
    [WHILE_BIT_11] = {"bit-11", "its CCCR has bit 11", PART_EXTENDED},
    [WHILE_GATED] = {"gated", "its ACTIVE_THREAD is not 11B", PART_HT},
    [WHILE_OVF] = {"ovf", "its OVF is set", PART_ANY},
    [WHILE_OS_ALONE] = {"os-alone", "its ESCR has OS without USR", PART_ANY},
    [WHILE_USR_ALONE] = {"usr-alone", "its ESCR has USR without OS", PART_ANY},
    [WHILE_T1_ALONE] = {"t1-alone", "its ESCR has T1 without T0 flags", PART_HT},
    [WHILE_STARTED] = {"started", "a cascade has started it", PART_ANY},
    [WHILE_AWAITED] = {"awaited", "another counter waits for its overflow", PART_ANY},
    [WHILE_NEGATIVE] = {"negative", "its bit 39 is 1", PART_ANY},
    [WHILE_POSITIVE] = {"positive", "its bit 39 is 0", PART_ANY},
    [WHILE_ESCR_SHARED] = {"escr-shared", "another counter counts by its ESCR", PART_ANY},
    [WHILE_PARTNER_OVF] = {"partner-ovf", "OVF of its cascade partner is set", PART_ANY},
    [WHILE_BLOCK_OVF] = {"block-ovf", "OVF of another counter of its block is set", PART_ANY},
    [WHILE_FOREIGN_OVF] = {"foreign-ovf", "OVF of a counter of another block is set", PART_ANY},
    [WHILE_OVERFLOWS_MEET] = {"overflows-meet", "another counter overflows in this clock", PART_ANY},
    [WHILE_SEVERAL] = {"several", "its ESCR has several occurrences in this clock", PART_ANY},
    [WHILE_LP1_ACTIVE] = {"lp1-active", "LP1 is active", PART_HT},
    [WHILE_LP_HALTED] = {"lp-halted", "a logical processor is halted", PART_HT},
    [WHILE_ABOVE_CPL_0] = {"above-cpl-0", "a logical processor is above CPL 0", PART_ANY},
};

_Static_assert(COUNT_OF(CONDITIONS) == FAULT_CONDITIONS, "every condition has a name");

static bool condition(unsigned number, struct fault_member *member)
{
    if (number == WHILE_ALWAYS) {
        return false; /* faults that need no second feature have rows of their own */
    }
    member->condition = (uint8_t)number;
    member->part = member->part == PART_ANY ? CONDITIONS[number].part : member->part;
    member->text = CONDITIONS[number].text;
    snprintf(member->suffix, sizeof member->suffix, "-while-%s", CONDITIONS[number].name);
    return true;
}

const struct fault_family nbpmu_every_condition = {FAULT_CONDITIONS, condition};

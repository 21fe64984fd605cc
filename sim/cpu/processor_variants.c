/*
 * The variants by name. To add one: a member of struct processor_variants, a row here, and the behaviour
 * where the event is made.
 */
#include "models.h"

#include <string.h>
#include "pmc/count_of.h"

struct variant {
    const char *name, *meaning;
    size_t member; /* offset of the bool in struct processor_variants */
};

#define VARIANT(name, member, meaning)                             \
    {                                                              \
        name, meaning, offsetof(struct processor_variants, member) \
    }

/* clang-format off */
static const struct variant VARIANTS[] = {
    VARIANT("tc-ms-xfer-once",   tc_ms_xfer_once,   "tc_ms_xfer counts a transfer once (F15)"),
    VARIANT("smclear-repeats",   smclear_repeats,   "a store into code makes 1 to 3 machine clears (F18)"),
    VARIANT("smc-by-change",     smc_by_change,     "self-modifying is only a store that changes code, not one near it (F18)"),
    VARIANT("firm-replays",      firm_replays,      "FIRM uops that wait for a load count 1 to 3 times (F11)"),
    VARIANT("split-twice",       split_twice,       "events of split accesses count each access twice"),
    VARIANT("ioq-retries",       ioq_retries,       "IOQ_allocation counts every retry (F17)"),
    VARIANT("halt-glitches",     halt_glitches,     "extra clocks and edges of RUNNING on the way into HLT (F22)"),
    VARIANT("doubled-on-6-only", doubled_on_6_only, "instr_retired doubles the instructions of E13 on model 6 alone (F8)"),
    VARIANT("built-branches-again", built_branches_again, "a conditional branch in a new trace counts twice by type (F17)"),
    VARIANT("from-rom-incomplete", from_rom_incomplete, "uop_queue_writes FROM_ROM does not count every uop (F16)"),
    VARIANT("no-resource-stall", no_resource_stall, "resource_stall does not count on models 0 and 1 (F20)"),
    VARIANT("fetch-by-line",     fetch_by_line,     "BPU_fetch_request counts lines of new code, not instructions (F17)"),
    VARIANT("core-below-tsc",    core_below_tsc,    "from model 3 on the core clock is four fifths of the TSC's (F23)"),
};
/* clang-format on */

_Static_assert(sizeof(struct processor_variants) == COUNT_OF(VARIANTS) * sizeof(bool),
               "every variant has a name");

bool processor_set_variant(struct processor_variants *variants, const char *name)
{
    for (size_t i = 0; i < COUNT_OF(VARIANTS); i++) {
        if (strcmp(VARIANTS[i].name, name) == 0) {
            *(bool *)((char *)variants + VARIANTS[i].member) = true;
            return true;
        }
    }
    return false;
}

const char *processor_variant_name(unsigned index, const char **meaning)
{
    if (index >= COUNT_OF(VARIANTS))
        return NULL;
    *meaning = VARIANTS[index].meaning;
    return VARIANTS[index].name;
}

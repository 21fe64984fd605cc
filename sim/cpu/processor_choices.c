/*
 * The choices by name. To add one: a member of struct processor_choices, a row here, and the behaviour where
 * the event is made.
 */
#include "processor_choices.h"

#include <stddef.h>
#include <string.h>
#include "pmc/count_of.h"

struct choice {
    const char *name, *meaning;
    size_t member; /* offset of the bool in struct processor_choices */
};

#define CHOICE(name, member, meaning)                             \
    {                                                             \
        name, meaning, offsetof(struct processor_choices, member) \
    }

/* clang-format off */
static const struct choice CHOICES[] = {
    CHOICE("tc-ms-xfer-twice",  tc_ms_xfer_twice,  "tc_ms_xfer counts a transfer twice (F15)"),
    CHOICE("replay-needs-pebs", replay_needs_pebs, "replay tagging needs the PEBS enable, bit 25 of 3F1H (F35)"),
};
/* clang-format on */

_Static_assert(sizeof(struct processor_choices) == COUNT_OF(CHOICES) * sizeof(bool),
               "every choice has a name");

bool processor_choose(struct processor_choices *choices, const char *name)
{
    for (size_t i = 0; i < COUNT_OF(CHOICES); i++) {
        if (strcmp(CHOICES[i].name, name) == 0) {
            *(bool *)((char *)choices + CHOICES[i].member) = true;
            return true;
        }
    }
    return false;
}

const char *processor_choice_name(unsigned index, const char **meaning)
{
    if (index >= COUNT_OF(CHOICES))
        return NULL;
    *meaning = CHOICES[index].meaning;
    return CHOICES[index].name;
}

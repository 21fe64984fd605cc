/*
 * Notes what is in use while a vector runs, for the fields `counters`, `escrs` and `setting` of a failed
 * point.
 */
#include "setting.h"

#include <stdbool.h>

#include "kernel/lib/lib.h"
#include "machine.h"
#include "pmc/count_of.h"

static struct setting now;
static uint32_t of_counters; /* words that a counter was noted with */

void setting_begin(void)
{
    now = (struct setting){0, 0, 0};
    of_counters = 0;
}

void setting_measure(void)
{
    now.words &= ~of_counters;
    now.counters = of_counters = 0;
    now.escrs = 0;
}

void setting_only(uint32_t words)
{
    now = (struct setting){0, 0, words};
    of_counters = words;
}

void setting_counter(const struct pmc_programming *p)
{
    const uint64_t escr = 1ull << (pmc_escr_at(p->escr_msr) - PMC_ESCR);
    const uint32_t words = setting_of_cccr(p->cccr) | setting_of_escr(p->escr) |
                           (now.escrs & escr && !(now.counters >> p->counter & 1) ? SETTING_SHARED : 0);

    of_counters |= words & ~now.words;
    now.words |= words;
    now.counters |= 1u << p->counter;
    now.escrs |= escr;
}

void setting_use(uint32_t words)
{
    now.words |= words;
    of_counters &= ~words;
}

const struct setting *setting_now(void)
{
    return &now;
}

uint32_t setting_of_cccr(uint32_t cccr)
{
    static const uint32_t BITS[] = {/* in the order of the words */
                                    CCCR_COMPARE,    CCCR_COMPLEMENT, CCCR_THRESHOLD_MASK,
                                    CCCR_EDGE,       CCCR_FORCE_OVF,  CCCR_OVF_PMI_T0,
                                    CCCR_OVF_PMI_T1, CCCR_CASCADE,    CCCR_CASCNT};
    uint32_t words =
        cccr && machine_cpu.ht && CCCR_GET_ACTIVE_THREAD(cccr) != ACTIVE_ANY ? SETTING_ACTIVE_THREAD : 0;

    for (unsigned i = 0; i < COUNT_OF(BITS); i++)
        words |= cccr & BITS[i] ? 1u << i : 0;
    return words;
}

uint32_t setting_of_escr(uint32_t escr)
{
    const uint32_t flags = escr & ESCR_CPL_MASK, os = ESCR_T0_OS | ESCR_T1_OS,
                   tags = escr & ESCR_TAG_ENABLE ? SETTING_TAGS : 0;

    if (escr == 0)
        return 0;
    if (flags == 0)
        return tags | SETTING_NO_FLAGS;
    return tags |
           (!(flags & os)    ? SETTING_USR_ALONE
            : !(flags & ~os) ? SETTING_OS_ALONE
                             : 0) |
           (flags & ESCR_T0_ALL || !machine_cpu.ht ? 0 : SETTING_T1_ALONE);
}

void setting_name(uint32_t words, char out[SETTING_TEXT])
{
#define SETTING_WORD(name, word) word "\0"
    static const char WORDS[] = SETTINGS(SETTING_WORD);
    size_t length = 0;

    out[0] = '\0';
    for (const char *word = WORDS; words; words >>= 1) {
        if (words & 1)
            length += format(out + length, SETTING_TEXT - length, length ? " %s" : "%s", word);
        while (*word++)
            continue;
    }
}

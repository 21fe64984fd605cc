/*
 * The map of pmc/netburst/map.h against the model's own statement of it, and against structure laws of the
 * pmu-rules 2.1 to 2.3.
 */
#include <stdio.h>
#include <string.h>
#include "tests/host/support/host_test.h"
#include "pmc/netburst/map.h"
#include "sim/netburst/nbpmu.h"

/* ---- Two independent tables agree ---- */

TEST(routes_agree_with_the_model)
{
    unsigned mapped = 0;
    for (unsigned counter = 0; counter < PMC_COUNTERS; counter++) {
        for (unsigned select = 0; select < 8; select++) {
            const struct pmc_escr *escr = pmc_escr_for(counter, select);
            assert_int_equal(escr ? escr->msr : 0, nbpmu_escr_route(counter, select));
            mapped += escr != NULL;
        }
    }
    /* pmu-rules 2.2: 4 x 8 in BPU, 4 x 3 in MS, 4 x 5 in FLAME, 3 x 7 and 3 x 6 in IQ. */
    assert_int_equal(mapped, 32 + 12 + 20 + 21 + 18);
}

static struct nbpmu *model(uint8_t number, bool alt17_is_13)
{
    const struct nbpmu_part part = {.model = number, .stepping = 3, .lps = 2};
    const struct nbpmu_variants variants = {.alt17_is_13 = alt17_is_13};
    struct nbpmu *pmu = nbpmu_new(&part, &variants);
    assert_non_null(pmu);
    return pmu;
}

TEST(cascades_agree_with_the_model)
{
    struct nbpmu *p = model(4, false), *m = model(4, true);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        const struct pmc_counter *c = &PMC_COUNTER[n];
        int other = c->cascade_from_alternative == PMC_NONE ? c->cascade_from : c->cascade_from_alternative;
        assert_int_equal(c->cascade_from, nbpmu_cascade_source(p, n));
        assert_int_equal(other, nbpmu_cascade_source(m, n));
        assert_int_equal(c->extended_from, nbpmu_extended_source(p, n));
    }
    nbpmu_free(p);
    nbpmu_free(m);
}

static void keep_line(void *line, const char *text)
{
    strncpy(line, text, 79);
}

/* A trace line of the model has name, address, and what 0F43H keeps of a write of ones (pmu-rules 2.3, 3.4).
 */
TEST(escrs_agree_with_the_model)
{
    struct nbpmu *pmu = model(4, false);
    char line[80] = "", expected[80];
    nbpmu_set_trace(pmu, keep_line, line);
    for (unsigned i = 0; i < PMC_ESCRS; i++) {
        const struct pmc_escr *e = &PMC_ESCR[i];
        assert_true(nbpmu_wrmsr(pmu, 0, e->msr, 0x7FFFFFFF));
        snprintf(expected, sizeof expected, "%s (%03XH) := %08XH ", e->name + strlen("MSR_"), e->msr,
                 e->f43_mask);
        assert_memory_equal(line, expected, strlen(expected));
        /* pmu-rules 1.1: IQ_ESCR0/1 on models 0 to 2 only. */
        assert_int_equal(e->last_model, (e->msr & ~1u) == MSR_IQ_ESCR0 ? 2 : 0x0F);
    }
    nbpmu_free(pmu);
}

/* ---- Laws ---- */

TEST(addresses_are_distinct_and_ascending)
{
    for (unsigned i = 0; i + 1 < PMC_ESCRS; i++)
        assert_true(PMC_ESCR[i].msr < PMC_ESCR[i + 1].msr);
    assert_int_equal(PMC_ESCR[0].msr, 0x3A0);
    assert_int_equal(PMC_ESCR[PMC_ESCRS - 1].msr, 0x3E1);
    for (unsigned i = 0; i < PMC_ESCRS; i++)
        assert_ptr_equal(pmc_escr_at(PMC_ESCR[i].msr), &PMC_ESCR[i]);
    assert_null(pmc_escr_at(0x3BF));
    assert_null(pmc_escr_at(0));
    assert_null(pmc_escr_for(PMC_COUNTERS, 0));
    assert_null(pmc_escr_for(UINT32_MAX, 0));
    assert_null(pmc_escr_for(0, 8));
}

/* Counters of side 0 select ESCRs of side 0, and no ESCR is selected by two blocks (pmu-rules 2.2). */
TEST(an_escr_feeds_one_side_of_one_block)
{
    for (unsigned i = 0; i < PMC_ESCRS; i++) {
        const struct pmc_escr *escr = &PMC_ESCR[i];
        assert_int_equal(escr->side, escr->msr & 1);
        assert_int_equal(escr->name[strlen(escr->name) - 1] & 1, escr->side);
        assert_int_equal(escr->counter_count, escr->block == BLOCK_IQ ? 3 : 2);
        for (unsigned k = 0; k < escr->counter_count; k++) {
            const struct pmc_counter *c = &PMC_COUNTER[escr->counters[k]];
            assert_int_equal(c->block, escr->block);
            assert_int_equal(c->side, escr->side);
            assert_ptr_equal(pmc_escr_for(c->number, escr->select), escr);
            assert_true(k == 0 || escr->counters[k - 1] < escr->counters[k]);
        }
    }
}

TEST(counters_are_in_flat_order)
{
    static const char *const prefix[] = {"MSR_BPU_", "MSR_MS_", "MSR_FLAME_", "MSR_IQ_"};
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        const struct pmc_counter *c = &PMC_COUNTER[n];
        unsigned block = n < 12 ? n / 4 : BLOCK_IQ;
        char name[40];
        assert_int_equal(c->number, n);
        assert_int_equal(c->block, block);
        snprintf(name, sizeof name, "%sCOUNTER%u", prefix[block], n - 4 * block);
        assert_string_equal(c->counter_name, name);
        snprintf(name, sizeof name, "%sCCCR%u", prefix[block], n - 4 * block);
        assert_string_equal(c->cccr_name, name);
    }
}

/* R35 and Table 18-65; the bit's name holds the IQ-relative numbers of both. */
TEST(extended_cascade_partners)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        const struct pmc_counter *c = &PMC_COUNTER[n];
        if (c->extended_from == PMC_NONE) {
            assert_null(c->extended_name);
            continue;
        }
        char name[16];
        snprintf(name, sizeof name, "CASCNT%dINTO%u", c->extended_from - 12, n - 12);
        assert_string_equal(c->extended_name, name);
    }
}

/*
 * The map of pmc/netburst/map.h against the model's own statement of it, against structure laws of the
 * pmu-rules 2.1 to 2.3, and against rows typed by hand.
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

/* ---- Laws ---- */

TEST(addresses_are_distinct_and_ascending)
{
    for (unsigned i = 0; i + 1 < PMC_ESCRS; i++)
        assert_true(PMC_ESCR[i].msr < PMC_ESCR[i + 1].msr);
    assert_int_equal(PMC_ESCR[0].msr, 0x3A0);
    assert_int_equal(PMC_ESCR[PMC_ESCRS - 1].msr, 0x3E1);
    for (unsigned i = 0; i < PMC_ESCRS; i++) {
        /* pmu-rules 2.3: the gaps. */
        uint32_t msr = PMC_ESCR[i].msr;
        assert_true(msr != 0x3BF && msr != 0x3C6 && msr != 0x3C7 && !(msr >= 0x3CE && msr <= 0x3DF));
        assert_ptr_equal(pmc_escr_at(msr), &PMC_ESCR[i]);
    }
    assert_null(pmc_escr_at(0x3BF));
    assert_null(pmc_escr_at(0));
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

TEST(every_counter_of_a_set_is_listed)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        for (unsigned select = 0; select < 8; select++) {
            const struct pmc_escr *escr = pmc_escr_for(n, select);
            bool listed = false;
            for (unsigned k = 0; escr && k < escr->counter_count; k++)
                listed |= escr->counters[k] == n;
            assert_int_equal(listed, escr != NULL);
        }
    }
    assert_null(pmc_escr_for(PMC_COUNTERS, 0));
    assert_null(pmc_escr_for(UINT32_MAX, 0));
    assert_null(pmc_escr_for(0, 8));
}

/* The ESCR of the same unit on the other side (CRU_ESCR0 and CRU_ESCR1, 2 and 3, 4 and 5): it shares block
 * and select value (Table 18-63). Null for SSU_ESCR0, which has none. */
static const struct pmc_escr *twin_of(const struct pmc_escr *escr)
{
    for (unsigned i = 0; i < PMC_ESCRS; i++) {
        const struct pmc_escr *other = &PMC_ESCR[i];
        if (other->block == escr->block && other->select == escr->select && other->side != escr->side)
            return other;
    }
    return NULL;
}

TEST(twins_are_mutual_and_adjacent)
{
    for (unsigned i = 0; i < PMC_ESCRS; i++) {
        const struct pmc_escr *escr = &PMC_ESCR[i], *twin = twin_of(escr);
        if (escr->msr == MSR_SSU_ESCR0) {
            assert_null(twin);
            continue;
        }
        assert_non_null(twin);
        assert_int_equal(twin->msr, escr->msr ^ 1);
        assert_ptr_equal(twin_of(twin), escr);
        assert_int_equal(twin->f43_mask, escr->f43_mask);
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

/* R34: n XOR 2 for 0..15, both directions; 16 only from 14; 17 from 15 or 13; 16 and 17 start nothing. */
TEST(cascade_partners)
{
    for (unsigned n = 0; n < 16; n++) {
        assert_int_equal(PMC_COUNTER[n].cascade_from, n ^ 2);
        assert_int_equal(PMC_COUNTER[n].cascade_from_alternative, PMC_NONE);
    }
    assert_int_equal(PMC_COUNTER[16].cascade_from, 14);
    assert_int_equal(PMC_COUNTER[16].cascade_from_alternative, PMC_NONE);
    assert_int_equal(PMC_COUNTER[17].cascade_from, 15);
    assert_int_equal(PMC_COUNTER[17].cascade_from_alternative, 13);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        assert_int_equal(PMC_COUNTER[n].block, PMC_COUNTER[PMC_COUNTER[n].cascade_from].block);
}

/* R35 and Table 18-65; the bit's name holds the IQ-relative numbers of both. */
TEST(extended_cascade_partners)
{
    static const int8_t from[PMC_COUNTERS] = {-1, -1, -1, -1, -1, -1, -1, -1, -1,
                                              -1, -1, -1, 16, -1, -1, 17, 17, 16};
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        const struct pmc_counter *c = &PMC_COUNTER[n];
        assert_int_equal(c->extended_from, from[n]);
        if (from[n] == PMC_NONE) {
            assert_null(c->extended_name);
            continue;
        }
        char name[16];
        snprintf(name, sizeof name, "CASCNT%dINTO%u", from[n] - 12, n - 12);
        assert_string_equal(c->extended_name, name);
    }
}

/* ---- Rows typed by hand from Table 18-63 and pmu-rules 3.4 ---- */

TEST(spot_rows)
{
    static const struct {
        unsigned counter, select;
        const char *name;
        uint32_t msr, f43_mask;
    } rows[] = {
        {0, 0, "MSR_BPU_ESCR0", 0x3B2, 0x1E03FFFF},   {1, 7, "MSR_BSU_ESCR0", 0x3A0, 0x7FFFFFFF},
        {2, 6, "MSR_FSB_ESCR1", 0x3A3, 0x3FFFFFFF},   {3, 3, "MSR_ITLB_ESCR1", 0x3B7, 0x70000E1F},
        {0, 1, "MSR_IS_ESCR0", 0x3B4, 0x0E01FE0F},    {3, 5, "MSR_IX_ESCR1", 0x3C9, 0x0E01FE0F},
        {4, 0, "MSR_MS_ESCR0", 0x3C0, 0x1E007E1F},    {5, 2, "MSR_TBPU_ESCR0", 0x3C2, 0x0E01FE0F},
        {7, 1, "MSR_TC_ESCR1", 0x3C5, 0x1E07FE0F},    {8, 1, "MSR_FIRM_ESCR0", 0x3A4, 0x7FFFFFFF},
        {9, 5, "MSR_DAC_ESCR0", 0x3A8, 0x1E01FE0F},   {10, 3, "MSR_U2L_ESCR1", 0x3B1, 0x0E3FFE0F},
        {11, 2, "MSR_SAAT_ESCR1", 0x3AF, 0x7FFFFFFF}, {12, 0, "MSR_IQ_ESCR0", 0x3BA, 0x00000000},
        {13, 4, "MSR_CRU_ESCR0", 0x3B8, 0x0E01FE0F},  {14, 5, "MSR_CRU_ESCR3", 0x3CD, 0x1E0FFE0F},
        {16, 2, "MSR_RAT_ESCR0", 0x3BC, 0x7FFFFFFF},  {16, 3, "MSR_SSU_ESCR0", 0x3BE, 0x7FFFFFFF},
        {17, 1, "MSR_ALF_ESCR1", 0x3CB, 0x0FFFFE0F},  {17, 6, "MSR_CRU_ESCR5", 0x3E1, 0x0E00FE0F},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct pmc_escr *escr = pmc_escr_for(rows[i].counter, rows[i].select);
        assert_non_null(escr);
        assert_string_equal(escr->name, rows[i].name);
        assert_int_equal(escr->msr, rows[i].msr);
        assert_int_equal(escr->f43_mask, rows[i].f43_mask);
        /* pmu-rules 1.1: IQ_ESCR0/1 on models 0 to 2 only. */
        assert_int_equal(escr->last_model, rows[i].msr == 0x3BA ? 2 : 0x0F);
    }
    /* "-" in pmu-rules 2.2. */
    assert_null(pmc_escr_for(4, 3));
    assert_null(pmc_escr_for(8, 4));
    assert_null(pmc_escr_for(12, 7));
    assert_null(pmc_escr_for(14, 3));
}

/*
 * The 45 ESCRs in address order (pmu-rules 2.3): names for traces, and the bits that a 0F43H part implements
 * (pmu-rules 3.4).
 */
#include "private.h"

struct escr_row {
    uint32_t msr;
    const char *name;
    uint32_t f43_mask;
};

static const struct escr_row ESCRS[PMC_ESCRS] = {
    {MSR_BSU_ESCR0, "BSU_ESCR0", 0x7FFFFFFF},     {MSR_BSU_ESCR1, "BSU_ESCR1", 0x7FFFFFFF},
    {MSR_FSB_ESCR0, "FSB_ESCR0", 0x3FFFFFFF},     {MSR_FSB_ESCR1, "FSB_ESCR1", 0x3FFFFFFF},
    {MSR_FIRM_ESCR0, "FIRM_ESCR0", 0x7FFFFFFF},   {MSR_FIRM_ESCR1, "FIRM_ESCR1", 0x7FFFFFFF},
    {MSR_FLAME_ESCR0, "FLAME_ESCR0", 0x7FFFFFFF}, {MSR_FLAME_ESCR1, "FLAME_ESCR1", 0x7FFFFFFF},
    {MSR_DAC_ESCR0, "DAC_ESCR0", 0x1E01FE0F},     {MSR_DAC_ESCR1, "DAC_ESCR1", 0x1E01FE0F},
    {MSR_MOB_ESCR0, "MOB_ESCR0", 0x7FFFFFFF},     {MSR_MOB_ESCR1, "MOB_ESCR1", 0x7FFFFFFF},
    {MSR_PMH_ESCR0, "PMH_ESCR0", 0x7FFFFFFF},     {MSR_PMH_ESCR1, "PMH_ESCR1", 0x7FFFFFFF},
    {MSR_SAAT_ESCR0, "SAAT_ESCR0", 0x7FFFFFFF},   {MSR_SAAT_ESCR1, "SAAT_ESCR1", 0x7FFFFFFF},
    {MSR_U2L_ESCR0, "U2L_ESCR0", 0x0E3FFE0F},     {MSR_U2L_ESCR1, "U2L_ESCR1", 0x0E3FFE0F},
    {MSR_BPU_ESCR0, "BPU_ESCR0", 0x1E03FFFF},     {MSR_BPU_ESCR1, "BPU_ESCR1", 0x1E03FFFF},
    {MSR_IS_ESCR0, "IS_ESCR0", 0x0E01FE0F},       {MSR_IS_ESCR1, "IS_ESCR1", 0x0E01FE0F},
    {MSR_ITLB_ESCR0, "ITLB_ESCR0", 0x70000E1F},   {MSR_ITLB_ESCR1, "ITLB_ESCR1", 0x70000E1F},
    {MSR_CRU_ESCR0, "CRU_ESCR0", 0x0E01FE0F},     {MSR_CRU_ESCR1, "CRU_ESCR1", 0x0E01FE0F},
    {MSR_IQ_ESCR0, "IQ_ESCR0", 0x00000000},       {MSR_IQ_ESCR1, "IQ_ESCR1", 0x00000000},
    {MSR_RAT_ESCR0, "RAT_ESCR0", 0x7FFFFFFF},     {MSR_RAT_ESCR1, "RAT_ESCR1", 0x7FFFFFFF},
    {MSR_SSU_ESCR0, "SSU_ESCR0", 0x7FFFFFFF},     {MSR_MS_ESCR0, "MS_ESCR0", 0x1E007E1F},
    {MSR_MS_ESCR1, "MS_ESCR1", 0x1E007E1F},       {MSR_TBPU_ESCR0, "TBPU_ESCR0", 0x0E01FE0F},
    {MSR_TBPU_ESCR1, "TBPU_ESCR1", 0x0E01FE0F},   {MSR_TC_ESCR0, "TC_ESCR0", 0x1E07FE0F},
    {MSR_TC_ESCR1, "TC_ESCR1", 0x1E07FE0F},       {MSR_IX_ESCR0, "IX_ESCR0", 0x0E01FE0F},
    {MSR_IX_ESCR1, "IX_ESCR1", 0x0E01FE0F},       {MSR_ALF_ESCR0, "ALF_ESCR0", 0x0FFFFE0F},
    {MSR_ALF_ESCR1, "ALF_ESCR1", 0x0FFFFE0F},     {MSR_CRU_ESCR2, "CRU_ESCR2", 0x1E0FFE0F},
    {MSR_CRU_ESCR3, "CRU_ESCR3", 0x1E0FFE0F},     {MSR_CRU_ESCR4, "CRU_ESCR4", 0x0E00FE0F},
    {MSR_CRU_ESCR5, "CRU_ESCR5", 0x0E00FE0F},
};

static const struct escr_row *find(uint32_t msr)
{
    if (msr < ESCRS[0].msr || msr > ESCRS[PMC_ESCRS - 1].msr)
        return NULL;
    for (size_t i = 0; i < PMC_ESCRS; i++)
        if (ESCRS[i].msr == msr)
            return &ESCRS[i];
    return NULL;
}

bool nbpmu_escr_exists(uint32_t msr)
{
    return find(msr) != NULL;
}

const char *nbpmu_escr_name(uint32_t msr)
{
    const struct escr_row *row = find(msr);
    return row ? row->name : "no ESCR";
}

uint32_t nbpmu_escr_f43_mask(uint32_t msr)
{
    const struct escr_row *row = find(msr);
    return row ? row->f43_mask : 0;
}

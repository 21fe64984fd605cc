/*
 * The register layout of the NetBurst performance-monitoring unit, as the manual draws it.
 *
 * Every field is written once, with its [msb:lsb] beside it, and register values are composed with OR from
 * the named constructors below. This header is layout only (addresses and bit positions): it says nothing
 * about which counter reaches which ESCR or what a value does, so the library (pmc/) and the model (sim/) can
 * both include it without sharing semantics.
 *
 * Source: Intel SDM vol. 3, 18.15 and 18.16, Figures 18-43 to 18-48, Tables 18-63, 18-65 and 35-41.
 */
#ifndef PMC_NETBURST_REGS_H
#define PMC_NETBURST_REGS_H

#include <stdint.h>

/*
 * A mask of bits [msb:lsb], and a value placed there: 32 bits wide for CCCRs, ESCRs and the local APIC's
 * registers, 64 bits wide for counters and other MSRs. With ~ a mask must be as wide as what it is applied
 * to.
 */
#define FIELD_MASK(msb, lsb)         (((1u << ((msb) - (lsb))) * 2 - 1) << (lsb))
#define FIELD_MASK64(msb, lsb)       (((1ull << ((msb) - (lsb))) * 2 - 1) << (lsb))
#define FIELD_PUT(msb, lsb, value)   (((uint32_t)(value) << (lsb)) & FIELD_MASK(msb, lsb))
#define FIELD_PUT64(msb, lsb, value) (((uint64_t)(value) << (lsb)) & FIELD_MASK64(msb, lsb))
/* The value of bits [msb:lsb] of a register of either width. */
#define FIELD_GET(msb, lsb, reg) (((uint64_t)(reg)&FIELD_MASK64(msb, lsb)) >> (lsb))

/* ---- How many there are (SDM 18.15) ---- */

#define PMC_COUNTERS 18 /* counters, and as many CCCRs; flat numbers 0..17 = RDPMC index */
#define PMC_ESCRS    45

/* ---- Counters (Figure 18-44) ---- */

#define MSR_COUNTER(n) (0x300u + (n)) /* MSR_BPU_COUNTER0 .. MSR_IQ_COUNTER5, n = 0..17 */
#define COUNTER_BITS   40
#define COUNTER_MASK   FIELD_MASK64(39, 0) /* [39:0], 63:40 reserved */
#define COUNTER_OVERFLOW_IN(n) \
    ((0 - (uint64_t)(n)) & COUNTER_MASK) /* preset that overflows on the nth count */

/* ---- CCCR (Figures 18-45 and 18-48) ---- */

#define MSR_CCCR(n) (0x360u + (n)) /* MSR_BPU_CCCR0 .. MSR_IQ_CCCR5, n = 0..17 */

#define CCCR_CASCNT           FIELD_MASK(11, 11)   /* [11] CASCNTxINTOy, four IQ CCCRs only (Table 18-65) */
#define CCCR_ENABLE           FIELD_MASK(12, 12)   /* [12] */
#define CCCR_ESCR_SELECT(s)   FIELD_PUT(15, 13, s) /* [15:13] */
#define CCCR_ESCR_SELECT_MASK FIELD_MASK(15, 13)
#define CCCR_ACTIVE_THREAD(a) FIELD_PUT(17, 16, a) /* [17:16] HT; must be 11B without HT */
#define CCCR_ACTIVE_MASK      FIELD_MASK(17, 16)
#define ACTIVE_NONE           0                    /* 00B: no logical processor active */
#define ACTIVE_SINGLE         1                    /* 01B: exactly one active */
#define ACTIVE_BOTH           2                    /* 10B: both active */
#define ACTIVE_ANY            3                    /* 11B: either active */
#define CCCR_COMPARE          FIELD_MASK(18, 18)   /* [18] */
#define CCCR_COMPLEMENT       FIELD_MASK(19, 19)   /* [19] */
#define CCCR_THRESHOLD(t)     FIELD_PUT(23, 20, t) /* [23:20] */
#define CCCR_THRESHOLD_MASK   FIELD_MASK(23, 20)
#define CCCR_EDGE             FIELD_MASK(24, 24)   /* [24] */
#define CCCR_FORCE_OVF        FIELD_MASK(25, 25)   /* [25] */
#define CCCR_OVF_PMI          FIELD_MASK(26, 26)   /* [26] without HT */
#define CCCR_OVF_PMI_T0       FIELD_MASK(26, 26)   /* [26] with HT: to logical processor 0 */
#define CCCR_OVF_PMI_T1       FIELD_MASK(27, 27)   /* [27] with HT: to logical processor 1 */
#define CCCR_CASCADE          FIELD_MASK(30, 30)   /* [30] */
#define CCCR_OVF              FIELD_MASK(31, 31)   /* [31] sticky */
#define CCCR_RESERVED_LOW     FIELD_MASK(10, 0)    /* [10:0] reserved */
#define CCCR_RESERVED_MID     FIELD_MASK(29, 28)   /* [29:28] reserved */
#define CCCR_RESERVED_HIGH    FIELD_MASK64(63, 32) /* [63:32] reserved */

/* Enabled, and counts nothing: no value is above 15 (R22). */
#define CCCR_NEVER_COUNTS (CCCR_ENABLE | CCCR_ACTIVE_THREAD(ACTIVE_ANY) | CCCR_COMPARE | CCCR_THRESHOLD(15))

#define CCCR_GET_ESCR_SELECT(c)   FIELD_GET(15, 13, c)
#define CCCR_GET_ACTIVE_THREAD(c) FIELD_GET(17, 16, c)
#define CCCR_GET_THRESHOLD(c)     FIELD_GET(23, 20, c)

/* ---- ESCR (Figures 18-43 and 18-47) ---- */

#define ESCR_T1_USR          FIELD_MASK(0, 0)   /* [0] HT: logical processor 1 at CPL 1, 2, 3 */
#define ESCR_T1_OS           FIELD_MASK(1, 1)   /* [1] HT: logical processor 1 at CPL 0 */
#define ESCR_USR             FIELD_MASK(2, 2)   /* [2] without HT: CPL 1, 2, 3 */
#define ESCR_T0_USR          FIELD_MASK(2, 2)   /* [2] HT: logical processor 0 at CPL 1, 2, 3 */
#define ESCR_OS              FIELD_MASK(3, 3)   /* [3] without HT: CPL 0 */
#define ESCR_T0_OS           FIELD_MASK(3, 3)   /* [3] HT: logical processor 0 at CPL 0 */
#define ESCR_CPL_MASK        FIELD_MASK(3, 0)   /* the four together */
#define ESCR_TAG_ENABLE      FIELD_MASK(4, 4)   /* [4] */
#define ESCR_TAG_VALUE(v)    FIELD_PUT(8, 5, v) /* [8:5] */
#define ESCR_TAG_VALUE_MASK  FIELD_MASK(8, 5)
#define ESCR_EVENT_MASK(m)   FIELD_PUT(24, 9, m) /* [24:9], mask bit b = ESCR bit 9+b */
#define ESCR_EVENT_MASK_MASK FIELD_MASK(24, 9)
#define ESCR_EVENT_SELECT(s) FIELD_PUT(30, 25, s) /* [30:25] */
#define ESCR_SELECT_MASK     FIELD_MASK(30, 25)
#define ESCR_RESERVED_31     FIELD_MASK(31, 31) /* [31] reserved; writing 1 is #GP on 0F43H (pmu-rules 3.4) */
#define ESCR_RESERVED_HIGH   FIELD_MASK64(63, 32) /* [63:32] reserved */

#define ESCR_T0_ALL (ESCR_T0_OS | ESCR_T0_USR) /* 0CH */
#define ESCR_T1_ALL (ESCR_T1_OS | ESCR_T1_USR) /* 03H */

#define ESCR_GET_EVENT_MASK(e)   FIELD_GET(24, 9, e)
#define ESCR_GET_EVENT_SELECT(e) FIELD_GET(30, 25, e)

#define MSR_BSU_ESCR0   0x3A0u
#define MSR_BSU_ESCR1   0x3A1u
#define MSR_FSB_ESCR0   0x3A2u
#define MSR_FSB_ESCR1   0x3A3u
#define MSR_FIRM_ESCR0  0x3A4u
#define MSR_FIRM_ESCR1  0x3A5u
#define MSR_FLAME_ESCR0 0x3A6u
#define MSR_FLAME_ESCR1 0x3A7u
#define MSR_DAC_ESCR0   0x3A8u
#define MSR_DAC_ESCR1   0x3A9u
#define MSR_MOB_ESCR0   0x3AAu
#define MSR_MOB_ESCR1   0x3ABu
#define MSR_PMH_ESCR0   0x3ACu
#define MSR_PMH_ESCR1   0x3ADu
#define MSR_SAAT_ESCR0  0x3AEu
#define MSR_SAAT_ESCR1  0x3AFu
#define MSR_U2L_ESCR0   0x3B0u
#define MSR_U2L_ESCR1   0x3B1u
#define MSR_BPU_ESCR0   0x3B2u
#define MSR_BPU_ESCR1   0x3B3u
#define MSR_IS_ESCR0    0x3B4u
#define MSR_IS_ESCR1    0x3B5u
#define MSR_ITLB_ESCR0  0x3B6u
#define MSR_ITLB_ESCR1  0x3B7u
#define MSR_CRU_ESCR0   0x3B8u
#define MSR_CRU_ESCR1   0x3B9u
#define MSR_IQ_ESCR0    0x3BAu /* models 0-2 only */
#define MSR_IQ_ESCR1    0x3BBu /* models 0-2 only */
#define MSR_RAT_ESCR0   0x3BCu
#define MSR_RAT_ESCR1   0x3BDu
#define MSR_SSU_ESCR0   0x3BEu
#define MSR_MS_ESCR0    0x3C0u
#define MSR_MS_ESCR1    0x3C1u
#define MSR_TBPU_ESCR0  0x3C2u
#define MSR_TBPU_ESCR1  0x3C3u
#define MSR_TC_ESCR0    0x3C4u
#define MSR_TC_ESCR1    0x3C5u
#define MSR_IX_ESCR0    0x3C8u
#define MSR_IX_ESCR1    0x3C9u
#define MSR_ALF_ESCR0   0x3CAu
#define MSR_ALF_ESCR1   0x3CBu
#define MSR_CRU_ESCR2   0x3CCu
#define MSR_CRU_ESCR3   0x3CDu
#define MSR_CRU_ESCR4   0x3E0u
#define MSR_CRU_ESCR5   0x3E1u

/* ---- Related MSRs (Table 35-41) ---- */

#define MSR_IA32_TIME_STAMP_COUNTER 0x010u
#define MSR_IA32_PLATFORM_ID        0x017u
#define MSR_IA32_APIC_BASE          0x01Bu
#define APIC_BASE_BSP               FIELD_MASK64(8, 8)   /* [8] */
#define APIC_BASE_ENABLE            FIELD_MASK64(11, 11) /* [11] (R53) */
#define MSR_EBC_FREQUENCY_ID        0x02Cu
#define MSR_IA32_BIOS_SIGN_ID       0x08Bu
#define MSR_IA32_MCG_CAP            0x179u
#define MSR_IA32_MC_STATUS(bank)    (0x401u + 4 * (bank))
#define MSR_IA32_MC_ADDR(bank)      (0x402u + 4 * (bank))
#define MSR_IA32_MTRRCAP            0x0FEu
#define MSR_IA32_MTRR_PHYSBASE(n)   (0x200u + 2 * (n)) /* a variable range; its mask is the next register */
#define MSR_IA32_PAT                0x277u
#define MSR_IA32_MTRR_DEF_TYPE      0x2FFu
#define MTRR_TYPE(value)            ((unsigned)FIELD_GET(7, 0, value))
#define MTRR_VALID                  FIELD_MASK64(11, 11) /* [11] of a mask; ENABLE of MTRR_DEF_TYPE */
#define MTRR_PAGES                  FIELD_MASK64(51, 12) /* [51:12] of a base or a mask, as many as there are */
#define MEMORY_UC                   0u                   /* memory types (SDM 11.3) */
#define MEMORY_WC                   1u
#define MEMORY_WT                   4u
#define MEMORY_WP                   5u
#define MEMORY_WB                   6u
#define MEMORY_UC_MINUS             7u /* of the PAT alone: UC, unless the MTRRs say WC */
#define MSR_IA32_CLOCK_MODULATION   0x19Au
#define MSR_IA32_THERM_STATUS       0x19Cu
#define MSR_IA32_MISC_ENABLE        0x1A0u
#define MISC_ENABLE_PERFMON         FIELD_MASK64(7, 7)   /* [7] performance monitoring available */
#define MISC_ENABLE_BTS_UNAVAILABLE FIELD_MASK64(11, 11) /* [11] */
#define MISC_ENABLE_PEBS_UNAVAIL    FIELD_MASK64(12, 12) /* [12] */
#define MISC_ENABLE_CPUID_LIMITED   FIELD_MASK64(22, 22) /* [22] no leaf above 3 */
#define MISC_ENABLE_XD_DISABLED     FIELD_MASK64(34, 34) /* [34] */
#define MSR_IA32_DEBUGCTL           0x1D9u
#define MSR_TC_PRECISE_EVENT        0x3F0u
#define MSR_PEBS_ENABLE             0x3F1u
#define PEBS_REPLAY_1ST_LEVEL       FIELD_MASK64(0, 0)   /* [12:0] which replays are tagged (Table 19-33) */
#define PEBS_REPLAY_2ND_LEVEL       FIELD_MASK64(1, 1)   /* [1] */
#define PEBS_REPLAY_DTLB            FIELD_MASK64(2, 2)   /* [2] */
#define PEBS_REPLAY_MOB             FIELD_MASK64(9, 9)   /* [9] */
#define PEBS_REPLAY_SPLIT           FIELD_MASK64(10, 10) /* [10] */
#define PEBS_TAGGED_BRANCHES        FIELD_MASK64(16, 15) /* [16:15] mispredicted branches that are tagged */
#define PEBS_ENABLE_UOP_TAG         FIELD_MASK64(24, 24) /* [24] replay tagging */
#define PEBS_ENABLE_PEBS            FIELD_MASK64(25, 25) /* [25] would start PEBS (R61), [26] for the sibling */
#define MSR_PEBS_MATRIX_VERT        0x3F2u
#define PEBS_MATRIX_LOADS           FIELD_MASK64(0, 0) /* [0] */
#define PEBS_MATRIX_STORES          FIELD_MASK64(1, 1) /* [1] */
#define PEBS_MATRIX_BRANCHES        FIELD_MASK64(4, 4) /* [4] */
#define MSR_L3_COUNTERS             0x107CCu           /* eight registers of some Xeon MP (pmu-rules 1.6) */
#define L3_COUNTERS                 8u
#define MSR_IA32_DS_AREA            0x600u

/* ---- RDPMC (SDM vol. 2) ---- */

#define RDPMC_FAST 0x80000000u      /* ECX[31]: read bits 31:0 only */
#define CR4_PCE    FIELD_MASK(8, 8) /* CR4[8]: RDPMC allowed at CPL 3 */

/* ---- Local APIC LVT performance-counter entry (SDM 10.5.1) ---- */

#define LVT_VECTOR(v)       FIELD_PUT(7, 0, v)  /* [7:0] */
#define LVT_DELIVERY_FIXED  FIELD_PUT(10, 8, 0) /* [10:8] = 000B */
#define LVT_DELIVERY_SMI    FIELD_PUT(10, 8, 2) /* [10:8] = 010B */
#define LVT_DELIVERY_NMI    FIELD_PUT(10, 8, 4) /* [10:8] = 100B */
#define LVT_DELIVERY_EXTINT FIELD_PUT(10, 8, 7) /* [10:8] = 111B */
#define LVT_DELIVERY_MASK   FIELD_MASK(10, 8)
#define LVT_PENDING         FIELD_MASK(12, 12) /* [12] delivery status, read-only */
#define LVT_MASKED          FIELD_MASK(16, 16) /* [16] */
#define LVT_TIMER_PERIODIC  FIELD_MASK(17, 17) /* [17] timer entry only */

#endif

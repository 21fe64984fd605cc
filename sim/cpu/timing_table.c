/*
 * The table of costs, in clocks. Column by column: the row's name; the cost with --timing kind; usual cost,
 * least and most of a machine of models 0 to 2 and of models 3 and later; how one access differs from the
 * next.
 *
 * Sources, by the facts of pmu-rules 12: F1 for MSRs, RDPMC and stores to the local APIC (measured by
 * perfctr, on models 1 to 4), F5 for instructions (InstLatx64, models 1, 2, 3, 4 and 6). What nobody measured
 * is an estimate with a wide range (E). Model 6 gets the costs of model 4, which F5 shows to be equal but for
 * CLFLUSH and the narrower range of CPUID.
 */
#include "models.h"

#define ALL(typical, least, most)                                               \
    {                                                                           \
        {typical, least, most}, {typical, least, most}, {typical, least, most}, \
    }
/* Models 0 to 2; models 3 and later. */
#define TWO(typical, least, most, typical3, least3, most3)                            \
    {                                                                                 \
        {typical, least, most}, {typical3, least3, most3}, {typical3, least3, most3}, \
    }

/* clang-format off */
const struct timing_row TIMING_ROWS[COSTS] = {
    /* F5: NOP and ADD r,r 0.35 */
    [COST_UOPS] = {"uop", 0, ALL(1 / 3.0, 1 / 3.0, 1 / 3.0), SPREAD_NONE, false},
    /* F5 */
    [COST_INCREMENT] = {"INC, DEC", 0, TWO(0.68, 0.68, 0.68, 1, 1, 1), SPREAD_NONE, false},
    [COST_STORE] = {"store", 0, TWO(1.75, 1.75, 1.75, 1.83, 1.83, 1.83), SPREAD_NONE, false},
    [COST_X87] = {"x87 arithmetic", 0, ALL(1, 1, 1), SPREAD_NONE, false},
    [COST_MMX64] = {"64-bit MMX arithmetic", 0, ALL(1, 1, 1), SPREAD_NONE, false},
    [COST_MMX128] = {"128-bit MMX arithmetic", 0, ALL(2, 2, 2), SPREAD_NONE, false},
    [COST_SSE] = {"SSE and SSE2 arithmetic", 0, ALL(2, 2, 2), SPREAD_NONE, false},
    [COST_STRING] = {"string instruction", 2, TWO(6, 6, 6, 8, 8, 8), SPREAD_NONE, false},
    [COST_REPEAT] = {"iteration of REP", 2, ALL(1.2, 0.6, 4), SPREAD_NONE, false},
    [COST_PAUSE] = {"PAUSE", 100, TWO(40, 36, 40, 52, 50, 54), SPREAD_NONE, false},
    [COST_LFENCE] = {"LFENCE", 20, TWO(40, 36, 40, 52, 52, 52), SPREAD_NONE, false},
    [COST_SFENCE] = {"SFENCE", 20, TWO(39, 39, 39, 55, 52, 55), SPREAD_NONE, false},
    [COST_MFENCE] = {"MFENCE", 60, TWO(100, 98, 100, 124, 124, 124), SPREAD_NONE, false},
    [COST_LOCKED] = {"locked read-modify-write", 0, TWO(124, 124, 124, 90, 82, 92), SPREAD_NONE, false},
    [COST_POPF] = {"POPF", 0, TWO(52, 50, 52, 70, 70, 70), SPREAD_NONE, false},
    [COST_DIRECTION] = {"CLD, STD", 0, TWO(50, 48, 52, 54, 54, 54), SPREAD_NONE, false},
    [COST_DIVIDE] = {"DIV, IDIV", 50, TWO(57, 57, 59, 76, 76, 76), SPREAD_NONE, false},
    [COST_PUSHA] = {"PUSHA", 10, ALL(15, 15, 15), SPREAD_NONE, false}, /* measured on 0F43H */
    [COST_POPA] = {"POPA", 10, ALL(14, 14, 14), SPREAD_NONE, false},   /* measured on 0F43H */
    [COST_EMMS] = {"EMMS", 0, ALL(12, 10, 12), SPREAD_NONE, false},
    [COST_MASKMOVQ] = {"MASKMOVQ", 0, TWO(6, 6, 6, 8, 8, 8), SPREAD_NONE, false},
    [COST_CLFLUSH] = {"CLFLUSH", 0, {{230, 227, 278}, {234, 227, 241}, {278, 278, 278}}, SPREAD_NONE, false},
    /* F1 */
    [COST_FROM_CR] = {"MOV from CR", 0, TWO(5, 4, 6, 22, 19, 24), SPREAD_NONE, false},
    /* E */
    [COST_DESCRIPTOR_TABLE] = {"LGDT, LIDT", 30, ALL(30, 30, 30), SPREAD_NONE, false},
    [COST_TASK_REGISTER] = {"LTR", 40, ALL(40, 40, 40), SPREAD_NONE, false},
    [COST_FAR_JUMP] = {"far jump", 30, ALL(30, 30, 30), SPREAD_NONE, false},
    [COST_FAR_CALL] = {"far call, RETF", 40, ALL(40, 40, 40), SPREAD_NONE, false},
    [COST_SOFTWARE_INTERRUPT] = {"INT before its entry", 60, ALL(10, 10, 10), SPREAD_NONE, false},
    [COST_CMPXCHG8B] = {"CMPXCHG8B", 30, ALL(30, 30, 30), SPREAD_NONE, false},
    [COST_FXSAVE] = {"FXSAVE, FXRSTOR", 120, ALL(120, 120, 120), SPREAD_NONE, false},
    [COST_FNINIT] = {"FNINIT", 60, ALL(60, 60, 60), SPREAD_NONE, false},
    [COST_FLDENV] = {"FLDENV", 60, ALL(60, 60, 60), SPREAD_NONE, false},
    [COST_FRSTOR] = {"FRSTOR", 150, ALL(150, 150, 150), SPREAD_NONE, false},
    [COST_FLDCW] = {"FLDCW", 10, ALL(10, 10, 10), SPREAD_NONE, false},
    [COST_INVLPG] = {"INVLPG", 200, ALL(200, 200, 200), SPREAD_NONE, false},
    [COST_WBINVD] = {"WBINVD", 2000, ALL(2000, 2000, 2000), SPREAD_NONE, false},
    [COST_HLT] = {"HLT", 10, ALL(10, 10, 10), SPREAD_NONE, false},
    [COST_IN_OUT] = {"IN, OUT beside the port", 10, ALL(10, 10, 10), SPREAD_NONE, false},
    /* F1, F5 */
    [COST_CPUID] = {"CPUID", 200, {{262, 255, 266}, {420, 340, 544}, {420, 356, 424}}, SPREAD_READ, false},
    [COST_RDTSC] = {"RDTSC", 80, {{80, 77, 84}, {100, 96, 143}, {100, 100, 102}}, SPREAD_READ, false},
    /* F1 */
    [COST_RDPMC] = {"RDPMC", 100, TWO(146, 142, 151, 227, 224, 293), SPREAD_READ, false},
    [COST_RDPMC_FAST] = {"RDPMC, 32 bits", 100, TWO(60, 58, 63, 91, 89, 109), SPREAD_READ, false},
    [COST_RDMSR_COUNTER] = {"RDMSR of a counter", 100, TWO(255, 247, 256, 355, 349, 416), SPREAD_READ, false},
    [COST_RDMSR_SELECT] = {"RDMSR of an ESCR or CCCR", 100, TWO(166, 163, 168, 380, 365, 514), SPREAD_READ, false},
    [COST_WRMSR_COUNTER] = {"WRMSR of a counter", 210, TWO(800, 781, 850, 990, 983, 1247), SPREAD_WRMSR, false},
    [COST_WRMSR_ESCR] = {"WRMSR of an ESCR", 210, TWO(880, 860, 921, 985, 980, 1204), SPREAD_WRMSR, false},
    [COST_WRMSR_CCCR] = {"WRMSR of a CCCR", 210, TWO(835, 820, 873, 950, 938, 1401), SPREAD_WRMSR, false},
    /* F1 measured MOV to CR4; other control registers E */
    [COST_TO_CR] = {"MOV to CR", 0, TWO(254, 245, 259, 393, 392, 421), SPREAD_READ, false},
    /* E */
    [COST_RDMSR_OTHER] = {"RDMSR of any other", 100, TWO(166, 163, 256, 380, 349, 514), SPREAD_READ, false},
    [COST_WRMSR_OTHER] = {"WRMSR of any other", 210, TWO(800, 200, 2000, 950, 200, 2000), SPREAD_WIDE, false},
    [COST_IRET] = {"IRET", 60, ALL(150, 100, 1000), SPREAD_WIDE, false},
    [COST_INTERRUPT] = {"entry of a handler", 0, ALL(300, 100, 1000), SPREAD_WIDE, false},
    /* F1; typical and usual range of the row, and 10 to 100 for one access */
    [COST_APIC_STORE] = {"store to the local APIC", 60, TWO(36, 10, 100, 26, 10, 100), SPREAD_WIDE, false},
    /* F6: E */
    [COST_APIC_LOAD] = {"load from the local APIC", 60, ALL(150, 100, 300), SPREAD_WIDE, false},
    [COST_UNCACHED] = {"access to uncached memory", 0, ALL(200, 100, 500), SPREAD_WIDE, false},
    [COST_PORT] = {"access to an I/O port", 1, ALL(1, 0.3, 3), SPREAD_WIDE, true},
    /* F6, F7: E */
    [COST_PMI] = {"PMI from count to arrival", 0, ALL(200, 20, 2000), SPREAD_WIDE, false},
    [COST_APIC_LATE] = {"effect of a local APIC store", 0, ALL(100, 0, 200), SPREAD_WIDE, false},
    /* E: the depth of the pipeline is 20 stages, or 31 from model 3 on */
    [COST_MISPREDICT] = {"misprediction", 0, TWO(20, 15, 60, 31, 15, 60), SPREAD_WIDE, false},
    [COST_CLEAR] = {"self-modifying code", 0, ALL(150, 50, 1000), SPREAD_WIDE, false},
};

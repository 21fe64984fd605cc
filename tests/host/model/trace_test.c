/*
 * Trace lines of the model: one readable line per visible change, and silence when nobody asked.
 */
#include "tests/host/support/model_kit.h"

#include <string.h>

static void collect(void *context, const char *line)
{
    char *text = context;
    strcat(text, line);
    strcat(text, "\n");
}

TEST(trace_lines)
{
    char text[1024] = "";
    struct nbpmu *pmu = kit_new(KIT_F43);
    nbpmu_set_trace(pmu, collect, text);
    kit_write(pmu, MSR_CRU_ESCR0, 0x0400020C);
    kit_write(pmu, MSR_CRU_ESCR1, 0x0400020C);
    kit_write(pmu, MSR_COUNTER(12), COUNTER_OVERFLOW_IN(1));
    kit_write(pmu, MSR_CCCR(14), 0x40038000);
    kit_write(pmu, MSR_CCCR(12), 0x08039000);
    for (unsigned clock = 0; clock < 2; clock++) {
        drive_event(pmu, NBPMU_INSTR_RETIRED, 0, 0, 0, 1);
        drive_clocks(pmu, KIT_LP0, 1);
    }
    kit_write(pmu, MSR_CCCR(14), 0);
    nbpmu_set_trace(pmu, NULL, NULL);
    kit_write(pmu, MSR_CCCR(12), 0);
    assert_string_equal(text, "CRU_ESCR0 (3B8H) := 0400020CH instr_retired\n"
                              "CRU_ESCR1 (3B9H) := 0400020CH instr_retired\n"
                              "counter 12 (30CH) := FFFFFFFFFFH\n"
                              "CCCR14 (36EH) := 40038000H select 4 CASCADE\n"
                              "CCCR12 (36CH) := 08039000H ENABLE select 4 OVF_PMI_T1\n"
                              "counter 12 overflows\n"
                              "cascade 12 -> 14 starts\n"
                              "PMI to LP1 by counter 12\n"
                              "CCCR14 (36EH) := 00000000H select 0\n"
                              "cascade 12 -> 14 stops\n");
    nbpmu_free(pmu);
}

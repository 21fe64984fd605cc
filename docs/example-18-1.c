/*
 * Example 18-1 of the manual (section "Cascading Counters") on libnetburstpmu: counter X counts 200
 * occurrences of event A and overflows, which starts counter Y, which counts 400 occurrences of event B and
 * interrupts. X is counter 12 and A instr_retired; Y is counter 14 and B uops_retired.
 *
 *     cc example-18-1.c $(pkg-config --cflags --libs netburstpmu) -o example-18-1 && ./example-18-1
 */
#include <inttypes.h>
#include <nbpmu.h>
#include <stdio.h>

enum { ESCR_A = 0x3B8, ESCR_B = 0x3B9 };                        /* MSR_CRU_ESCR0, MSR_CRU_ESCR1 */
enum { X = 0x30C, CCCR_X = 0x36C, Y = 0x30E, CCCR_Y = 0x36E };  /* MSR_IQ_COUNTER0, 2; MSR_IQ_CCCR0, 2 */
enum { INSTR_RETIRED = 0x0400020C, UOPS_RETIRED = 0x0200020C }; /* event select, NBOGUS, OS and USR */
enum { ON_CRU = 0x38000, ENABLE = 1 << 12, OVF_PMI = 1 << 26, CASCADE = 1 << 30 }; /* ESCR select 4 */
static const uint64_t COUNTER_BITS = (UINT64_C(1) << 40) - 1;

static void print(struct nbpmu *pmu, unsigned clock, unsigned pmis)
{
    uint64_t x, y, cccr_x, cccr_y;
    nbpmu_rdmsr(pmu, 0, X, &x);
    nbpmu_rdmsr(pmu, 0, Y, &y);
    nbpmu_rdmsr(pmu, 0, CCCR_X, &cccr_x);
    nbpmu_rdmsr(pmu, 0, CCCR_Y, &cccr_y);
    printf("A and B %3u times: X %010" PRIX64 " OVF %d, Y %010" PRIX64 " OVF %d%s\n", clock, x,
           (int)(cccr_x >> 31), y, (int)(cccr_y >> 31), pmis ? ", PMI" : "");
}

int main(void)
{
    struct nbpmu_part part;
    struct nbpmu *pmu = nbpmu_part_of_signature(0x0F43, 1, &part) ? nbpmu_new(&part, NULL) : NULL;
    if (!pmu)
        return 1;
    nbpmu_wrmsr(pmu, 0, ESCR_A, INSTR_RETIRED);
    nbpmu_wrmsr(pmu, 0, ESCR_B, UOPS_RETIRED);
    nbpmu_wrmsr(pmu, 0, X, -UINT64_C(200) & COUNTER_BITS);   /* overflows on the 200th A */
    nbpmu_wrmsr(pmu, 0, Y, -UINT64_C(400) & COUNTER_BITS);   /* overflows on the 400th B that it counts */
    nbpmu_wrmsr(pmu, 0, CCCR_Y, ON_CRU | CASCADE | OVF_PMI); /* armed, not enabled */
    nbpmu_wrmsr(pmu, 0, CCCR_X, ON_CRU | ENABLE);            /* begins the nested counting */
    for (unsigned clock = 1; clock <= 602; clock++) {        /* one A and one B in each clock */
        nbpmu_event(pmu, 0, NBPMU_INSTR_RETIRED, 1u << 0, 1);
        nbpmu_event(pmu, 0, NBPMU_UOPS_RETIRED, 1u << 0, 1);
        unsigned pmis = nbpmu_advance(pmu, 1);
        if (pmis || clock == 199 || clock == 200 || clock == 201 || clock == 599 || clock == 600)
            print(pmu, clock, pmis);
    }
    nbpmu_free(pmu);
    return 0;
}

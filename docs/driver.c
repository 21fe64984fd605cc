/*
 * A driver on libnetburstpmu: what it does to MSRs and LVTPC becomes calls of the model, and a PMI of the
 * model a call of its interrupt handler. This driver samples every 1000th retired instruction.
 *
 *     cc driver.c $(pkg-config --cflags --libs netburstpmu) -o driver && ./driver
 */
#include <nbpmu.h>
#include <stdio.h>
#include <stdlib.h>

static struct nbpmu *pmu;
static bool lvtpc_masked = true, interrupt;

/* ---- Between the driver and the model ---- */

static uint64_t rdmsr(uint32_t msr)
{
    uint64_t value;
    if (!nbpmu_rdmsr(pmu, 0, msr, &value))
        abort(); /* #GP(0) */
    return value;
}

static void wrmsr(uint32_t msr, uint64_t value)
{
    if (!nbpmu_wrmsr(pmu, 0, msr, value))
        abort();
}

/* The local APIC masks the entry when it delivers a PMI. */
static void accept_pmi(void)
{
    interrupt = interrupt || !lvtpc_masked;
    lvtpc_masked = true;
}

static void unmask_lvtpc(void)
{
    lvtpc_masked = false;
    if (nbpmu_lvtpc_unmasked(pmu, 0))
        accept_pmi();
}

/* ---- The driver ---- */

enum { CRU_ESCR0 = 0x3B8, IQ_COUNTER0 = 0x30C, IQ_CCCR0 = 0x36C, PERIOD = 1000 };

/* Clear OVF, preset the counter for the rest of the next period, and unmask LVTPC last. */
static void handle_interrupt(void)
{
    wrmsr(IQ_CCCR0, rdmsr(IQ_CCCR0) & ~(UINT64_C(1) << 31));
    wrmsr(IQ_COUNTER0, (rdmsr(IQ_COUNTER0) - PERIOD) & 0xFFFFFFFFFF);
    unmask_lvtpc();
}

int main(void)
{
    struct nbpmu_part part;
    pmu = nbpmu_part_of_signature(0x0F43, 1, &part) ? nbpmu_new(&part, NULL) : NULL;
    if (!pmu)
        return 1;
    wrmsr(CRU_ESCR0, 0x0400020C); /* instr_retired NBOGUSNTAG, OS and USR */
    wrmsr(IQ_COUNTER0, -PERIOD & 0xFFFFFFFFFF);
    wrmsr(IQ_CCCR0, 0x04039000); /* ENABLE, ESCR select 4, OVF_PMI */
    unmask_lvtpc();
    for (unsigned clock = 1; clock <= 5 * PERIOD; clock++) { /* an instruction in each clock */
        nbpmu_event(pmu, 0, NBPMU_INSTR_RETIRED, 1u << 0, 1);
        if (nbpmu_advance(pmu, 1))
            accept_pmi();
        if (interrupt) {
            interrupt = false;
            printf("interrupt in clock %u, counter %u\n", clock, (unsigned)rdmsr(IQ_COUNTER0));
            handle_interrupt();
        }
    }
    nbpmu_free(pmu);
    return 0;
}

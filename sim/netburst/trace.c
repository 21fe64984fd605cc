/*
 * Trace: one readable line for each visible change, given to the function of nbpmu_set_trace(); and looking
 * at a counter without disturbing it.
 */
#include "trace.h"
#include "state.h"
#include "event_table.h"
#include "qualify.h"
#include "clock.h"

#include <stdarg.h>
#include <stdio.h>

#define LINE_SIZE 160

void nbpmu_set_trace(struct nbpmu *pmu, nbpmu_trace_fn *fn, void *context)
{
    pmu->trace = fn;
    pmu->trace_context = context;
}

void nbpmu_tracef(const struct nbpmu *pmu, const char *format, ...)
{
    if (!pmu->trace)
        return;
    char line[LINE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    pmu->trace(pmu->trace_context, line);
}

void nbpmu_trace_escr(const struct nbpmu *pmu, uint32_t msr)
{
    const struct nbpmu_escr *escr = &pmu->escr[ESCR_INDEX(msr)];
    nbpmu_tracef(pmu, "%s (%03XH) := %08XH %s", nbpmu_escr_name(msr), msr, escr->value,
                 nbpmu_event_name(escr->event));
}

static const char *word(uint32_t cccr, uint64_t bit, const char *name)
{
    return (cccr & bit) ? name : "";
}

void nbpmu_trace_cccr(const struct nbpmu *pmu, unsigned n)
{
    uint32_t cccr = pmu->counter[n].cccr;
    nbpmu_tracef(pmu, "CCCR%u (%03XH) := %08XH%s select %u%s%s%s%s%s%s%s%s%s", n, MSR_CCCR(n), cccr,
                 word(cccr, CCCR_ENABLE, " ENABLE"), (unsigned)CCCR_GET_ESCR_SELECT(cccr),
                 word(cccr, CCCR_CASCADE, " CASCADE"), word(cccr, CCCR_CASCNT, " CASCNT"),
                 word(cccr, CCCR_COMPARE, " COMPARE"), word(cccr, CCCR_COMPLEMENT, " COMPLEMENT"),
                 word(cccr, CCCR_EDGE, " EDGE"), word(cccr, CCCR_FORCE_OVF, " FORCE_OVF"),
                 word(cccr, CCCR_OVF_PMI_T0, " OVF_PMI_T0"), word(cccr, CCCR_OVF_PMI_T1, " OVF_PMI_T1"),
                 word(cccr, CCCR_OVF, " OVF"));
}

void nbpmu_look(const struct nbpmu *pmu, unsigned n, struct nbpmu_view *view)
{
    const struct nbpmu_counter *counter = &pmu->counter[n];
    bool runs = pmu->running >> n & 1;
    bool adds = runs && nbpmu_clocked(pmu, nbpmu_active_count(pmu));
    unsigned increment = adds ? counter->last_increment : 0;
    uint64_t skipped = pmu->quiet_at_first - pmu->head.quiet; /* clocks that the counter does not hold yet */
    *view = (struct nbpmu_view){
        .value = counter->value + skipped * increment,
        .increment = increment,
        .ovf = counter->cccr & CCCR_OVF,
        .enabled = runs,
    };
}

/* The events that courses count. What causes them is in course_play.c. */
#include "course_events.h"

#include "pmc/netburst/setup.h"

/* The other event has another select and another mask. Where it can be, one occurrence of event 3 is one
 * count. */
#define CLOCKS                                                                                            \
    {                                                                                                     \
        "", EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING, true, true, true, EVENT_FSB_DATA_ACTIVITY, 2 \
    }
#define REPLAYED_LOADS                                                                 \
    {                                                                                  \
        "", EVENT_MOB_LOAD_REPLAY, 0x3A, false, false, false, EVENT_MOB_LOAD_REPLAY, 2 \
    }
static const struct course_event EVENTS[][COURSE_EVENTS] = {
    [BLOCK_BPU] = {CLOCKS, REPLAYED_LOADS, CLOCKS, REPLAYED_LOADS},
    [BLOCK_MS] = {{"", EVENT_UOP_QUEUE_WRITES, UOP_QUEUE_FROM_DELIVER | UOP_QUEUE_FROM_ROM | 1, true, false,
                   true, EVENT_TC_MS_XFER, TC_MS_XFER_CISC},
                  {".CALL", EVENT_RETIRED_BRANCH_TYPE, BRANCH_TYPE_CALL, true, false, false,
                   EVENT_RETIRED_MISPRED_BRANCH_TYPE, BRANCH_TYPE_INDIRECT},
                  {".FROM_ROM", EVENT_UOP_QUEUE_WRITES, UOP_QUEUE_FROM_ROM, true, false, true,
                   EVENT_TC_MS_XFER, TC_MS_XFER_CISC},
                  {".CONDITIONAL", EVENT_RETIRED_BRANCH_TYPE, BRANCH_TYPE_CONDITIONAL, true, false, false,
                   EVENT_RETIRED_MISPRED_BRANCH_TYPE, BRANCH_TYPE_CALL}},
    [BLOCK_FLAME] = {{".LSC", EVENT_MEMORY_COMPLETE, MEMORY_COMPLETE_LSC, true, false, false,
                      EVENT_LOAD_PORT_REPLAY, 2},
                     {"", EVENT_PACKED_SP_UOP, FIRM_ALL, true, false, false, EVENT_PACKED_DP_UOP, FIRM_ALL},
                     {".SSC", EVENT_MEMORY_COMPLETE, MEMORY_COMPLETE_SSC, true, false, false,
                      EVENT_LOAD_PORT_REPLAY, 1},
                     {"", EVENT_SCALAR_SP_UOP, FIRM_ALL, true, false, false, EVENT_PACKED_DP_UOP, FIRM_ALL}},
    [BLOCK_IQ] = {{"", EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, true, false, true,
                   EVENT_MISPRED_BRANCH_RETIRED, 2},
                  {".MMTP.MMTM", EVENT_BRANCH_RETIRED, BRANCH_RETIRED_TAKEN, true, true, false,
                   EVENT_MACHINE_CLEAR, MACHINE_CLEAR_SMCLEAR},
                  {"", EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS, true, false, true, EVENT_UOPS_RETIRED, 2},
                  {".MMNP.MMNM", EVENT_BRANCH_RETIRED, BRANCH_RETIRED_UNTAKEN, true, false, false,
                   EVENT_MACHINE_CLEAR, MACHINE_CLEAR_SMCLEAR}},
};

const struct course_event *course_event(unsigned counter, unsigned number)
{
    return &EVENTS[PMC_COUNTER[counter].block][number];
}

unsigned course_first_like(unsigned counter, unsigned number)
{
    const struct course_event *event = course_event(counter, number);
    unsigned first = 0;

    while (course_event(counter, first)->event != event->event ||
           course_event(counter, first)->mask != event->mask)
        first++;
    return first;
}

uint32_t course_select(unsigned counter, unsigned number)
{
    return CCCR_ESCR_SELECT(PMC_EVENT[course_event(counter, number)->event].cccr_select);
}

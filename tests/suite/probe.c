#include "probe.h"

#include "pmc/netburst/setup.h"

void probe_exercise(const struct workload *work, uint32_t n)
{
    struct frame frame;

    frame_init(&frame, 0); /* its writes of an idle CCCR are not executed by an exercise */
    frame_phase(&frame, 0, work, n);
    frame_exercise(&frame);
}

bool probe_moves(unsigned counter, const struct workload *work, uint32_t n)
{
    uint64_t before = pmc_read(counter);

    probe_exercise(work, n);
    return pmc_read(counter) != before;
}

#include "inject.h"

#define STOPPED_US 3u
#define DUTY       2u /* the clocks run in one half of the time */

struct throttle throttle_at(uint64_t clock_hz, unsigned hot_us, unsigned one_in)
{
    const uint64_t us = clock_hz / 1000000;
    return (struct throttle){
        .period = DUTY * STOPPED_US * us, .stopped = STOPPED_US * us, .phase = hot_us * us, .one_in = one_in};
}

uint64_t throttle_next(const struct throttle *throttle, unsigned c)
{
    return throttle->period ? throttle->next[c] : UINT64_MAX;
}

void throttle_run(struct throttle *throttle, unsigned c, struct core *core, struct run_control *control)
{
    const uint64_t cycle = throttle->phase * throttle->one_in;
    uint64_t *next = &throttle->next[c];
    if (core->clock < throttle_next(throttle, c))
        return;
    run_control_catch_up(control, core);
    core_stop_clock(core, throttle->stopped);
    *next = core->clock + throttle->period - throttle->stopped;
    if (*next % cycle >= throttle->phase) /* cool until the next phase of heat */
        *next = (*next / cycle + 1) * cycle;
}

/*
 * The boot word bringup: the stages of the PMU in their order (stages.h), a point each. It stops behind the
 * first stage in which a counter is wrong.
 */
#ifndef TESTS_SUITE_BRINGUP_H
#define TESTS_SUITE_BRINGUP_H

#include "gone.h"
#include "vector.h"

/* The members are the stages. A member ends with the first counter that is wrong. */
extern const struct vector BRINGUP;

/* The member that runs next has failed: say which counters of the stage are right. The others are not run. */
void bringup_stop(unsigned member, stage_try *try);
/* The stage at which it has stopped, or null. */
const struct stage *bringup_stopped(void);
/* Call it after the last stage. */
void bringup_report(void);

#endif

/*
 * All that is inside of the PMU model, for sim/faults: a fault may stand in front of any part of it. A file
 * of the model includes the headers of the parts that it uses.
 */
#ifndef SIM_NETBURST_PRIVATE_H
#define SIM_NETBURST_PRIVATE_H

#include "nbpmu.h"
#include "state.h"
#include "stages.h"
#include "clock.h"
#include "count.h"
#include "enable.h"
#include "errata.h"
#include "event_table.h"
#include "fast_forward.h"
#include "filter.h"
#include "match.h"
#include "qualify.h"
#include "registers.h"
#include "reset.h"
#include "routing.h"
#include "tags.h"
#include "trace.h"

#endif

/* Families that more than one theme uses (vector.h). */
#ifndef VECTORS_FAMILIES_H
#define VECTORS_FAMILIES_H

#include "vector.h"

/* Members 0..17: the counters by flat number, "0" to "17". */
extern const struct family every_counter;

#endif

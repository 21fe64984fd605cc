/* A trap that nothing of ours expected, outside any attempt: the run ends with a dump, never silently. */
#ifndef KERNEL_CRASH_H
#define KERNEL_CRASH_H

#include <stdint.h>
#include "trap.h"

_Noreturn void crash(const struct trap_frame *frame, uint32_t cr2);

#endif

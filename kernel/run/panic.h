/* An exception outside guarded work: report it in the log and end the run. */
#ifndef KERNEL_RUN_PANIC_H
#define KERNEL_RUN_PANIC_H

#include <stdint.h>
#include "kernel/x86/trap.h"

_Noreturn void panic(const struct trap_frame *frame, uint32_t cr2);

#endif

/* Assigns handlers to the interrupt vectors. */
#ifndef KERNEL_RUN_INTERRUPTS_H
#define KERNEL_RUN_INTERRUPTS_H

/* Set the handlers of exceptions, NMI, PMI, deadline timer, wake-up IPI and the software interrupt that
 * aborts guarded work. After traps_init(), on the boot processor; they serve both logical processors. */
void interrupts_init(void);

#endif

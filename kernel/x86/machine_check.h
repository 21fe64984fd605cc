/*
 * The machine-check architecture (SDM vol. 3, chapter 15): failing hardware reports itself by #MC and in
 * banks of registers.
 */
#ifndef KERNEL_X86_MACHINE_CHECK_H
#define KERNEL_X86_MACHINE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/* Take #MC on this logical processor, where it has that; otherwise an error that the firmware made it report
 * shuts the machine down. */
void machine_check_enable(void);

/* The number of banks; 0 when there are none. */
unsigned machine_check_banks(void);

/* Status and address of a bank. False when it holds no error; the address is 0 when the bank has none. */
bool machine_check_read(unsigned bank, uint64_t *status, uint64_t *address);

#endif

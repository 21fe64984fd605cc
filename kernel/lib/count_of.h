/* How many elements an array has. Not for pointers. */
#ifndef KERNEL_LIB_COUNT_OF_H
#define KERNEL_LIB_COUNT_OF_H

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

#endif

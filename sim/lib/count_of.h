/* The number of elements of an array (not of a pointer). */
#ifndef SIM_LIB_COUNT_OF_H
#define SIM_LIB_COUNT_OF_H

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

#endif

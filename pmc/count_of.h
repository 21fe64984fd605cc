/* COUNT_OF(array): the number of elements of an array. Not for pointers. */
#ifndef PMC_COUNT_OF_H
#define PMC_COUNT_OF_H

#define COUNT_OF(array) (sizeof array / sizeof array[0])

#endif

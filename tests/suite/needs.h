/* What vectors need of the machine (enum need of vector.h). */
#ifndef TESTS_SUITE_NEEDS_H
#define TESTS_SUITE_NEEDS_H

/* Set of enum need (vector.h) that this machine meets. */
unsigned machine_meets(void);
/* Why a need is not met, in words for a SKIP. */
const char *machine_lacks(unsigned need);
/* What a person can do to have it met; null when the processor lacks it. */
const char *machine_remedy(unsigned need);

#endif

/*
 * The sibling in HLT, with an LVTPC that lets PMIs through: they end the halt, and it halts again. The
 * handler of the vector leaves LVTPC masked, so a PMI is taken once for each sleeper_open().
 */
#ifndef TESTS_SUITE_SLEEPER_H
#define TESTS_SUITE_SLEEPER_H

/* Give the sibling this work; LVTPC stays masked. A sibling that does not take it fails the vector. */
void sleeper_begin(void);
/* Let the sibling unmask its LVTPC, and wait until it has halted again. No counter may request a PMI of it by
 * then. */
void sleeper_open(void);
/* End the work; LVTPC of the sibling is masked after it. */
void sleeper_end(void);

#endif

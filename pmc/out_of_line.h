/* For a small function that the compiler would put into every caller, where that makes the image larger. */
#ifndef PMC_OUT_OF_LINE_H
#define PMC_OUT_OF_LINE_H

#define OUT_OF_LINE __attribute__((noinline))

#endif

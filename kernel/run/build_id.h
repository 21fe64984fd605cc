/* The identity of this build. */
#ifndef KERNEL_RUN_BUILD_ID_H
#define KERNEL_RUN_BUILD_ID_H

/* The commit's name in version control, which the Makefile passes in BUILD_ID_TEXT. */
extern const char BUILD_ID[];

#endif

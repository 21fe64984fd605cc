/* Which build this image is. */
#ifndef KERNEL_RUN_BUILD_ID_H
#define KERNEL_RUN_BUILD_ID_H

/* The version control's name of the commit, as the Makefile passes it in BUILD_ID_TEXT. */
extern const char BUILD_ID[];

#endif

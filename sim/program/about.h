/* What p4sim says about itself. */
#ifndef SIM_PROGRAM_ABOUT_H
#define SIM_PROGRAM_ABOUT_H

/* What `p4sim --help` prints. */
extern const char P4SIM_HELP[];

/* The version and the commit, as tools/identity names them, and a line feed. */
#define P4SIM_VERSION_SIZE 128 /* SIM_VERSION_SIZE in the Makefile */
extern const char P4SIM_VERSION[P4SIM_VERSION_SIZE];

#endif

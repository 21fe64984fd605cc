/*
 * The last resort against a crash of libunicorn: one line that says where the guest was, and the exit status
 * of a broken run.
 */
#ifndef SIM_PROGRAM_CRASH_H
#define SIM_PROGRAM_CRASH_H

struct machine;

/* From now on a signal that ends p4sim (a bad access, a failed assertion) is answered so. A build with
 * sanitizers keeps their own reports. */
void crash_watch(const struct machine *machine);

#endif

/* How a run can end. */
#ifndef KERNEL_LOG_VERDICT_H
#define KERNEL_LOG_VERDICT_H

/* The values are those that finish() writes to the port of QEMU's isa-debug-exit device (QEMU then exits with
 * twice the value, plus 1). */
enum verdict {
    VERDICT_PASS = 0x10,   /* every check passed */
    VERDICT_FAIL = 0x11,   /* a check failed */
    VERDICT_BROKEN = 0x12, /* the run ended early: the log says why in its "Bail out!" line */
    VERDICT_SKIP = 0x13,   /* nothing was tested: the plan says why */
};

#endif

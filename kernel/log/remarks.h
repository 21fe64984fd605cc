/* Comments on the vector that runs, kept until it is known whether it fails. */
#ifndef KERNEL_LOG_REMARKS_H
#define KERNEL_LOG_REMARKS_H

/* Keep a remark after those that are kept. A remark for which there is no room is lost. */
void remarks_keep(const char *text);

/* Print them as comment lines, and forget them. */
void remarks_print(void);

void remarks_forget(void);

#endif

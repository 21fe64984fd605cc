/* The two 8259 interrupt controllers: all requests masked while the kernel runs, restored for calls of the
 * BIOS. */
#ifndef KERNEL_X86_PIC_H
#define KERNEL_X86_PIC_H

/* Give them interrupt vectors apart from the exceptions' and mask every request. The first call saves the
 * BIOS's masks. */
void pic_remap(void);

/* Restore the BIOS's interrupt vectors and masks. */
void pic_restore(void);

#endif

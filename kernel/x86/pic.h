/* The two 8259 interrupt controllers: ours are masked; a BIOS gets them as it left them. */
#ifndef KERNEL_X86_PIC_H
#define KERNEL_X86_PIC_H

/* Give them vectors that no exception has and mask every request. The first call remembers the masks of the
 * BIOS. */
void pic_remap(void);

/* As the BIOS had them: its vectors, its masks. */
void pic_restore(void);

#endif

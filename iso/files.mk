# What the ISO is made of besides the kernel.

ISO_FILES := \
	iso/build-iso \
	iso/early.cfg \
	iso/grub.cfg

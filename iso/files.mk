# The inputs of the bootable media, and of the files for booting from the network, besides the kernel.

ISO_FILES := \
	iso/build-iso \
	iso/grub-image \
	iso/menu \
	iso/early.cfg \
	iso/grub.cfg

NETBOOT_FILES := \
	iso/build-netboot \
	iso/grub-image \
	iso/menu \
	iso/grub.cfg \
	iso/pmuproof.ipxe

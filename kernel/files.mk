# The machine the vectors stand on.

KERNEL_SRC := \
	kernel/main.c \
	kernel/build_id.c \
	kernel/inventory.c \
	kernel/smbios.c \
	kernel/efi.c \
	kernel/memory.c \
	kernel/div64.c \
	kernel/format.c \
	kernel/options.c \
	kernel/loader.c \
	kernel/image.c \
	kernel/cpu.c \
	kernel/paging.c \
	kernel/segments.c \
	kernel/uart.c \
	kernel/serial.c \
	kernel/pci.c \
	kernel/screen.c \
	kernel/framebuffer.c \
	kernel/vga.c \
	kernel/console.c \
	kernel/crc32.c \
	kernel/log.c \
	kernel/tap.c \
	kernel/finish.c \
	kernel/pic.c \
	kernel/trap.c \
	kernel/trap_names.c \
	kernel/crash.c \
	kernel/msr.c \
	kernel/attempt.c \
	kernel/lapic.c \
	kernel/clock.c \
	kernel/firmware.c \
	kernel/acpi.c \
	kernel/acpi_s5.c \
	kernel/poweroff.c \
	kernel/watchdog.c \
	kernel/mptable.c \
	kernel/topology.c \
	kernel/bios.c \
	kernel/disk.c \
	kernel/fat.c \
	kernel/logfile.c \
	kernel/disklog.c \
	kernel/smp.c

# What tools/font makes the font out of (xfonts-base).
FONT := /usr/share/fonts/X11/misc/8x13B-ISO8859-1.pcf.gz

BUILD_ID_SRC := kernel/build_id.c

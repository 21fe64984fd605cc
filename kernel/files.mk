# The kernel: the machine's set-up, the console, the log, and one run.

KERNEL_SRC := \
	kernel/run/main.c \
	kernel/run/build_id.c \
	kernel/run/inventory.c \
	kernel/run/inventory_raw.c \
	kernel/firmware/smbios.c \
	kernel/firmware/efi.c \
	kernel/lib/string.c \
	kernel/lib/div64.c \
	kernel/lib/format.c \
	kernel/run/options.c \
	kernel/run/pattern.c \
	kernel/firmware/multiboot.c \
	kernel/firmware/memory_map.c \
	kernel/run/image.c \
	kernel/x86/cpu.c \
	kernel/x86/paging.c \
	kernel/x86/segments.c \
	kernel/console/uart.c \
	kernel/console/serial.c \
	kernel/board/pci.c \
	kernel/console/screen.c \
	kernel/console/vga.c \
	kernel/console/console.c \
	kernel/lib/crc32.c \
	kernel/log/log.c \
	kernel/log/outcome.c \
	kernel/log/remarks.c \
	kernel/log/store.c \
	kernel/log/tap.c \
	kernel/log/diagnosis.c \
	kernel/run/finish.c \
	kernel/x86/pic.c \
	kernel/x86/trap.c \
	kernel/x86/machine_check.c \
	kernel/x86/trap_names.c \
	kernel/run/panic.c \
	kernel/x86/msr.c \
	kernel/run/msr_checked.c \
	kernel/run/interrupts.c \
	kernel/run/pmi.c \
	kernel/run/trap_report.c \
	kernel/run/guard.c \
	kernel/x86/lapic.c \
	kernel/board/clock.c \
	kernel/firmware/tables.c \
	kernel/firmware/acpi.c \
	kernel/board/progress.c \
	kernel/board/io_apic.c \
	kernel/smp/topology.c \
	kernel/firmware/bios_call.c \
	kernel/smp/smp.c

# Rooms that can be deleted: the folder, its line here, and the one or two calls that its README names.
KERNEL_SRC += kernel/framebuffer/framebuffer.c kernel/framebuffer/description.c
KERNEL_SRC += kernel/pci_serial/pci_serial.c
KERNEL_SRC += kernel/watchdog/watchdog.c
KERNEL_SRC += kernel/logfile/logfile.c kernel/logfile/file.c kernel/logfile/fat.c kernel/logfile/disk.c

# What tools/font makes the font out of (xfonts-base).
FONT := /usr/share/fonts/X11/misc/8x13B-ISO8859-1.pcf.gz

BUILD_ID_SRC := kernel/run/build_id.c

# Not in build/libkernel.a, because a program of the host cannot use it: 32-bit addresses, privileged instructions, or functions
# of the C library.
KERNEL_MACHINE_ONLY := kernel/x86/% kernel/lib/string.c kernel/firmware/bios_call.c kernel/smp/smp.c

# Fuzz targets: tests/fuzz/NAME.c with the sources in NAME_FUZZES; seeds in tests/fuzz/seeds/NAME/.
FUZZ_TARGETS := boot_line acpi smbios multiboot elf log_file

boot_line_FUZZES = kernel/run/options.c kernel/lib/format.c kernel/lib/div64.c
acpi_FUZZES      = kernel/firmware/acpi.c kernel/firmware/tables.c tests/fuzz/window.c
acpi_LINK        = -Wl,--wrap=checksum_good
smbios_FUZZES    = kernel/firmware/smbios.c kernel/firmware/efi.c kernel/firmware/tables.c tests/fuzz/window.c
smbios_LINK      = -Wl,--wrap=checksum_good
multiboot_FUZZES = kernel/firmware/multiboot.c kernel/console/framebuffer.c font.c
elf_FUZZES       = sim/board/elf_loader.c
log_file_FUZZES  = kernel/logfile/file.c kernel/logfile/fat.c kernel/lib/format.c kernel/lib/div64.c

# What drives them: libFuzzer when the build is instrumented for it, else main.c.
FUZZ_ENGINE = $(if $(findstring fuzzer,$(SANITIZE)),-fsanitize=fuzzer,$(BUILD)/host/tests/fuzz/main.o)

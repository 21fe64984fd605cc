# Fuzz targets: tests/fuzz/NAME.c with the sources in NAME_FUZZES; seeds in tests/fuzz/seeds/NAME/.
FUZZ_TARGETS := boot_line acpi mp_table smbios multiboot elf log_file

boot_line_FUZZES = kernel/options.c kernel/format.c kernel/div64.c
acpi_FUZZES      = kernel/acpi.c kernel/acpi_s5.c kernel/firmware.c tests/fuzz/window.c
acpi_LINK        = -Wl,--wrap=checksum_good
mp_table_FUZZES  = kernel/mptable.c kernel/firmware.c tests/fuzz/window.c
mp_table_LINK    = -Wl,--wrap=checksum_good
smbios_FUZZES    = kernel/smbios.c kernel/efi.c kernel/firmware.c tests/fuzz/window.c
smbios_LINK      = -Wl,--wrap=checksum_good
multiboot_FUZZES = kernel/loader.c kernel/framebuffer.c font.c
elf_FUZZES       = sim/loader.c
log_file_FUZZES  = kernel/logfile.c kernel/fat.c kernel/format.c kernel/div64.c

# What drives them: libFuzzer when the build is instrumented for it, else main.c.
FUZZ_ENGINE = $(if $(findstring fuzzer,$(SANITIZE)),-fsanitize=fuzzer,$(BUILD)/host/tests/fuzz/main.o)

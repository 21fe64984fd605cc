# Fuzz targets: a program for each of tests/fuzz/NAME.c; seeds in tests/fuzz/seeds/NAME/.
FUZZ_TARGETS := boot_line acpi smbios multiboot elf log_file machine

FUZZ_SUPPORT_SRC := tests/fuzz/window.c tests/fuzz/guest.c tests/fuzz/statements.c

# Inputs of a target under make sanitize, if not FUZZ_RUNS: a machine takes longer than a reader of bytes.
FUZZ_RUNS         := 20000
FUZZ_RUNS_machine := 200

# A fuzzer hardly ever finds the one checksum that is right: window.c's takes three of four.
FUZZ_LINK := -Wl,--wrap=checksum_good

# This one is given phys_ptr() itself, which window.c stands in for elsewhere.
FUZZES_OF_PHYS_PTR := multiboot

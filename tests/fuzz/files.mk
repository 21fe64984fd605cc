# Fuzz targets: a program for each of tests/fuzz/NAME.c; seeds in tests/fuzz/seeds/NAME/.
FUZZ_TARGETS := boot_line acpi smbios multiboot elf log_file

FUZZ_SUPPORT_SRC := tests/fuzz/window.c

# A fuzzer hardly ever finds the one checksum that is right: window.c's takes three of four.
FUZZ_LINK := -Wl,--wrap=checksum_good

# This one is given phys_ptr() itself, which window.c stands in for elsewhere.
FUZZES_OF_PHYS_PTR := multiboot

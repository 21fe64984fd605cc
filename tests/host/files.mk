# ---- The PMU library (pmc/) ----

HOST_TESTS += fields_test map_test text_test cpu_test events_test setup_test setup_model_test examples_test \
	pfm_test

map_test_WITH         = pmc/map.c $(SIM_MODEL_SRC)
text_test_WITH        = pmc/text.c
cpu_test_WITH         = pmc/cpu.c pmc/text.c pmc/answer.c tests/host/msr_record.c
events_test_WITH      = pmc/map.c pmc/event.c $(SIM_MODEL_SRC)
setup_test_WITH       = pmc/map.c pmc/event.c pmc/text.c pmc/setup.c pmc/state.c tests/host/msr_record.c
setup_model_test_WITH = $(PMC_SRC) tests/host/msr_model.c $(SIM_MODEL_SRC)
examples_test_WITH    = pmc/map.c pmc/event.c pmc/setup.c pmc/examples.c tests/host/msr_record.c
pfm_test_WITH         = pmc/event.c
pfm_test_LIBS         = -lpfm

# ---- The portable parts of the kernel (kernel/) ----

HOST_TESTS += format_test log_test options_test logfile_test disklog_test firmware_test smbios_test serial_test uart_test poweroff_test multiboot_test framebuffer_test screen_test

format_test_WITH      = kernel/format.c kernel/div64.c
log_test_WITH         = kernel/log.c kernel/crc32.c kernel/format.c kernel/div64.c
logfile_test_WITH     = kernel/logfile.c kernel/fat.c kernel/format.c kernel/div64.c
disklog_test_WITH     = kernel/disklog.c kernel/format.c kernel/div64.c
options_test_WITH     = kernel/options.c kernel/format.c kernel/div64.c
smbios_test_WITH      = kernel/smbios.c kernel/efi.c kernel/firmware.c tests/host/physical.c
serial_test_WITH      = kernel/serial.c kernel/pci.c kernel/acpi.c kernel/firmware.c kernel/format.c kernel/div64.c tests/host/physical.c
uart_test_WITH        = kernel/uart.c
poweroff_test_WITH    = kernel/poweroff.c kernel/acpi_s5.c kernel/acpi.c kernel/firmware.c tests/host/physical.c
firmware_test_WITH    = kernel/acpi.c kernel/mptable.c kernel/firmware.c tests/host/physical.c
multiboot_test_WITH   = kernel/loader.c kernel/framebuffer.c font.c
framebuffer_test_WITH = kernel/framebuffer.c font.c
screen_test_WITH      = kernel/screen.c font.c

# ---- The PMU model (sim/pmu*.c) against a second statement of the rules ----

HOST_TESTS += property_test

property_test_WITH = tests/host/property_case.c tests/host/property_step.c tests/host/naive.c tests/host/naive_registers.c \
	tests/host/naive_events.c sim/cpu_models.c sim/variants.c $(SIM_MODEL_SRC)

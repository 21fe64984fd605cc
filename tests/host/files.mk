# ---- The PMU library (pmc/) ----

HOST_TESTS += pmc/fields_test pmc/map_test pmc/text_test pmc/cpu_test pmc/events_test pmc/setup_test pmc/setup_model_test pmc/examples_test \
	pmc/pfm_test

pmc/map_test_WITH         = pmc/netburst/map.c $(SIM_MODEL_SRC)
pmc/text_test_WITH        = pmc/netburst/text.c
pmc/cpu_test_WITH         = pmc/netburst/cpu.c pmc/netburst/text.c pmc/netburst/probe.c tests/host/support/msr_record.c
pmc/events_test_WITH      = pmc/netburst/map.c pmc/netburst/event.c $(SIM_MODEL_SRC)
pmc/setup_test_WITH       = pmc/netburst/map.c pmc/netburst/event.c pmc/netburst/text.c pmc/netburst/setup.c pmc/netburst/state.c tests/host/support/msr_record.c
pmc/setup_model_test_WITH = $(PMC_SRC) tests/host/support/msr_model.c $(SIM_MODEL_SRC)
pmc/examples_test_WITH    = pmc/netburst/map.c pmc/netburst/event.c pmc/netburst/setup.c pmc/netburst/examples.c tests/host/support/msr_record.c
pmc/pfm_test_WITH         = pmc/netburst/event.c
pmc/pfm_test_LIBS         = -lpfm

# ---- The portable parts of the kernel (kernel/) ----

HOST_TESTS += kernel/format_test kernel/log_test kernel/options_test kernel/logfile_test kernel/disklog_test kernel/firmware_test kernel/smbios_test kernel/serial_test kernel/uart_test kernel/multiboot_test kernel/framebuffer_test kernel/screen_test

kernel/format_test_WITH      = kernel/lib/format.c kernel/lib/div64.c
kernel/log_test_WITH         = kernel/log/log.c kernel/lib/crc32.c kernel/lib/format.c kernel/lib/div64.c
kernel/logfile_test_WITH     = kernel/logfile/file.c kernel/logfile/fat.c kernel/lib/format.c kernel/lib/div64.c
kernel/disklog_test_WITH     = kernel/logfile/logfile.c kernel/lib/format.c kernel/lib/div64.c
kernel/options_test_WITH     = kernel/run/options.c kernel/lib/format.c kernel/lib/div64.c
kernel/smbios_test_WITH      = kernel/firmware/smbios.c kernel/firmware/efi.c kernel/firmware/tables.c tests/host/support/physical.c
kernel/serial_test_WITH      = kernel/console/serial.c kernel/board/pci.c kernel/firmware/acpi.c kernel/firmware/tables.c kernel/lib/format.c kernel/lib/div64.c tests/host/support/physical.c
kernel/uart_test_WITH        = kernel/console/uart.c
kernel/firmware_test_WITH    = kernel/firmware/acpi.c kernel/firmware/tables.c tests/host/support/physical.c
kernel/multiboot_test_WITH   = kernel/firmware/multiboot.c kernel/console/framebuffer.c font.c
kernel/framebuffer_test_WITH = kernel/console/framebuffer.c font.c
kernel/screen_test_WITH      = kernel/console/screen.c font.c

# ---- The PMU model (sim/netburst/) ----

MODEL_TESTS := registers map value qualify filter overflow cascade cascade_pairs extended pmi pmi_errata errata clock \
	fast_forward tags trace
MODEL_TESTS := $(MODEL_TESTS:%=model/%_test)

HOST_TESTS += $(MODEL_TESTS)
$(foreach test,$(MODEL_TESTS),$(eval $(test)_WITH := $(SIM_MODEL_SRC)))
model/clock_test_WITH += tests/host/support/model_random.c
model/fast_forward_test_WITH += tests/host/support/model_random.c

# ---- The PMU model (sim/netburst/) against a second statement of the rules ----

HOST_TESTS += second_model/property_test

second_model/property_test_WITH = tests/host/second_model/property_case.c tests/host/second_model/property_step.c tests/host/second_model/naive.c tests/host/second_model/naive_registers.c \
	tests/host/second_model/naive_events.c sim/cpu/models.c sim/variants.c $(SIM_MODEL_SRC)

# ---- Parts of p4sim (sim/) ----

HOST_TESTS += sim/loader_test sim/lapic_test

sim/loader_test_WITH = sim/board/elf_loader.c
sim/lapic_test_WITH  = sim/cpu/lapic.c

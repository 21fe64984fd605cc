# The host tests, one program each (tests/host/NAME.c), and the sources that they share.

HOST_TESTS := \
	pmc/fields_test \
	pmc/map_test \
	pmc/text_test \
	pmc/cpu_test \
	pmc/detection_test \
	pmc/probe_test \
	pmc/events_test \
	pmc/setup_test \
	pmc/state_test \
	pmc/examples_test \
	pmc/pfm_test \
	kernel/format_test \
	kernel/log_test \
	kernel/tap_test \
	kernel/outcome_test \
	kernel/pmi_test \
	kernel/clock_test \
	kernel/finish_test \
	kernel/options_test \
	kernel/console_option_test \
	kernel/patterns_test \
	kernel/logfile_find_test \
	kernel/logfile_write_test \
	kernel/disklog_test \
	kernel/disk_test \
	kernel/firmware_test \
	kernel/smbios_test \
	kernel/smbios_entry_test \
	kernel/serial_test \
	kernel/pci_serial_test \
	kernel/uart_test \
	kernel/multiboot_test \
	kernel/multiboot_framebuffer_test \
	kernel/framebuffer_test \
	kernel/screen_test \
	kernel/screen_verdict_test \
	suite/observe_test \
	suite/expect_test \
	suite/suite_test \
	suite/frame_test \
	suite/count_test \
	suite/sheet_test \
	suite/pmi_counter_test \
	model/registers_test \
	model/value_test \
	model/streams_test \
	model/cascade_test \
	model/pmi_errata_test \
	model/errata_test \
	model/clock_test \
	model/fast_forward_test \
	model/tags_test \
	model/trace_test \
	model/interface_test \
	second_model/property_test \
	sim/loader_test \
	sim/lapic_test \
	sim/identity_test \
	sim/decode_test \
	sim/fp_uop_test \
	sim/bus_test \
	sim/timing_test

HOST_SUPPORT_SRC := \
	tests/host/support/model_random.c \
	tests/host/support/msr_record.c \
	tests/host/support/no_vectors.c \
	tests/host/support/physical.c \
	tests/host/second_model/property_case.c \
	tests/host/second_model/property_step.c \
	tests/host/second_model/naive.c \
	tests/host/second_model/naive_registers.c \
	tests/host/second_model/naive_events.c

# These test phys_ptr() itself, which support/physical.c stands in for elsewhere.
TESTS_OF_PHYS_PTR := kernel/multiboot_test kernel/multiboot_framebuffer_test

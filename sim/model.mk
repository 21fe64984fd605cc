# The PMU reference model: plain C11, no emulator, usable as a library; and its tests.
SIM_MODEL_SRC := sim/pmu.c sim/pmu_map.c sim/pmu_escr.c sim/pmu_events.c sim/pmu_match.c sim/pmu_qualify.c \
	sim/pmu_filter.c sim/pmu_count.c sim/pmu_start.c sim/pmu_access.c sim/pmu_rdpmc.c sim/pmu_clock.c sim/pmu_tags.c \
	sim/pmu_trace.c sim/pmu_errata.c sim/pmu_faults.c sim/pmu_fault_families.c sim/pmu_fault_catalogue.c

MODEL_TESTS := model_registers_test model_map_test model_value_test model_qualify_test model_filter_test \
	model_overflow_test model_cascade_test model_cascade_pairs_test model_extended_test model_pmi_test \
	model_pmi_errata_test model_errata_test model_clock_test model_untold_test model_tags_test model_trace_test

HOST_TESTS += $(MODEL_TESTS)
$(foreach test,$(MODEL_TESTS),$(eval $(test)_WITH := $(SIM_MODEL_SRC)))
model_clock_test_WITH += tests/host/model_random.c
model_untold_test_WITH += tests/host/model_random.c

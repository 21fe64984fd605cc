# Sources of p4sim. The PMU model's are in model.mk.
SIM_SRC := \
	sim/main.c \
	sim/options.c \
	sim/variants.c \
	sim/verdict.c \
	sim/cpu_models.c \
	sim/loader.c \
	sim/firmware.c \
	sim/machine.c \
	sim/processor.c \
	sim/processor_state.c \
	sim/boot_rom.c \
	sim/block_cuts.c \
	sim/apic_bus.c \
	sim/ram_stores.c \
	sim/special.c \
	sim/msrs.c \
	sim/memory_type.c \
	sim/memory_access.c \
	sim/tlb.c \
	sim/interrupt.c \
	sim/decode.c \
	sim/classify.c \
	sim/classify_x87.c \
	sim/retire.c \
	sim/branch_events.c \
	sim/uop_events.c \
	sim/x87_stack.c \
	sim/tagging.c \
	sim/deliver_mode.c \
	sim/predictor.c \
	sim/noise.c \
	sim/noise_smi.c \
	sim/noise_leftovers.c \
	sim/hostile.c \
	sim/lapic.c \
	sim/board.c \
	sim/ich.c \
	sim/uart.c \
	sim/pit.c

HOST_TESTS += loader_test lapic_test

loader_test_WITH = sim/loader.c
lapic_test_WITH  = sim/lapic.c

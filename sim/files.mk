# Sources of p4sim. The PMU model's are in sim/netburst/files.mk.
SIM_MAIN := sim/program/main.c
SIM_SRC := \
	$(SIM_MAIN) \
	sim/program/options.c \
	sim/program/near.c \
	sim/program/about.c \
	sim/program/verdict.c \
	sim/program/crash.c \
	sim/lib/random.c \
	sim/decode/decode.c \
	sim/decode/accesses.c \
	sim/decode/classify.c \
	sim/decode/classify_cost.c \
	sim/decode/classify_x87.c \
	sim/board/ram.c \
	sim/board/screen.c \
	sim/board/elf_loader.c \
	sim/board/firmware.c \
	sim/board/ports.c \
	sim/board/ich.c \
	sim/board/io_apic.c \
	sim/board/uart.c \
	sim/board/pit.c \
	sim/cpu/models.c \
	sim/cpu/processor_variants.c \
	sim/cpu/bus.c \
	sim/cpu/core.c \
	sim/cpu/registers.c \
	sim/cpu/context.c \
	sim/cpu/paging.c \
	sim/cpu/msrs.c \
	sim/cpu/lapic.c \
	sim/cpu/lapic_timer.c \
	sim/cpu/lapic_registers.c \
	sim/cpu/memory_type.c \
	sim/cpu/tlb.c \
	sim/cpu/predictor.c \
	sim/cpu/timing.c \
	sim/cpu/timing_table.c \
	sim/cpu/wake.c \
	sim/cpu/run_control.c \
	sim/cpu/injector.c \
	sim/events/retire.c \
	sim/events/memory.c \
	sim/events/branch.c \
	sim/events/fp_uop.c \
	sim/events/tagging.c \
	sim/events/tc_mode.c \
	sim/engine/engine.c \
	sim/engine/create.c \
	sim/engine/run.c \
	sim/engine/segments.c \
	sim/engine/execute.c \
	sim/engine/step.c \
	sim/engine/delivery.c \
	sim/engine/debug.c \
	sim/engine/unsupported.c \
	sim/engine/complete.c \
	sim/engine/intercept.c \
	sim/engine/interrupt.c \
	sim/engine/power.c \
	sim/engine/privilege.c \
	sim/engine/boot_rom.c \
	sim/engine/translation.c \
	sim/engine/mmio.c \
	sim/engine/apic_stores.c \
	sim/engine/ram_stores.c \
	sim/machine/machine.c \
	sim/machine/scheduler.c \
	sim/waves/save_file.c \
	sim/waves/vcd.c \
	sim/waves/waves.c \
	sim/inject/noise.c \
	sim/inject/throttle.c \
	sim/inject/defect.c \
	sim/inject/defect_run.c \
	sim/inject/defect_bios.c \
	sim/inject/lapic_defects.c

# The text in it, and the room that it has there.
SIM_VERSION_SRC  := sim/program/about.c
SIM_VERSION_SIZE := 128

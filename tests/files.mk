# The vectors and their workloads (parts of the kernel image), the host tests and the image tests.

WORKLOADS_ASM := \
	tests/workloads/frame.asm \
	tests/workloads/sleds.asm \
	tests/workloads/recounted.asm \
	tests/workloads/loops.asm \
	tests/workloads/memory.asm

VECTORS_SRC := \
	tests/vectors/selection.c \
	tests/vectors/suite.c \
	tests/vectors/soak.c \
	tests/vectors/list.c \
	tests/vectors/expect.c \
	tests/vectors/machine.c \
	tests/vectors/families.c \
	tests/vectors/frame.c \
	tests/vectors/stimulus.c \
	tests/vectors/together.c \
	tests/vectors/observe.c \
	tests/vectors/state.c \
	tests/vectors/access.c \
	tests/vectors/privilege.c \
	tests/vectors/count.c \
	tests/vectors/events.c \
	tests/vectors/tagging.c \
	tests/vectors/value.c \
	tests/vectors/overflow.c \
	tests/vectors/filter.c \
	tests/vectors/filter_order.c \
	tests/vectors/qualify.c \
	tests/vectors/cascade.c \
	tests/vectors/cascade_18_1.c \
	tests/vectors/cascade_forms.c \
	tests/vectors/negative.c \
	tests/vectors/isolation.c \
	tests/vectors/reach.c \
	tests/vectors/extended.c \
	tests/vectors/replay_stall.c \
	tests/vectors/errata.c \
	tests/vectors/pmi.c \
	tests/vectors/pmi_forms.c \
	tests/vectors/pmi_delivery.c \
	tests/vectors/sheet.c \
	tests/vectors/probe.c \
	tests/vectors/probes_cascade.c \
	tests/vectors/probes_pmi.c \
	tests/vectors/probes_filter.c \
	tests/vectors/probes_reserved.c \
	tests/vectors/probes_count.c \
	tests/vectors/probes_halted.c \
	tests/vectors/harness.c \
	tests/vectors/selftest.c

include tests/host/files.mk
include tests/fuzz/files.mk
include tests/image/files.mk
include tests/lab/files.mk

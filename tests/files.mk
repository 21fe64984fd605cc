# The vectors and their workloads (parts of the kernel image), the host tests and the image tests.

WORKLOADS_ASM := \
	tests/workloads/frame.asm \
	tests/workloads/sleds.asm \
	tests/workloads/recounted.asm \
	tests/workloads/loops.asm \
	tests/workloads/cost.asm \
	tests/workloads/memory.asm

VECTORS_SRC := \
	tests/suite/vector.c \
	tests/suite/selection.c \
	tests/suite/suite.c \
	tests/suite/soak.c \
	tests/vectors/list.c \
	tests/suite/expect.c \
	tests/suite/failure.c \
	tests/suite/machine.c \
	tests/suite/frame.c \
	tests/suite/count.c \
	tests/suite/cost.c \
	tests/suite/sibling.c \
	tests/suite/place.c \
	tests/suite/documented.c \
	tests/suite/sibling_access.c \
	tests/suite/all_counters.c \
	tests/suite/stimulus.c \
	tests/suite/counter_group.c \
	tests/suite/gate.c \
	tests/suite/observe.c \
	tests/suite/pmi_counter.c \
	tests/suite/halt.c \
	tests/suite/sleeper.c \
	tests/vectors/netburst/state.c \
	tests/vectors/netburst/state_kept.c \
	tests/vectors/netburst/access.c \
	tests/vectors/netburst/access_features.c \
	tests/vectors/netburst/privilege.c \
	tests/vectors/netburst/rdpmc_user.c \
	tests/vectors/netburst/shared.c \
	tests/vectors/netburst/shared_work.c \
	tests/vectors/netburst/count.c \
	tests/vectors/netburst/events.c \
	tests/vectors/netburst/event_members.c \
	tests/vectors/netburst/tagging.c \
	tests/vectors/netburst/tag_values.c \
	tests/vectors/netburst/value.c \
	tests/vectors/netburst/overflow.c \
	tests/vectors/netburst/overflow_together.c \
	tests/vectors/netburst/force.c \
	tests/vectors/netburst/increment.c \
	tests/vectors/netburst/counters_all.c \
	tests/vectors/netburst/carry.c \
	tests/vectors/netburst/filter.c \
	tests/vectors/netburst/filter_order.c \
	tests/vectors/netburst/qualify.c \
	tests/vectors/netburst/escr_flags.c \
	tests/vectors/netburst/thread_events.c \
	tests/vectors/netburst/active_change.c \
	tests/vectors/netburst/cascade.c \
	tests/vectors/netburst/cascade_18_1.c \
	tests/vectors/netburst/cascade_variants.c \
	tests/vectors/netburst/cascade_twins.c \
	tests/vectors/netburst/cascade_features.c \
	tests/vectors/netburst/cascade_places.c \
	tests/vectors/netburst/cascade_short.c \
	tests/vectors/netburst/cascade_special.c \
	tests/vectors/netburst/cascade_access.c \
	tests/vectors/netburst/cascade_chains.c \
	tests/vectors/netburst/cascade_together.c \
	tests/vectors/netburst/negative.c \
	tests/vectors/netburst/isolation.c \
	tests/vectors/netburst/neighbours.c \
	tests/vectors/netburst/reach.c \
	tests/vectors/netburst/extended.c \
	tests/vectors/netburst/replay_stall.c \
	tests/vectors/netburst/errata.c \
	tests/vectors/netburst/pairs_row.c \
	tests/vectors/netburst/pairs_arrange.c \
	tests/vectors/netburst/pairs_course.c \
	tests/vectors/netburst/pairs_life.c \
	tests/vectors/netburst/pairs_twin.c \
	tests/vectors/netburst/pairs_judge.c \
	tests/vectors/netburst/pairs.c \
	tests/vectors/netburst/pmi.c \
	tests/vectors/netburst/pmi_variants.c \
	tests/vectors/netburst/pmi_delivery.c \
	tests/vectors/netburst/pmi_samples.c \
	tests/vectors/netburst/pmi_features.c \
	tests/vectors/netburst/pmi_cpl3.c \
	tests/vectors/netburst/lvtpc.c \
	tests/vectors/netburst/pmi_halted.c \
	tests/suite/sheet.c \
	tests/vectors/netburst/probes_cascade.c \
	tests/vectors/netburst/probes_pmi.c \
	tests/vectors/netburst/probes_filter.c \
	tests/vectors/netburst/probes_reserved.c \
	tests/vectors/netburst/probes_count.c \
	tests/vectors/netburst/probes_halted.c \
	tests/vectors/netburst/probes_cost.c \
	tests/vectors/netburst/probes_slope.c \
	tests/vectors/netburst/probes_start.c \
	tests/vectors/netburst/probes_pmi_latency.c \
	tests/vectors/netburst/probes_live.c \
	tests/vectors/netburst/probes_bits.c \
	tests/vectors/netburst/probes_board.c \
	tests/vectors/sibling.c \
	tests/suite/selftest.c

# The vectors' foundation, as far as a program of the host can use it: build/libsuite.a.
SUITE_HOST_SRC := $(addprefix tests/suite/,observe.c expect.c failure.c vector.c frame.c count.c stimulus.c suite.c pmi_counter.c)

include tests/host/files.mk
include tests/fuzz/files.mk
include tests/image/files.mk
include tests/lab/files.mk

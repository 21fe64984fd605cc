# The vectors and their workloads (parts of the kernel image), the host tests and the image tests.

WORKLOADS_ASM := \
	tests/workloads/frame.asm \
	tests/workloads/sleds.asm \
	tests/workloads/recounted.asm \
	tests/workloads/loops.asm \
	tests/workloads/cost.asm \
	tests/workloads/memory.asm

# The vectors, in the order of the log: from the state of the registers to what needs most of the machine. tools/vectors lists them.
THEMES_SRC := \
	tests/vectors/netburst/access/state.c \
	tests/vectors/netburst/access/access.c \
	tests/vectors/netburst/access/access_features.c \
	tests/vectors/netburst/access/privilege.c \
	tests/vectors/netburst/access/rdpmc_user.c \
	tests/vectors/netburst/access/shared.c \
	tests/vectors/netburst/access/shared_work.c \
	tests/vectors/netburst/count/count.c \
	tests/vectors/netburst/count/value.c \
	tests/vectors/netburst/overflow/overflow.c \
	tests/vectors/netburst/overflow/overflow_together.c \
	tests/vectors/netburst/count/increment.c \
	tests/vectors/netburst/count/counters_all.c \
	tests/vectors/netburst/count/carry.c \
	tests/vectors/netburst/filter/filter.c \
	tests/vectors/netburst/filter/filter_edge.c \
	tests/vectors/netburst/filter/edge_stands.c \
	tests/vectors/netburst/filter/differ.c \
	tests/vectors/netburst/filter/filter_order.c \
	tests/vectors/netburst/filter/occupancy.c \
	tests/vectors/netburst/filter/in_flight.c \
	tests/vectors/netburst/count/rewritten.c \
	tests/vectors/netburst/threads/qualify.c \
	tests/vectors/netburst/threads/escr_flags.c \
	tests/vectors/netburst/threads/thread_events.c \
	tests/vectors/netburst/threads/active_change.c \
	tests/vectors/netburst/count/events.c \
	tests/vectors/netburst/count/event_members.c \
	tests/vectors/netburst/tagging/tagging.c \
	tests/vectors/netburst/tagging/tag_values.c \
	tests/vectors/netburst/pmi/pmi.c \
	tests/vectors/netburst/pmi/pmi_requests.c \
	tests/vectors/netburst/pmi/pmi_delivery.c \
	tests/vectors/netburst/pmi/pmi_samples.c \
	tests/vectors/netburst/pmi/pmi_features.c \
	tests/vectors/netburst/pmi/pmi_due.c \
	tests/vectors/netburst/pmi/pmi_cpl3.c \
	tests/vectors/netburst/pmi/lvtpc.c \
	tests/vectors/netburst/pmi/lvtpc_own.c \
	tests/vectors/netburst/pmi/pmi_halted.c \
	tests/vectors/netburst/access/state_kept.c \
	tests/vectors/netburst/cascade/cascade_18_1.c \
	tests/vectors/netburst/cascade/cascade_halt.c \
	tests/vectors/netburst/cascade/cascade_partners.c \
	tests/vectors/netburst/cascade/cascade_features.c \
	tests/vectors/netburst/cascade/cascade_places.c \
	tests/vectors/netburst/cascade/cascade_special.c \
	tests/vectors/netburst/cascade/cascade_access.c \
	tests/vectors/netburst/cascade/cascade_chains.c \
	tests/vectors/netburst/cascade/cascade_together.c \
	tests/vectors/netburst/cascade/cascade_matrix.c \
	tests/vectors/netburst/cascade/cascade_short.c \
	tests/vectors/netburst/cascade/negative.c \
	tests/vectors/netburst/cascade/isolation.c \
	tests/vectors/netburst/access/neighbours.c \
	tests/vectors/netburst/access/refused.c \
	tests/vectors/netburst/count/reach.c \
	tests/vectors/netburst/cascade/extended.c \
	tests/vectors/netburst/cascade/replay_stall.c \
	tests/vectors/netburst/probes/errata.c \
	tests/vectors/netburst/pairs/pairs.c \
	tests/vectors/netburst/probes/probes_cascade.c \
	tests/vectors/netburst/probes/probes_pmi.c \
	tests/vectors/netburst/probes/probes_filter.c \
	tests/vectors/netburst/probes/probes_reserved.c \
	tests/vectors/netburst/probes/probes_count.c \
	tests/vectors/netburst/probes/probes_halted.c \
	tests/vectors/netburst/probes/probes_cost.c \
	tests/vectors/netburst/probes/probes_slope.c \
	tests/vectors/netburst/probes/probes_start.c \
	tests/vectors/netburst/probes/probes_pmi_latency.c \
	tests/vectors/netburst/probes/probes_live.c \
	tests/vectors/netburst/probes/probes_bits.c \
	tests/vectors/netburst/probes/probes_board.c \
	tests/vectors/sibling.c

# What the vectors are made of.
VECTORS_SRC := $(THEMES_SRC) \
	tests/suite/vector.c \
	tests/suite/selection.c \
	tests/suite/suite.c \
	tests/suite/soak.c \
	tests/suite/expect.c \
	tests/suite/rules.c \
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
	tests/suite/window.c \
	tests/suite/observe.c \
	tests/suite/pmi_counter.c \
	tests/suite/halt.c \
	tests/suite/sleeper.c \
	tests/vectors/netburst/cascade/cascade.c \
	tests/vectors/netburst/cascade/cascade_twins.c \
	tests/vectors/netburst/pairs/pairs_row.c \
	tests/vectors/netburst/pairs/pairs_judge.c \
	tests/vectors/netburst/pairs/pairs_rows.c \
	tests/vectors/netburst/pmi/pmi_subject.c \
	tests/suite/sheet.c \
	tests/suite/selftest.c

# The vectors' foundation, as far as a program of the host can use it: build/libsuite.a.
SUITE_HOST_SRC := $(addprefix tests/suite/,observe.c expect.c rules.c failure.c vector.c frame.c count.c stimulus.c suite.c pmi_counter.c sheet.c)

include tests/host/files.mk
include tests/fuzz/files.mk
include tests/image/files.mk
include tests/lab/files.mk

# The PMU reference model: plain C11, no emulator, usable as a library.

SIM_MODEL_SRC := \
	sim/netburst/stages.c \
	sim/netburst/reset.c \
	sim/netburst/variants.c \
	sim/netburst/routing.c \
	sim/netburst/escr_table.c \
	sim/netburst/event_table.c \
	sim/netburst/match.c \
	sim/netburst/qualify.c \
	sim/netburst/filter.c \
	sim/netburst/count.c \
	sim/netburst/enable.c \
	sim/netburst/registers.c \
	sim/netburst/write_masks.c \
	sim/netburst/rdpmc.c \
	sim/netburst/clock.c \
	sim/netburst/fast_forward.c \
	sim/netburst/demand.c \
	sim/netburst/tags.c \
	sim/netburst/trace.c \
	sim/netburst/view.c \
	sim/netburst/errata.c

# The NetBurst PMU library: part of the kernel image, and linked into the host tests.

PMC_SRC := \
	pmc/netburst/map.c \
	pmc/netburst/event.c \
	pmc/netburst/text.c \
	pmc/netburst/cpu.c \
	pmc/netburst/probe.c \
	pmc/netburst/setup.c \
	pmc/netburst/state.c \
	pmc/netburst/examples.c

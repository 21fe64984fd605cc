# The NetBurst PMU library: part of the kernel image, and linked into the host tests.

PMC_SRC := \
	pmc/map.c \
	pmc/event.c \
	pmc/text.c \
	pmc/cpu.c \
	pmc/answer.c \
	pmc/setup.c \
	pmc/state.c \
	pmc/examples.c

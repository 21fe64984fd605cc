# The defects that can be put into the PMU model: the catalogue, and what each of them does.

SIM_FAULTS_SRC := \
	sim/faults/faults.c \
	sim/faults/catalogue.c \
	sim/faults/double.c \
	sim/faults/conditions.c \
	sim/faults/families.c \
	sim/faults/stages.c \
	sim/faults/access.c \
	sim/faults/rdpmc.c \
	sim/faults/value.c \
	sim/faults/increment.c \
	sim/faults/overflow.c \
	sim/faults/start.c \
	sim/faults/links.c \
	sim/faults/in_flight.c \
	sim/faults/time.c

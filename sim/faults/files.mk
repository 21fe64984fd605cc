# The defects that can be put into the PMU model: the catalogue, and what each of them does.

SIM_FAULTS_SRC := \
	sim/faults/faults.c \
	sim/faults/catalogue.c \
	sim/faults/catalogue_pmi.c \
	sim/faults/pairs.c \
	sim/faults/condition_names.c \
	sim/faults/families.c \
	sim/faults/counter_families.c \
	sim/faults/thread_families.c

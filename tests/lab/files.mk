# Complete runs of LAVA and labgrid; not part of make test, but of make test-lab.

LAB_TESTS := \
	tests/lab/lava-run.t \
	tests/lab/labgrid.t

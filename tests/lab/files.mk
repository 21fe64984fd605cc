# Optional: complete runs of the lab engines (make test-lab).

LAB_TESTS := \
	tests/lab/lava-run.t \
	tests/lab/labgrid.t

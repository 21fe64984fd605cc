# The tests that prove runs on the built images, from the top of the tree.

# The slow tests come first, so that none of them runs alone at the end.
IMAGE_TESTS := \
	tests/image/board.t \
	tests/image/screen.t \
	tests/image/rules.t \
	tests/image/run.t \
	tests/image/log.t \
	tests/image/logformat.t \
	tests/image/pmulog.t \
	tests/image/pmulog-damage.t \
	tests/image/pmulog-report.t \
	tests/image/pmulog-explain.t \
	tests/fuzz/pmulog.t \
	tests/image/capture.t \
	tests/image/commands.t \
	tests/image/inventory.t \
	tests/image/soak.t \
	tests/image/coverage.t \
	tests/image/pairs.t \
	tests/image/sheet.t \
	tests/image/sheet_costs.t \
	tests/image/input.t \
	tests/image/damaged.t \
	tests/image/logfile.t \
	tests/image/broken.t \
	tests/image/interrupts.t \
	tests/image/events.t \
	tests/image/timing.t \
	tests/image/exceptions.t \
	tests/image/step.t \
	tests/image/hostile.t \
	tests/image/modified.t \
	tests/image/selftest.t \
	tests/image/defects.t \
	tests/image/faults.t \
	tests/image/noise.t \
	tests/image/machines.t \
	tests/image/serve.t \
	tests/image/sanitize.t \
	tests/image/lab.t \
	tests/image/qemu.t \
	tests/image/media.t \
	tests/image/menu.t \
	tests/image/uefi.t \
	tests/image/netboot.t \
	tests/image/stick.t \
	tests/image/layers.t \
	tests/image/messages.t \
	tests/image/documents.t \
	tests/image/build.t \
	tests/image/layout.t \
	tests/image/make.t \
	tests/image/ending.t \
	tests/image/mutate.t \
	tests/library/install.t

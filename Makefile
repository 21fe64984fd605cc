# pmuproof: `make help` lists the targets.

BUILD := build
.DEFAULT_GOAL := all

include boot/files.mk
include kernel/files.mk
include pmc/files.mk
include sim/files.mk
include sim/netburst/files.mk
include tests/files.mk
include iso/files.mk

# ---- Identity: same commit, same bytes ----

BUILD_ID := $(shell git describe --always --abbrev=12 --dirty=+ 2>/dev/null || echo unversioned)
# Without a commit: the start of 1980, before which FAT has no dates.
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 315532800)
export LC_ALL := C
export TZ := UTC

# Rewritten only when it changes, so that an unchanged tree rebuilds nothing.
$(shell mkdir -p $(BUILD); printf '%s\n' '$(BUILD_ID)' | cmp -s - $(BUILD)/build-id || \
	printf '%s\n' '$(BUILD_ID)' > $(BUILD)/build-id)

# ---- Tools and flags ----

CC   := gcc
NASM := nasm

# A tool that is missing is told by the package list, not by the first recipe that stumbles over it.
ABSENT := $(shell for tool in $(firstword $(CC)) $(NASM) strip perl; do command -v "$$tool" >/dev/null || echo "$$tool"; done)
ifneq ($(and $(ABSENT),$(filter-out clean help,$(or $(MAKECMDGOALS),$(.DEFAULT_GOAL)))),)
$(error not installed: $(ABSENT); ./tools/deps installs what the build and the tests need)
endif

WARN          := -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes -Wvla
# For a small image, gcc's own: no floating point in the kernel, so nothing needs 16-byte stack frames or aligned tables.
SMALL         := $(if $(findstring clang,$(CC)),-O2,-Oz -mpreferred-stack-boundary=2 -malign-data=abi -flto -flto-partition=one -fno-fat-lto-objects)
KERNEL_CFLAGS := -m32 -march=pentium3 -mno-sse -mno-mmx -mno-80387 -mregparm=3 -std=c11 -ffreestanding -fno-pic -fno-pie \
                 -fno-stack-protector -fno-asynchronous-unwind-tables -fno-strict-aliasing -ffunction-sections \
                 -fdata-sections -fomit-frame-pointer $(SMALL) $(WARN) -I.
KERNEL_LINK   := -nostdlib -static $(if $(findstring clang,$(CC)),,-no-pie) -Wl,-n,-z,noexecstack,--gc-sections,--build-id=none,-T,$(KERNEL_LD)
HOST_CFLAGS   := -std=c11 -O2 -g $(WARN) -I. -D_GNU_SOURCE
# A build with sanitizers: SANITIZE=address,undefined, in a BUILD of its own.
SANITIZERS    := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
HOST_CFLAGS   += $(SANITIZERS)
# p4sim is linked as a whole; its objects serve the host tests as they are.
SIM_LTO       := $(if $(findstring clang,$(CC))$(SANITIZE),,-flto -flto-partition=one)
HOST_CFLAGS   += $(if $(SIM_LTO),$(SIM_LTO) -ffat-lto-objects)
# Linked statically p4sim starts in half the time, which counts where it is started thousands of times.
SIM_LIBS      := $(if $(SANITIZE),,-static) -lunicorn -lcapstone -lpthread -lm

# ---- The kernel ----

KERNEL_ASM  := $(BOOT_ASM) $(WORKLOADS_ASM)
KERNEL_CSRC := $(KERNEL_SRC) $(PMC_SRC) $(VECTORS_SRC)
KERNEL_OBJ  := $(KERNEL_ASM:%.asm=$(BUILD)/kernel/%.o) $(KERNEL_CSRC:%.c=$(BUILD)/kernel/%.o) $(BUILD)/kernel/font.o

$(BUILD)/font.c: tools/font $(wildcard $(FONT))
	tools/font $(FONT) > $@.new && mv $@.new $@

# The same source for the kernel and for the host tests, which have it in their lists as font.c.
$(BUILD)/kernel/font.o: $(BUILD)/font.c Makefile
	@mkdir -p $(@D)
	$(CC) $(KERNEL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/host/font.o: $(BUILD)/font.c Makefile
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/kernel/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(KERNEL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/kernel/%.o: %.asm Makefile
	@mkdir -p $(@D)
	$(NASM) -f elf32 -Wall -Werror -I./ -MD $(@:.o=.d) -MP -o $@ $<

$(BUILD)/kernel/$(BUILD_ID_SRC:.c=.o): KERNEL_CFLAGS += -DBUILD_ID_TEXT='"$(BUILD_ID)"'
$(BUILD)/kernel/$(BUILD_ID_SRC:.c=.o): $(BUILD)/build-id

# The kernel with its symbols, for a debugger: what runs is at the same addresses.
$(BUILD)/kernel.elf: $(KERNEL_OBJ) $(KERNEL_LD) boot/stamp
	$(CC) $(KERNEL_CFLAGS) $(KERNEL_LINK) -o $@.new $(KERNEL_OBJ)
	boot/stamp $@.new
	mv $@.new $@

# What is booted.
$(BUILD)/pmuproof.elf: $(BUILD)/kernel.elf
	strip -o $@ $<

# ---- p4sim ----

SIM_OBJ       := $(SIM_SRC:%.c=$(BUILD)/host/%.o)
SIM_MODEL_OBJ := $(SIM_MODEL_SRC:%.c=$(BUILD)/host/%.o)

$(BUILD)/host/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/p4sim: $(SIM_OBJ) $(SIM_MODEL_OBJ)
	$(CC) $(SANITIZERS) $(if $(SIM_LTO),-O2 $(SIM_LTO)) -o $@ $^ $(SIM_LIBS)

# ---- Host tests: $(HOST_TESTS), each of tests/host/NAME.c and the sources in NAME_WITH ----

HOST_TEST_BIN := $(HOST_TESTS:%=$(BUILD)/tests/%)

define host_test
$(BUILD)/tests/$(1): $(BUILD)/host/tests/host/$(1).o $$(patsubst %.c,$(BUILD)/host/%.o,$$($(1)_WITH))
	@mkdir -p $$(@D)
	$(CC) $(SANITIZERS) -o $$@ $$^ -lcmocka $$($(1)_LIBS)
endef
$(foreach t,$(HOST_TESTS),$(eval $(call host_test,$(t))))

# ---- Fuzz targets: $(FUZZ_TARGETS), each of tests/fuzz/NAME.c and the sources in NAME_FUZZES ----

FUZZ_BIN := $(FUZZ_TARGETS:%=$(BUILD)/fuzz/%)

define fuzz_target
$(BUILD)/fuzz/$(1): $(BUILD)/host/tests/fuzz/$(1).o $$(patsubst %.c,$(BUILD)/host/%.o,$$($(1)_FUZZES)) \
		$$(filter %.o,$$(FUZZ_ENGINE))
	@mkdir -p $$(@D)
	$(CC) $(SANITIZERS) $$($(1)_LINK) -o $$@ $$^ $$(filter -%,$$(FUZZ_ENGINE))
endef
$(foreach t,$(FUZZ_TARGETS),$(eval $(call fuzz_target,$(t))))

# ---- Media ----

MEDIA := $(BUILD)/pmuproof.iso $(BUILD)/pmuproof-bios.iso

$(BUILD)/pmuproof.iso: $(BUILD)/pmuproof.elf $(ISO_FILES)
	iso/build-iso hybrid $(BUILD)/pmuproof.elf $@

$(BUILD)/pmuproof-bios.iso: $(BUILD)/pmuproof.elf $(ISO_FILES)
	iso/build-iso bios $(BUILD)/pmuproof.elf $@

# One of the files stands for all.
NETBOOT := $(BUILD)/netboot/pmuproof.ipxe

$(NETBOOT): $(BUILD)/pmuproof.elf $(NETBOOT_FILES)
	iso/build-netboot $(BUILD)/pmuproof.elf $(BUILD)/netboot

# ---- Targets ----

.PHONY: all elf run test tested test-host test-lab host-tests sanitize sanitized fuzz fuzz-targets iso netboot qemu lint format coverage qualify noise matrix bench layers clean help

all: $(BUILD)/pmuproof.elf $(BUILD)/p4sim ## build the kernel and p4sim

elf: $(BUILD)/pmuproof.elf ## build the kernel alone

iso: $(MEDIA) ## build the bootable ISOs (CD and USB stick): BIOS and UEFI, and the small one for BIOS only

netboot: $(NETBOOT) ## build what a board starts from the network (PXE, iPXE): build/netboot/

run: all ## boot the kernel on the simulated Pentium 4 (ARGS='--cpu 0F29 ...' WORDS='only=cascade')
	@$(BUILD)/p4sim $(ARGS) $(BUILD)/pmuproof.elf $(WORDS)

qemu: $(BUILD)/pmuproof.iso ## boot the ISO in QEMU, serial line on the terminal (UEFI=64 or UEFI=32: with that firmware)
	@tools/qemu-run $(if $(UEFI),--uefi $(UEFI)) $(BUILD)/pmuproof.iso || [ $$? -eq 77 ] # SKIP is what QEMU's processor gets

TESTED := all $(MEDIA) $(NETBOOT) $(HOST_TEST_BIN)

tested: $(TESTED)

# One job more than cores: the tests that boot QEMU wait for firmware and menus.
test: ## everything, through prove
	@$(MAKE) -j2 tested
	CMOCKA_MESSAGE_OUTPUT=TAP prove -j3 $(HOST_TEST_BIN) $(IMAGE_TESTS)

test-lab: all ## complete offline runs of LAVA and labgrid, as root (packages: tools/deps lab, about 900 MB)
	prove $(LAB_TESTS)

host-tests: $(HOST_TEST_BIN)

test-host: host-tests ## the host tests alone
	CMOCKA_MESSAGE_OUTPUT=TAP prove -j2 $(HOST_TEST_BIN)

fuzz-targets: $(FUZZ_BIN)

sanitized: $(BUILD)/p4sim $(HOST_TEST_BIN) $(FUZZ_BIN)

SANITIZED := $(BUILD)/sanitize

sanitize: $(BUILD)/pmuproof.elf ## host tests, a short fuzzing and one full image run, under ASan and UBSan
	@$(MAKE) -j2 SANITIZE=address,undefined BUILD=$(SANITIZED) sanitized
	CMOCKA_MESSAGE_OUTPUT=TAP prove -j2 $(HOST_TESTS:%=$(SANITIZED)/tests/%)
	@set -e; export ASAN_OPTIONS=abort_on_error=1 UBSAN_OPTIONS=abort_on_error=1; \
	for target in $(FUZZ_TARGETS); do echo "fuzzing $$target"; \
		$(SANITIZED)/fuzz/$$target -runs=20000 -seed=1 tests/fuzz/seeds/$$target; done
	LSAN_OPTIONS=suppressions=tests/image/leaks.txt:print_suppressions=0 \
		$(SANITIZED)/p4sim $(BUILD)/pmuproof.elf > $(SANITIZED)/run.log

FUZZ_SECONDS := 60
FUZZED       := $(BUILD)/libfuzzer

# New inputs are kept in $(FUZZED)/corpus; one that fails is written to $(FUZZED)/TARGET-crash-*.
fuzz: all ## libFuzzer on each target, and the log tools, for FUZZ_SECONDS=60 each (packages: tools/deps lint)
	@$(MAKE) -j2 CC=clang SANITIZE=fuzzer-no-link,address,undefined BUILD=$(FUZZED) fuzz-targets
	@set -e; for target in $(FUZZ_TARGETS); do mkdir -p $(FUZZED)/corpus/$$target; \
		$(FUZZED)/fuzz/$$target -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -print_final_stats=1 \
			-artifact_prefix=$(FUZZED)/$$target- $(FUZZED)/corpus/$$target tests/fuzz/seeds/$$target; done
	FUZZ_SECONDS=$(FUZZ_SECONDS) prove -v tests/fuzz/pmulog.t

# The list is made first, then the table from it: a failure of either leaves the old table alone.
coverage: all ## regenerate docs/coverage.md
	@$(BUILD)/p4sim --cpu 0F43 $(BUILD)/pmuproof.elf list 2>/dev/null > $(BUILD)/vectors.log || test $$? -eq 77
	@tools/coverage $(BUILD)/vectors.log > $(BUILD)/coverage.md
	@cp $(BUILD)/coverage.md docs/coverage.md

qualify: all ## every fault must be caught, without noise and under it, and 2,000 seeds of noise must pass (6 to 8 minutes on 2 cores; QUALIFY='--quiet')
	@tools/qualify $(QUALIFY) $(BUILD)

noise: all ## 2,000 seeds of what a real board adds: no check may fail (about 20 minutes on 2 cores; SEEDS=n)
	@tools/noise --seeds $(or $(SEEDS),2000) $(BUILD)

matrix: all ## every processor with every legal variant: all checks must pass (about 3 minutes on 2 cores)
	@tools/matrix $(BUILD)

bench: all $(BUILD)/pmuproof.iso ## measure: boot to verdict, instructions per second, QEMU's boot
	@tools/bench $(BUILD)

layers: $(KERNEL_OBJ) $(SIM_OBJ) $(SIM_MODEL_OBJ) ## the direction of includes and calls between rooms (tools/rooms)
	@tools/layers tools/rooms $^

lint: ## formatting, warnings of gcc and clang, cppcheck, shellcheck (packages: tools/deps lint)
	@tools/lint

format: ## reformat the C sources
	git ls-files '*.c' '*.h' | xargs clang-format -i

clean: ## remove everything that was built
	rm -rf $(BUILD)

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 12

-include $(KERNEL_OBJ:.o=.d) $(SIM_OBJ:.o=.d) $(SIM_MODEL_OBJ:.o=.d) $(HOST_TESTS:%=$(BUILD)/host/tests/host/%.d) \
	$(FUZZ_TARGETS:%=$(BUILD)/host/tests/fuzz/%.d) $(BUILD)/host/tests/fuzz/main.d

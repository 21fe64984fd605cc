# pmuproof: `make help` lists the targets.

BUILD := build
ifneq ($(words x$(BUILD)x),1)
$(error BUILD='$(BUILD)': make takes a blank for the end of a name; name a folder without one)
endif
.DEFAULT_GOAL := all

# make uses the cores that there are, unless -j says otherwise, on the command line, which wins over this one, or in the environment's
# MAKEFLAGS. A make that another one has started shares its jobs, and what is removed must not be built beside.
CORES := $(or $(shell nproc),1)
ifeq ($(MAKELEVEL)$(filter clean uninstall,$(MAKECMDGOALS))$(findstring -j,$(shell echo "$$MAKEFLAGS")),0)
MAKEFLAGS += -j$(CORES)
endif

# ---- Sources: a room's are the files in its folder, so that a new one is built without being listed anywhere. In sorted order, because
# the same files must give the same bytes ----

sources = $(sort $(wildcard $(1)))
# The same without their endings and without the folder that they lie in.
programs = $(patsubst $(1)/%,%,$(basename $(call sources,$(2))))

KERNEL_ASM  := $(call sources,boot/*.asm tests/workloads/*.asm)
KERNEL_LD   := boot/kernel.ld
KERNEL_SRC  := $(call sources,kernel/*/*.c)
PMC_SRC     := $(call sources,pmc/*/*.c)
# The files of tests/vectors/order, in that order, and what they are made of; the rules that they judge.
THEMES_SRC  := $(shell sed '/^\#/d' tests/vectors/order)
RULES_TABLE := tests/vectors/rules
VECTORS_SRC := $(THEMES_SRC) $(filter-out $(THEMES_SRC),$(call sources,tests/suite/*.c tests/vectors/harness/*.c tests/vectors/*/*/*.c))
# What tools/font makes the font out of (xfonts-base).
FONT := /usr/share/fonts/X11/misc/8x13B-ISO8859-1.pcf.gz

# Not in build/libkernel.a, because a program of the host cannot use it: 32-bit addresses, privileged instructions, or functions
# of the C library.
KERNEL_MACHINE_ONLY := kernel/x86/% kernel/lib/string.c kernel/firmware/bios_call.c kernel/smp/smp.c
# The vectors' foundation, as far as a program of the host can use it: build/libsuite.a.
SUITE_HOST_SRC := $(addprefix tests/suite/,repeat.c witness.c unexplained.c unflagged.c expect.c rules.c failure.c setting.c vector.c exercised.c gone.c bringup.c frame.c measure.c stimulus.c suite.c pmi_counter.c companion.c sheet.c \
	course_blame.c course_draw.c course_events.c course_failed.c course_judge.c course_old.c course_play.c course_shorten.c course_state.c \
	course_steps.c course.c course_text.c)

# p4sim: the PMU model and the faults that can be put into it, which are libraries, and everything else.
SIM_MODEL_SRC  := $(call sources,sim/netburst/*.c)
SIM_FAULTS_SRC := $(call sources,sim/faults/*.c)
SIM_SRC        := $(filter-out $(SIM_MODEL_SRC) $(SIM_FAULTS_SRC),$(call sources,sim/*/*.c))

# A program for each of tests/host/ROOM/NAME_test.c; they share the sources with other names.
HOST_TESTS       := $(call programs,tests/host,tests/host/*/*_test.c)
HOST_SUPPORT_SRC := $(filter-out %_test.c,$(call sources,tests/host/*/*.c))

# A program for each of tests/fuzz/NAME.c but these. Its first inputs are listed in tests/fuzz/seeds.
FUZZ_SUPPORT_SRC := tests/fuzz/window.c tests/fuzz/guest.c
FUZZ_TARGETS     := $(filter-out main $(FUZZ_SUPPORT_SRC:tests/fuzz/%.c=%),$(call programs,tests/fuzz,tests/fuzz/*.c))
# This one is given phys_ptr() itself, which window.c stands in for elsewhere.
FUZZES_OF_PHYS_PTR := multiboot
# A fuzzer hardly ever finds the one checksum that is right: window.c's takes three of four.
FUZZ_LINK := -Wl,--wrap=checksum_good
# Inputs of a target under make sanitize, if not FUZZ_RUNS: a machine takes longer than a reader of bytes.
FUZZ_RUNS         := 20000
FUZZ_RUNS_machine := 200

# What prove runs on the built images, from the top of the tree. The slow tests come first, so that none of them runs alone at the end.
SLOW_TESTS  := $(wildcard $(addsuffix .t,$(addprefix tests/image/,run screen qemu menu defects board build) tests/library/install \
	$(addprefix tests/image/,faults campaign capture sheet soak logfile mutate pmulog-explain)))
IMAGE_TESTS := $(SLOW_TESTS) $(filter-out $(SLOW_TESTS),$(call sources,tests/image/*.t tests/library/*.t tests/fuzz/*.t tests/linux/*.t))
# Complete runs of LAVA and labgrid: make test-lab.
LAB_TESTS   := $(call sources,tests/lab/*.t)

# The inputs of the bootable media, and of the files for booting from the network, besides the kernel.
ISO_FILES     := $(addprefix iso/,build-iso grub-image menu early.cfg grub.cfg)
NETBOOT_FILES := $(addprefix iso/,build-netboot grub-image menu grub.cfg pmuproof.ipxe)

# ---- What is printed: one short line for the objects of a folder, and for any other file; with V=1 the commands ----

V ?=
Q := $(if $(filter 1,$(V)),,@)
# $(call say,WORD,FILE), before the command; nothing with V=1 or under make -s.
say = $(if $(or $(filter 1,$(V)),$(findstring s,$(firstword -$(MAKEFLAGS)))),,@printf '  %-6s %s\n' '$(1)' '$(2)')
# The same before one of many commands of a kind: said by the first of them alone. make expands a recipe when it starts it.
SAID :=
say_once = $(if $(filter $(1)-$(2),$(SAID)),,$(eval SAID += $(1)-$(2))$(call say,$(1),$(2)))
# The first folder of an object's source.
top = $(firstword $(subst /, ,$*))

# ---- Identity: same commit, same bytes ----

# What the log calls the build, its version, and its date in seconds since 1970.
IDENTITY := $(shell tools/identity)
BUILD_ID := $(firstword $(IDENTITY))
VERSION  := $(word 2,$(IDENTITY))
export SOURCE_DATE_EPOCH ?= $(lastword $(IDENTITY))
export LC_ALL := C
export TZ := UTC

# $(call identity,FILE,WORD): written only when it differs, so that an unchanged tree rebuilds nothing.
define identity
$(BUILD)/$(1): $(if $(filter-out $(file <$(BUILD)/$(1)),$(2)),FORCE)
	@mkdir -p $$(@D)
	@printf '%s\n' '$(2)' > $$@
endef
$(eval $(call identity,build-id,$(BUILD_ID)))
$(eval $(call identity,version,$(VERSION)))

FORCE:

# ---- Tools and flags ----

CC   := gcc
NASM := nasm

# What a target needs besides the packages of `make run`: a set of packages of tools/deps, and programs by which make notices that the
# set is missing.
NEEDS_iso        := build grub-mkimage xorriso mformat
NEEDS_netboot    := build grub-mkimage
NEEDS_man        := build help2man
NEEDS_install    := $(NEEDS_iso) help2man
NEEDS_deb        := $(NEEDS_install)
NEEDS_dist       := $(NEEDS_install)
NEEDS_bench      := $(NEEDS_iso)
NEEDS_test       := test pkg-config qemu-system-i386 bochs $(NEEDS_install:build=)
NEEDS_test-all   := $(NEEDS_test)
NEEDS_test-host  := test
NEEDS_test-quick := test
NEEDS_sanitize   := test
NEEDS_mutate     := test
NEEDS_qemu       := test qemu-system-i386 $(NEEDS_iso:build=)
NEEDS_rehearse   := test qemu-system-i386
NEEDS_lint       := lint clang clang-format cppcheck shellcheck perltidy
NEEDS_format     := lint clang-format perltidy
NEEDS_fuzz       := lint clang
NEEDS_test-lab   := lab
NEEDS_test-linux := linux
NEEDS_test-deb   := release mmdebstrap lintian $(NEEDS_install:build=)
NEEDS_test-fresh := release mmdebstrap

# Report missing programs here, with the command that installs them, instead of failing in the first recipe that needs one.
GOALS   := $(filter-out clean uninstall help,$(or $(MAKECMDGOALS),$(.DEFAULT_GOAL)))
SETS    := $(sort $(foreach goal,$(GOALS),$(firstword $(NEEDS_$(goal)))))
LOOKED  := $(firstword $(CC)) $(NASM) strip perl $(foreach goal,$(GOALS),$(wordlist 2,99,$(NEEDS_$(goal))))
MISSING := $(if $(GOALS),$(shell for program in $(LOOKED); do command -v "$$program" >/dev/null || echo "$$program"; done))
ifneq ($(MISSING),)
$(error not installed: $(MISSING); $(strip ./tools/deps $(SETS)) installs what make $(GOALS) needs)
endif

CLANG := $(findstring clang,$(CC))
# The option for the smallest code: gcc has -Oz from version 12 on.
SMALLEST := $(shell $(CC) -Oz -S -x c -o /dev/null /dev/null 2>/dev/null && echo -Oz || echo -Os)

# The compiler of Debian 12, or nothing. A warning of it fails the build. Another compiler may warn of more, which must not stop a user.
GCC_12 := $(filter 12,$(shell $(CC) -dumpversion))
WERROR := $(if $(GCC_12),-Werror)
WARN   := -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes -Wvla $(WERROR)
# gcc's options for a small image. The kernel has no floating point, so it needs no 16-byte stack frames and no aligned
# tables.
SMALL := $(if $(CLANG),-O2,$(SMALLEST) -mpreferred-stack-boundary=2 -malign-data=abi -freg-struct-return \
	-fno-inline-functions-called-once -flto -fno-fat-lto-objects)
# Link-time optimisation in four parts side by side: in one part it takes twice as long, at the end of the build, where nothing else is left.
LTO_LINK := -flto=4 --param=lto-partitions=4
# -fno-strict-aliasing: the kernel reads BIOS and UEFI tables, the loader's structures and the framebuffer through other
# types than those they were written with.
KERNEL_CFLAGS := -m32 -march=pentium3 -mno-sse -mno-mmx -mno-80387 -mregparm=3 -std=c11 -ffreestanding \
	-fno-pic -fno-pie -fno-stack-protector -fno-asynchronous-unwind-tables -fno-strict-aliasing \
	-ffunction-sections -fdata-sections -fomit-frame-pointer $(SMALL) $(WARN) -I. -I$(BUILD)
KERNEL_LINK := -nostdlib -static $(if $(CLANG),,-no-pie $(LTO_LINK)) \
	-Wl,-n,-z,noexecstack,--gc-sections,--build-id=none,-T,$(KERNEL_LD)

# Debug information takes a tenth of the time of a build; who wants it calls make with CC='gcc -g' and a BUILD of its own.
HOST_CFLAGS := -std=c11 $(if $(SANITIZE),-O1 -g1,-O2) $(WARN) -I. -I$(BUILD) -D_GNU_SOURCE
# A build with sanitizers: SANITIZE=address,undefined, in a BUILD of its own. Without a search for locals that are used after a
# return: gcc 13 and later would make it, and p4sim would take seven times as long.
SANITIZERS := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer \
	$(if $(CLANG),-fsanitize-address-use-after-return=never,--param=asan-use-after-return=0))
HOST_CFLAGS += $(SANITIZERS)
# p4sim is optimised as a whole when it is linked, but for the faults, of which a sound PMU calls nothing. The objects of the model hold
# normal code, too, for the archive that is installed, because that takes as long to make again.
SIM_LTO := $(if $(CLANG)$(SANITIZE),,-flto)
# Linked statically p4sim starts in half the time, which counts where it is started thousands of times.
SIM_LIBS := $(if $(SANITIZE),,-static) -lunicorn -lcapstone -lpthread -lm

# ---- Objects: build/kernel for the image, build/host for everything that runs on the host ----

kernel_objects = $(patsubst %.asm,$(BUILD)/kernel/%.o,$(patsubst %.c,$(BUILD)/kernel/%.o,$(1)))
host_objects   = $(patsubst %.c,$(BUILD)/host/%.o,$(1))

# The folders of the objects are made before, once each: a mkdir for each object would be as many processes as there are compilers.
KERNEL_FOLDERS := $(sort $(dir $(BUILD)/kernel/ $(call kernel_objects,$(KERNEL_ASM) $(KERNEL_SRC) $(PMC_SRC) $(VECTORS_SRC))))
HOST_FOLDERS   := $(sort $(dir $(BUILD)/host/ $(call host_objects,$(KERNEL_SRC) $(PMC_SRC) $(call sources,tests/suite/*.c sim/*/*.c tests/host/*/*.c \
	tests/fuzz/*.c tools/*.c))))

$(KERNEL_FOLDERS) $(HOST_FOLDERS):
	@mkdir -p $@

# Rules for C sources in the tree and in the build folder, where font.c and vectors.c are generated.
define objects
$(BUILD)/$(1)/%.o: %.c Makefile | $$($(3))
	$$(call say_once,CC,$$(BUILD)/$(1)/$$(top)/*)
	$$(Q)$$(CC) $$($(2)) -MMD -MP -c -o $$@ $$<

$(BUILD)/$(1)/%.o: $(BUILD)/%.c Makefile | $$($(3))
	$$(call say,CC,$$@)
	$$(Q)$$(CC) $$($(2)) -MMD -MP -c -o $$@ $$<
endef
$(eval $(call objects,kernel,KERNEL_CFLAGS,KERNEL_FOLDERS))
$(eval $(call objects,host,HOST_CFLAGS,HOST_FOLDERS))

# NASM 2.16.02 and later warn of each absolute address; a kernel that is linked to a fixed address has no others. Earlier ones do not know
# that warning.
NASM_WARN := -Wall -w-unknown-warning -w-reloc -Werror

$(BUILD)/kernel/%.o: %.asm Makefile | $(KERNEL_FOLDERS)
	$(call say_once,NASM,$(BUILD)/kernel/$(top)/*)
	$(Q)$(NASM) -f elf32 $(NASM_WARN) -I./ -MD $(@:.o=.d) -MP -o $@ $<

# $(call written,WORD,COMMAND): the target is what the command prints. If the command fails, there is no target.
define written
@mkdir -p $(@D)
$(call say,$(1),$@)
$(Q)$(2) > $@.new && mv $@.new $@
endef

$(BUILD)/font.c: tools/font $(wildcard $(FONT))
	$(call written,FONT,tools/font $(FONT))

# The names of the rules, for the expectations. Which objects need them make knows only after they were compiled once.
$(call kernel_objects,$(VECTORS_SRC) vectors.c) $(call host_objects,$(SUITE_HOST_SRC) $(HOST_SUPPORT_SRC) $(HOST_TESTS:%=tests/host/%.c)): \
	| $(BUILD)/rule_tokens.h

$(BUILD)/rule_tokens.h: tools/vectors tools/lib/Pmulog/Rules.pm docs/pmu-rules.md
	$(call written,LIST,tools/vectors --rules docs/pmu-rules.md)

# The list of the vectors, each with the rules that it judges.
$(BUILD)/vectors.c: tools/vectors tools/lib/Pmulog/Rules.pm tests/vectors/order $(RULES_TABLE) $(THEMES_SRC)
	$(call written,LIST,tools/vectors $(RULES_TABLE) $(THEMES_SRC))

# ---- The kernel ----

KERNEL_CSRC := $(KERNEL_SRC) $(PMC_SRC) $(VECTORS_SRC)
KERNEL_OBJ := $(call kernel_objects,$(KERNEL_ASM) $(KERNEL_CSRC) font.c vectors.c)

BUILD_ID_OBJ := $(BUILD)/kernel/kernel/run/build_id.o
$(BUILD_ID_OBJ): KERNEL_CFLAGS += \
	-DBUILD_ID_TEXT='"$(BUILD_ID)"' -DVERSION_TEXT='"$(VERSION)"'
$(BUILD_ID_OBJ): $(BUILD)/build-id $(BUILD)/version

# The kernel with its symbols, for a debugger. The kernel that is booted has the same addresses.
$(BUILD)/kernel.elf: $(KERNEL_OBJ) $(KERNEL_LD) boot/stamp
	$(call say,LINK,$@)
	$(Q)$(CC) $(KERNEL_CFLAGS) $(KERNEL_LINK) -o $@.new $(KERNEL_OBJ)
	$(Q)boot/stamp $@.new
	$(Q)mv $@.new $@

# The kernel that is booted.
$(BUILD)/pmuproof.elf: $(BUILD)/kernel.elf
	$(call say,STRIP,$@)
	$(Q)strip -o $@ $<

# ---- p4sim ----

# The text of the version, and the room that it has there (P4SIM_VERSION_SIZE). about.c has it, and is compiled without link-time
# optimisation, which would take it for a constant.
SIM_VERSION_SIZE := 128
SIM_OBJ       := $(call host_objects,$(SIM_SRC))
SIM_MODEL_OBJ := $(call host_objects,$(SIM_MODEL_SRC))
SIM_FAULTS_OBJ := $(call host_objects,$(SIM_FAULTS_SRC))
$(filter-out %/about.o,$(SIM_OBJ)): HOST_CFLAGS += $(SIM_LTO)
$(SIM_MODEL_OBJ): HOST_CFLAGS += $(if $(SIM_LTO),$(SIM_LTO) -ffat-lto-objects)

# Without a build id, which would be a sum over the names of folders, too.
$(BUILD)/p4sim.linked: $(SIM_OBJ) $(SIM_FAULTS_OBJ) $(SIM_MODEL_OBJ)
	$(call say,LINK,$@)
	$(Q)$(CC) $(SANITIZERS) $(if $(SIM_LTO),-O2 $(LTO_LINK)) -Wl,--build-id=none -o $@ $^ $(SIM_LIBS)

# The version is put in afterwards, because a link takes ten seconds and every commit has another version.
$(BUILD)/p4sim: $(BUILD)/p4sim.linked $(BUILD)/build-id $(BUILD)/version
	$(call say,STAMP,$@)
	$(Q)printf '%.100s\n' '$(VERSION), build $(BUILD_ID)' > $@.version && truncate -s $(SIM_VERSION_SIZE) $@.version
	$(Q)objcopy --update-section .version_text=$@.version $< $@ && rm $@.version

# ---- The table of vectors for `pmulog explain`: each check, its rules, and those of its expectations ----

# The image prints them itself: the list, as a skipped run, and a run that announces what held. If either fails, there
# is no table. Probes judge nothing.
$(BUILD)/verbose/%.log: $(BUILD)/pmuproof.elf $(BUILD)/p4sim
	$(call written,RUN,$(BUILD)/p4sim --cpu $* $< verbose skip=probe 2>/dev/null)

$(BUILD)/vector-rules.txt: $(BUILD)/verbose/0F43.log
	$(call say,LIST,$@)
	$(Q)$(BUILD)/p4sim --cpu 0F43 $(BUILD)/pmuproof.elf list 2>/dev/null > $@.log || test $$? -eq 77
	$(Q)cat $@.log $< | tr -d '\r' | sed -n 's/^# vector \([^ ]*\) \[\([^]]*\)\] check .*/\1 \2/p; s/^#> \([^ ]*\) .*/> \1/p; s/^# held: //p' | \
		awk '$$1 == ">" { id = $$2; next } !/[(]/ { rules[$$1] = $$0; order[++n] = $$1; next } { held[id] = (id in held ? held[id] ", " : "") $$0 } \
			END { for (i = 1; i <= n; i++) print rules[order[i]] (order[i] in held ? ": " held[order[i]] : "") }' > $@.new
	$(Q)test -s $@.new && rm $@.log && mv $@.new $@

# The rules that each vector judges (tools/vectors), from runs on processors that have all features: with Hyper-Threading and all of the
# PMU, the first with Hyper-Threading, the first, and one with one thread of two cores. What the others judge is among that.
JUDGED := $(patsubst %,$(BUILD)/verbose/%.log,0F43 0F29 0F12 0F47)

rules: $(JUDGED) ## write the table of the rules that each vector judges anew, from runs of p4sim: tests/vectors/rules
	$(Q)tools/vectors --judged $(JUDGED) > $(BUILD)/rules.new && mv $(BUILD)/rules.new $(RULES_TABLE)

# ---- Archives: the parts of kernel and p4sim that run in a program of the host ----

ARCHIVES := $(addprefix $(BUILD)/lib,kernel.a pmc.a suite.a sim.a netburstpmu-faults.a netburstpmu.a)

$(BUILD)/libtestsupport.a:  $(call host_objects,$(HOST_SUPPORT_SRC))
$(BUILD)/libfuzzsupport.a:  $(call host_objects,$(FUZZ_SUPPORT_SRC))
$(BUILD)/libkernel.a:       $(call host_objects,$(filter-out $(KERNEL_MACHINE_ONLY),$(KERNEL_SRC)) font.c)
$(BUILD)/libpmc.a:          $(call host_objects,$(PMC_SRC))
$(BUILD)/libsuite.a:        $(call host_objects,$(SUITE_HOST_SRC))
$(BUILD)/libsim.a:          $(call host_objects,$(filter-out sim/program/main.c,$(SIM_SRC)))
$(BUILD)/libnetburstpmu.a:  $(SIM_MODEL_OBJ)
$(BUILD)/libnetburstpmu-faults.a: $(SIM_FAULTS_OBJ)

$(BUILD)/lib%.a:
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(if $(SIM_LTO),gcc-ar,ar) rcsD $@ $^

# ---- Host tests and fuzz targets: a program for each of tests/host/NAME.c, tests/fuzz/NAME.c ----

# The tests run those that are built with sanitizers (see SANITIZED below); build/tests/NAME is one without.

HOST_TEST_BIN := $(HOST_TESTS:%=$(BUILD)/tests/%)
FUZZ_BIN      := $(FUZZ_TARGETS:%=$(BUILD)/fuzz/%)

# What drives a fuzz target: libFuzzer when the build is instrumented for it, else main.c.
FUZZ_MAIN := $(if $(findstring fuzzer,$(SANITIZE)),,$(call host_objects,tests/fuzz/main.c))

$(HOST_TEST_BIN): PROGRAM_LIBS := -lcmocka -lpfm -lcapstone -lunicorn
$(FUZZ_BIN):      PROGRAM_LIBS := $(if $(FUZZ_MAIN),,-fsanitize=fuzzer) $(FUZZ_LINK) $(filter-out -static,$(SIM_LIBS))

$(HOST_TEST_BIN): $(BUILD)/tests/%: $(BUILD)/host/tests/host/%.o $(BUILD)/libtestsupport.a $(ARCHIVES)
$(FUZZ_BIN):      $(BUILD)/fuzz/%:  $(BUILD)/host/tests/fuzz/%.o $(FUZZ_MAIN) $(BUILD)/libfuzzsupport.a $(ARCHIVES)

# The linker takes from the archives what a program calls. What the program defines itself, or the support archive, which
# comes first, is not taken from the others: in this way a test replaces a part of the kernel.
$(FUZZES_OF_PHYS_PTR:%=$(BUILD)/fuzz/%): ARCHIVE_FIRST := $(BUILD)/libkernel.a

$(HOST_TEST_BIN) $(FUZZ_BIN):
	@mkdir -p $(@D)
	$(call say_once,LINK,$(@D)/*)
	$(Q)$(CC) $(SANITIZERS) -o $@ $(filter %.o,$^) -Wl,--start-group $(ARCHIVE_FIRST) $(filter %.a,$^) \
		-Wl,--end-group,--as-needed $(PROGRAM_LIBS)

# ---- Media ----

MEDIA := $(BUILD)/pmuproof.iso $(BUILD)/pmuproof-bios.iso

# How long the boot menu waits on a machine with a serial line (iso/menu).
export MENU_SECONDS := 5
$(eval $(call identity,menu-seconds,$(MENU_SECONDS)))

$(MEDIA): $(BUILD)/pmuproof.elf $(ISO_FILES) $(BUILD)/menu-seconds
	$(call say,ISO,$@)
	$(Q)iso/build-iso $(if $(findstring bios,$@),bios,hybrid) $(BUILD)/pmuproof.elf $@

# build-netboot makes several files; make looks at the date of this one.
NETBOOT := $(BUILD)/netboot/pmuproof.ipxe

$(NETBOOT): $(BUILD)/pmuproof.elf $(NETBOOT_FILES) $(BUILD)/menu-seconds
	$(call say,NET,$(@D))
	$(Q)iso/build-netboot $(BUILD)/pmuproof.elf $(BUILD)/netboot

include install.mk

# ---- Targets ----

.PHONY: all elf rules run run-shown test test-all test-files test-quick test-host test-lab test-linux host-tests sanitized sanitize fuzz iso netboot qemu rehearse layers lint format docs examples figures \
	campaign campaign-all mutate bench sizes clean help FORCE

##@ Build

all: $(BUILD)/pmuproof.elf $(BUILD)/p4sim $(BUILD)/vector-rules.txt ## build the kernel, p4sim and the table of vectors

elf: $(BUILD)/pmuproof.elf ## build the kernel alone

iso: $(MEDIA) ## build the bootable ISOs (CD and USB stick): BIOS and UEFI, and the small one for BIOS only (MENU_SECONDS=2: on boards with a serial line the menu waits that long)

netboot: $(NETBOOT) ## build what a board starts from the network (PXE, iPXE): build/netboot/

# The processor that ARGS names.
RUN_CPU = $(or $(shell printf '%s' '$(ARGS)' | sed -n 's/.*--cpu[ =]\([0-9A-Fa-f]\{4\}\).*/\U\1/p'),0F43)
# A person reads a summary on a terminal; a pipe gets the log (tools/watch).
WATCH = tools/watch $(if $(FULL),--full) --log $(BUILD)/run.log $(BUILD)/p4sim $(ARGS) $(BUILD)/pmuproof.elf $(WORDS)

##@ Run the image

# After a run that failed, the last line on a terminal is the summary's: at SIGQUIT make ends without a line of its own, with status 1.
# Where SIGQUIT is ignored, as in a background job, the recipe fails.
run: $(if $(MAKE_TERMOUT),run-shown,$(BUILD)/pmuproof.elf $(BUILD)/p4sim) ## boot the kernel on the simulated Pentium 4 (ARGS='--cpu 0F29 ...' WORDS='only=cascade'; on a terminal a summary, with FULL=1 the log)
	@$(if $(MAKE_TERMOUT),$(if $(file <$(BUILD)/run.failed),$(shell rm $(BUILD)/run.failed; kill -s QUIT $$PPID)exit 1),$(WATCH))

run-shown: all $(if $(FULL),,$(BUILD)/reference/$(RUN_CPU).log)
	@rm -f $(BUILD)/run.failed; $(WATCH) || echo $$? > $(BUILD)/run.failed

# QEMU's processor has no NetBurst PMU, so the run should end with status 77, a skip.
qemu: $(BUILD)/pmuproof.iso ## boot the ISO in QEMU, serial line on the terminal (UEFI=64 or UEFI=32: with that firmware)
	@tools/qemu-run $(if $(UEFI),--uefi $(UEFI)) $(BUILD)/pmuproof.iso || [ $$? -eq 77 ]

rehearse: $(BUILD)/pmuproof.elf ## the image in QEMU, in some five seconds: its harness on your own processor where KVM works, else on an emulated one (WORDS=...)
	@tools/watch --log $(BUILD)/rehearsal.log --reference '' tools/qemu-run --kvm $(BUILD)/pmuproof.elf $(WORDS) || [ $$? -eq 77 ]

# The files that the tests use. Host tests, fuzz targets and a second p4sim are built with sanitizers, in a folder of their own.
LINUX_BINS := $(BUILD)/libnetburstpmu.a $(BUILD)/libnetburstpmu-faults.a $(BUILD)/rule_tokens.h
TEST_BINS := $(BUILD)/pmuproof.elf $(BUILD)/p4sim $(BUILD)/vector-rules.txt $(MEDIA) $(NETBOOT) $(LINUX_BINS)
SANITIZED := $(BUILD)/sanitize
CHECKED_TESTS := $(HOST_TESTS:%=$(SANITIZED)/tests/%)
CHECKED_BINS  := $(CHECKED_TESTS) $(FUZZ_TARGETS:%=$(SANITIZED)/fuzz/%) $(SANITIZED)/p4sim

# The host tests, run by prove; nothing of what they leak in other libraries counts.
PROVE_HOST := CMOCKA_MESSAGE_OUTPUT=TAP prove -j$(CORES) $(CHECKED_TESTS)
LEAKS      := LSAN_OPTIONS=suppressions=tests/image/leaks.txt:print_suppressions=0

##@ Test

# prove runs one test more than there are cores, because the tests that boot QEMU often wait for firmware and menus. tests/once leaves out a
# test that has passed if nothing has changed since, and notes its name.
PROVE_ALL = CMOCKA_MESSAGE_OUTPUT=TAP BUILT='$(BUILT_FOR_TESTS) $(CHECKED_BINS)' \
	prove --exec tests/once -j$(shell expr $(CORES) + 1) $(CHECKED_TESTS) $(IMAGE_TESTS)
NOT_RUN   := build/passed/not-run

test: test-files ## all that tells whether this tree works, through prove; a test that has passed runs again when something has changed (AGAIN=1: in any case)
	@rm -f $(NOT_RUN)
	$(call say,PROVE,tests)
	$(Q)$(PROVE_ALL); status=$$?; \
	test ! -e $(NOT_RUN) || echo "$$(wc -l < $(NOT_RUN)) programs had passed and were not run again, because nothing has changed: make test AGAIN=1 runs all"; \
	exit $$status

test-all: test-files $(BUILD)/reference/all ## the same, and the checks of make test on further processors, boards, machines of QEMU and drawn cases
	$(call say,PROVE,tests)
	$(Q)TEST_ALL=1 $(PROVE_ALL)

BUILT_FOR_TESTS = $(TEST_BINS) $(MAN_PAGES) $(COMPLETIONS) $(TESTED_SHEETS)

test-files: $(BUILT_FOR_TESTS) sanitized layers

test-lab: all ## complete offline runs of LAVA and labgrid, as root (about 900 MB); status 77 if neither is there
	@{ [ -x /usr/bin/lava-run ] && [ "$$(id -u)" = 0 ]; } || /usr/bin/python3 -c 'import labgrid, pytest' 2>/dev/null || \
		{ echo 'make test-lab: nothing was tested: neither LAVA (as root) nor labgrid is there; ./tools/deps lab installs them' >&2; exit 77; }
	prove $(LAB_TESTS)

test-linux: $(LINUX_BINS) ## Linux's own driver of this PMU on the PMU model (140 MB of packages; skipped without them)
	prove tests/linux/driver.t

host-tests:
	@$(MAKE) --no-print-directory SANITIZE=address,undefined BUILD=$(SANITIZED) $(CHECKED_TESTS)

# The same folder as that of host-tests.
sanitized: host-tests
	@$(MAKE) --no-print-directory SANITIZE=address,undefined BUILD=$(SANITIZED) $(CHECKED_BINS)

test-host: host-tests ## the host tests alone, under ASan and UBSan
	$(PROVE_HOST)

test-quick: $(BUILD)/pmuproof.elf $(BUILD)/p4sim host-tests ## build, host tests, and a full run that pmulog judges: a minute for a fresh tree
	$(PROVE_HOST)
	-$(BUILD)/p4sim $(BUILD)/pmuproof.elf > $(BUILD)/quick.log
	tools/pmulog check $(BUILD)/quick.log

sanitize: $(BUILD)/pmuproof.elf sanitized ## host tests, a short fuzzing and one full image run, under ASan and UBSan
	$(PROVE_HOST)
	@tests/fuzz/seeds $(SANITIZED)/seeds
	@set -e; export ASAN_OPTIONS=abort_on_error=1 UBSAN_OPTIONS=abort_on_error=1 $(LEAKS); \
	$(foreach target,$(FUZZ_TARGETS),echo "fuzzing $(target)"; $(SANITIZED)/fuzz/$(target) \
		-runs=$(or $(FUZZ_RUNS_$(target)),$(FUZZ_RUNS)) -seed=1 $(SANITIZED)/seeds/$(target);)
	$(LEAKS) $(SANITIZED)/p4sim $(BUILD)/pmuproof.elf > $(SANITIZED)/run.log

FUZZ_SECONDS := 60
FUZZED       := $(BUILD)/libfuzzer

# libFuzzer keeps new inputs in $(FUZZED)/corpus and writes one that fails to $(FUZZED)/TARGET-crash-*.
fuzz: all ## libFuzzer on each target, and the log tools, for FUZZ_SECONDS=60 each
	@$(MAKE) CC=clang SANITIZE=fuzzer-no-link,address,undefined BUILD=$(FUZZED) \
		$(FUZZ_BIN:$(BUILD)/%=$(FUZZED)/%)
	@tests/fuzz/seeds $(FUZZED)/seeds
	@set -e; export $(LEAKS); \
	for target in $(FUZZ_TARGETS); do mkdir -p $(FUZZED)/corpus/$$target; \
		$(FUZZED)/fuzz/$$target -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -print_final_stats=1 \
			-artifact_prefix=$(FUZZED)/$$target- $(FUZZED)/corpus/$$target $(FUZZED)/seeds/$$target; done
	FUZZ_SECONDS=$(FUZZ_SECONDS) prove -v tests/fuzz/pmulog.t

# The documents with the two pages that are made of the list of vectors. If one of them fails, there are none.
DOCUMENTS := $(wildcard docs/*.md docs/*.svg docs/*.png docs/*.txt docs/*.c)

##@ Documents

docs: $(BUILD)/docs/manual.md ## write the documents to build/docs/, with the pages from rules and from the manual's sentences to vectors

$(BUILD)/docs/manual.md: $(BUILD)/pmuproof.elf $(BUILD)/p4sim tools/coverage $(DOCUMENTS)
	$(call say,DOCS,$(@D))
	$(Q)rm -rf $(@D) $(@D).new && mkdir -p $(@D).new && cp $(DOCUMENTS) $(@D).new
	$(Q)$(BUILD)/p4sim --cpu 0F43 $< list 2>/dev/null > $(BUILD)/vectors.log || test $$? -eq 77
	$(Q)tools/coverage $(BUILD)/vectors.log > $(@D).new/coverage.md
	$(Q)tools/coverage --manual $(BUILD)/vectors.log > $(@D).new/manual.md
	$(Q)mv $(@D).new $(@D)

# That of Example 18-2 shows the clocks of a PMI handler in C, which differ from compiler to compiler (tests/image/waves.t).
FIGURES = docs/example-18-1.svg $(if $(GCC_12),docs/example-18-2.svg,$(info \
	docs/example-18-2.svg is drawn with gcc 12, and stays as it is))

figures: all ## regenerate docs/screen.png and the figures of the manual's examples, docs/example-18-*.svg, from runs of p4sim
	@tools/picture $(BUILD) > $(BUILD)/screen.png && mv $(BUILD)/screen.png docs/screen.png
	@$(foreach figure,$(FIGURES),tools/figure $(patsubst docs/example-%.svg,%,$(figure)) $(BUILD) > $(BUILD)/figure.svg && \
		mv $(BUILD)/figure.svg $(figure) &&) true

examples: all ## write the logs in README.md, docs/read-a-log.md and docs/log-reference.md anew, from runs of p4sim
	@tools/examples README.md docs/read-a-log.md docs/log-reference.md

# What fits in 10 minutes on two cores.
CAMPAIGN := --faults 300 --sentences --noise 20 --machines 20 --variants 20

##@ Prove the vectors and the checks

campaign: all ## faults must be caught, also under noise, and no check may fail on what is legal: a sample of each; every sentence of the manual (10 minutes; CAMPAIGN='--noise 100 --seed 7')
	@tools/campaign --build $(BUILD) $(CAMPAIGN)

campaign-all: all ## the same with every fault that has a name and every legal variant, 500 seeds of noise, 500 machines (some 3 hours)
	@tools/campaign --build $(BUILD)

mutate: all host-tests ## small errors in the sources, of a list and drawn, one at a time: what notices each (5 minutes; MUTATE='--seed 7 --room sim'; MUTANTS='NAME...')
	@tools/mutate $(MUTATE) $(BUILD) $(MUTANTS)

# libunicorn without p4sim, which p4sim is compared with.
$(BUILD)/bench-bare: $(call host_objects,tools/bench_bare.c sim/board/elf_loader.c)
	$(call say,LINK,$@)
	$(Q)$(CC) $(SANITIZERS) $(if $(SIM_LTO),-O2 $(LTO_LINK)) -o $@ $^ $(SIM_LIBS)

##@ Measure and tidy up

bench: all $(BUILD)/bench-bare $(MEDIA) ## measure: speed beside libunicorn alone, memory, a board's time, sizes (5 minutes; ROUNDS=n; BEFORE=another p4sim)
	@tools/bench $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(BEFORE),--before $(BEFORE)) $(BUILD)

# The debug information does not change the code, but it would make an object differ with the folder.
sizes: ## where the bytes of the kernel are: code by room, texts, tables
	@$(MAKE) -s CC='$(CC) -g' BUILD=$(BUILD)/sizes $(BUILD)/sizes/kernel.elf
	@tools/sizes $(BUILD)/sizes/kernel.elf

layers: $(KERNEL_OBJ) $(SIM_OBJ) $(SIM_FAULTS_OBJ) $(SIM_MODEL_OBJ) ## the direction of includes and calls between rooms (tools/rooms)
	@tools/layers tools/rooms $^

lint: ## formatting, warnings of gcc and clang, cppcheck, shellcheck, perl -c
	@tools/lint

# Perl sources: those with these endings, and programs without one.
PERL_SOURCES = { git ls-files '*.t' '*.pm'; git ls-files | xargs grep -lI -m 1 '^\#!/usr/bin/perl'; } | sort -u

format: ## reformat the C and Perl sources
	git ls-files '*.c' '*.h' | xargs clang-format -i
	$(PERL_SOURCES) | xargs perltidy --backup-and-modify-in-place --backup-file-extension=/

clean: ## remove everything that was built
	rm -rf $(BUILD)

help: ## this list
	@tools/help Makefile install.mk release.mk $(foreach target,$(patsubst NEEDS_%,%,$(filter NEEDS_%,$(.VARIABLES))),$(target)=$(firstword $(NEEDS_$(target))))

# release.mk passes on what install.mk installs.
include release.mk

-include $(patsubst %.o,%.d,$(KERNEL_OBJ) $(SIM_OBJ) $(SIM_FAULTS_OBJ) $(SIM_MODEL_OBJ) \
	$(call host_objects,$(KERNEL_SRC) $(PMC_SRC) font.c $(SUITE_HOST_SRC) $(HOST_SUPPORT_SRC) $(FUZZ_SUPPORT_SRC) tests/fuzz/main.c \
	tools/bench_bare.c \
	$(HOST_TESTS:%=tests/host/%.c) $(FUZZ_TARGETS:%=tests/fuzz/%.c)))

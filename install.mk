# What belongs to the programs: manual pages, made out of --help; completion for bash; the sheets that a run is compared with.

PAGES       := p4sim pmulog capture write-stick
MAN_PAGES   := $(PAGES:%=$(BUILD)/man/%.1)
# bash looks for a file with the name of the command.
COMPLETIONS := $(PAGES:%=$(BUILD)/completions/%)

.PHONY: man

##@ Install

man: $(MAN_PAGES) $(COMPLETIONS) ## build the manual pages (build/man/) and the completion for bash (build/completions/)

$(BUILD)/man/p4sim.1: $(BUILD)/p4sim
$(filter-out %/p4sim.1,$(MAN_PAGES)): $(BUILD)/man/%.1: tools/%
$(MAN_PAGES): tools/man-page tools/lib/Command.pm $(BUILD)/version
	$(call written,MAN,tools/man-page $(firstword $(filter %/$(basename $(@F)),$^)))

$(COMPLETIONS): tools/completion.bash
	@mkdir -p $(@D)
	$(call say,COPY,$@)
	$(Q)cp $< $@

# A sheet is what the probes say of the typical p4sim with a processor. make install puts the sheets of all processors beside capture, or
# those that SHEETS names. install.t names these two, because all of them take as long as a run of the whole image.
sheets        = $(1:%=$(BUILD)/reference/%.log)
REFERENCES    := $(or $(call sheets,$(SHEETS)),$(BUILD)/reference/all)
TESTED_SHEETS := $(call sheets,0F12 0F43)

$(BUILD)/reference/%.log: $(BUILD)/pmuproof.elf $(BUILD)/p4sim
	@mkdir -p $(@D)
	$(call say,SHEET,$@)
	@# From there, because the log names the path of the kernel.
	$(Q)cd $(BUILD) && ./p4sim --cpu $* pmuproof.elf only=probe > reference/$*.new 2> reference/$*.said || \
		{ cat reference/$*.said >&2; exit 1; }
	$(Q)mv $(BUILD)/reference/$*.new $@ && rm $(BUILD)/reference/$*.said

# Not beside the tested ones, which this would make a second time.
$(BUILD)/reference/all: $(BUILD)/pmuproof.elf $(BUILD)/p4sim | $(TESTED_SHEETS)
	$(Q)$(MAKE) --no-print-directory $$($(BUILD)/p4sim --cpu list | sed 's,^\([^ ]*\).*,$(BUILD)/reference/\1.log,')
	$(Q)touch $@

# ---- make install and make uninstall: p4sim, the log tools, the kernel and its boot media, and the PMU model as a library. ----

PREFIX     ?= /usr/local
# Else a blank would end a name in the commands below, and uninstall would remove the folder before it.
ifneq ($(filter install uninstall,$(MAKECMDGOALS)),)
ifneq ($(words x$(DESTDIR)$(PREFIX)x),1)
$(error DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)': a folder without blanks in its name is needed)
endif
ifneq ($(filter-out /%,$(PREFIX)),)
$(error PREFIX='$(PREFIX)': a path that begins with / is needed)
endif
endif
BINDIR     := $(DESTDIR)$(PREFIX)/bin
LIBDIR     := $(DESTDIR)$(PREFIX)/lib
INCLUDEDIR := $(DESTDIR)$(PREFIX)/include
TOOLDIR    := $(LIBDIR)/pmuproof
IMAGEDIR   := $(DESTDIR)$(PREFIX)/share/pmuproof
DOCDIR     := $(DESTDIR)$(PREFIX)/share/doc/pmuproof
MANDIR     := $(DESTDIR)$(PREFIX)/share/man/man1
COMPLETEDIR := $(DESTDIR)$(PREFIX)/share/bash-completion/completions

# Each is a program under this name; in TOOLDIR it finds its modules, docs/pmu-rules.md and the table of vectors beside it.
INSTALLED_TOOLS := pmulog capture write-stick
INSTALLED_BIN   := p4sim $(INSTALLED_TOOLS)
HEADERS         := sim/netburst/nbpmu.h sim/faults/nbpmu_fault.h
# The PMU model, and the faults to put into it.
LIBRARIES       := netburstpmu netburstpmu-faults
INSTALLED       := all $(MEDIA) $(NETBOOT) $(LIBRARIES:%=$(BUILD)/lib%.a) $(MAN_PAGES) $(COMPLETIONS) $(REFERENCES) docs

.PHONY: install uninstall

install: $(INSTALLED) ## everything that is used without the sources: programs, media, pages, libnetburstpmu (PREFIX=/usr/local, DESTDIR=, SHEETS='0F12 0F43': the sheets of these processors alone)
	install -d $(BINDIR) $(LIBDIR)/pkgconfig $(INCLUDEDIR) $(TOOLDIR)/lib/Pmulog $(IMAGEDIR)/netboot $(DOCDIR)/docs
	install -s $(BUILD)/p4sim $(BINDIR)/p4sim
	install -m 644 $(HEADERS) $(INCLUDEDIR)
	@# Without the compiler's intermediate code, which only the same compiler's link-time optimisation reads.
	for library in $(LIBRARIES); do \
		objcopy -g --wildcard --remove-section '.gnu.lto_*' $(BUILD)/lib$$library.a $(LIBDIR)/lib$$library.a && \
		sed 's,@PREFIX@,$(PREFIX),; s,@VERSION@,$(VERSION),' sim/*/$$library.pc.in > $(LIBDIR)/pkgconfig/$$library.pc && \
		chmod 644 $(LIBDIR)/lib$$library.a $(LIBDIR)/pkgconfig/$$library.pc || exit 1; \
	done
	install $(INSTALLED_TOOLS:%=tools/%) $(TOOLDIR)
	install -m 644 tools/lib/Pmulog/*.pm $(TOOLDIR)/lib/Pmulog
	install -m 644 tools/lib/Command.pm tools/lib/command.sh $(TOOLDIR)/lib
	rm -rf $(TOOLDIR)/reference
	install -d $(TOOLDIR)/reference && install -m 644 $(if $(SHEETS),$(REFERENCES),$(BUILD)/reference/*.log) $(TOOLDIR)/reference
	install -m 644 $(BUILD)/version docs/pmu-rules.md $(BUILD)/vector-rules.txt $(TOOLDIR)
	for tool in $(INSTALLED_TOOLS); do ln -sf ../lib/pmuproof/$$tool $(BINDIR)/$$tool; done
	install -m 644 $(BUILD)/pmuproof.elf $(MEDIA) $(IMAGEDIR)
	install -m 644 $(BUILD)/netboot/* $(IMAGEDIR)/netboot
	install -m 644 README.md CHANGELOG.md SECURITY.md LICENSE $(DOCDIR) && install -m 644 $(BUILD)/docs/* $(DOCDIR)/docs
	@# A link to what is not installed becomes a name.
	perl -0pi -e 's/\[([^]]*)\]\((?:\.\.\/)?CONTRIBUTING\.md[^)]*\)/$$1 (CONTRIBUTING.md in the sources)/g' $(DOCDIR)/README.md $(DOCDIR)/docs/*.md
	$(if $(MAN_PAGES),install -d $(MANDIR) && install -m 644 $(MAN_PAGES) $(MANDIR))
	$(if $(COMPLETIONS),install -d $(COMPLETEDIR) && install -m 644 $(COMPLETIONS) $(COMPLETEDIR))

uninstall: ## remove what make install put there (the same PREFIX and DESTDIR)
	rm -f $(INSTALLED_BIN:%=$(BINDIR)/%) $(addprefix $(INCLUDEDIR)/,$(notdir $(HEADERS))) \
		$(LIBRARIES:%=$(LIBDIR)/lib%.a) $(LIBRARIES:%=$(LIBDIR)/pkgconfig/%.pc) \
		$(addprefix $(MANDIR)/,$(notdir $(MAN_PAGES))) $(addprefix $(COMPLETEDIR)/,$(notdir $(COMPLETIONS)))
	rm -rf $(TOOLDIR) $(IMAGEDIR) $(DOCDIR)

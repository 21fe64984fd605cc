# What belongs to the programs: manual pages, made out of --help; completion for bash; the sheets that a run is compared with.

PAGES       := p4sim pmulog capture write-stick
MAN_PAGES   := $(PAGES:%=$(BUILD)/man/%.1)
# bash looks for a file with the name of the command.
COMPLETIONS := $(PAGES:%=$(BUILD)/completions/%)

.PHONY: man

man: $(MAN_PAGES) $(COMPLETIONS) ## build the manual pages (build/man/) and the completion for bash (build/completions/)

$(BUILD)/man/p4sim.1: $(BUILD)/p4sim
$(filter-out %/p4sim.1,$(MAN_PAGES)): $(BUILD)/man/%.1: tools/%
$(MAN_PAGES): tools/man-page tools/lib/Command.pm $(BUILD)/version
	@mkdir -p $(@D)
	$(call say,MAN,$@)
	$(Q)tools/man-page $(firstword $(filter %/$(basename $(@F)),$^)) > $@.new && mv $@.new $@

$(COMPLETIONS): tools/completion.bash
	@mkdir -p $(@D)
	$(call say,COPY,$@)
	$(Q)cp $< $@

# The sheet of the typical p4sim with one processor, and those of all processors, which make install puts beside capture.
REFERENCES := $(BUILD)/reference/all

$(BUILD)/reference/%.log: $(BUILD)/pmuproof.elf $(BUILD)/p4sim
	@mkdir -p $(@D)
	$(call say,SHEET,$@)
	@# From there, because the log names the path of the kernel.
	$(Q)cd $(BUILD) && ./p4sim --cpu $* pmuproof.elf only=probe > reference/$*.new 2> reference/$*.said || \
		{ cat reference/$*.said >&2; exit 1; }
	$(Q)mv $(BUILD)/reference/$*.new $@ && rm $(BUILD)/reference/$*.said

$(REFERENCES): $(BUILD)/pmuproof.elf $(BUILD)/p4sim
	$(Q)for cpu in $$($(BUILD)/p4sim --cpu list | cut -d ' ' -f 1); do \
		$(MAKE) --no-print-directory $(BUILD)/reference/$$cpu.log || exit 1; done
	$(Q)touch $@

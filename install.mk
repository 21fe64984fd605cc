# make install and make uninstall: the PMU model as a library, p4sim, and the tools that read logs.

PREFIX     ?= /usr/local
BINDIR     := $(DESTDIR)$(PREFIX)/bin
LIBDIR     := $(DESTDIR)$(PREFIX)/lib
INCLUDEDIR := $(DESTDIR)$(PREFIX)/include
TOOLDIR    := $(LIBDIR)/pmuproof
DOCDIR     := $(DESTDIR)$(PREFIX)/share/doc/pmuproof

# Each is a program under this name; in TOOLDIR it finds its modules, docs/pmu-rules.md and the table of vectors beside it.
INSTALLED_TOOLS := pmulog capture

.PHONY: install uninstall

install: all $(BUILD)/libnetburstpmu.a ## p4sim, log tools, libnetburstpmu with header and pkg-config file (PREFIX=/usr/local, DESTDIR=)
	install -d $(BINDIR) $(LIBDIR)/pkgconfig $(INCLUDEDIR) $(TOOLDIR)/lib/Pmulog $(DOCDIR)
	install -s $(BUILD)/p4sim $(BINDIR)/p4sim
	install -m 644 sim/netburst/nbpmu.h sim/netburst/nbpmu_block.h sim/netburst/nbpmu_fault.h $(INCLUDEDIR)
	@# Without the compiler's intermediate code, which only the same compiler's link-time optimisation reads.
	objcopy -g --wildcard --remove-section '.gnu.lto_*' $(BUILD)/libnetburstpmu.a $(LIBDIR)/libnetburstpmu.a
	chmod 644 $(LIBDIR)/libnetburstpmu.a
	sed 's,@PREFIX@,$(PREFIX),; s,@VERSION@,$(VERSION),' sim/netburst/netburstpmu.pc.in > $(LIBDIR)/pkgconfig/netburstpmu.pc
	chmod 644 $(LIBDIR)/pkgconfig/netburstpmu.pc
	install $(INSTALLED_TOOLS:%=tools/%) $(TOOLDIR)
	install -m 644 tools/lib/Pmulog/*.pm $(TOOLDIR)/lib/Pmulog
	install -m 644 tools/lib/Command.pm $(TOOLDIR)/lib
	echo '$(VERSION)' > $(TOOLDIR)/version
	chmod 644 $(TOOLDIR)/version
	install -m 644 docs/pmu-rules.md $(BUILD)/vector-rules.txt $(TOOLDIR)
	for tool in $(INSTALLED_TOOLS); do ln -sf ../lib/pmuproof/$$tool $(BINDIR)/$$tool; done
	install -m 644 docs/example-18-1.c docs/*.md $(DOCDIR)

uninstall: ## remove what make install put there (the same PREFIX and DESTDIR)
	rm -f $(BINDIR)/p4sim $(INSTALLED_TOOLS:%=$(BINDIR)/%) $(INCLUDEDIR)/nbpmu.h \
		$(INCLUDEDIR)/nbpmu_block.h $(INCLUDEDIR)/nbpmu_fault.h $(LIBDIR)/libnetburstpmu.a $(LIBDIR)/pkgconfig/netburstpmu.pc
	rm -rf $(TOOLDIR) $(DOCDIR)

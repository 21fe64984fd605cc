# What is passed on: the release and the Debian package.

.PHONY: dist deb test-deb

dist: ## make a release: build/dist/pmuproof-VERSION/ with source tarball, media, kernel, packages used, SHA-256 sums
	$(call say,DIST,$(BUILD)/dist/pmuproof-$(VERSION))
	$(Q)tools/release $(BUILD)/dist

# build-deb installs from the same BUILD.
deb: all $(MEDIA) $(NETBOOT) $(BUILD)/libnetburstpmu.a $(MAN_PAGES) $(COMPLETIONS) $(REFERENCES) ## build a Debian package of all that make install installs
	$(call say,DEB,$(BUILD)/pmuproof_$(VERSION)_*.deb)
	$(Q)tools/build-deb $(BUILD) $(BUILD)

test-deb: deb ## install the package in a fresh Debian, run it and remove it; as root, with a mirror (packages: tools/deps release)
	prove tests/package/deb.t

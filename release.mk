# What is passed on: the release and the Debian package.

.PHONY: deb test-deb

# build-deb installs from the same BUILD.
deb: all $(MEDIA) $(NETBOOT) $(BUILD)/libnetburstpmu.a $(MAN_PAGES) $(COMPLETIONS) ## build a Debian package of all that make install installs
	$(call say,DEB,$(BUILD)/pmuproof_$(VERSION)_*.deb)
	$(Q)tools/build-deb $(BUILD) $(BUILD)

test-deb: deb ## install the package in a fresh Debian, run it and remove it; as root, with a mirror (packages: tools/deps release)
	prove tests/package/deb.t

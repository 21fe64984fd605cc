# What is passed on: the release and the Debian package.

.PHONY: dist deb test-deb test-fresh

##@ Release

dist: ## make a release: build/dist/pmuproof-VERSION/ with source tarball, media, kernel, packages used, SHA-256 sums (SIGN=KEY signs them: docs/release.md)
	$(call say,DIST,$(BUILD)/dist/pmuproof-$(VERSION))
	$(Q)tools/release $(BUILD)/dist $(SIGN)

# build-deb installs from the same BUILD.
deb: $(INSTALLED) ## build a Debian package of all that make install installs
	$(call say,DEB,$(BUILD)/pmuproof_$(VERSION)_*.deb)
	$(Q)tools/build-deb $(BUILD) $(BUILD)

test-deb: deb ## install the package in a fresh Debian, run it and remove it; as root, with a mirror
	prove tests/package/deb.t

# The releases of Debian on which both commands of README.md succeed.
RELEASES := bookworm trixie

test-fresh: ## the two commands of README.md, the second one with make test-all, in a fresh Debian, on a clone of HEAD, and a build of its tarball; as root, with a mirror (RELEASE=bookworm or trixie)
	$(if $(and $(filter 1,$(words $(RELEASE))),$(filter $(RELEASES),$(RELEASE))),,$(error RELEASE='$(RELEASE)': name one of: $(RELEASES)))
	prove tests/package/fresh.t :: $(RELEASE)

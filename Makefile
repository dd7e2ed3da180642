# SPDX-License-Identifier: Apache-2.0
# The one entry point: `make help` lists what it does. Nothing is written outside .build but by deps and install.

PREFIX ?= /usr/local
DESTDIR ?=
# The folders that systemd, udev, polkit and the bus read from are the same whatever the prefix.
SYSTEM ?= /usr

# What Debian and Ubuntu call the things that are needed.
BUILD_PACKAGES := pkg-config libsystemd-dev libiio-dev libinih-dev libjson-c-dev
RUN_PACKAGES := dbus-daemon
DOC_PACKAGES := scdoc
CHECK_PACKAGES := $(RUN_PACKAGES) $(DOC_PACKAGES) systemd udev umockdev gir1.2-umockdev-1.0 python3 python3-gi \
    python3-dbus python3-dbusmock iiod libxml2-utils polkitd util-linux shellcheck
PEER_PACKAGES := iio-sensor-proxy python3-psutil locales libnss-wrapper phosh phoc gnome-settings-daemon-common \
    wlr-randr xvfb mutter xwayland

BIN := .build/bin
# SwiftPM and clang write to the home folder and to /tmp unless they are told otherwise.
export XDG_CACHE_HOME := $(CURDIR)/.build/cache
export XDG_DATA_HOME := $(CURDIR)/.build/cache
SWIFTPM := --cache-path .build/cache --config-path .build/config --security-path .build/security --manifest-cache local
SWIFT := mkdir -p .build/tmp && TMPDIR=$(CURDIR)/.build/tmp swift
STRICT := -Xswiftc -warnings-as-errors --explicit-target-dependency-import-check error

# The daemon is built for Embedded Swift where the toolchain has its library for this machine: it needs 3 MiB less.
TARGET_INFO = $(eval TARGET_INFO := $(shell $(SWIFT)c -print-target-info))$(TARGET_INFO)
target_info = $(shell echo '$(TARGET_INFO)' | sed -n 's/.*"$(1)": "\([^"]*\)".*/\1/p')
EMBEDDED_LIBRARIES = $(call target_info,runtimeResourcePath)/embedded/$(call target_info,moduleTriple)
EMBEDDED ?= $(if $(wildcard $(EMBEDDED_LIBRARIES)/libswiftUnicodeDataTables.a),yes,no)
RELEASE := $(SWIFT) build -c release $(SWIFTPM) $(STRICT)

BUILD_EMBEDDED = $(RELEASE) --product orientd --traits Embedded --scratch-path .build/embedded \
    -Xlinker -L$(EMBEDDED_LIBRARIES)

.PHONY: help build run check check-peer check-vm test integration lint docs bench coverage install uninstall clean \
    build-deps run-deps check-deps peer-deps

help:  ## list what this makes
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

build: build-deps  ## build orientd and orientctl into .build/bin
	@mkdir -p $(BIN)
	$(if $(filter yes,$(EMBEDDED)),$(BUILD_EMBEDDED),$(RELEASE) --product orientd)
	@ln -f .build/$(if $(filter yes,$(EMBEDDED)),embedded/)release/orientd $(BIN)/orientd
	$(RELEASE) --product orientctl
	@ln -f .build/release/orientctl $(BIN)/orientctl

run: build run-deps  ## show orientd at work: on this machine's sensor, or on a recorded trace
	@Tests/demo.sh $(BIN)

check: check-deps $(if $(filter peer,$(WITH)),peer-deps)  ## check format, build and all tests; WITH="peer vm": those too
	@Tests/check.sh own $(WITH)

test: check-deps  ## run the unit tests alone
	$(SWIFT) test $(SWIFTPM) $(STRICT)

integration: check-deps build  ## run the integration tests alone
	Tests/integration/run $(BIN)

check-vm: docs  ## check the installed service on a real kernel, in QEMU; needs root to make the machine
	@Tests/vm/check.sh

check-peer: check-deps peer-deps build  ## check orientd with iio-sensor-proxy's public tests and clients; they are fetched
	@Tests/check.sh peer

lint: check-deps  ## check the format of all sources
	swift format lint --strict --recursive Package.swift Sources Tests Benchmarks
	shellcheck -x .ci/run $$(find Benchmarks Tests docs -name '*.sh')

docs: build  ## build the manual pages into .build/man
	@$(call deps,$(DOC_PACKAGES))
	@docs/build.sh $(BIN)/orientd .build/man

bench: check-deps build  ## print what orientd costs
	@Benchmarks/run.sh $(BIN)

coverage: check-deps  ## print how much of the sources the unit tests reach
	$(SWIFT) test $(SWIFTPM) --enable-code-coverage --scratch-path .build/coverage
	@$(call target_info,runtimeResourcePath)/../../bin/llvm-cov report -show-branch-summary=false \
	    .build/coverage/debug/orientdPackageTests.xctest \
	    -instr-profile .build/coverage/debug/codecov/default.profdata \
	    -ignore-filename-regex '(\.build|Tests)/'

# What is installed, as SOURCE:MODE:DESTINATION.
INSTALLED := \
    $(BIN)/orientd:755:$(PREFIX)/libexec/orientd \
    $(BIN)/orientctl:755:$(PREFIX)/bin/orientctl \
    .build/man/orientctl.1:644:$(PREFIX)/share/man/man1/orientctl.1 \
    .build/man/orientd.conf.5:644:$(PREFIX)/share/man/man5/orientd.conf.5 \
    .build/man/orientd.8:644:$(PREFIX)/share/man/man8/orientd.8 \
    docs/orientd.conf:644:$(PREFIX)/share/doc/orientd/examples/orientd.conf \
    docs/org.orientd1.md:644:$(PREFIX)/share/doc/orientd/org.orientd1.md \
    .build/orientd.service:644:$(SYSTEM)/lib/systemd/system/orientd.service \
    systemd/sysusers.d/orientd.conf:644:$(SYSTEM)/lib/sysusers.d/orientd.conf \
    systemd/udev/rules.d/80-orientd.rules:644:$(SYSTEM)/lib/udev/rules.d/80-orientd.rules \
    systemd/dbus-1/system.d/org.orientd1.conf:644:$(SYSTEM)/share/dbus-1/system.d/org.orientd1.conf \
    systemd/dbus-1/system-services/org.orientd1.service:644:$(SYSTEM)/share/dbus-1/system-services/org.orientd1.service \
    systemd/dbus-1/system-services/net.hadess.SensorProxy.service:644:$(SYSTEM)/share/dbus-1/system-services/net.hadess.SensorProxy.service \
    systemd/polkit-1/actions/org.orientd1.policy:644:$(SYSTEM)/share/polkit-1/actions/org.orientd1.policy

RELOAD_BUS := busctl call org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus ReloadConfig

# Building is for the user, installing for root: `make docs && sudo make install` builds nothing as root.
install: $(if $(wildcard .build/man/orientd.8),,docs)  ## install; without DESTDIR the system takes notice too
	@sed 's|@LIBEXECDIR@|$(PREFIX)/libexec|' systemd/orientd.service >.build/orientd.service
	@set -e; for entry in $(INSTALLED); do \
	    rest=$${entry#*:}; install -D -m "$${rest%%:*}" "$${entry%%:*}" "$(DESTDIR)$${rest#*:}"; \
	    echo "$(DESTDIR)$${rest#*:}"; done
ifeq ($(DESTDIR)$(wildcard /run/systemd/system),/run/systemd/system)
	systemd-sysusers
	systemctl daemon-reload
	$(RELOAD_BUS)
	udevadm control --reload
	udevadm trigger --subsystem-match=iio --action=add --settle
	udevadm trigger --subsystem-match=input --property-match=ID_INPUT_ACCELEROMETER=1 \
	    --property-match=ID_INPUT_SWITCH=1 --action=change --settle
	systemctl try-restart orientd.service
endif

uninstall:  ## remove what install has put there, and stop the service
ifeq ($(DESTDIR)$(wildcard /run/systemd/system),/run/systemd/system)
	systemctl stop orientd.service
endif
	@for entry in $(INSTALLED); do rm -fv "$(DESTDIR)$${entry##*:}"; done
ifeq ($(DESTDIR)$(wildcard /run/systemd/system),/run/systemd/system)
	systemctl daemon-reload
	$(RELOAD_BUS)
	udevadm control --reload
endif

clean:  ## remove what was built
	rm -rf .build

# --- what must be installed -----------------------------------------------------------------------------------------

# Installs those of the given packages that are missing, by apt where there is one.
define deps
	missing=$$(for package in $(1); do dpkg-query -W -f '$${db:Status-Status}\n' $$package 2>/dev/null | \
	    grep -qx installed || echo $$package; done); \
	[ -z "$$missing" ] || { \
	    command -v apt-get >/dev/null || { echo "please install what Debian calls: $(1)" >&2; exit 0; }; \
	    sudo=; [ "$$(id -u)" -eq 0 ] || sudo=sudo; \
	    echo "installing $$missing"; \
	    $$sudo apt-get -qq update && \
	    DEBIAN_FRONTEND=noninteractive $$sudo apt-get -qq install -y --no-install-recommends $$missing >/dev/null; }
endef

build-deps:
	@$(call deps,$(BUILD_PACKAGES))

run-deps:
	@$(call deps,$(RUN_PACKAGES))

check-deps: build-deps
	@$(call deps,$(CHECK_PACKAGES))

peer-deps:
	@$(call deps,$(PEER_PACKAGES))

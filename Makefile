# SPDX-License-Identifier: Apache-2.0
# The only entry point: `make help` lists the targets. Only `make deps`, `run`, `try`, the checks, `site`, `bench` and `deb`
# install packages; only these, `make install` and `make uninstall` write outside .build.

PREFIX ?= /usr/local
LIBEXECDIR ?= $(PREFIX)/libexec
DOCDIR ?= $(PREFIX)/share/doc/orientd
DESTDIR ?=
# systemd, udev, polkit and D-Bus read from fixed folders, which do not depend on PREFIX.
SYSTEM ?= /usr
SYSCONF ?= /etc
# Removes the debug information of installed programs; .build keeps it. `STRIP=` installs them as they were built.
STRIP ?= strip

# The libraries, as PKG_CONFIG_MODULE:DEBIAN_PACKAGE:FEDORA_PACKAGE:ARCH_PACKAGE.
LIBRARIES := libsystemd:libsystemd-dev:systemd-devel:systemd \
    libiio:libiio-dev:libiio-devel:libiio \
    json-c:libjson-c-dev:json-c-devel:json-c \
    wayland-client:libwayland-dev:wayland-devel:wayland \
    xcb:libxcb1-dev:libxcb-devel:libxcb \
    xcb-dpms:libxcb-dpms0-dev:libxcb-devel:libxcb \
    xcb-randr:libxcb-randr0-dev:libxcb-devel:libxcb \
    xcb-xinput:libxcb-xinput-dev:libxcb-devel:libxcb
# The required packages, by Debian's names.
BUILD_PACKAGES := pkg-config $(foreach library,$(LIBRARIES),$(word 2,$(subst :, ,$(library))))
RUN_PACKAGES := dbus-daemon
DOC_PACKAGES := scdoc
X11_PACKAGES := xvfb xserver-xephyr xserver-xorg-core xserver-xorg-video-dummy x11-xserver-utils xinput python3-xlib
check_PACKAGES := $(RUN_PACKAGES) $(DOC_PACKAGES) systemd udev umockdev gir1.2-umockdev-1.0 python3 python3-gi \
    python3-dbus python3-dbusmock iiod libxml2-utils polkitd util-linux binutils shellcheck wlr-randr desktop-file-utils \
    appstream dunst zsh fish python3-numpy dconf-cli dconf-service dconf-gsettings-backend libglib2.0-bin \
    gnome-settings-daemon-common $(X11_PACKAGES)
site_PACKAGES := pandoc linkchecker python3
peer_PACKAGES := iio-sensor-proxy python3-psutil locales libnss-wrapper phosh phoc wlr-randr \
    xvfb mutter xwayland dconf-cli dconf-gsettings-backend libglib2.0-bin
session_PACKAGES := mmdebstrap
bench_classifier_PACKAGES := python3-numpy $(if $(DATA),python3-scipy)
deb_PACKAGES := $(BUILD_PACKAGES) $(DOC_PACKAGES) dpkg-dev debhelper fakeroot lintian
vm_PACKAGES := qemu-system-x86 mmdebstrap e2fsprogs kmod xz-utils zstd cpio $(deb_PACKAGES)
sid_PACKAGES := mmdebstrap xz-utils
arm64_PACKAGES := pkg-config mmdebstrap qemu-user-static
deb_arm64_PACKAGES := $(deb_PACKAGES) $(arm64_PACKAGES) binutils-aarch64-linux-gnu

# The architecture to build for, by Debian's name: this machine's, or arm64 on any other.
HOST_ARCH := $(patsubst aarch64,arm64,$(patsubst x86_64,amd64,$(shell uname -m)))
ARCH := $(HOST_ARCH)
CROSS := $(filter-out $(HOST_ARCH),$(ARCH))
$(if $(filter-out arm64,$(CROSS)),$(error cannot build for ARCH=$(ARCH) on $(HOST_ARCH): use $(sort arm64 $(HOST_ARCH))))
BIN := .build/$(if $(CROSS),$(CROSS)/)bin
# By default, SwiftPM and clang write to the home folder and to /tmp.
export XDG_CACHE_HOME := $(CURDIR)/.build/cache
export XDG_DATA_HOME := $(CURDIR)/.build/cache
# JOBS is how many compilers run at once; by default one for each core.
SWIFTPM := --cache-path .build/cache --config-path .build/config --security-path .build/security \
    --manifest-cache local $(if $(JOBS),--jobs $(JOBS))
SWIFT := mkdir -p .build/tmp && TMPDIR=$(CURDIR)/.build/tmp swift
STRICT := -Xswiftc -warnings-as-errors --explicit-target-dependency-import-check error

# Build as Embedded Swift if the toolchain has that library for this machine: a program takes a tenth of the disk, and
# 3 to 5 MB less memory.
TARGET_INFO = $(eval TARGET_INFO := $(shell $(SWIFT)c -print-target-info))$(TARGET_INFO)
target_info = $(shell echo '$(TARGET_INFO)' | sed -n 's/.*"$(1)": "\([^"]*\)".*/\1/p')
# Named, as Debian's compiler builds for x86_64-pc-linux-gnu by default, for which it does not have the library.
EMBEDDED_TRIPLE := $(shell uname -m)-unknown-linux-gnu
EMBEDDED_LIBRARIES = $(call target_info,runtimeResourcePath)/embedded/$(EMBEDDED_TRIPLE)
EMBEDDED ?= $(if $(wildcard $(EMBEDDED_LIBRARIES)/libswiftUnicodeDataTables.a),yes,no)
# glibc reads packed relocations since 2.36; they take 1 kB instead of 60. `RELR=` turns that off for an older target.
RELR ?= $(shell getconf GNU_LIBC_VERSION | awk '$$2 >= 2.36 { print "yes" }')
# Two folders give the same programs: debug information names the sources relative to this one and leaves out the files of
# C modules, and no hash is kept for incremental builds: names and hash depend on the folder.
frontend = -Xswiftc -Xfrontend -Xswiftc $(1)
RELEASE := $(SWIFT) build -c release --disable-local-rpath $(SWIFTPM) $(STRICT) -Xlinker -z -Xlinker now \
    -Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=. -Xcc -ffile-prefix-map=$(CURDIR)=. \
    $(call frontend,-no-clang-module-breadcrumbs) $(call frontend,-disable-incremental-llvm-codegen) \
    $(if $(RELR),-Xlinker -z -Xlinker pack-relative-relocs)

# $(call build,PRODUCT): builds a program into $(BUILT).
build = $(RELEASE) --product $(1) $(if $(filter yes,$(EMBEDDED)),--traits Embedded --scratch-path .build/embedded \
    --triple $(EMBEDDED_TRIPLE) -Xlinker -L$(EMBEDDED_LIBRARIES))
BUILT = .build/$(if $(filter yes,$(EMBEDDED)),embedded/)release

# For arm64, with Debian's headers and libraries in TREE. The toolchain has Embedded Swift for aarch64 without a system:
# that serves, if clang is told that the system is Linux. (swiftc drops a plain -clang-target.)
ifneq ($(CROSS),)
TREE := $(CURDIR)/.build/$(CROSS)/tree
TRIPLE := aarch64-linux-gnu
EMBEDDED_TRIPLE := aarch64-none-none-elf
clang_linker = -Xswiftc -Xclang-linker -Xswiftc $(1)
build = export PKG_CONFIG_SYSROOT_DIR=$(TREE) \
    PKG_CONFIG_PATH=$(TREE)/usr/lib/$(TRIPLE)/pkgconfig:$(TREE)/usr/share/pkgconfig && \
    $(RELEASE) --product $(1) --traits Embedded --scratch-path .build/$(CROSS)/embedded \
    --triple $(EMBEDDED_TRIPLE) $(call frontend,-clang-target) $(call frontend,aarch64-unknown-linux-gnu) \
    -Xcc --target=$(TRIPLE) -Xcc --sysroot=$(TREE) $(call clang_linker,--target=$(TRIPLE)) \
    $(call clang_linker,--sysroot=$(TREE)) -Xlinker -pie -Xlinker --build-id -Xlinker -L$(EMBEDDED_LIBRARIES)
BUILT := .build/$(CROSS)/embedded/release
# Runs a program that was built, whose output becomes a manual page or a completion.
export EMULATOR := qemu-aarch64-static -L $(TREE)
STRIP := $(TRIPLE)-strip
endif

.PHONY: help deps build debug run try check check-peer check-vm check-session check-sid check-arm64 test examples \
    integration lint docs docs-note site bench bench-classifier load coverage fuzz sanitize soak dist deb install \
    uninstall clean build-needs check-needs site-needs peer-needs session-needs vm-needs deb-needs deb_arm64-needs \
    sid-needs arm64-needs bench_classifier-needs emulator-needs

help:  ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 18

deps:  ## install the Debian packages for build, test, docs and run; with WITH="check peer vm session deb arm64 deb_arm64" those too
	@$(call deps,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(DOC_PACKAGES) \
	    $(foreach group,$(WITH),$($(group)_PACKAGES)))

build: build-needs  ## build orientd, orientd-tablet-switch, orient-agent and orientctl into .build/bin; with ARCH=arm64 into .build/arm64/bin
	$(if $(CROSS),$(if $(filter yes,$(EMBEDDED)),@cross/build-tree.sh $(TREE) $(CROSS),\
	    $(error swift has no $(EMBEDDED_LIBRARIES): it cannot build for $(CROSS))))
	@mkdir -p $(BIN)
	$(call build,orientd)
	@ln -f $(BUILT)/orientd $(BIN)/orientd
	$(call build,orient-agent)
	@ln -f $(BUILT)/orient-agent $(BIN)/orient-agent
	$(call build,orientctl)
	@ln -f $(BUILT)/orientctl $(BIN)/orientctl
	$(call build,orientd-tablet-switch)
	@ln -f $(BUILT)/orientd-tablet-switch $(BIN)/orientd-tablet-switch

# One build directory and one set of flags for `debug`, `run` and `test`: SwiftPM rebuilds everything when they differ.
PROGRAMS ?= orientd orient-agent orientctl orientd-tablet-switch
DEBUG := $(SWIFT) build $(SWIFTPM) $(STRICT)

debug: build-needs  ## build without optimization into .build/debug; with PROGRAMS="orientd orientctl" these only
	@for program in $(PROGRAMS); do echo "building $$program"; $(DEBUG) --product $$program || exit 1; done

# $(call demonstrate,[shell]): builds what Tests/demo.sh needs, and calls it.
define demonstrate
	@./requirements.sh toolchain
	@$(call deps,$(BUILD_PACKAGES) $(RUN_PACKAGES))
	@$(MAKE) --no-print-directory debug PROGRAMS="orientd orientctl$(if $(1), orient-agent)"
	@Tests/demo.sh .build/debug $(1)
endef

run:  ## install missing packages, build orientd and orientctl without optimization, and demonstrate them
	@echo "This installs the missing Debian packages, builds orientd and orientctl without optimization, and shows" \
	    "them: 40 seconds in all, the first time, on two cores."
	$(call demonstrate)

try:  ## build as run does, and start a shell to try orientctl and orient-agent, with the accelerometer or a simulated device
	$(call demonstrate,shell)

check: check-needs $(patsubst %,%-needs,$(filter peer session vm sid arm64,$(WITH)))  ## check the format, build, run all tests; with WITH="peer vm session sid arm64 fuzz sanitize soak" those too
	@Tests/check.sh own $(WITH)

# A filter that matches no test is an error; for SwiftPM it is a success.
FILTERED = --filter "$(FILTER)" 2>&1 | tee .build/test.log; \
    ! grep -q 'Test run with 0 tests' .build/test.log || echo 'error: no test matches FILTER=$(FILTER)' >&2; \
    grep -q 'Test run with [1-9].* passed' .build/test.log

test: build-needs  ## run the unit tests; with FILTER=NAME those whose target, suite or name contains NAME
	@./requirements.sh command dbus-daemon dbus-daemon
	$(SWIFT) test $(SWIFTPM) $(STRICT) $(if $(FILTER),$(FILTERED))

examples: build-needs  ## build the example programs into .build/examples
	$(SWIFT) build --package-path Examples/FollowOrientation --scratch-path .build/examples $(SWIFTPM) $(STRICT)

integration: check-needs $(if $(FILTER),debug,build)  ## run the integration tests; with FILTER=NAME some, on debug builds
	Tests/integration/run $(if $(FILTER),.build/debug -k "$(FILTER)",$(BIN))

check-vm: vm-needs docs  ## test the installed service on a real kernel in QEMU; building the machine needs root
	@Tests/vm/check.sh

check-peer: check-needs peer-needs build  ## run iio-sensor-proxy's public tests and clients with orientd; downloads them
	@Tests/check.sh peer

check-session: check-needs session-needs build  ## run orient-agent with compositors of Debian 13; downloads them, needs root
	@Tests/check.sh session

check-sid: sid-needs  ## build the packages in Debian sid, with its Swift, and test them there; needs root
	@Tests/check.sh sid

check-arm64: check-needs arm64-needs vm-needs docs  ## run the integration tests, and ssc in a virtual machine, with programs for arm64 under QEMU's user emulation
	@Tests/check.sh arm64

lint: check-needs  ## check the format of all sources
	swift format lint --strict --recursive Package.swift Sources Tests Benchmarks Examples
	shellcheck -x .ci/run requirements.sh Tests/arm64/run $$(find $(wildcard Benchmarks Tests cross debian docs) -name '*.sh') \
	    $(wildcard debian/*.postinst debian/*.postrm debian/*.prerm debian/tests/integration debian/tests/monitor-sensor)

# The manual has the settings, which the programs print.
docs: docs-note build emulator-needs  ## build the programs (minutes, the first time), then the manual pages into .build/man
	@./requirements.sh command scdoc scdoc
	@docs/build.sh $(BIN) .build/man

docs-note:
	@$(if $(wildcard $(BIN)/orient-agent),,echo "This builds the programs first: minutes, the first time.")

site: site-needs docs  ## build the documentation into .build/site, as a web site; with BASE=/PATH for that path of a server
	@$(DEBUG) --target OrientationClient
	@docs/site/build.sh .build/man .build/debug/Modules .build/site
	@echo "open .build/site/index.html; the reference of the Swift library needs a web server:" \
	    "python3 -m http.server -b 127.0.0.1 -d .build/site"

bench: check-needs session-needs $(patsubst %,vm-needs,$(filter ssc,$(WITH))) build  ## compare the costs with those of iio-sensor-proxy, in ten minutes; with QUICK=1 in three; with WITH=ssc also those of Qualcomm's sensors, twenty more
	@Benchmarks/run.sh $(BIN) $(if $(QUICK),--quick)
	$(if $(filter ssc,$(WITH)),@Tests/vm/check.sh ssc-costs)

bench-classifier: bench_classifier-needs build  ## compare the classifier with the rules of others; with DATA=FOLDER also on BROAD
	@Benchmarks/classifier/compare.py $(BIN) -o .build/bench $(if $(SEEDS),--seeds $(SEEDS)) $(if $(DATA),--data "$(DATA)")

load: check-needs build  ## measure what others wait while orientd is under load
	@Benchmarks/load.py $(BIN)

# For each fuzzer.
SECONDS ?= 60
FUZZ := .build/fuzz/build

fuzz: check-needs  ## run the fuzzers, each for SECONDS=60; with FUZZERS="trace bus" these only
	export ORIENTD_FUZZ=1; $(SWIFT) build $(SWIFTPM) $(STRICT) --product fuzz --scratch-path $(FUZZ) --sanitize address \
	    -Xswiftc -sanitize=fuzzer -Xswiftc -O
	@Tests/Fuzz/run $(FUZZ)/debug/fuzz --seconds $(SECONDS) $(FUZZERS)

sanitize: check-needs  ## run the tests under the address and thread sanitizers; with TESTS=NAME only those integration tests
	@Tests/sanitize/run.sh $(TESTS)

soak: check-needs build  ## use orientd and orient-agent for DURATION=3600 seconds as in a day, and check that nothing grows
	@Tests/soak/run $(BIN) $(if $(DURATION),--duration $(DURATION)) $(if $(SEED),--seed $(SEED))

coverage: build-needs  ## print how much of the code the unit tests reach
	$(SWIFT) test $(SWIFTPM) --enable-code-coverage --scratch-path .build/coverage
	@$(call target_info,runtimeResourcePath)/../../bin/llvm-cov report -show-branch-summary=false \
	    .build/coverage/debug/orientdPackageTests.xctest \
	    -instr-profile .build/coverage/debug/codecov/default.profdata \
	    -ignore-filename-regex '(\.build|Tests)/'

# The only place of the version is that which the programs print.
VERSION = $(shell sed -n 's/.*current: StaticString = "\(.*\)"/\1/p' Sources/OrientationConfiguration/Version.swift)
# The files of the repository, or of an unpacked release, and the time that all of them get.
FILES = $(if $(wildcard .git),git ls-files -z,find . \( -name .build -o -name __pycache__ \) -prune -o ! -type d -printf '%P\0')
TIME = $${SOURCE_DATE_EPOCH:-$$($(if $(wildcard .git),git log -1 --format=%ct -- . :!debian,stat -c %Y NEWS.md))}

dist:  ## make the release's source archive, .build/orientd-VERSION.tar.xz, which needs no git
	@mkdir -p .build && rm -f .build/orientd-$(VERSION).tar.xz
	@$(FILES) | grep -zv '^debian/' | LC_ALL=C sort -z | tar --null --no-recursion -T - --format=gnu \
	    --transform 's,^,orientd-$(VERSION)/,' --mode=a+rX,u+w,go-w --owner=0 --group=0 --numeric-owner \
	    --mtime=@$(TIME) -I 'xz -T1' -cf .build/orientd-$(VERSION).tar.xz
	@echo .build/orientd-$(VERSION).tar.xz

deb: $(if $(CROSS),deb_$(CROSS)-needs,deb-needs) build-needs  ## build Debian packages into .build/deb and check them with lintian; with ARCH=arm64 into .build/arm64/deb
	@[ -d debian ] || { echo "error: a release has no debian/, which is in the repository and in Debian" >&2; exit 1; }
	@debian/build.sh $(dir $(BIN))deb $(CROSS)

# The installed documents, with those that their links lead to. Links to what is only in the source tree become text.
DOCUMENTS := desktops.md convertibles.md clients.md org.orientd1.md semantics.md classifier.md glossary.md
PICTURES := $(addsuffix .svg,face-up tablet lock run classifier classifier-synthetic classifier-broad)

# The installed files, as SOURCE:MODE:DESTINATION.
INSTALLED := \
    $(BIN)/orientd:755:$(LIBEXECDIR)/orientd \
    $(BIN)/orientd-tablet-switch:755:$(LIBEXECDIR)/orientd-tablet-switch \
    $(BIN)/orientctl:755:$(PREFIX)/bin/orientctl \
    $(BIN)/orient-agent:755:$(PREFIX)/bin/orient-agent \
    Sources/monitor-sensor/monitor-sensor:755:$(PREFIX)/bin/monitor-sensor \
    .build/man/monitor-sensor.1:644:$(PREFIX)/share/man/man1/monitor-sensor.1 \
    .build/man/orient-agent.1:644:$(PREFIX)/share/man/man1/orient-agent.1 \
    .build/man/orientctl.1:644:$(PREFIX)/share/man/man1/orientctl.1 \
    .build/man/orientd.conf.5:644:$(PREFIX)/share/man/man5/orientd.conf.5 \
    .build/man/orientd-trace.5:644:$(PREFIX)/share/man/man5/orientd-trace.5 \
    .build/man/orient-agent.conf.5:644:$(PREFIX)/share/man/man5/orient-agent.conf.5 \
    .build/man/agent.conf.5:644:$(PREFIX)/share/man/man5/agent.conf.5 \
    .build/man/orientd.8:644:$(PREFIX)/share/man/man8/orientd.8 \
    .build/man/orientd-tablet-switch.8:644:$(PREFIX)/share/man/man8/orientd-tablet-switch.8 \
    .build/orientctl.bash:644:$(PREFIX)/share/bash-completion/completions/orientctl \
    .build/orientctl.zsh:644:$(PREFIX)/share/zsh/site-functions/_orientctl \
    .build/orientctl.fish:644:$(PREFIX)/share/fish/vendor_completions.d/orientctl.fish \
    LICENSE:644:$(DOCDIR)/LICENSE \
    NEWS.md:644:$(DOCDIR)/NEWS.md \
    docs/orientd.conf:644:$(DOCDIR)/examples/orientd.conf \
    docs/agent.conf:644:$(DOCDIR)/examples/agent.conf \
    $(foreach file,$(DOCUMENTS),.build/documents/$(file):644:$(DOCDIR)/$(file)) \
    $(foreach file,$(PICTURES),docs/$(file):644:$(DOCDIR)/$(file)) \
    docs/dbusmock/orientd.py:644:$(PREFIX)/share/python-dbusmock/templates/orientd.py \
    .build/orientd.service:644:$(SYSTEM)/lib/systemd/system/orientd.service \
    .build/orientd-tablet-switch.service:644:$(SYSTEM)/lib/systemd/system/orientd-tablet-switch.service \
    $(foreach file,$(wildcard systemd/*.socket),$(file):644:$(SYSTEM)/lib/systemd/system/$(notdir $(file))) \
    .build/orient-agent.service:644:$(SYSTEM)/lib/systemd/user/orient-agent.service \
    systemd/xdg/applications/orientd-tablet-mode.desktop:644:$(PREFIX)/share/applications/orientd-tablet-mode.desktop \
    systemd/xdg/metainfo/org.orientd.orientd.metainfo.xml:644:$(PREFIX)/share/metainfo/org.orientd.orientd.metainfo.xml \
    systemd/xdg/autostart/orient-agent.desktop:644:$(SYSCONF)/xdg/autostart/orient-agent.desktop \
    systemd/sysusers.d/orientd.conf:644:$(SYSTEM)/lib/sysusers.d/orientd.conf \
    systemd/udev/rules.d/80-orientd.rules:644:$(SYSTEM)/lib/udev/rules.d/80-orientd.rules \
    systemd/dbus-1/system.d/org.orientd1.conf:644:$(SYSTEM)/share/dbus-1/system.d/org.orientd1.conf \
    $(foreach file,$(wildcard systemd/dbus-1/interfaces/*.xml),$(file):644:$(SYSTEM)/share/dbus-1/interfaces/$(notdir $(file))) \
    systemd/dbus-1/system-services/org.orientd1.service:644:$(SYSTEM)/share/dbus-1/system-services/org.orientd1.service \
    systemd/dbus-1/system-services/net.hadess.SensorProxy.service:644:$(SYSTEM)/share/dbus-1/system-services/net.hadess.SensorProxy.service \
    systemd/polkit-1/actions/org.orientd1.policy:644:$(SYSTEM)/share/polkit-1/actions/org.orientd1.policy

# Qualcomm's sensor core is on arm64 only; elsewhere the service may not open such a socket.
SENSOR_CORE := $(if $(filter arm64,$(ARCH)), AF_QIPCRTR)

RELOAD_BUS := busctl call org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus ReloadConfig

# Programs and pages that are not built yet.
MISSING = $(foreach entry,$(filter $(BIN)/% .build/man/%,$(INSTALLED)),\
    $(if $(wildcard $(firstword $(subst :, ,$(entry)))),,$(entry)))

# Users build, root installs: after `make docs`, `sudo make install` builds nothing as root.
install: $(if $(strip $(MISSING)),docs) emulator-needs  ## install; without DESTDIR also reload systemd, udev and D-Bus
	@$(if $(and $(CROSS),$(STRIP)),./requirements.sh command $(STRIP) binutils-aarch64-linux-gnu)
	@rm -f $(addsuffix .service,$(addprefix .build/,orientd orientd-tablet-switch orient-agent)) $(addprefix .build/orientctl.,bash zsh fish)
	@rm -rf .build/documents && mkdir .build/documents
	@for file in $(DOCUMENTS); do \
	    sed -E 's,\[([^]]*)\]\(\.\./[^)]*\),\1,g' docs/$$file >.build/documents/$$file || exit 1; done
	@for unit in orientd orientd-tablet-switch; do \
	    sed 's|@LIBEXECDIR@|$(LIBEXECDIR)|; s|@SENSOR_CORE@|$(SENSOR_CORE)|' systemd/$$unit.service >.build/$$unit.service || exit 1; done
	@sed 's|@BINDIR@|$(PREFIX)/bin|' systemd/user/orient-agent.service >.build/orient-agent.service
	@for shell in bash zsh fish; do $(EMULATOR) $(BIN)/orientctl completion $$shell >.build/orientctl.$$shell || exit 1; done
	@set -e; for entry in $(INSTALLED); do \
	    rest=$${entry#*:}; install -D -m "$${rest%%:*}" "$${entry%%:*}" "$(DESTDIR)$${rest#*:}"; \
	    case "$(if $(STRIP),$$entry)" in $(BIN)/*) $(STRIP) "$(DESTDIR)$${rest#*:}" ;; esac; \
	    echo "$(DESTDIR)$${rest#*:}"; done
	@# A folder of root's could not be removed by the user.
	@rm -rf .build/documents
	@# For the file of an administrator.
	@install -d "$(DESTDIR)$(SYSCONF)/orientd"
ifeq ($(DESTDIR)$(wildcard /run/systemd/system),/run/systemd/system)
	systemd-sysusers
	systemctl daemon-reload
	$(RELOAD_BUS)
	udevadm control --reload
	udevadm trigger --subsystem-match=iio --action=add --settle
	udevadm trigger --subsystem-match=misc --sysname-match='fastrpc-*' --action=add --settle
	udevadm trigger --subsystem-match=input --property-match=ID_INPUT_ACCELEROMETER=1 \
	    --property-match=ID_INPUT_SWITCH=1 --action=change --settle
	systemctl try-restart orientd.service
endif

# Folders that `uninstall` keeps even if they are empty, unless they are below DESTDIR.
KEPT := $(PREFIX) $(addprefix $(PREFIX)/,bin share share/man) $(SYSTEM) $(SYSTEM)/lib $(SYSTEM)/share $(SYSCONF) \
    $(SYSCONF)/xdg

uninstall:  ## stop the service and remove the installed files and the folders that this empties
ifeq ($(DESTDIR)$(wildcard /run/systemd/system),/run/systemd/system)
	systemctl stop orientd.service orientd-tablet-switch.socket
endif
	@rmdir "$(DESTDIR)$(SYSCONF)/orientd" 2>/dev/null || true
	@for entry in $(INSTALLED); do \
	    path=$${entry##*:}; [ -e "$(DESTDIR)$$path" ] || continue; \
	    rm -fv "$(DESTDIR)$$path"; \
	    path=$${path%/*}; while [ -n "$$path" ]; do \
	        case "$(if $(DESTDIR),,$(KEPT)) " in "$$path "*|*" $$path "*) break ;; esac; \
	        rmdir "$(DESTDIR)$$path" 2>/dev/null || break; \
	        path=$${path%/*}; done; done
ifeq ($(DESTDIR)$(wildcard /run/systemd/system),/run/systemd/system)
	systemctl daemon-reload
	$(RELOAD_BUS)
	udevadm control --reload
endif

clean:  ## remove .build
	rm -rf .build

# --- required packages ----------------------------------------------------------------------------------------------

# $(call deps,PACKAGES): installs those that are missing with apt.
define deps
	missing=$$(for package in $(1); do dpkg-query -W -f '$${db:Status-Status}\n' $$package 2>/dev/null | \
	    grep -qx installed || echo $$package; done); \
	[ -z "$$missing" ] || { \
	    command -v apt-get >/dev/null || { echo "please install the packages that Debian calls: $(1)" >&2; exit 0; }; \
	    sudo=; [ "$$(id -u)" -eq 0 ] || sudo=sudo; \
	    echo "installing $$missing"; \
	    $$sudo apt-get -qq update && \
	    DEBIAN_FRONTEND=noninteractive $$sudo apt-get -qq install -y --no-install-recommends $$missing >/dev/null; }
endef

build-needs:
	@./requirements.sh checkout
	@./requirements.sh toolchain
ifeq ($(CROSS),)
	@./requirements.sh libraries $(LIBRARIES)
else
	@./requirements.sh command pkg-config pkg-config
	@./requirements.sh command mmdebstrap mmdebstrap
endif

emulator-needs:
	@$(if $(EMULATOR),./requirements.sh command $(firstword $(EMULATOR)) qemu-user-static)

# What tests call is installed by themselves: a test that cannot run would have to count as failed.
check-needs:
	@$(call deps,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(DOC_PACKAGES) $(check_PACKAGES))
	@$(MAKE) --no-print-directory build-needs

site-needs peer-needs session-needs vm-needs deb-needs deb_arm64-needs sid-needs arm64-needs bench_classifier-needs: %-needs:
	@$(call deps,$($*_PACKAGES))

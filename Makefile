# Everything that a person does with this repository: `make` lists it.

PREFIX ?= /usr/local
MANUAL = '$(DESTDIR)$(PREFIX)/share/man/man1'
BASH = '$(DESTDIR)$(PREFIX)/share/bash-completion/completions'
ZSH = '$(DESTDIR)$(PREFIX)/share/zsh/site-functions'
FISH = '$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d'
SWIFT ?= swift
# Warnings are errors here, see Package.swift. Who builds without `make` sets it too, or SwiftPM builds everything anew.
export APUS_STRICT = 1
BUILD_PACKAGES = libncurses-dev libcurl4-openssl-dev libhiredis-dev libsqlite3-dev libgumbo-dev libxml2-dev libpcre2-dev libstb-dev libyaml-dev nettle-dev zlib1g-dev
TEST_PACKAGES = libvterm-dev libxml2-utils nginx-light openssl perl python3 python3-jsonschema redis-server redis-tools
PICTURE_PACKAGES = python3 python3-pil fonts-dejavu-core
BENCH_PACKAGES = nginx-light curl python3 python3-requests python3-pytest gcc g++ libsimdjson-dev jq redis-server redis-tools
# On a terminal SwiftPM asks the compiler for colours, and then builds everything anew that was built into a file.
PLAIN = --no-color-diagnostics
# One file that needs only C libraries, without debug information, which `install` would strip. A section for each
# function lets the linker drop and fold single functions.
RELEASE_FLAGS = -c release --static-swift-stdlib -debug-info-format none -Xswiftc -Xfrontend -Xswiftc -function-sections
# Where the linker looks first. The program loads libcurl when a request is first sent (Sources/CLazyCurl): an empty
# libcurl leaves nothing but the stand-ins to answer a call of curl. What it has of nettle, libyaml, zlib and
# libstdc++ is linked in: loading libstdc++ alone takes 1 ms and 1 MB.
LINK = .build/link
LINK_FLAGS = --disable-local-rpath -Xlinker -L$(LINK) -Xlinker --symbol-ordering-file=$(ORDER) \
    -Xlinker --no-warn-symbol-ordering
# The functions that a start calls, side by side: the kernel maps 64 kB around each that is touched, which is 12 MB less
# so. A name that is gone is passed over; `make order` writes the file anew.
ORDER = Sources/ApusCommand/startup.order
LINKED_IN = libnettle.a libstdc++.a libyaml.a libz.a
# Packed relocations take 2 MB off; the loader understands them from glibc 2.36 on.
PACKED = $(shell getconf GNU_LIBC_VERSION 2>/dev/null | \
    awk '{ split($$2, v, "."); if (v[1] * 100 + v[2] >= 236) print "-Xlinker -z -Xlinker pack-relative-relocs" }')
PROGRAM = .build/release/apus
# Apart from .build: two packages that share a folder build each other's plan.
CONSUMER = .build/consumer
FORMATTED = Package.swift Sources Tests Themes

FUZZ_SECONDS ?= 60

.DEFAULT_GOAL := help
.PHONY: help demo build test buckets bench order pictures docs fuzz sanitize install deb format lint tag clean build-packages test-packages bench-packages picture-packages toolchain

help: ## lists what make can do
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build ## builds, and opens the explorer on the demo API
	@$(PROGRAM) demo

build: toolchain build-packages ## builds the release program .build/release/apus
	@echo "Building $(PROGRAM)"
	@mkdir -p $(LINK) && printf '!<arch>\n' > $(LINK)/libcurl.a
	@for library in $(LINKED_IN); do \
	    file=$$(clang -print-file-name=$$library); [ ! -f "$$file" ] || ln -sf "$$file" $(LINK)/; \
	done
	@$(SWIFT) build $(PLAIN) $(RELEASE_FLAGS) $(LINK_FLAGS) $(PACKED) --product apus

test: toolchain build-packages test-packages ## builds everything and runs all tests
	@echo "Building and running all tests"
	@$(SWIFT) build $(PLAIN) --build-tests
	@# Apart, and sixteen at a time: what computes for long, or a thousand at once on a busy machine, would make those too
	@# late that wait for an answer.
	@export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=16; \
	$(SWIFT) test $(PLAIN) --skip-build --skip DocumentsTests
	@# These compute, and wait for nothing: more at a time would only keep one another waiting.
	@SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4 $(SWIFT) test $(PLAIN) --skip-build --filter DocumentsTests
	@echo "Building and running the code of the README and of the articles, in a package of its own"
	@cp Package.resolved Tests/Consumer
	@env -u APUS_STRICT $(SWIFT) build $(PLAIN) --build-tests --package-path Tests/Consumer --scratch-path $(CONSUMER)
	@for mode in 5 6; do \
	    timeout 60 $(CONSUMER)/debug/Swift$$mode > $(CONSUMER)/output || { tail $(CONSUMER)/output; exit 1; }; \
	done
	@env -u APUS_STRICT $(SWIFT) test $(PLAIN) --skip-build --package-path Tests/Consumer --scratch-path $(CONSUMER)
	@mkdir -p $(CONSUMER)/manifest
	@awk '/^```/ { on = 0 } /^\/\/ swift-tools-version/ { on = 1 } on' Sources/Apus/Apus.docc/GettingStarted.md \
	    > $(CONSUMER)/manifest/Package.swift
	@$(SWIFT) package --package-path $(CONSUMER)/manifest dump-package > $(CONSUMER)/output
	@# That manifest with this folder in place of the URL: who uses the engine alone gets no other packages.
	@mkdir -p $(CONSUMER)/manifest/Sources/Example && touch $(CONSUMER)/manifest/Sources/Example/main.swift
	@sed -i 's|url: "[^"]*/apus.git", from: "[0-9.]*"|name: "apus", path: "$(CURDIR)"|' $(CONSUMER)/manifest/Package.swift
	@packages=$$($(SWIFT) package --package-path $(CONSUMER)/manifest show-dependencies --format flatlist) || exit 1; \
	more=$$(echo "$$packages" | grep -vxF -e '$(notdir $(CURDIR))' -e swift-collections -e swift-http-types); \
	[ -z "$$more" ] || { echo "Package.swift: without traits, Apus needs $$more"; exit 1; }

buckets: toolchain build-packages ## runs the tests of sessions in buckets against moto, an S3 server from PyPI
	@[ -x .build/moto/bin/python ] || python3 -m venv .build/moto
	@.build/moto/bin/python -c 'import moto.server' 2>/dev/null || .build/moto/bin/pip install --quiet 'moto[server,s3]'
	@PATH=$(CURDIR)/.build/moto/bin:$$PATH $(SWIFT) test $(PLAIN) --filter SessionBucketsTests

bench: build bench-packages ## measures first paint, keys, idling, the transport, the cache, documents
	@$(SWIFT) build $(PLAIN) $(RELEASE_FLAGS) --product HistoryBenchmark
	@$(SWIFT) build $(PLAIN) $(RELEASE_FLAGS) --product LoadBenchmark
	@$(SWIFT) build $(PLAIN) $(RELEASE_FLAGS) --product CacheBenchmark
	@$(SWIFT) build $(PLAIN) $(RELEASE_FLAGS) --product SharedBenchmark
	@$(SWIFT) build $(PLAIN) $(RELEASE_FLAGS) --product DocumentBenchmarks
	@echo "First paint and idling, beside a bare C ncurses program"
	@Tests/Benchmarks/first-paint
	@echo "From a key to its own effect: at rest, in a batch of 100,000, with as many targets, 1 GB, 1,000,000 exchanges"
	@Tests/Benchmarks/explorer
	@echo "The engine beside C on libcurl, curl -Z and Python requests (RIVALS=1: AsyncHTTPClient and URLSession too)"
	@Tests/Benchmarks/transport $(if $(RIVALS),--rivals)
	@echo "One request, beside curl, with and without the history"
	@Tests/Benchmarks/send
	@echo "apus run, beside pytest and apus batch"
	@Tests/Benchmarks/runs
	@echo "Hits in the cache, beside raw SQLite"
	@.build/release/CacheBenchmark
	@echo "Hits in a cache that is shared, beside bare GETs"
	@Tests/Benchmarks/shared
	@echo "Documents, beside simdjson, jq, python and JSONDecoder"
	@Tests/Benchmarks/documents

order: build ## writes down which functions a start calls, for the linker (needs valgrind)
	@Tests/Benchmarks/startup-order > $(ORDER).new && mv $(ORDER).new $(ORDER)

pictures: build picture-packages ## draws the README's pictures of the program
	@Tests/Pictures/draw $(PROGRAM) Sources/Apus/Apus.docc/Resources

docs: toolchain build-packages ## renders the documentation of the libraries to .build/docs
	@command -v docc > /dev/null || { \
	    echo "docc is missing: it comes with the toolchains of https://www.swift.org/install"; exit 1; }
	@echo "Building the libraries"
	@$(SWIFT) build $(PLAIN) --target Explorer
	@$(SWIFT) build $(PLAIN) --target ApusReactive
	@rm -rf .build/symbols .build/docs
	@mkdir -p .build/docs
	@# The declarations come from the modules of the debug build, which `test` has made: seconds, and no other build.
	@maps=; \
	for map in Sources/C*/module.modulemap Sources/C*/include/module.modulemap .build/debug/C*.build/module.modulemap \
	    .build/checkouts/*/Sources/_*/include/module.modulemap; do maps="$$maps -Xcc -fmodule-map-file=$$map"; done; \
	for module in Apus Documents Recordings ApusReactive Explorer TreeView; do \
	    echo "Rendering .build/docs/$$module"; \
	    mkdir -p .build/symbols/$$module; \
	    $(SWIFT) symbolgraph-extract -module-name $$module -I .build/debug/Modules $$maps \
	        -target $$(uname -m)-unknown-linux-gnu -minimum-access-level public \
	        -output-dir .build/symbols/$$module || exit 1; \
	    docc convert Sources/$$module/$$module.docc --additional-symbol-graph-dir .build/symbols/$$module \
	        --output-path .build/docs/$$module --fallback-display-name $$module \
	        --fallback-bundle-identifier org.apus.$$module --warnings-as-errors || exit 1; \
	done

fuzz: toolchain build-packages ## feeds random bytes to all parsers, FUZZ_SECONDS=60 each; FUZZ=cookies to one
	@echo "Building for fuzzing"
	@# Both in one flag, for of several only the last one counts. Optimised: ten times as many runs.
	@APUS_FUZZ=1 $(SWIFT) build $(PLAIN) -c release --scratch-path .build/fuzz -Xswiftc -enable-testing \
	    --sanitize=address --sanitize=fuzzer -Xswiftc -sanitize=address,fuzzer --product Fuzzer
	@FUZZ_SECONDS=$(FUZZ_SECONDS) Tests/Fuzz/run $(FUZZ)
	@# The program's own answers, and so libcurl, too.
	$(if $(FUZZ),,@$(MAKE) build)
	$(if $(FUZZ),,@Tests/Fuzz/answers $(PROGRAM) $(FUZZ_SECONDS))

# They fill a limit in the five seconds of a processor that a chain has for a path, or have two for a record, which under the
# sanitizer is too little.
SLOW = --skip 'ChainGraphTests/(captureMatches|capturedList)|EffectRunnerTests/closesLate'

sanitize: toolchain build-packages test-packages ## runs the tests under the thread sanitizer
	@echo "Building and running all tests but those of the built program under the thread sanitizer"
	@$(SWIFT) build $(PLAIN) --build-tests --sanitize=thread --scratch-path .build/sanitize
	@clang -O1 -shared -fPIC -o .build/sanitize/runtime.so Tests/Sanitizers/runtime.c
	@# Apart, as in `test`; and four at a time, for all at once would make those too late that watch the time.
	@export LD_PRELOAD=$(CURDIR)/.build/sanitize/runtime.so SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4 \
	    TSAN_OPTIONS=halt_on_error=0:exitcode=66; \
	run='$(SWIFT) test $(PLAIN) --skip-build --sanitize=thread --scratch-path .build/sanitize'; \
	$$run --skip EndToEndTests --skip DocumentsTests $(SLOW) && $$run --filter DocumentsTests

install: build ## copies the program, its manual pages and completions below PREFIX (PREFIX=/usr/local)
	@echo "Installing $(DESTDIR)$(PREFIX)/bin/apus"
	@mkdir -p '$(DESTDIR)$(PREFIX)/bin' $(MANUAL) $(BASH) $(ZSH) $(FISH)
	@install -m 755 -s $(PROGRAM) '$(DESTDIR)$(PREFIX)/bin/apus'
	@$(PROGRAM) help --man $(MANUAL)
	@$(PROGRAM) --generate-completion-script bash > $(BASH)/apus
	@$(PROGRAM) --generate-completion-script zsh > $(ZSH)/_apus
	@$(PROGRAM) --generate-completion-script fish > $(FISH)/apus.fish

# What the program needs where it is installed: what it is linked to, and what it opens when it is first needed.
DEB_DEPENDS = libc6 (>= $(shell getconf GNU_LIBC_VERSION | cut -d' ' -f2)), libncursesw6, libtinfo6, libsqlite3-0, \
    libcurl4 | libcurl4t64, ca-certificates
DEB_RECOMMENDS = libxml2, libpcre2-8-0, libidn2-0, libgumbo1 | libgumbo2 | libgumbo3, libbrotli1, libhiredis0.14 | libhiredis1.1.0, libzstd1, xdg-utils
DEB = .build/deb
DEB_VERSION = $(shell $(PROGRAM) --version)

deb: build ## makes a package for Debian: .build/apus_VERSION_ARCHITECTURE.deb
	@command -v dpkg-deb > /dev/null || { echo "dpkg-deb is missing: this makes packages on Debian only"; exit 1; }
	@rm -rf $(DEB)
	@$(MAKE) --no-print-directory install DESTDIR=$(CURDIR)/$(DEB) PREFIX=/usr
	@gzip -9n $(DEB)/usr/share/man/man1/*.1
	@mkdir -p $(DEB)/DEBIAN $(DEB)/usr/share/doc/apus
	@cp README.md CHANGELOG.md $(DEB)/usr/share/doc/apus
	@printf '%s\n' 'Package: apus' 'Version: $(DEB_VERSION)' "Architecture: $$(dpkg --print-architecture)" \
	    'Section: net' 'Priority: optional' 'Maintainer: Apus <apus@localhost>' \
	    "Installed-Size: $$(du -sk $(DEB)/usr | cut -f1)" \
	    'Depends: $(DEB_DEPENDS)' 'Recommends: $(DEB_RECOMMENDS)' \
	    'Description: terminal explorer for HTTP APIs' \
	    ' Sends requests of a workspace, shows responses as trees beside what the cache' \
	    ' has, and records and replays sessions.' > $(DEB)/DEBIAN/control
	@dpkg-deb --build --root-owner-group $(DEB) .build/apus_$(DEB_VERSION)_$$(dpkg --print-architecture).deb

format: toolchain ## formats the sources in place
	@$(SWIFT) format format -i -r -p $(FORMATTED)

lint: toolchain ## checks the format and the house rules
	@echo "Checking the format"
	@$(SWIFT) format lint --strict -r -p $(FORMATTED)
	@echo "Checking that our modules leave out Foundation"
	@! grep -rnE '^ *((public|package|internal|private|fileprivate) )?import Foundation(Networking)?$$' Sources --include='*.swift'
	@echo "Checking that the files that the fuzzer takes from the program are there"
	@for file in $$(grep -oE '"(Pipe|Requests)/[^"]+\.swift"' Package.swift | tr -d '"'); do \
	    ls Sources/ApusCommand/$$file > /dev/null || exit 1; done
	@echo "Checking that nothing goes past the terminal's gate"
	@! grep -rnP '(?<!func )(?<!try )(?<![.\w])(print|debugPrint|dump|printf|puts|fputs|putchar|perror|fwrite)\(|(?<!///)\b(Swift\.d?e?b?u?g?[pP]rint|FileHandle)\b|[(,=:?] *(Glibc\.)?(stdout|stderr)\b|\b(Glibc\.)?write\((STD(OUT|ERR)_FILENO|[12]),' \
	    Sources/ApusCommand Sources/Explorer Sources/Terminal Sources/TreeView Sources/Workspaces Sources/Recordings Sources/DemoAPI \
	    --include='*.swift' | grep -vE '^[^:]*/(StandardError|StandardOutput)\.swift:|^[^:]*:[0-9]+: *///'

VERSION = $(shell sed -n 's/.*static let text = "\(.*\)"/\1/p' Sources/ApusCommand/RootCommand.swift)
NOTES = awk '/^\#\# / { on = $$2 == "$(VERSION)" || $$2 == "$(VERSION),"; next } on' CHANGELOG.md

tag: lint ## makes the git tag of a release, whose version is in Sources/ApusCommand/RootCommand.swift
	@[ -n "$$($(NOTES))" ] || { echo "CHANGELOG.md has no section for it: rename '## Unreleased' to" \
	    "'## $(VERSION), $$(date +%F)', begin a new one above, commit, and run .ci/run."; exit 1; }
	@[ -z "$$(git status --porcelain)" ] || { echo "Something is not committed: git status"; exit 1; }
	@{ echo "Apus $(VERSION)"; $(NOTES); } | git tag --cleanup=verbatim -a -F - $(VERSION)
	@echo "Made the tag $(VERSION). For others: git push origin $(VERSION)"

clean: ## removes everything built
	@rm -rf .build

toolchain:
	@command -v $(SWIFT) > /dev/null || { \
	    echo "Swift is missing. Install 6.2 or newer from https://www.swift.org/install and put it into PATH."; exit 1; }
	@version=$$($(SWIFT) --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p' | head -n 1); \
	set -- $$version; \
	if [ "$${1:-0}" -lt 6 ] || { [ "$$1" -eq 6 ] && [ "$${2:-0}" -lt 2 ]; }; then \
	    echo "Swift 6.2 or newer is needed; this is $${1:-unknown}.$${2:-}. See https://www.swift.org/install"; exit 1; \
	fi

build-packages:
	@$(call install_missing,$(BUILD_PACKAGES))

test-packages:
	@$(call install_missing,$(TEST_PACKAGES))

picture-packages:
	@$(call install_missing,$(PICTURE_PACKAGES))

bench-packages:
	@$(call install_missing,$(BENCH_PACKAGES))

# Installs those of the Debian packages $(1) that are missing; elsewhere it names them and goes on.
define install_missing
if ! command -v dpkg-query > /dev/null; then \
    echo "Not Debian: make sure that these are installed under your system's names: $(1)"; exit 0; \
fi; \
missing=; \
for package in $(1); do \
    dpkg-query -W -f '$${Status}' $$package 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$package"; \
done; \
[ -z "$$missing" ] && exit 0; \
if [ "$$(id -u)" -eq 0 ]; then as_root=; \
elif command -v sudo > /dev/null; then as_root=sudo; \
else echo "These packages are missing, and there is no sudo to install them:$$missing"; \
     echo "As root: apt-get install$$missing"; exit 1; fi; \
echo "Installing$$missing"; \
$$as_root apt-get update -qq \
    && $$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing > /dev/null \
    || { echo "The packages could not be installed. As root: apt-get install$$missing"; exit 1; }
endef

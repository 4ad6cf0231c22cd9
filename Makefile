# Lifeline. `make help` lists what there is.

# Without debug information, the C of others included.
LEAN_FLAGS := -debug-info-format none
# Each module as a whole, which takes a third less; but whoever changes one file builds its module anew.
WHOLE_FLAGS := -Xswiftc -wmo -Xswiftc -num-threads -Xswiftc 2
# The same flags everywhere, so that tests, demo and server share one build.
SWIFT_FLAGS := $(LEAN_FLAGS) $(if $(CI),$(WHOLE_FLAGS))
TSAN_FLAGS := --sanitize=thread --scratch-path .build-tsan $(LEAN_FLAGS) $(WHOLE_FLAGS)
TSAN_ONLY := LIFELINE_TEST_TARGETS=ConnectionEngineTests,EngineRuntimeTests,IntegrationTests
# Tests without sockets run in parallel; those that watch real time on real sockets run one after the other. None of the first may wait
# for real time: tests that compute do not yield, so a test that waits goes on only when all others have been started.
PURE := ConnectionEngineTests|EngineRuntimeTests|WebSocketFramingTests|RedisClientTests|IdentifiersTests|WireCodingTests|BodyCompressionTests|PusherProtocolTests|PubNubProtocolTests|ChatProtocolTests|ServerStorageTests|PusherCoreTests|PubNubCoreTests|ChatCoreTests|ServerValuesTests|ServerRuntimeTests|ServerClusterTests|RedisStoreEngineTests
# Those of the sockets' tests that run beside the others, in processes of their own, because tests of one process run one after the other.
SERVER := LifelineServerTests|PusherServerTests
SERVICES := PubNubServerTests|ChatServerTests
COMMAND := LifelineCommandTests
STORES := PostgreSQLStorageTests|HubStorageTests|ChatDatabaseTests|ClusterRedisTests|RedisClientServerTests
# The tests of TLS, which run a second time with TLS added after connecting (rule SO-102).
TLS := WebSocketTransportTests.*TLS|WebSocketTransportTests.PinTests|WebSocketTransportTests.ClientCertificateTests|HTTPTransportTests
SWIFT_TEST := SWIFT_FLAGS='$(SWIFT_FLAGS)' Scripts/swift-test.sh --built
VENV := .venv
PYTHON := $(VENV)/bin/python
BIN := .build/debug
PYTEST = LIFELINE=$(BIN)/lifeline $(PYTHON) -m pytest -q Tests/ScenarioTests Tests/InteropTests Tests/Tools

.DEFAULT_GOAL := help
# One after the other also with -j: all build in one place, and what pytest sums up is the end of `make test`.
.NOTPARALLEL:

.PHONY: help
help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

.PHONY: setup
setup: ## Install what building needs and what is missing (Debian packages)
	@Scripts/setup.sh build

.PHONY: build
build: setup ## Build everything, debug
	swift build $(SWIFT_FLAGS)

.PHONY: release
release: setup ## Build the lifeline program for production
	swift build -c release --product lifeline
	@echo "Built $$(swift build -c release --show-bin-path)/lifeline"

.PHONY: dist
dist: ## Make what is released, in build/dist: .tar.gz and .deb for this machine's architecture
	@Scripts/setup.sh dist
	Scripts/dist.sh

PACKAGE_TEST := $(PYTHON) -m pytest -q -s Tests/PackageTests

.PHONY: dist-test
dist-test: $(VENV)/.ready ## Install the package that make dist has made into a bare Debian, and use it there
	@Scripts/setup.sh dist-test
	LIFELINE_DIST=build/dist $(PACKAGE_TEST)

# The same with a package of the debug build's objects, which takes a minute instead of many.
.PHONY: dist-debug-test
dist-debug-test: built $(VENV)/.ready
	@if command -v dpkg-deb >/dev/null; then \
		Scripts/setup.sh dist-test && Scripts/dist.sh --debug && LIFELINE_DIST=build/dist-debug $(PACKAGE_TEST); \
	else echo "packages: skipped, because this is not a Debian system"; fi

# Fetches the bare Debian while other things are compiled. The test that needs it says what is missing.
.PHONY: dist-tree
dist-tree:
	@Scripts/setup.sh dist-test
	@Scripts/dist/bare-debian.sh || true

.PHONY: demo
demo: setup ## Build, then run the demonstration: clients, a server, outages
	swift build $(SWIFT_FLAGS) --product lifeline
	@$(BIN)/lifeline demo

.PHONY: demo-cluster
demo-cluster: setup ## Build, then demonstrate three servers on one Redis, with failures, and with partitions
	@Scripts/setup.sh redis
	swift build $(SWIFT_FLAGS) --product lifeline
	@LIFELINE=$(BIN)/lifeline python3 Scripts/demo-cluster.py
	@LIFELINE=$(BIN)/lifeline python3 Scripts/demo-partitions.py

.PHONY: picture
picture: setup ## Draw docs/demo.svg, the picture of the README, from a run of the demo
	swift build $(SWIFT_FLAGS) --product lifeline
	@LIFELINE=$(BIN)/lifeline python3 Scripts/demo-picture.py

.PHONY: serve
serve: setup ## Build, then run the server on port 6001
	swift build $(SWIFT_FLAGS) --product lifeline
	@$(BIN)/lifeline serve

# Where the time goes, and what runs beside what: CONTRIBUTING.md.
.PHONY: test
test: lint built unbuilt pure ## The tests that a change most often breaks: 18 minutes from a clone on two cores
	@Scripts/at-once.sh '$(MAKE) BUILT=1 together' '$(MAKE) BUILT=1 sockets'

.PHONY: test-all
test-all: built ## The longer suites: sanitizer, fuzzers, packages, examples, documentation, clusters, load (35 minutes)
	@Scripts/at-once.sh '$(MAKE) BUILT=1 examples dist-debug-test clusters' \
		'@idle $(MAKE) BUILT=1 dist-tree objc apple swiftui docs && $(MAKE) tsan-build fuzz-build'
	@$(MAKE) BUILT=1 tsan
	@FUZZ_BUILT=1 Scripts/fuzz.sh 120
	@Scripts/at-once.sh '@idle $(MAKE) consumer' '$(MAKE) BUILT=1 alone'

# Only what the tests of one target need is built, where nothing else is kept: the two builds do not undo each other.
ONE := .build-one
.PHONY: test-one
test-one: test-setup ## The Swift tests of one target, and nothing else built: make test-one TARGET=ConnectionEngineTests
	@test -d 'Tests/$(TARGET)' && test -n '$(TARGET)' || { echo "test-one: name a folder of Tests, as in make test-one TARGET=ConnectionEngineTests" >&2; exit 2; }
	LIFELINE_TEST_TARGETS=$(TARGET) swift build --scratch-path $(ONE) $(SWIFT_FLAGS) --product lifelinePackageTests
	LIFELINE_TEST_TARGETS=$(TARGET) Scripts/swift-test.sh --scratch-path $(ONE) $(SWIFT_FLAGS) --skip-build --filter '$(TARGET)'

.PHONY: lint
lint: ## Check the format of all sources
	swift format lint --strict --parallel --recursive Package.swift Sources Tests Fuzz/Sources Benchmarks/Package.swift Benchmarks/Sources

.PHONY: format
format: ## Format all sources
	swift format --in-place --parallel --recursive Package.swift Sources Tests Fuzz/Sources Benchmarks/Package.swift Benchmarks/Sources

.PHONY: test-setup
test-setup:
	@Scripts/setup.sh test

# All that tests need, in one build. BUILT=1 says that this has been done.
.PHONY: built
built: test-setup
	$(if $(BUILT),,swift build $(SWIFT_FLAGS) --build-tests)

.PHONY: unbuilt
unbuilt: built ## Type-check the fuzzers and the benchmarks, which no test builds
	Scripts/check-unbuilt.sh

.PHONY: unit
unit: pure sockets ## Swift tests

.PHONY: pure
pure: built $(VENV)/.ready
	$(PYTHON) Tests/InteropTests/secretbox_vectors.py > .build/secretbox-vectors.txt
	LIFELINE_SECRETBOX_VECTORS=$(CURDIR)/.build/secretbox-vectors.txt $(SWIFT_TEST) --filter '$(PURE)'

.PHONY: sockets
sockets: built
	@Scripts/at-once.sh "$(SWIFT_TEST) --no-parallel --filter '$(SERVER)'" "$(SWIFT_TEST) --no-parallel --filter '$(SERVICES)'" \
		"$(SWIFT_TEST) --no-parallel --filter '$(COMMAND)'" "$(SWIFT_TEST) --no-parallel --filter '$(STORES)'" \
		"$(SWIFT_TEST) --no-parallel --skip '$(PURE)|$(SERVER)|$(SERVICES)|$(COMMAND)|$(STORES)'" \
		"export LIFELINE_TLS_PLACEMENT=after-connecting; $(SWIFT_TEST) --no-parallel --filter '$(TLS)'"

.PHONY: objc
objc: built ## Type-check the Objective-C faces of the SDKs, and programs that use them
	Scripts/check-objc.sh

.PHONY: apple
apple: built ## Compile the code that only Apple platforms have, against declarations only
	Scripts/check-apple.sh

.PHONY: docs
docs: built ## Build the documentation of all products into build/docs, and check it
	Scripts/docs.sh $(BIN)

.PHONY: api
api: built ## Record the public API in Tests/API, for the tests to compare with
	Scripts/api.py record

.PHONY: swiftui
swiftui: built ## Type-check the SwiftUI front end of the chat app, against declarations only
	Scripts/check-swiftui.sh

.PHONY: examples
examples: built ## Build and run the programs in Examples/, an outage included
	Scripts/run-examples.sh $(BIN)

.PHONY: consumer
consumer: test-setup ## Resolve and build a package that uses PusherSwift alone, within its limits
	Scripts/consumer.sh

.PHONY: tsan
tsan: tsan-build ## Engine, runtime and the end-to-end runs under the Thread Sanitizer
	$(TSAN_ONLY) Scripts/swift-test.sh $(TSAN_FLAGS) --skip-build --no-parallel --filter 'ConnectionEngineTests|EngineRuntimeTests|EndToEndTests|ChatStatusTests|ChatDeliveryTests'

.PHONY: tsan-build
tsan-build: test-setup
	$(if $(BUILT),,$(TSAN_ONLY) swift build $(TSAN_FLAGS) --build-tests)

.PHONY: fuzz
fuzz: test-setup ## Coverage-guided fuzzers of all parsers: make fuzz SECONDS=600, or of one: make fuzz TARGET=multipart
	Scripts/fuzz.sh $(or $(SECONDS),120) $(TARGET)

.PHONY: fuzz-build
fuzz-build: test-setup
	Scripts/fuzz.sh --build

.PHONY: mutate
mutate: test-setup ## Change lines that rules name, and say which changes no test notices: make mutate COUNT=300 SEED=1
	Scripts/mutate.py $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED)) $(if $(MODULES),--modules $(MODULES)) $(if $(QUICK),--quick)

.PHONY: scenarios
scenarios: together clusters alone ## Faults on real sockets, and other people's clients against our server

# Most wait for a timer most of the time: 1,350 tests take half an hour one after the other.
.PHONY: together
together: built $(VENV)/.ready
	$(PYTEST) -n 6 --dist worksteal -m 'not alone and not cluster'

# Servers of a cluster wait for each other most of the time.
.PHONY: clusters
clusters: built $(VENV)/.ready
	$(PYTEST) -n 3 --dist worksteal -m cluster

.PHONY: alone
alone: built $(VENV)/.ready
	$(PYTEST) -m alone

.PHONY: autobahn
autobahn: test-setup $(VENV)/.ready ## The core cases of the Autobahn test suite, server and client
	swift build $(SWIFT_FLAGS) --product conformance-echo
	LIFELINE=$(BIN)/lifeline $(PYTHON) -m pytest -q -s Tests/InteropTests/test_autobahn.py

.PHONY: soak
soak: test-setup $(VENV)/.ready ## Twelve clients, 500 random faults: make soak FAULTS=1000, or replay: make soak SEED=7
	swift build $(SWIFT_FLAGS) --product lifeline
	LIFELINE=$(BIN)/lifeline LIFELINE_SOAK_FAULTS=$(or $(FAULTS),500) $(if $(SEED),LIFELINE_SOAK_SEED=$(SEED)) \
		$(PYTHON) -m pytest -q -s Tests/ScenarioTests/test_soak.py

$(VENV)/.ready: Tests/InteropTests/requirements.txt | test-setup
	python3 -m venv $(VENV)
	$(PYTHON) -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

.PHONY: simulate
simulate: ## Run the simulator on fresh seeds: make simulate SECONDS=600, or replay: make simulate SEED=7
	swift build $(SWIFT_FLAGS) --build-tests
	LIFELINE_SIMULATOR_SECONDS=$(or $(SECONDS),60) $(if $(SEED),LIFELINE_SIMULATOR_SEED=$(SEED)) \
		Scripts/swift-test.sh $(SWIFT_FLAGS) --skip-build --filter Simulator

.PHONY: bench
bench: setup ## Measure, see Benchmarks/README.md
	Benchmarks/run.sh

.PHONY: timing
timing: setup ## Measure whether the time of a signature check depends on the position of the error
	cd Benchmarks && swift build -c release --product TimingCheck && .build/release/TimingCheck

.PHONY: clean
clean: ## Remove everything that was built
	rm -rf .build .build-one .build-tsan .build-fuzz build $(VENV)

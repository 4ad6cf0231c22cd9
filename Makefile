# Lifeline. `make help` lists what there is.

# The same flags everywhere, so that tests, demo and server share one build.
SWIFT_FLAGS := -debug-info-format none
TSAN_FLAGS := --sanitize=thread --scratch-path .build-tsan -debug-info-format none
# Tests without sockets run in parallel; those that watch real time on real sockets run one after the other.
PURE := ConnectionEngineTests|EngineRuntimeTests|WebSocketFramingTests|WireCodingTests|BodyCompressionTests|PusherProtocolTests|PubNubProtocolTests|NexconnProtocolTests|RealtimeHubTests|SeedExamplesSwift
VENV := .venv
PYTHON := $(VENV)/bin/python
BIN = $$(swift build $(SWIFT_FLAGS) --show-bin-path)

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

.PHONY: demo
demo: setup ## Build, then play the main job on real sockets, with outages
	swift build $(SWIFT_FLAGS) --product lifeline
	@$(BIN)/lifeline demo

.PHONY: serve
serve: setup ## Build, then run the server on port 6001
	swift build $(SWIFT_FLAGS) --product lifeline
	@$(BIN)/lifeline serve

.PHONY: test
test: lint unit objc examples tsan scenarios ## All that CI runs

.PHONY: lint
lint: ## Check the format of all sources
	swift format lint --strict --recursive Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources

.PHONY: format
format: ## Format all sources
	swift format --in-place --recursive Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources

.PHONY: test-setup
test-setup:
	@Scripts/setup.sh test

.PHONY: unit
unit: test-setup $(VENV)/.ready ## Swift tests
	swift build $(SWIFT_FLAGS) --build-tests
	$(PYTHON) Tests/InteropTests/secretbox_vectors.py > .build/secretbox-vectors.txt
	LIFELINE_SECRETBOX_VECTORS=$(CURDIR)/.build/secretbox-vectors.txt \
		Scripts/swift-test.sh $(SWIFT_FLAGS) --skip-build --filter '$(PURE)'
	Scripts/swift-test.sh $(SWIFT_FLAGS) --skip-build --no-parallel --skip '$(PURE)'

.PHONY: objc
objc: test-setup ## Type-check the Objective-C faces of the SDKs, and programs that use them
	swift build $(SWIFT_FLAGS) --target NexconnChatSDK
	swift build $(SWIFT_FLAGS) --target PusherSwift
	Scripts/check-objc.sh

.PHONY: examples
examples: setup ## Build and run the programs in Examples/, an outage included
	swift build $(SWIFT_FLAGS)
	Scripts/run-examples.sh $(BIN)

.PHONY: tsan
tsan: test-setup ## Engine, runtime and the end-to-end runs under the Thread Sanitizer
	swift build $(TSAN_FLAGS) --build-tests
	Scripts/swift-test.sh $(TSAN_FLAGS) --skip-build --no-parallel --filter 'ConnectionEngineTests|EngineRuntimeTests|EndToEndTests|NexconnStatusTests|NexconnDeliveryTests'

.PHONY: scenarios
scenarios: test-setup $(VENV)/.ready ## Faults on real sockets, and other people's clients against our server
	swift build $(SWIFT_FLAGS) --product lifeline
	LIFELINE=$(BIN)/lifeline $(PYTHON) -m pytest -q Tests/ScenarioTests Tests/InteropTests

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
timing: setup ## Measure whether comparing a signature tells where it is wrong
	cd Benchmarks && swift build -c release --product TimingCheck && .build/release/TimingCheck

.PHONY: clean
clean: ## Remove everything that was built
	rm -rf .build .build-tsan $(VENV)

# Everything a person or CI does with the project. Each target builds what it needs; nothing is built twice.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

BINARY := $(or $(CARGO_TARGET_DIR),target)/release/mcp-python-sandbox
CARGO := cargo
# One invocation shape for build, clippy and tests, so that the dependencies are compiled once.
CARGO_FLAGS := --release --locked --workspace

.PHONY: help
help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: tools
tools: ## check for Rust, a C compiler and the like
	@build-scripts/check-tools

.PHONY: build
build: tools ## compile the server
	$(CARGO) build $(CARGO_FLAGS)

# What needs no Rust. Much of it is configure scripts, which leave a processor to the compiler of Rust.
.PHONY: parts
parts: tools
	@build-scripts/build-python parts > /dev/null
	@build-scripts/build-venv > /dev/null

.PHONY: python
python: tools ## build the server, CPython for the host and for WASI, and the guest's snapshot
	@$(MAKE) --no-print-directory -j2 build parts
	@build-scripts/build-python > /dev/null
	@$(BINARY) precompile > /dev/null

.PHONY: venv
venv: python ## build the native runtime's venv (PACKAGES=full; EXTRA=requirements.txt of yours)
	@build-scripts/build-venv > /dev/null

.PHONY: run
run: python venv ## build all that is missing and show the real server at work
	@"$$(build-scripts/build-python --print native)/bin/python3.13" examples/run.py --server $(BINARY) --out examples/out

.PHONY: gallery
gallery: python venv ## run the jobs of examples/gallery and write examples/README.md
	@"$$(build-scripts/build-python --print native)/bin/python3.13" examples/gallery.py --server $(BINARY)

.PHONY: test
test: python venv ## all tests
	$(CARGO) test $(CARGO_FLAGS) --lib --test all
	build-scripts/test-bootstrap

.PHONY: test-reproducible
test-reproducible: python ## take the guest's snapshot again and compare the bytes
	build-scripts/build-python compare

.PHONY: test-clients
test-clients: python venv ## official MCP clients against the server, over stdio and HTTP
	tests/clients/run $(BINARY)

.PHONY: soak
soak: python venv ## the slow tests: thousands of calls, restarts behind nginx, deaths at any moment
	$(CARGO) test $(CARGO_FLAGS) --test all -- --ignored --nocapture --test-threads 1 \
		--skip attack_soak::

.PHONY: soak-attacks
soak-attacks: python venv ## attackers beside honest callers for SOAK_SECONDS (an hour)
	$(CARGO) test $(CARGO_FLAGS) --test all -- --ignored --nocapture attack_soak::

.PHONY: check-deploy
check-deploy: ## hold deploy/ against schemas
	@build-scripts/check-deploy

.PHONY: cpython-tests
cpython-tests: python ## CPython's own test suite in the WASI runtime
	build-scripts/cpython-tests

.PHONY: test-galleries
test-galleries: python venv ## other people's programs, compared with plain Python: more than an hour
	build-scripts/test-galleries

.PHONY: bench
bench: python venv ## time programs in the real server beside native CPython (and other sandboxes, PEERS=PYTHON)
	@"$$(build-scripts/build-python --print native)/bin/python3.13" benches/speed.py --server $(BINARY) \
		--python "$$(build-scripts/build-venv --print)/bin/python" $(if $(PEERS),--peers "$(PEERS)")

.PHONY: bench-parts
bench-parts: python ## time parts of the server: the guest's start, a call, markers in its output, the overlay of files
	$(CARGO) bench --locked --package mcp-python-sandbox --bench guest --bench markers --bench overlay

.PHONY: check-no-avx
check-no-avx: build ## prove on emulated CPUs that nothing needs AVX: slow, an hour and more, not in CI
	@build-scripts/check-no-avx

.PHONY: bench-native
bench-native: build ## warm native jobs against the same jobs in a fresh Python
	@"$$(build-scripts/build-venv --print)/bin/python" benches/native_warm.py --server $(BINARY)

.PHONY: fuzz
fuzz: build ## many inputs for the two parsers that read what others write (FUZZ_CASES for each)
	PROPTEST_CASES=$(or $(FUZZ_CASES),300000) $(CARGO) test $(CARGO_FLAGS) --test all -- properties::

.PHONY: libfuzzer
libfuzzer: ## the same, led by coverage (FUZZ_SECONDS for each); needs a nightly compiler
	fuzz/run $(or $(FUZZ_SECONDS),300)

.PHONY: fmt
fmt: ## format the sources
	$(CARGO) fmt --all
	build-scripts/lint-scripts --fix

.PHONY: lint
lint: ## Rust, Python and shell: formatting, types, what linters find; layers, documentation
	build-scripts/lint-scripts
	build-scripts/check-layers
	cd build-scripts && python3 -B -m unittest -q layers.test_layers
	build-scripts/check-docs --read
	$(CARGO) fmt --all --check
	$(CARGO) clippy $(CARGO_FLAGS) --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc $(CARGO_FLAGS) --no-deps

.PHONY: ci
ci: lint test test-reproducible test-clients run ## what CI runs

# Under sudo nothing is built: what to install is in the cache of the user who built it.
PREFIX ?= /opt/mcp-python-sandbox
DESTDIR ?=

.PHONY: install
install: $(if $(SUDO_USER),,python venv) ## copy all to PREFIX (default /opt/mcp-python-sandbox)
	@build-scripts/package install --prefix "$(PREFIX)" --destdir "$(DESTDIR)"

.PHONY: uninstall
uninstall: ## remove it from PREFIX
	@build-scripts/package uninstall --prefix "$(PREFIX)" --destdir "$(DESTDIR)"

.PHONY: dist
dist: python venv ## pack it for other machines, with and without the venv, into dist/
	@build-scripts/package dist
	@build-scripts/package dist --wasm-only

.PHONY: deb
deb: python venv ## the same as a package for Debian, into dist/
	@build-scripts/package deb

.PHONY: static
static: python ## the one-file edition: pure Python only, no dependencies, into dist/
	@build-scripts/build-static

.PHONY: wheel
wheel: python ## the same as a wheel for pip and uvx, into dist/
	@build-scripts/build-wheel

.PHONY: sbom
sbom: ## what all is made of, as CycloneDX, into dist/
	@mkdir -p dist
	@"$$(build-scripts/build-python --print native)/bin/python3.13" -B build-scripts/sbom.py . > dist/sbom.cdx.json

# Image tarballs are made where an engine is: `docker save`.
.PHONY: release-files
release-files: wheel dist deb sbom ## all that a release consists of, with its checksums, into dist/
	@build-scripts/package checksums

.PHONY: docker-test
docker-test: ## build both images with a Docker engine and drive them
	@build-scripts/docker-test

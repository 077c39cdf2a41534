# `make` lists the targets. Python 3.11 or newer and make are all that a fresh machine needs.

PYTHON ?= python3
WORKERS ?= 2

VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip --quiet --disable-pip-version-check install --constraint constraints.txt
READY := $(VENV)/.ready
BENCH_READY := $(VENV)/.bench-ready
SPARK_READY := $(VENV)/.spark-ready
PINS := pyproject.toml device/python/pyproject.toml constraints.txt

.DEFAULT_GOAL := help
.PHONY: help setup demo test screenshots check format bench reproduce reproduce-quick spark clean

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY) ## Build .venv with Harmony, its device SDK and the development tools
	@echo "Ready. Next: make demo"

demo: $(READY) ## Run the demonstration
	@$(BIN)/harmony demo

test: $(READY) ## Run the tests and the doctests
	@$(BIN)/python -m tests.browser.chromium
	@$(BIN)/python -m pytest --quiet --numprocesses $(WORKERS) --dist loadfile

screenshots: $(READY) ## Photograph every page of the dashboard into docs/screenshots
	@$(BIN)/python -m tests.browser.chromium
	@$(BIN)/python -m tests.browser.screenshots

check: $(READY) ## Check formatting, lint and types
	@$(BIN)/ruff format --check --quiet . || { echo "Run 'make format'."; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/lint-imports --no-logo >/dev/null || { $(BIN)/lint-imports --no-logo; exit 1; }
	@$(BIN)/mypy

format: $(READY) ## Format the code and apply the safe lint fixes
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format .

bench: $(BENCH_READY) ## Run the benchmarks against other LDP libraries
	@$(BIN)/python -m benchmarks

spark: $(SPARK_READY) ## Install Spark, 430 MB, so that `make test` runs its tests (needs Java 17)
	@$(BIN)/python -c 'from harmony.engines.spark import need_java; need_java()'

reproduce: $(READY) ## Run the paper's figure 1 in full (minutes); figure 2 is `harmony reproduce erm`
	@$(BIN)/harmony reproduce mean-frequency --protocol published
	@$(BIN)/harmony reproduce mean-frequency --protocol text

reproduce-quick: $(READY) ## Run both of the paper's figures, and the attacks, on fewer people
	@$(BIN)/harmony reproduce mean-frequency --scale 0.05 --out reproduction/quick
	@$(BIN)/harmony reproduce mean-frequency --scale 0.05 --out reproduction/quick --protocol text
	@$(BIN)/harmony reproduce erm --scale 0.05 --folds 3 --out reproduction/quick
	@$(BIN)/harmony audit --attack --samples 4000

clean: ## Remove .venv, caches and build output
	@rm -rf $(VENV) .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): $(PINS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	    echo "Harmony needs Python 3.11 or newer, and '$(PYTHON)' is $$($(PYTHON) --version 2>/dev/null || echo missing)."; \
	    echo "Install one, or name it: make setup PYTHON=/path/to/python3.11"; exit 1; }
	@test -x $(BIN)/python || { echo "Creating $(VENV) with $$($(PYTHON) --version)"; \
	    $(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	    echo "Could not create $(VENV). On Debian and Ubuntu, install python3-venv first."; exit 1; }; }
	@echo "Installing the pinned packages (a minute or two the first time)"
	@$(INSTALL) --editable device/python --editable '.[dev]'
	@touch $@

$(BENCH_READY): $(READY)
	@echo "Installing the libraries that the benchmarks compare with"
	@$(INSTALL) --editable device/python --editable '.[dev,bench]'
	@touch $@

$(SPARK_READY): $(READY)
	@echo "Installing Spark"
	@$(INSTALL) --editable device/python --editable '.[dev,spark]'
	@touch $@

.PHONY: sdk test-js

sdk: ## Build the JavaScript SDK that the server offers at /sdk/device.js (needs Node)
	@device/javascript/build.sh bundle
	@mkdir -p src/harmony/service/static
	@cp device/javascript/dist/device.min.js src/harmony/service/static/device.js

test-js: setup sdk ## Check the JavaScript SDK's types and sizes, and run its tests in Node and Chromium
	@device/javascript/build.sh check
	@NEEDS_NODE=1 $(BIN)/python -m pytest --quiet --numprocesses $(WORKERS) --dist loadfile tests/javascript

# `make` lists the targets. Python 3.11 or newer and make are all that a fresh machine needs.
# Each target installs only what it needs: an extra of pyproject.toml, once (the stamps below).

PYTHON ?= python3
VENV ?= .venv
WORKERS ?= 3
ARGS ?=

BIN := $(VENV)/bin
# Where this is set, every process would compile all that it imports anew: 5 seconds instead of 2.
export PYTHONDONTWRITEBYTECODE :=
# On a terminal pip tells how far it is. Modules are compiled when they are first used: that saves a third of the time.
QUIET := $(shell [ -t 2 ] || echo --quiet)
INSTALL := $(BIN)/python -m pip $(QUIET) --disable-pip-version-check install --no-compile --constraint constraints.txt
TEST := $(BIN)/python -m pytest --quiet --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder
PINS := pyproject.toml device/python/pyproject.toml constraints.txt

lacking = $(shell command -v $(1) >/dev/null || echo "; NO $(1) ON THIS MACHINE")

.DEFAULT_GOAL := help
.NOTPARALLEL:  # two pips in one virtualenv get into each other's way
.PHONY: help setup demo test test-js test-java test-sdks test-spark test-wheels test-mutated test-soak screenshots check format docs outputs bench reproduce reproduce-quick sdk hashes clean

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(VENV)/.ready-service $(VENV)/.ready-test $(VENV)/.ready-lint ## Install Harmony, its device SDK and the development tools
	@echo "Ready. Next: make demo"

demo: $(VENV)/.ready-service ## Run the demonstration
	@$(BIN)/harmony demo

test: $(VENV)/.ready-test ## Run the tests and the doctests (ARGS='--shuffle 7': in another order)
	@$(BIN)/python -m tests.browser.chromium
	@$(TEST) --ignore tests/javascript --ignore tests/java --ignore tests/sdks $(ARGS)
	@echo "NOT RUN HERE: the SDKs in JavaScript (make test-js$(call lacking,node)) and Java (make test-java$(call lacking,javac)), and Spark (make test-spark)" >&2

test-js: $(VENV)/.ready-test sdk ## Check the JavaScript SDK's types and sizes, and run its tests in Node and Chromium
	@device/javascript/build.sh check
	@$(BIN)/python -m tests.browser.chromium
	@NEEDS_NODE=1 $(TEST) tests/javascript $(ARGS)

test-java: $(VENV)/.ready-test ## Build the Java SDK's jar and run its tests; installs a JDK and JUnit with apt where it can
	@device/java/build.sh setup
	@device/java/build.sh jar >/dev/null
	@NEEDS_JAVA=1 $(TEST) tests/java $(ARGS)

test-sdks: test-js test-java ## Run the tests of both, and let devices of all languages meet at one server
	@NEEDS_NODE=1 NEEDS_JAVA=1 $(TEST) tests/sdks $(ARGS)

test-spark: $(VENV)/.ready-test $(VENV)/.ready-spark ## Install Spark, 430 MB, and run its tests (needs Java 17)
	@$(BIN)/python -c 'from harmony.engines.spark import need_java; need_java()'
	@NEEDS_SPARK=1 $(BIN)/python -m pytest --quiet tests/engines/test_spark.py $(ARGS)

test-wheels: $(VENV)/.ready-test ## Build both wheels, install them into an empty virtualenv and try them
	@NEEDS_WHEELS=1 $(BIN)/python -m pytest --quiet tests/packaging $(ARGS)

test-mutated: $(VENV)/.ready-test ## Send 100,000 mutated requests to a server (ARGS='--workers 2': on PostgreSQL)
	@$(BIN)/python -m tests.service.mutated $(ARGS)

test-soak: $(VENV)/.ready-test ## Load a server for ten minutes while it is killed, backed up, ... (ARGS=--postgres)
	@$(BIN)/python -m tests.service.soak $(ARGS)

screenshots: $(VENV)/.ready-test ## Photograph every page of the dashboard into docs/screenshots, and draw the guides' plots
	@$(BIN)/python docs/pictures.py
	@$(BIN)/python -m tests.browser.chromium
	@$(BIN)/python -m tests.browser.screenshots

check: $(VENV)/.ready-lint ## Check formatting, lint, the order of imports and types
	@$(BIN)/ruff format --check --quiet . || { echo "Run 'make format'."; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/lint-imports --no-logo >/dev/null || { $(BIN)/lint-imports --no-logo; exit 1; }
	@$(BIN)/mypy

format: $(VENV)/.ready-lint ## Format the code and apply the safe lint fixes
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format .

docs: $(VENV)/.ready-docs ## Write what the docs take from the code anew, and build the site into site/, strictly
	@$(BIN)/python docs/command_line.py
	@$(BIN)/python docs/tables.py
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "Open site/index.html"

outputs: $(VENV)/.ready-test ## Run the code of the README and the guides, and write its output anew
	@$(BIN)/python -m tests.site.code_blocks

bench: $(VENV)/.ready-bench ## Run the benchmarks against other LDP libraries
	@$(BIN)/python -m benchmarks $(ARGS)

reproduce: $(VENV)/.ready-plot ## Run the paper's figure 1 in full (minutes); figure 2 is `harmony reproduce erm`
	@$(BIN)/harmony reproduce mean-frequency --protocol published
	@$(BIN)/harmony reproduce mean-frequency --protocol text

reproduce-quick: $(VENV)/.ready-plot ## Run both of the paper's figures, and the attacks, on fewer people
	@$(BIN)/harmony reproduce mean-frequency --scale 0.05 --out reproduction/quick
	@$(BIN)/harmony reproduce mean-frequency --scale 0.05 --out reproduction/quick --protocol text
	@$(BIN)/harmony reproduce erm --scale 0.05 --folds 3 --out reproduction/quick
	@$(BIN)/harmony audit --attack --samples 4000

sdk: ## Build the JavaScript SDK that the server offers at /sdk/device.js (needs Node)
	@device/javascript/build.sh bundle
	@mkdir -p src/harmony/service/static
	@cp device/javascript/dist/full.min.js src/harmony/service/static/device.js

hashes: $(VENV)/.ready-service ## Write dist/requirements.txt: what the service needs, with hashes
	@mkdir -p dist
	@$(BIN)/python deploy/hashes.py service > dist/requirements.txt

clean: ## Remove the virtualenv, caches and build output
	@rm -rf $(VENV) .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache build dist site
	@rm -rf device/java/build device/javascript/dist device/javascript/node_modules device/javascript/types src/harmony/service/static
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	    echo "Harmony needs Python 3.11 or newer, and '$(PYTHON)' is $$($(PYTHON) --version 2>/dev/null || echo missing)."; \
	    echo "Install one, or name it: make setup PYTHON=/path/to/python3.11"; exit 1; }
	@echo "Creating $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	    echo "Could not create $(VENV). On Debian and Ubuntu, install python3-venv first."; exit 1; }

# One stamp for each extra: .ready-service, .ready-test, .ready-lint, .ready-spark, ...
$(VENV)/.ready-%: $(PINS) | $(BIN)/python
	@echo "Installing what '$*' needs, with pinned versions (a minute or two the first time)"
	@$(INSTALL) --editable device/python --editable '.[$*]'
	@echo "Compiling the kernels for this machine (half a minute, once)"
	@$(BIN)/python -m harmony.bulk.warm >/dev/null
	@touch $@

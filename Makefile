# `make` lists the targets. Python 3.11 or newer and make are all that a fresh machine needs.

PYTHON ?= python3
WORKERS ?= 2

VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip --quiet --disable-pip-version-check install --constraint constraints.txt
READY := $(VENV)/.ready
BENCH_READY := $(VENV)/.bench-ready
PINS := pyproject.toml device/python/pyproject.toml constraints.txt

.DEFAULT_GOAL := help
.PHONY: help setup demo test screenshots check format bench clean

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

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
	@$(BIN)/mypy

format: $(READY) ## Format the code and apply the safe lint fixes
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format .

bench: $(BENCH_READY) ## Run the benchmarks against other LDP libraries
	@$(BIN)/python -m benchmarks

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

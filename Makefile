.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

# Set-up makes the environment; every other target finds it by the same script.
python = PYTHONPATH=src "$$(scripts/bootstrap.sh)"/bin/python

.PHONY: help setup test test-long lint demo bench down

help: ## show this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## build everything that is needed, once (root, Debian 12, 15 GB of disk)
	@bin/faultyard setup

test: setup lint ## all checks and tests but the long ones
	@$(python) -m pytest tests/unit tests/browser $(wildcard tests/live) -m "not long" --durations=0 --durations-min=1

test-long: setup ## the tests that take minutes each
	@$(python) -m pytest tests -m long --durations=0

lint: ## style, types, layers
	@$(python) -m ruff check src tests
	@$(python) -m ruff format --check src tests
	@$(python) -m mypy --strict src
	@$(python) -c 'from importlinter.cli import lint_imports_command; lint_imports_command()'

demo: setup ## one problem from nothing to verdicts
	@bin/faultyard validate hotel/wrong-target-port

bench: setup ## measure the cluster against the bare minimum
	@$(python) -m bench

down: ## remove every cell and all that belongs to it
	@bin/faultyard down --all

.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

# Set-up makes the environment; every other target finds it by the same script.
python = PYTHONPATH=src "$$(scripts/bootstrap.sh)"/bin/python
# Compiled modules are kept, whatever the environment says of keeping them beside their sources:
# each process of the tests would take seconds to compile them again.
compiled = PYTHONDONTWRITEBYTECODE= \
	PYTHONPYCACHEPREFIX="$${FAULTYARD_CACHE:-/var/cache/faultyard}/compiled"

demo = hotel/wrong-target-port

.PHONY: help setup test test-long long-results lint demo bench vm-check down

help: ## show this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## build everything that is needed, once (root, Debian 12, 15 GB of disk)
	@bin/faultyard setup

# The browser's driver keeps an event loop in the main thread, so its tests run by themselves.
# Unit tests: the longest first, so that no process is left with one of them at the end, and a
# process more than the reference machine has processors, since tests that wait for something
# leave theirs idle.
test: setup lint ## all checks and tests but the long ones
	@$(compiled) $(python) -m pytest tests/browser
	@$(compiled) $(python) -m pytest tests/golden tests/unit -n 3 --dist loadfile --no-loadscope-reorder
	@$(python) -m pytest tests/live -m "not long" --durations=5

test-long: setup ## the tests that take minutes each, but those that passed on this very code
	@$(python) -m pytest tests/live -m long

long-results: ## the results of the long tests
	@$(python) -m pytest tests/live -m long --collect-only -q | sed -n '/long tests/,$$p'

lint: ## style, types, layers
	@$(python) -m ruff check src tests vmcheck
	@$(python) -m ruff format --check src tests vmcheck
	@$(python) -m mypy --strict src
	@$(python) -c 'from importlinter.cli import lint_imports_command; lint_imports_command()'

demo: setup ## one problem: the control agents' verdicts, then an investigator's turn and its report
	@records="records/demo-$$(date +%Y%m%d-%H%M%S)"; \
	validated=0; \
	bin/faultyard validate $(demo) -a noop -a fix -a wrong -o "$$records" || validated=$$?; \
	[ "$$validated" -le 1 ] || exit "$$validated"; \
	bin/faultyard run $(demo) -a runbook -o "$$records/runbook"; \
	exit "$$validated"

bench: setup ## how long a cell takes, against its own floor; what it uses, against its limits
	@$(python) -m benchmarks.cell
	@$(python) -m benchmarks.limits
	@$(python) -m benchmarks.speed

vm-check: setup ## a stock Debian with cgroup v2 and systemd in qemu: doctor, a cell, a pod, with KVM a trial
	@$(python) -m vmcheck -o docs/vm-check-result.md

down: ## remove every cell and all that belongs to it
	@bin/faultyard down --all

# The two commands to start with are `make demo` and `make test`; `make` lists all of them.
#
# Everything lives in $(VENV). Each step of the set-up leaves a file there and is not run again until what
# it depends on has changed, so a second run starts at once.

PYTHON ?= $(shell for name in python3.11 python3.12 python3.13 python3; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; done)
VENV ?= .venv
# Another build of torch: make demo TORCH=torch==2.11.0, or TORCH=path/to/a.whl, or TORCH_INDEX=<url>.
TORCH ?= $(shell grep '^torch==' constraints.txt)
TORCH_INDEX ?=
TRITON ?= $(shell grep '^triton==' constraints.txt)
OLDEST_TRITON = triton==3.6.0
ALL_TARGETS = sm_80 sm_90 sm_100 gfx942
# Those of the tools, and of fresh processes and their files: half of the time of all others, and a command of their own.
TOOL_TESTS = tests/tools tests/benchmarks tests/faults tests/unit/tools tests/unit/fingerprint \
	tests/e2e/test_warm_start.py tests/e2e/test_edited_sources.py
# Those of the site, which needs Sphinx.
DOC_TESTS = tests/docs
# Where the site is built: anew each time, since a page has the titles of others.
SITE = build/site
PYTEST_FLAGS ?=
# make bench-gpu BENCH_FLAGS='--ops softmax --json out.jsonl'
BENCH_FLAGS ?=
# How many processes test at once; 0: this one. Those that are done take over from others: properties take minutes.
TEST_JOBS ?= auto

BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip --disable-pip-version-check --quiet
LINUX := $(filter Linux,$(shell uname -s))
GPU := $(strip $(wildcard /dev/nvidia0 /dev/kfd) $(shell nvidia-smi -L 2>/dev/null))

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test test-tools test-docs test-pytorch test-all lint format golden errors docs docs-images bench bench-gpu bench-host bench-tuning clean FORCE

help: ## list the commands
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

demo: $(VENV)/.package $(if $(GPU),$(VENV)/.triton) ## run the first two kernels on the best device found
	$(BIN)/python -m examples.demo

test: $(VENV)/.test $(if $(LINUX),$(VENV)/.triton) ## run all tests but those of test-tools, test-docs and test-pytorch; those that need a GPU are skipped without one
	$(BIN)/python -m pytest -n $(TEST_JOBS) --dist worksteal $(addprefix --ignore=,$(TOOL_TESTS) $(DOC_TESTS) tests/pytorch) $(PYTEST_FLAGS)

test-tools: $(VENV)/.tools $(if $(LINUX),$(VENV)/.triton) ## test the tools, the benchmarks and fresh processes: every stage of every example, pages in Chromium, packages from outside
	$(BIN)/python -m pytest $(TOOL_TESTS) -n $(TEST_JOBS) --dist worksteal $(PYTEST_FLAGS)

# What needs the site stays in one process, which builds it once.
test-docs: $(VENV)/.docs $(if $(LINUX),$(VENV)/.triton) ## build the site; test its links, programs, notebook and pages
	$(BIN)/python -m pytest $(DOC_TESTS) -n $(TEST_JOBS) --dist loadgroup $(PYTEST_FLAGS)

test-pytorch: $(VENV)/.test ## test kernels under torch's compiler and exporter: every example
	$(BIN)/python -m pytest tests/pytorch -n $(TEST_JOBS) --dist worksteal $(PYTEST_FLAGS)

# The properties know nothing of Triton, so only the newest one's environment runs them.
test-all: ## run all tests with full counts, for every target, with the oldest and the newest Triton
	NINETOOTHED_TEST_TARGETS="$(ALL_TARGETS)" $(MAKE) test \
		VENV=.venv-$(subst ==,-,$(OLDEST_TRITON)) TRITON=$(OLDEST_TRITON) \
		PYTEST_FLAGS="--ignore=tests/property $(PYTEST_FLAGS)"
	NINETOOTHED_HYPOTHESIS_PROFILE=full NINETOOTHED_TEST_TARGETS="$(ALL_TARGETS)" \
		$(MAKE) test test-tools test-docs test-pytorch VENV=.venv-triton-newest

lint: $(VENV)/.dev ## check style (ruff) and types (pyright)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m pyright --pythonpath $(BIN)/python

format: $(VENV)/.dev ## format the code and mend what ruff can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

golden: $(VENV)/.test $(if $(LINUX),$(VENV)/.triton) ## write the golden files anew; read the diff afterwards
	$(BIN)/python -m pytest -m golden --update-golden $(PYTEST_FLAGS)

errors: $(VENV)/.test $(if $(LINUX),$(VENV)/.triton) ## write the expected errors anew; read the diff afterwards
	$(BIN)/python -m pytest tests/errors/programs --update-errors $(PYTEST_FLAGS)

docs: $(VENV)/.docs ## write the generated pages of docs anew (language, stages, passes, nt-opt, the notebook, benchmarks), and build the site in build/site
	$(BIN)/python -m ninetoothed.tools.pages
	$(BIN)/python -m benchmarks.newest
	$(BIN)/python -m sphinx -W --keep-going --quiet --fresh-env --write-all docs $(SITE)

docs-images: $(VENV)/.tools $(VENV)/.triton ## draw the pictures of docs anew, in Chromium
	$(BIN)/python -m tests.tools.view_screenshot

bench: $(VENV)/.package $(if $(LINUX),$(VENV)/.triton) ## time the compiler, pass by pass
	$(BIN)/python -m benchmarks.compile_time

bench-gpu: $(VENV)/.package $(VENV)/.triton ## time the kernels on the GPU, beside other providers
	$(BIN)/python -m benchmarks.kernels $(BENCH_FLAGS)

bench-host: $(VENV)/.package $(VENV)/.triton ## time calls on the host and fresh processes, on the GPU
	$(BIN)/python -m benchmarks.launch --churn
	$(BIN)/python -m benchmarks.start

bench-tuning: $(VENV)/.package $(VENV)/.triton ## compare the tuner's choices with the best of all, on the GPU
	$(BIN)/python -m benchmarks.tuning $(BENCH_FLAGS)

clean: ## remove the environments and every cache in this folder
	rm -rf .venv .venv-* build docs/arrangements/drawn .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The set-up.

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "$(PYTHON) has no venv module (on Debian: apt-get install python3-venv)"; exit 1; }

# torch and Triton are chosen above, so nothing else may pin them.
$(VENV)/constraints.txt: constraints.txt | $(BIN)/python
	grep -Ev '^(torch|triton)==' constraints.txt > $@

# A stamp of these two holds what it was made with: another choice makes it anew.
ifneq ($(shell cat $(VENV)/.torch 2>/dev/null),$(strip $(TORCH) $(TORCH_INDEX)))
$(VENV)/.torch: FORCE
endif
ifneq ($(shell cat $(VENV)/.triton 2>/dev/null),$(TRITON))
$(VENV)/.triton: FORCE
endif

$(VENV)/.torch: $(VENV)/constraints.txt
	$(PIP) install -c $< $(if $(TORCH_INDEX),--index-url $(TORCH_INDEX)) "$(TORCH)"
	@echo "$(strip $(TORCH) $(TORCH_INDEX))" > $@

# After torch, and without asking it: its CUDA builds pin one release of Triton.
$(VENV)/.triton: $(VENV)/.torch
	$(PIP) install --no-deps "$(TRITON)"
	@echo "$(TRITON)" > $@

$(VENV)/.package: pyproject.toml $(VENV)/constraints.txt $(VENV)/.torch
	$(PIP) install -c $(VENV)/constraints.txt --editable .
	@touch $@

$(VENV)/.test: $(VENV)/.package
	$(PIP) install -c $(VENV)/constraints.txt --editable '.[test]'
	@touch $@

$(VENV)/.tools: $(VENV)/.test
	$(PIP) install -c $(VENV)/constraints.txt --editable '.[tools]'
	@touch $@

$(VENV)/.docs: $(VENV)/.tools
	$(PIP) install -c $(VENV)/constraints.txt --editable '.[docs]'
	@touch $@

$(VENV)/.dev: $(VENV)/.docs
	$(PIP) install -c $(VENV)/constraints.txt --editable '.[dev]'
	@touch $@

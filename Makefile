# `make run` and `make test` do all the set-up on a fresh machine with python3, pip and make.
# bytecode is kept: dozens of the tests start Python anew
unexport PYTHONDONTWRITEBYTECODE
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin


.PHONY: slow
slow: $(VENV)/test.stamp
	$(BIN)/python -m pytest -n 2 --dist loadfile -m slow

FILES ?= 20000
SEED ?= 0
.PHONY: fuzz
fuzz: $(VENV)/test.stamp
	$(BIN)/python tests/soak/fuzz.py --files $(FILES) --seed $(SEED) --keep build/fuzz

# an hour of fuzzed files, random mechanisms, Ctrl-C, kill -9, memory and long runs
MINUTES ?= 60
.PHONY: soak
soak: $(VENV)/test.stamp
	$(BIN)/python tests/soak/hour.py --minutes $(MINUTES) --seed $(SEED)

# every dependency at its lower bound, in an environment of its own, and the suite there
.PHONY: lowest
lowest:
	$(PYTHON) tests/lowest.py --folder build/lowest

.PHONY: run test lint types mutants bench docs package clean
.DEFAULT_GOAL := run

$(VENV)/run.stamp: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -e .
	touch $@

# one installation; bytecode is made of what is imported, not of all that is installed
$(VENV)/test.stamp: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile -e ".[test,peers]"
	touch $(VENV)/run.stamp $@

run: $(VENV)/run.stamp
	$(BIN)/torseur check examples/robot_arm.yaml
	$(BIN)/torseur equations examples/robot_arm.yaml
	$(BIN)/torseur simulate examples/robot_arm.yaml -o out/robot_arm --force
	@echo "open out/robot_arm/report.html in a browser"

# the package, and strictly scripts of users: a planted mistake that is not found is an error too
define TYPES
$(BIN)/python tests/typed_scripts.py build/typed
$(BIN)/python -m mypy src/torseur build/typed/right.py build/typed/wrong.py
$(BIN)/basedpyright --pythonpath $(BIN)/python
$(BIN)/basedpyright --pythonpath $(BIN)/python -p build/typed
endef

test: $(VENV)/test.stamp
	$(BIN)/python -m ruff check src tests examples benchmarks
	$(BIN)/python -m ruff format --check src tests examples benchmarks
	$(TYPES)
	$(BIN)/python -m pytest -n 2 --dist loadfile --assert=plain || \
		{ $(BIN)/python -m pytest --last-failed; exit 1; }  # again, with values

lint: $(VENV)/test.stamp
	$(BIN)/python -m ruff check src tests examples benchmarks
	$(BIN)/python -m ruff format --check src tests examples benchmarks

types: $(VENV)/test.stamp
	$(TYPES)

mutants: $(VENV)/test.stamp
	$(BIN)/python -m pytest tests/unit/test_mutants.py -m mutants

# peers that are not to be had for a machine are left out of the tables
$(VENV)/bench.stamp: $(VENV)/test.stamp
	-$(BIN)/python -m pip install --quiet exudyn
	-$(BIN)/python -m pip install --quiet drake
	touch $@

# pages are written, and a ratio to a peer that fell by more than a third fails it (benchmarks/gate.py)
# BENCH=--add keeps ratios that are new
bench: $(VENV)/bench.stamp
	$(BIN)/python benchmarks/bench.py $(BENCH)

$(VENV)/docs.stamp: $(VENV)/run.stamp
	$(BIN)/python -m pip install --quiet -e ".[docs]"
	touch $@

docs: $(VENV)/docs.stamp
	$(BIN)/python docs/make.py

# wheel and sdist: built, checked, installed in clean environments, the ten lines run there
package: $(VENV)/test.stamp
	$(BIN)/python tests/package_check.py

clean:
	rm -rf $(VENV) build dist src/*.egg-info

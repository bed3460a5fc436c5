# All set-up happens in .venv: only Python 3.11+, venv and make are needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test check verify soak mutate bench reproduction wheel clean

demo: $(STAMP)  ## the paper's question, answered on the embedded data
	$(BIN)/splitwise-plan search

test: $(STAMP)  ## static checks and tests
	$(MAKE) --no-print-directory check
	$(BIN)/pytest -n auto -m "not verify"

check: $(STAMP)  ## static checks alone
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

verify: $(STAMP)  ## long verification: every reference run, a thousand random cases, theory
	$(BIN)/pytest -n auto -m verify

soak: $(STAMP)  ## ten thousand random scenarios: no crash, no broken law, no leak
	$(BIN)/python tests/soak.py

mutate: $(STAMP)  ## faults planted in simulator and search: does a test notice each?
	$(BIN)/python tools/mutate.py

bench: $(STAMP)  ## speed, as ratios within one run
	$(BIN)/python -m benchmarks

reproduction: $(STAMP)  ## docs/reproduction.md, its table and figures made again
	$(BIN)/splitwise-plan reproduce all --out docs

wheel: $(STAMP)
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir dist .

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/pip install --quiet --editable . --group dev
	touch $@

clean:
	rm -rf $(VENV) dist

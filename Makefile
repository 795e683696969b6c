# The two commands: `make demo` does the main job, `make test` passes the tests. Each installs what it needs into .venv.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 24

demo: .venv/demo  ## GPT-2's and SmolLM2's exact ids, a small training run, the course's own check of L1.2
	$(BIN)/python python/scripts/demo.py
	$(BIN)/ol check L1.2

test: .venv/dev  ## all tests
	$(PYTEST) -n auto

quick: .venv/dev  ## the tests that take seconds
	$(PYTEST) -n auto -m "not slow and not browser"

lint: .venv/dev  ## style, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy python/tinyllm

course: .venv/dev  ## the course checks itself: mutants, wheats, stubs, contracts, hints
	$(BIN)/python -m ol.selfcheck

bench: .venv/dev  ## speed beside Hugging Face, tiktoken, rustbpe and puretiktoken (minutes)
	$(BIN)/python python/bench/bench.py

fuzz: .venv/dev  ## N random inputs, FILES random tokenizer.json against Hugging Face (make fuzz N=1000000 FILES=1000)
	$(BIN)/python python/scripts/fuzz.py $(or $(N),100000)
	$(BIN)/python python/scripts/fuzz.py $(or $(FILES),100000) --family files

models: .venv/dev  ## real files of other models against Hugging Face: fetches them, minutes (course/formats/models.md)
	$(BIN)/python python/scripts/models.py $(MODELS)

mutation: .venv/dev  ## mutmut over the core: fails below the recorded score (up to an hour)
	$(BIN)/python python/scripts/mutation.py

readme: .venv/dev  ## the README's table of speeds, from python/bench/results.json
	$(BIN)/python python/scripts/readme_speed.py

soak: .venv/dev  ## mixed work from threads and processes for half an hour
	$(BIN)/python python/scripts/soak.py

study: .venv/dev  ## the measurements of lab 04's STUDY.md
	$(BIN)/python python/scripts/study.py

notebook: .venv/dev  ## course/notebooks/L1.2.ipynb from its text source, run
	$(BIN)/python python/scripts/make_notebook.py

pictures: .venv/dev  ## the README's pictures
	$(BIN)/python python/scripts/make_pictures.py

fixtures-check: .venv/dev  ## rebuild every generated file from its source and compare
	$(BIN)/python python/scripts/rebuild_fixtures.py --check
	$(BIN)/python python/scripts/make_unicode16.py --check
	$(BIN)/python python/scripts/make_character_tables.py --check
	$(BIN)/python python/scripts/make_oracle.py --check
	$(BIN)/python python/scripts/make_training_golden.py --check
	$(BIN)/python python/scripts/make_notebook.py --check

clean:  ## remove what these commands made
	rm -rf .venv .ol build dist

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
		{ echo "This needs Python 3.10 or newer, and $(PYTHON) is not. Name another: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 2; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip

.venv/demo: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

.venv/dev: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	@touch $@

.PHONY: help demo test quick lint course bench readme fuzz models mutation soak study notebook pictures fixtures-check clean
.DEFAULT_GOAL := help

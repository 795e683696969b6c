# The two commands: `make demo` does the main job, `make test` passes the tests. Each installs what it needs into .venv.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

demo: .venv/demo  ## GPT-2's and SmolLM2's exact ids, then the course's own check of L1.2
	$(BIN)/tok encode --tokenizer gpt2 "Hi 你!"
	$(BIN)/tok encode --tokenizer smollm2 --tokens "In 2024, <|im_start|>"
	$(BIN)/ol check L1.2

test: .venv/test  ## all tests
	$(PYTEST) -n auto

quick: .venv/test  ## the tests that take seconds
	$(PYTEST) -n auto -m "not slow and not browser"

course: .venv/test  ## the course checks itself: mutants, wheats, stubs, contracts, hints
	$(BIN)/python -m ol.selfcheck

bench: .venv/bench  ## speed beside Hugging Face, tiktoken, rustbpe and puretiktoken (minutes)
	$(BIN)/python python/bench/bench.py

fuzz: .venv/test  ## N random inputs against Hugging Face and tiktoken (make fuzz N=1000000)
	$(BIN)/python python/scripts/fuzz.py $(or $(N),100000)

mutation: .venv/mutation  ## mutmut over the core: fails below the recorded score (up to an hour)
	$(BIN)/python python/scripts/mutation.py

soak: .venv/test  ## mixed work from threads and processes for half an hour
	$(BIN)/python python/scripts/soak.py

study: .venv/test  ## the measurements of lab 04's STUDY.md
	$(BIN)/python python/scripts/study.py

pictures: .venv/test  ## the README's pictures
	$(BIN)/python python/scripts/make_pictures.py

fixtures-check: .venv/test  ## rebuild every generated file from its source and compare
	$(BIN)/python python/scripts/rebuild_fixtures.py --check
	$(BIN)/python python/scripts/make_unicode16.py --check
	$(BIN)/python python/scripts/make_oracle.py --check

clean:  ## remove what these commands made
	rm -rf .venv .ol build dist

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip

.venv/demo: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

.venv/test .venv/bench .venv/mutation: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable ".[test$(if $(filter-out .venv/test,$@),$(comma)$(notdir $@))]"
	@touch $@

comma := ,
.PHONY: help demo test quick course bench fuzz mutation soak study pictures fixtures-check clean
.DEFAULT_GOAL := help

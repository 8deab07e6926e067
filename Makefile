# Needs Python 3.11 or later as python3 (or PYTHON=...) and make; everything else goes into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := -m pip --disable-pip-version-check --quiet
# From a lock: these versions, these files, and no code of a package is run to install it.
LOCKED := $(PIP) install --require-hashes --only-binary :all: --requirement
# This checkout; what builds it is in the lock too.
ITSELF := $(PIP) install --no-deps --no-build-isolation --editable .
EXAMPLE := examples/bert-serving
DEMO := compare $(EXAMPLE)/bert.gpushare.yaml --manifests

.PHONY: demo demo-tree test lint venv schemas messages docs site bench dist lock audit test-lowest test-newest clean
.DEFAULT_GOAL := demo

demo: $(VENV)/run.stamp  ## one workload with one share, on three clouds
	@echo "# $(EXAMPLE)/bert.gpushare.yaml"
	@cat $(EXAMPLE)/bert.gpushare.yaml
	@echo
	@echo "# gpuxlate $(DEMO)"
	@$(BIN)/gpuxlate $(DEMO)

demo-tree: $(VENV)/run.stamp  ## one source tree and three clouds: examples/one-tree, in a copy
	@rm -rf build/one-tree && mkdir -p build && cp -r examples/one-tree build/one-tree
	@PATH="$(CURDIR)/$(BIN):$$PATH" build/one-tree/demo.sh

test: $(VENV)/dev.stamp  ## all tests
	$(BIN)/python -m pytest -n auto

lint: $(VENV)/dev.stamp  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

venv: $(VENV)/dev.stamp  ## the environment for development

schemas: $(VENV)/run.stamp  ## generate schemas/ from the models
	$(BIN)/python -m gpuxlate.cli.schemas

messages: $(VENV)/run.stamp  ## compile the translations of gpuxlate/locale, as an installation does
	$(BIN)/python hatch_build.py

docs: $(VENV)/run.stamp  ## update the command output and tables in the pages; all pages, with the generated ones, in build/docs
	$(BIN)/python -m docs.tools

site: $(VENV)/dev.stamp  ## the documentation as a site, in build/site; SERVE=1 serves it on http://127.0.0.1:8000
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs $(if $(SERVE),serve,build) --strict --quiet
	@echo "the site is in build/site; make site SERVE=1 serves it"

bench: $(VENV)/bench.stamp  ## every benchmark; KUBECONFORM="PROGRAM OPTIONS" measures it beside
	$(BIN)/python -m bench
	@echo
	$(BIN)/python -m bench.growth
	$(BIN)/python -m bench.sync
	@echo
	$(BIN)/python -m bench.structure

dist: $(VENV)/dist.stamp  ## what is published: sdist, wheel, zipapp, krew manifest
	$(BIN)/python contrib/dist.py

lock: $(VENV)/dist.stamp  ## requirements/ anew: the newest versions that pyproject.toml allows
	$(BIN)/python contrib/lock.py

audit: $(VENV)/dist.stamp  ## check requirements/ for known vulnerabilities
	@$(BIN)/python contrib/audit.py

# The ranges of pyproject.toml at both ends. Without the tests in which no package of them works:
# conformance, properties, pairs, rules and backends try gpuxlate's own arithmetic; packaging builds and installs.
RANGE := tests $(foreach one,conformance plugins packaging properties pairs rules backends fixtures docs hostile \
	overlays charts quotas contrib leftovers policy claims parameters planning nodepool \
	lint/test_text_soundness.py lint/test_cases.py lint/test_fix_never_less.py lint/test_fix.py lint/test_parts.py \
	test_linear.py test_architecture.py, \
	--ignore tests/$(one))

test-lowest: $(VENV)/lowest/stamp  ## the tests with the lowest versions that pyproject.toml allows
	$(VENV)/lowest/bin/python -m pytest -n auto $(RANGE)

test-newest: $(VENV)/dist.stamp  ## the tests with the newest versions of today, if the lock of run-time packages is older
	@$(BIN)/python contrib/lock.py --newest app $(VENV)/newest.txt
	@if cmp -s $(VENV)/newest.txt requirements/app.txt; \
	then echo "requirements/app.txt has the newest versions that pyproject.toml allows: make test is with these"; \
	else diff requirements/app.txt $(VENV)/newest.txt | grep '^[<>] [a-z]' | tr -d '\\'; \
	$(BIN)/python contrib/lock.py --newest dev $(VENV)/newest.txt; \
	$(PYTHON) -m venv --clear $(VENV)/newest; \
	$(VENV)/newest/bin/python $(LOCKED) $(VENV)/newest.txt; \
	$(VENV)/newest/bin/python $(ITSELF); \
	$(VENV)/newest/bin/python -m pytest -n auto $(RANGE); fi

clean:  ## everything that was made here
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is written last, so that an environment that was made half is made again.
$(VENV)/run.stamp: pyproject.toml hatch_build.py requirements/run.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "gpuxlate needs Python 3.11 or later; try make PYTHON=python3.12")'
	@echo "setting up $(VENV) (once)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python $(LOCKED) requirements/run.txt
	@$(BIN)/python $(ITSELF)
	@$(BIN)/python -m compileall -q gpuxlate  # as an installation does: without, a command takes twice as long to start
	@touch $@

# dev: the tools for tests; dist: those for packages; bench: what gpuxlate is measured beside
$(VENV)/%.stamp: requirements/%.txt $(VENV)/run.stamp
	@echo "adding requirements/$*.txt to $(VENV) (once)"
	@$(BIN)/python $(LOCKED) $<
	@touch $@

$(VENV)/bench.stamp: $(VENV)/dev.stamp

$(VENV)/lowest/stamp: pyproject.toml requirements/lowest.txt
	@echo "setting up $(VENV)/lowest (once)"
	@$(PYTHON) -m venv --clear $(VENV)/lowest
	@$(VENV)/lowest/bin/python $(LOCKED) requirements/lowest.txt
	@$(VENV)/lowest/bin/python $(ITSELF)
	@touch $@

.PHONY: fuzz
FUZZ_SECONDS ?= 600
fuzz: $(VENV)/fuzz.stamp  ## fuzzing guided by coverage, FUZZ_SECONDS for each target; what breaks is in .cache/fuzz
	@for one in reader edits quantities parameters commands; do \
	  $(BIN)/python -m tests.fuzz.guided $$one --seconds $(FUZZ_SECONDS) || exit 1; done

$(VENV)/fuzz.stamp: $(VENV)/dev.stamp

.PHONY: e2e
e2e: $(VENV)/dev.stamp  ## the plug-in against a real API server (the first time five to ten minutes, root on Debian 12)
	$(BIN)/python -m tests.e2e.server.build
	$(BIN)/python -m pytest -m e2e tests/e2e

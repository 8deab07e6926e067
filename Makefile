# Needs Python 3.11 or later as python3 (or PYTHON=...) and make; everything else goes into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
EXAMPLE := examples/bert-serving

.PHONY: demo test lint venv schemas docs bench dist clean
.DEFAULT_GOAL := demo

demo: $(VENV)/run.stamp  ## one workload with one share, on three clouds
	@echo "# $(EXAMPLE)/bert.gpushare.yaml"
	@cat $(EXAMPLE)/bert.gpushare.yaml
	@echo
	@echo "# gpuxlate compare $(EXAMPLE)/bert.gpushare.yaml --manifests"
	@$(BIN)/gpuxlate compare $(EXAMPLE)/bert.gpushare.yaml --manifests
	@echo
	@echo "# gpuxlate compare $(EXAMPLE)/bert.gpushare.yaml"
	@$(BIN)/gpuxlate compare $(EXAMPLE)/bert.gpushare.yaml

test: $(VENV)/dev.stamp  ## all tests
	$(BIN)/python -m pytest -n auto

lint: $(VENV)/dev.stamp  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

venv: $(VENV)/dev.stamp  ## the environment for development

schemas: $(VENV)/run.stamp  ## write schemas/ anew from the models
	$(BIN)/python -m gpuxlate.spec.schemas

docs: $(VENV)/run.stamp  ## write the generated pages of docs/ anew
	$(BIN)/python docs/generate.py

bench: $(VENV)/dev.stamp  ## every benchmark, side by side in one run
	@$(PIP) install yamllint check-jsonschema ruamel.yaml
	@for one in lint worst growth limits cluster; do echo "# python -m bench.$$one"; $(BIN)/python -m bench.$$one || exit 1; done

dist: $(VENV)/dist.stamp  ## what is published: sdist, wheel, zipapp, krew manifest
	$(BIN)/python contrib/dist.py

clean:  ## everything that was made here
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is written last, so that an environment that was made half is made again.
$(VENV)/run.stamp: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "gpuxlate needs Python 3.11 or later; try make PYTHON=python3.12")'
	@echo "setting up $(VENV) (once)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --editable .
	@touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp
	@echo "adding the tools for tests to $(VENV) (once)"
	@$(PIP) install --editable '.[dev]'
	@touch $@

$(VENV)/dist.stamp: $(VENV)/run.stamp
	@echo "adding the tools for packages to $(VENV) (once)"
	@$(PIP) install --editable '.[dist]'
	@touch $@

.PHONY: e2e
e2e: $(VENV)/e2e.stamp  ## the plug-in against a real API server (the first time five to ten minutes, root on Debian 12)
	$(BIN)/python -m tests.e2e.server.build
	$(BIN)/python -m pytest -m e2e tests/e2e

$(VENV)/e2e.stamp: $(VENV)/dev.stamp
	@echo "adding the Kubernetes client to $(VENV) (once)"
	@$(PIP) install --editable '.[dev,cluster]'
	@touch $@

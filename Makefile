# `make check` shows a real protocol checked, `make test` guards every change, `make test-all` has the tests that take longer, too.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: check lint test test-all test-mermaid test-axe pictures site release clean

check: $(VENV)/ready
	@echo "--- safe: 5 requests in flight, 5 batches remembered"
	$(BIN)/everystate check idem-producer
	@echo "--- unsafe: 6 requests in flight, 5 batches remembered (this must fail)"
	$(BIN)/everystate check idem-producer -c max_in_flight=6 --out out; test $$? -eq 12

# Without the packages that the tests need: seconds in a fresh clone.
lint: $(BIN)/ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# Four workers keep two processors busy: a test that waits for a broker, a driver or a signal leaves one idle.
# Bytecode is written, whatever the environment says: else each of some hundreds of processes compiles what it imports.
# Of what is installed for tests only what is imported is compiled, when the tests are collected for the first time.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses 4 --dist loadgroup

test: lint $(VENV)/ready-to-test
	$(PYTEST) -m "not thorough"

test-all: lint $(VENV)/ready-to-test
	$(PYTEST)

# The Mermaid text of every trace in the gallery, parsed by the real package; needs npm.
test-mermaid: $(VENV)/ready-to-test
	npm install --prefix $(VENV)/node --silent --no-audit --no-fund mermaid@11 jsdom@29
	EVERYSTATE_NODE_MODULES=$(abspath $(VENV)/node/node_modules) $(BIN)/python -m pytest tests/counterexamples/test_forms.py -k mermaid

# Accessibility of all pages, in a browser, by axe-core; needs npm.
test-axe: $(VENV)/ready-to-test
	npm install --prefix $(VENV)/node --silent --no-audit --no-fund axe-core@4
	EVERYSTATE_NODE_MODULES=$(abspath $(VENV)/node/node_modules) $(BIN)/python -m pytest tests/explore/test_accessibility.py

# The pictures of docs/how-to/explore.md, taken of the page in a browser.
pictures: $(VENV)/ready-to-test
	PYTHONPATH=. $(BIN)/python .ci/pictures.py docs/pictures

# The documentation as a static site in out/site, with a search that needs no server.
site: $(VENV)/ready-to-test
	$(BIN)/python -m sphinx -q -W --keep-going -c .ci/site -d out/.doctrees . out/site
	@echo "open out/site/index.html"

# A release, from a clean clone: version, changelog, everything that guards it, the files in dist/, a commit and a tag.
# DRY=1 tries all of it and leaves nothing. CHECK is what must pass before anything is kept.
CHECK ?= $(MAKE) test-all
release: $(VENV)/ready-to-test
	$(BIN)/python .ci/release.py '$(VERSION)' --check '$(CHECK)' $(if $(DRY),--dry-run)

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Everystate needs Python 3.11 or newer (make PYTHON=python3.13); this is " + sys.version)'
	$(PYTHON) -m venv $(VENV)

$(BIN)/ruff: | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "$$(sed -n 's/^ *"\(ruff[^"]*\)",/\1/p' pyproject.toml)"

$(VENV)/ready: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/ready-to-test: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[dev]'
	-@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --collect-only --quiet --quiet > /dev/null
	@touch $(VENV)/ready $@

clean:
	rm -rf $(VENV) build dist out *.egg-info .mypy_cache .ruff_cache .pytest_cache

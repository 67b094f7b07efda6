# Everything lives in .venv; the only thing the machine must bring is Python 3.11 to 3.14.
# The first of these that is in range and complete is taken; name another one with PYTHON=…
PYTHON  ?= $(shell for p in python3.11 python3.12 python3.13 python3; do $$p -c $(FITS) 2>/dev/null && echo $$p && break; done)
FITS    := 'import ensurepip, sqlite3, ssl, sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 15))'
VENV    := .venv
BIN     := $(VENV)/bin
READY   := $(VENV)/.ready
WORKERS ?= 3
# Trust the machine's own certificates, as pip does: company proxies sign with theirs.
export UV_SYSTEM_CERTS ?= 1

.PHONY: help setup demo test durability lint format ui bench docs lineage lock test-pythons clean
help:
	@echo "make demo          evaluate the sample that comes with the source"
	@echo "make test          lint, types, layers and tests"
	@echo "make durability    the tests of killed and simultaneous nightlies, at full length"
	@echo "make ui            open the Dagster UI on the results"
	@echo "make setup         only set up $(VENV)"
	@echo "make lint          ruff, mypy and import-linter"
	@echo "make format        let ruff format and mend what it can"
	@echo "make bench         time a nightly, retrieval, reading, claims, comparing and backfill, beside peers"
	@echo "make docs          renew docs/measures.md from docstrings and docs/rubrics.md from its keys"
	@echo "make lineage       renew dbt_like_sql/lineage.json from the SQL models"
	@echo "make lock          renew requirements.lock from pyproject.toml"
	@echo "make test-pythons  run the tests on every Python 3.11 to 3.14 found"
	@echo "make clean         remove environments, results and caches"

setup: $(READY)

# An interrupted set-up leaves no stamp and is simply repeated.
$(READY): pyproject.toml requirements.lock
	@test -n "$(PYTHON)" && $(PYTHON) -c $(FITS) 2>/dev/null || { \
	  echo "Python 3.11 to 3.14 with venv, ssl and sqlite3 is needed; $(if $(PYTHON),$(PYTHON) is not such,none was found)." >&2; \
	  echo "Install one (on Debian or Ubuntu also its python3-venv package) and name it:" >&2; \
	  echo "  make $(or $(MAKECMDGOALS),setup) PYTHON=/path/to/python3.12" >&2; exit 2; }
	@echo "Setting up $(VENV) with $(PYTHON); this happens once."
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@sed -n '/^uv==/,/[^\\]$$/p' requirements.lock > $(VENV)/uv.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(VENV)/uv.lock
	@$(BIN)/uv pip sync --quiet --python $(BIN)/python --require-hashes requirements.lock
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(READY)
	@$(BIN)/rag-eval demo

test: lint
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

durability: $(READY)
	@RAG_EVAL_ROUNDS=30 $(BIN)/python -m pytest tests/durability -n $(WORKERS) --dist loadfile

lint: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

format: $(READY)
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

ui: $(READY)
	@$(BIN)/rag-eval ui

bench: $(READY)
	@$(BIN)/python tests/benchmarks/nightly.py
	@$(BIN)/python tests/benchmarks/retrieval.py
	@$(BIN)/python tests/benchmarks/ingest.py
	@$(BIN)/python tests/benchmarks/claims.py
	@$(BIN)/python tests/benchmarks/comparison_statistics.py
	@$(BIN)/python tests/benchmarks/comparisons.py
	@$(BIN)/python tests/benchmarks/backfill.py --runs 100 --cases 1000
	@$(BIN)/python tests/benchmarks/nightly_at_scale.py --runs 10 200

docs: $(READY)
	@$(BIN)/python docs/build_measures.py
	@$(BIN)/python docs/build_rubrics.py

lineage: $(READY)
	@$(BIN)/python -c 'from rag_eval_pipeline import shipped; from rag_eval_pipeline.warehouse import sql_lineage; sql_lineage.keep_lineage(shipped.sql_folder())'

lock: $(READY)
	$(BIN)/uv pip compile pyproject.toml --group dev --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --no-annotate --no-header --quiet -o requirements.lock

# Looks along PATH and where pyenv keeps its versions. Each version gets an environment of its own
# under .venvs; a failing one does not hide the next.
test-pythons: $(READY)
	@failed=; for v in 3.11 3.12 3.13 3.14; do \
	  python=; for p in $$(echo "$$PATH" | tr ':' '\n' | sed "s|$$|/python$$v|") \
	    "$$HOME"/.pyenv/versions/$$v.*/bin/python$$v; do \
	    "$$p" -c $(FITS) 2>/dev/null && python=$$p && break; \
	  done; \
	  test -n "$$python" || { echo "Python $$v: not found"; continue; }; \
	  echo "Python $$v: $$python"; env=.venvs/$$v; \
	  $(BIN)/uv venv --quiet --clear --python "$$python" $$env \
	    && $(BIN)/uv pip sync --quiet --python $$env/bin/python --require-hashes requirements.lock \
	    && $(BIN)/uv pip install --quiet --python $$env/bin/python --no-deps --no-build-isolation --editable . \
	    && $$env/bin/python -m pytest -n $(WORKERS) --dist loadfile \
	    || failed="$$failed $$v"; \
	done; test -z "$$failed" || { echo "Failed on:$$failed" >&2; exit 1; }

clean:
	rm -rf $(VENV) .venvs .rag_eval dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

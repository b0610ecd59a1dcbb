# The two main commands are `make train` and `make test`; `make ablate` runs an experiment. With the i2b2 2014 data, type
# `make train CORPUS=path/to/train TEST=path/to/test`; `make dry-run` with the same paths says first what there is, what
# is odd, and how long it will take.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

CORPUS ?= corpus/train corpus/written
TEST ?= corpus/test
CONFIG ?= english
MODEL ?= models/trained
DOCUMENTS ?= 600
SEED ?= 1
EXPERIMENT ?= groups
# More options of train, dry-run and ablate: OPTIONS="--overlaps longest"
OPTIONS ?=
BESIDE := $(if $(filter corpus/test,$(TEST)),--beside english)

.PHONY: train dry-run test campaign mutants oldest ablate gazetteers shipped shipped-spanish dist wheelhouse docs clean
TRAINING = $(BIN)/python -m crfdeid.train $(CORPUS) --test $(TEST) --config $(CONFIG) $(OPTIONS)
train: $(VENV)/.runs $(filter corpus/%,$(CORPUS) $(TEST))
	@$(call install_extras,$(TRAINING))
	@echo "Training on $(CORPUS) and scoring on $(TEST)"
	$(TRAINING) $(BESIDE) --out $(MODEL) --overwrite
	@echo "Next: $(BIN)/crfdeid tag docs/note.txt --model $(MODEL) --format inline"

dry-run: $(VENV)/.runs $(filter corpus/%,$(CORPUS) $(TEST))
	@$(call install_extras,$(TRAINING))
	$(TRAINING) --dry-run

# The loops are compiled beside mypy, which works in one process. Python keeps its bytecode, also where the environment
# says otherwise: tests start hundreds of programs.
test oldest: export PYTHONDONTWRITEBYTECODE :=
test: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/python tests/compile_loops.py & $(BIN)/mypy && wait
	$(BIN)/python -m pytest -n auto --dist worksteal

# Random inputs, damage and kills for TIME seconds: docs/reliability.md. It is not a part of `make test`.
TIME ?= 600
campaign: $(VENV)/.installed
	PYTHONPATH=tools:tests $(BIN)/python -m campaign --seconds $(TIME) --seed $(SEED)

# Small changes of the code, COUNT in each AREA (all, or some: AREA="rules corpora"), that the tests must see.
AREA ?=
COUNT ?= 30
mutants: $(VENV)/.installed
	PYTHONPATH=tools:tests $(BIN)/python -m campaign.mutants $(AREA) --seed $(SEED) --count $(COUNT)

# Some tests with the oldest versions that setup.cfg allows, in an environment of their own, with fewer random
# examples. The loops are compiled once: test_warm would compile them again.
OLD := $(VENV)-oldest
OLD_PYTEST := $(OLD)/bin/python -m pytest -q -W default --hypothesis-profile quick
oldest: $(OLD)/.installed
	$(OLD)/bin/python tests/compile_loops.py & $(OLD_PYTEST) tests/text tests/corpora tests/rules && wait
	$(OLD_PYTEST) -n auto --dist worksteal --ignore tests/engine/test_warm.py tests/engine tests/systems/test_crf.py

$(OLD)/.installed: setup.cfg constraints-oldest.txt
	$(PYTHON) -m venv $(OLD)
	$(OLD)/bin/pip install --quiet --no-compile --disable-pip-version-check -c constraints-oldest.txt -e '.[fast,parquet]' \
	    pytest pytest-xdist hypothesis
	touch $@

# The bundled corpora: generated notes, and documents that many hands wrote (docs/written.md). The test documents
# are by hands of whom nothing is in training. The line below the scores is the model that ships, on the same.
corpus/train: $(VENV)/.runs
	$(BIN)/python -m crfdeid.synthetic --documents $(DOCUMENTS) --seed $(SEED) --part train --out $@ --overwrite

corpus/written: $(VENV)/.runs
	$(BIN)/python -m crfdeid.synthetic --written --part train --fills 1 --seed $(SEED) --out $@ --overwrite

corpus/test: $(VENV)/.runs
	$(BIN)/python -m crfdeid.synthetic --written --part test --out $@ --overwrite

# The model that ships: trained on generated notes of every genre, on the written corpus (train and dev), and, where
# they are in ../shared/data, on real public texts as hosts. Its card names the corpora. Each written document is
# there three times, filled anew, so that a feature counts only from six times on: from two documents.
WRITTEN := $(BIN)/python -m crfdeid.synthetic --written --fills 6 --seed 2014 --overwrite
shipped: $(VENV)/.runs
	rm -rf corpus/shipped && mkdir -p corpus/shipped
	$(BIN)/python -m crfdeid.synthetic --documents 3000 --seed 2014 --out corpus/shipped/generated.jsonl
	$(WRITTEN) --part train --out corpus/shipped/written_train.jsonl
	$(WRITTEN) --part dev --out corpus/shipped/written_dev.jsonl
	$(BIN)/python benchmarks/hosts.py --out corpus/shipped
	$(BIN)/python -m crfdeid.train corpus/shipped/*.jsonl --config english_judged --set crf.feature.minfreq=6 \
		--out models/english --overwrite

# The Spanish model that ships: trained on MEDDOCAN, which ../shared/data/meddocan must have, and on the Spanish
# written documents.
shipped-spanish: $(VENV)/.runs
	$(BIN)/python benchmarks/spanish.py --out corpus/spanish
	$(BIN)/python -m crfdeid.train corpus/spanish/*.jsonl --config spanish_judged --out models/spanish --overwrite
	$(BIN)/python benchmarks/spanish.py --attribute models/spanish

# An experiment of configs/ (docs/experiments.md): make ablate EXPERIMENT=he_figures. Without CORPUS it trains on the
# generated notes only.
COMPARING = $(BIN)/python -m crfdeid.ablate $(EXPERIMENT) $(COMPARED) --test $(TEST) --out runs/$(EXPERIMENT) $(OPTIONS)
COMPARED := $(if $(filter file,$(origin CORPUS)),$(firstword $(CORPUS)),$(CORPUS))
ablate: $(VENV)/.runs $(filter corpus/%,$(CORPUS) $(TEST))
	@$(call install_extras,$(COMPARING))
	$(COMPARING)

# The source archive and the wheel, in dist/.
dist: $(VENV)/.runs
	$(BIN)/pip install --quiet --disable-pip-version-check build
	$(BIN)/python -m build --outdir dist .

# All packages that an installation without a network needs: copy wheelhouse/ to the other machine, and there type
# pip install --no-index --find-links wheelhouse 'crfdeid[fast,redact,review]'
EXTRAS ?= fast,redact,review
wheelhouse: | $(BIN)/python
	$(BIN)/pip wheel --wheel-dir wheelhouse '.[$(EXTRAS)]'

# The pages as a searchable site in build/site; a link that leads nowhere is an error.
docs: | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[docs]'
	rm -rf build/pages && mkdir -p build/pages
	cp -r docs README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md LICENSE compose.yaml build/pages
	cp --parents $$(find crfdeid benchmarks tools -name '*.py' -o -name '*.c') build/pages
	$(BIN)/mkdocs build --strict
	@echo "Open build/site/index.html"

gazetteers: $(VENV)/.runs
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[gazetteers]'
	$(BIN)/python gazetteers/build.py

$(BIN)/python:
	@echo "Making the virtual environment $(VENV)"
	$(PYTHON) -m venv $(VENV)

# What runs need, and nothing for tests.
$(VENV)/.runs: setup.cfg pyproject.toml | $(BIN)/python
	@echo "Installing crfdeid and what it needs into $(VENV)"
	$(BIN)/pip install --disable-pip-version-check -e '.[fast]'
	touch $@

TESTED ?= test,fast
$(VENV)/.installed: setup.cfg pyproject.toml | $(BIN)/python
	@echo "Installing what the tests need into $(VENV)"
	$(BIN)/pip install --disable-pip-version-check -e '.[$(TESTED)]'
	touch $@ $(VENV)/.runs

# Install the extras that a command needs and that are missing. Where none is, pip is not called.
install_extras = missing=$$($(1) --extras) && if [ -n "$$missing" ]; then \
	echo "Installing what the configuration needs: crfdeid[$$missing]"; \
	$(BIN)/pip install --disable-pip-version-check "crfdeid[$$missing]"; fi

clean:
	rm -rf corpus $(MODEL)

# The two main commands are `make train` and `make test`; `make ablate` runs an experiment. With the i2b2 2014 data, type
# `make train CORPUS=path/to/train TEST=path/to/test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

CORPUS ?= corpus/train
TEST ?= corpus/test
CONFIG ?= english
MODEL ?= models/trained
DOCUMENTS ?= 600
SEED ?= 1
EXPERIMENT ?= groups

.PHONY: train test ablate gazetteers shipped dist clean
train: $(VENV)/.installed $(filter corpus/%,$(CORPUS) $(TEST))
	$(BIN)/python -m crfdeid.train $(CORPUS) --test $(TEST) --config $(CONFIG) --out $(MODEL) --overwrite

test: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n auto

# The bundled corpus. The test part has genres and names that the training part does not have.
corpus/train: $(VENV)/.installed
	$(BIN)/python -m crfdeid.synthetic --documents $(DOCUMENTS) --seed $(SEED) --part train --out $@ --overwrite

corpus/test: $(VENV)/.installed
	$(BIN)/python -m crfdeid.synthetic --documents 150 --seed $(SEED) --part test --out $@ --overwrite

# The model that ships: trained on more documents, of every genre, with all names.
shipped: $(VENV)/.installed
	$(BIN)/python -m crfdeid.synthetic --documents 3600 --seed 2014 --part all --out corpus/shipped --overwrite
	$(BIN)/python -m crfdeid.train corpus/shipped --config english --out models/english --overwrite

# An experiment of configs/ (docs/experiments.md): make ablate EXPERIMENT=he_figures
ablate: $(VENV)/.installed $(filter corpus/%,$(CORPUS) $(TEST))
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[plot,works]'
	$(BIN)/python -m crfdeid.ablate $(EXPERIMENT) $(CORPUS) $(TEST) --out runs/$(EXPERIMENT)

# The source archive and the wheel, in dist/.
dist: $(VENV)/.installed
	$(BIN)/pip install --quiet --disable-pip-version-check build
	$(BIN)/python -m build --outdir dist .

gazetteers: $(VENV)/.installed
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[gazetteers]'
	$(BIN)/python gazetteers/build.py

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: setup.cfg pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[test,fast]'
	touch $@

clean:
	rm -rf corpus $(MODEL)

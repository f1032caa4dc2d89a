# The front door.  Everything happens inside this folder: the environment in .venv, the rest in build and figures.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# What a run compiles for itself stays in this folder, too.
export KANEGEN_CACHE_DIR := $(CURDIR)/build/cache
export MPLCONFIGDIR := $(CURDIR)/build/matplotlib

EXTENSION_INPUTS := $(wildcard generated/*/*.c generated/*/*.h generated/*/*.cdef generated/*/manifest.json \
	runtime/csrc/*) $(wildcard codegen/passes/resubstitution/*) \
	generated/build_extensions.py runtime/extension_source.py setup.py

.DEFAULT_GOAL := help
.PHONY: help setup build run generate recipes test check format fuzz corpus campaign reproduction bench picture clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/installed  ## make the environment, with all that running needs

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(PIP) --editable '.[plots]'
	mkdir -p build && touch build/extensions_are_built
	touch $@

# The packages of extras, one a line.
define packages
$(BIN)/python -c "import tomllib; \
		extras = tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']; \
		print(*(package for extra in '$(1)'.split('+') for package in extras[extra]), sep='\n')"
endef

# What tests, checks, the corpus and the benchmarks need beside it, each when it is first asked for.
.venv/%-installed: .venv/installed pyproject.toml
	$(call packages,$*) > build/$*.txt
	$(PIP) --requirement build/$*.txt
	touch $@

# Other engines, each by itself: one that cannot be installed here is left out of the benchmarks.
.venv/peers-tried: .venv/installed pyproject.toml
	$(call packages,peers) > build/peers.txt
	@while read -r package; do \
		$(PIP) "$$package" < /dev/null || echo "cannot be installed here: $$package"; \
	done < build/peers.txt
	touch $@

build: .venv/installed build/extensions_are_built  ## compile the C that changed

build/extensions_are_built: $(EXTENSION_INPUTS) | .venv/installed
	$(BIN)/python setup.py --quiet build_ext --inplace
	mkdir -p build && touch $@

run: build  ## derive the Stanford Arm, count its operations, run the studies of the 1983 paper
	$(BIN)/python -m kanegen.codegen.commands.tour --c build/stanford_arm --figures figures

generate: .venv/installed  ## write the committed C of the built-in mechanisms anew
	for folder in generated/*/manifest.json; do \
		model=$$(basename $$(dirname $$folder)); \
		$(BIN)/kanegen generate $$model --output generated/$$model || exit 1; \
	done

RECIPE_KERNELS := inverse_dynamics forward_dynamics mass_matrix bias_forces
RECIPES := $(wildcard generated/recipes/*.txt)
recipes: build  ## search on from the recipes of the built-in arms in generated/recipes (two hours)
	for recipes in $(RECIPES); do for kernel in $(RECIPE_KERNELS); do \
		model=$$(basename $$recipes .txt); \
		$(BIN)/kanegen generate $$model --search further --kernels $$kernel \
			--recipes $$recipes --output build/recipes/$$model-$$kernel || exit 1; \
	done; done

# Tests and benchmarks start Python many times, so that what it compiles is kept, wherever the environment says otherwise.
KEEPING_BYTECODE := env -u PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX=$(CURDIR)/build/bytecode

test: build .venv/test-installed  ## run the tests
	$(KEEPING_BYTECODE) $(BIN)/python -m pytest --numprocesses auto

check: .venv/dev-installed typing  ## lint, formatting, types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Type checkers cannot follow an editable install whose folders have other names than its packages: show them links.
.PHONY: typing
typing:
	@mkdir -p build/typing/kanegen
	@for entry in runtime/*; do ln -sfn ../../../$$entry build/typing/kanegen/$$(basename $$entry); done
	@for room in codegen generated; do ln -sfn ../../../$$room build/typing/kanegen/$$room; done
	@find build/typing/kanegen -maxdepth 1 -xtype l -delete

format:  ## format the Python sources
	$(BIN)/ruff check --fix --select I .
	$(BIN)/ruff format .

fuzz: build .venv/test-installed  ## damage models of all formats 20,000 times: only errors of kanegen may come out
	$(BIN)/python -m tests.fuzz 20000

corpus: build .venv/test+corpus-installed  ## examine every robot of rtb-data and example-robot-data (hours)
	mkdir -p figures
	$(BIN)/python -m benchmarks.corpus --output figures/corpus.md --json figures/corpus.json
	KANEGEN_FAMILY=all $(BIN)/python -m pytest --numprocesses auto tests/corpus/test_family.py

campaign: build .venv/test-installed  ## hold two thousand random mechanisms against Pinocchio (over an hour)
	KANEGEN_CAMPAIGN=2000 $(BIN)/python -m pytest --numprocesses auto tests/campaigns

reproduction: build  ## the papers again: every claim, table and figure, printed beside computed, into docs/reproduction
	$(BIN)/kanegen reproduce --output docs/reproduction

bench: build .venv/corpus-installed .venv/peers-tried  ## time everything beside other engines, in one run, into benchmarks/results
	$(KEEPING_BYTECODE) $(BIN)/python -m benchmarks

picture: build  ## draw the picture of README.md
	$(BIN)/python docs/figures/draw_overview.py

clean:  ## remove what was built; the environment stays
	rm -rf build figures *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find runtime generated -name '*.so' -delete
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

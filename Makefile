# graphmend: every target makes what it needs from a clean clone.
#
#   make test [WORKERS=2]     build with both compilers and the sanitizers, check, run all tests, in so many processes (tests/workers.py)
#   make check                lint, and the tests of the core that need no torch, with gcc; two minutes
#   make demo                 a half precision BART, plain and mended
#   make paper [KIT=dir]      the models of the GraphMend paper, with the transformers release of its time
#   make score KIT=dir        score with an evaluation kit [ONLY='branch_*'] [INDUCTOR=1] [ZOO=zoo/dev.jsonl] [DEVICE=cpu: as the default device]
#   make recall KIT=dir ZOO=zoo/dev.jsonl [RECORDS=dir]   which of the places where models break `check` predicts
#   make oracle [PYTHONS='python3.9 python3.13'] [SOURCES=dir]   trees and symbol tables against those of CPython
#   make crashes [KILLS=1000] kill `fix` at random moments, and let every system call fail once
#   make adversary [PROGRAMS=2000] [SEED=1]   random programs, mended and compiled, against what they are
#   make soak [HOURS=1]       random programs of new seeds; what differs is kept in build/soak, reduced
#   make operators [ONLY=dropout] [BACKEND=eager]   every operator and function of torch that can be called with generated arguments: in front
#                             of guards and changes of path, behind deferred prints, on sides not taken; about an hour
#   make fuzz [SECONDS=60] [TARGET=read]   random inputs under the sanitizers, on libFuzzer or on fuzz/driver: read, meaning, answer, growth, parse, pipeline,
#                             notebook, settings or server; what ends a program is in build/fuzz/found
#   make fuzz-hours [HOURS=8] all of them in turn, inputs up to 1 MB; hours of several runs are added up
#   make edits [EDITS=10000]  random edits in the language server, after each of them its diagnostics against a fresh check
#   make bench                speed of the parser against CPython's, of check against ruff's, of the language server after a keystroke, of mended branches against graphs written
#                             by hand, and what deferred effects add to a call
#   make bench-models [ZOO=zoo/dev.jsonl] [ONLY=led,bart-half]   models of the paper, and 20 of a zoo, under inductor, plain, mended and,
#                             five of them, by hand, in turns, on a GPU where there is one; about two minutes a model
#   make bench-calls KIT=dir ZOO=zoo/dev.jsonl   what the first 20 calls of the models that break cost, plain, mended, and mended in the
#                             next run; half a minute a model
#   make bench-fifty ZOO=zoo.jsonl [CASES="PYTHON=FOLDER .."]   fifty calls with changing shapes, plain and mended: seconds, graphs, results
#   make bench-first [ONLY='mlp-sgd conv-adam']   what the first and the second run of training scripts cost, plain and under graphmend run
#   make bench-attempts [LAYERS='4 16']   what traces that are thrown away cost in a transformer, by what its layers do with data
#   make gpu KIT=dir [WITH=python3] [ONLY='branch_*'] [JOBS=16]   cases, programs on packages, 20 models of the zoo, and four families under
#                             inductor on a GPU, with a Python that has a torch for it and graphmend; an hour of 16 cores; says SKIPPED without a GPU
#   make packages KIT=dir [ONLY='torchmetrics*'] [FAMILIES='metrics graphs']   programs on packages that people train with, bench/packages, scored
#                             with the kit; an environment each family, in build/packages
#   make transcripts          training scripts of Lightning, transformers, accelerate and PyTorch Geometric, plain and mended, for docs/packages.md
#   make growth [ONLY='elif try']   how the time of check and fix grows with the file, for more than 100 shapes of source
#   make bench-meaning [PEER=openai]   the reader of models' answers, its speed and what it makes of damaged texts, beside peers that are
#                             installed, and clients of endpoints in plays
#   make servers              endpoints of real servers: uvicorn, hypercorn with TLS, granian, litellm's proxy, transformers' server with a
#                             tiny model, proxy.py between; a gigabyte, in build/servers
#   make launchers            processes that Ray, joblib and `accelerate launch` start, plain and mended; 300 MB, in build/launchers
#   make training [ONLY=autocast] [BACKEND=aot_eager]   what verify says about twenty right trainings, and the same under mends that are
#                             planted wrong; an hour under inductor
#   make capture [KIT=dir]    what jit.trace, jit.script, fx, export, fullgraph, ONNX, lazy tensors and JAX capture rightly, before and
#                             after `fix --unsafe`; ONNX needs onnx, onnxruntime and onnxscript, JAX torchax
#   make fixed [KIT=dir ZOO=zoo/dev.jsonl]   `fix --unsafe` over the models of transformers, copied: what changes compiles, parses and is
#                             stable; with a kit, the models whose files have changed are scored as plain Python runs them
#   make pictures             the pictures in docs/pictures, of what verify says about examples/tour.py
#   make sbom                 a bill of materials (CycloneDX) of the environment, build/sbom.json
#   make lock                 write requirements/*.txt from requirements/*.in, with the hashes of the package index
#   make results              write docs/results.md from what the other targets measured; what they have not stays as it is
#   make matrix [TORCH='2.9.1 2.12.1 2.14.1 2.15.0'] [KIT=dir [MODELS=1] [DRAW=20] [ONLY=..] [INDUCTOR=1] | DEMO=1] [WITH=python3.13]
#                             the kit, the demo or the runtime tests on other releases of torch, and with another Python;
#                             their environments are gigabytes, in build/torch
#   make worth KIT=dir [ONLY='branch_*']   which cases are lost without each feature of the table of hooks
#   make wheels [ONLY=musl]     wheels for Linux (glibc, musl) and macOS on two machines each, and the sdist, into dist/; compilers: zig's
#   make shelf                  the wheel in a fresh environment without a compiler, and the commands of README.md, check, verify, guard and
#                             source-dialect typed there; minutes
#   make vscode                 the extension for VS Code: types, style, tests, and dist/graphmend.vsix; needs Node 20.19 and npm
#   make docs                   the documentation site, with a page for each rule and each kind of graph break: build/docs/site
#   make man                    manual pages of the commands, from their --help: build/man
#   make drift TORCH=2.15.0   what a release of torch has renamed, by the tables of hooks; in seconds once its environment is there
#   make lint | format | clean
#
# Packages are those of requirements/tools.txt, by hash; LOCKED=1 fails where they are others, and does not take what tools.in allows.

PYTHON ?= python3
PYTHONS ?= $(PYTHON)
JOBS ?= 2
WORKERS ?= 2
VENV := .venv
PAPER_VENV := .venv-paper
BIN := $(VENV)/bin
# Releases of torch that are known to work start with Python 3.10; on an older one the tests that need torch are skipped.
TORCH_PACKAGE := torch==2.13.0
CMAKE_PACKAGE := "cmake>=3.25,<5"
C_SOURCES := $(shell find src include data -name '*.[ch]' -o -name '*.def' -o -name '*.md' 2>/dev/null)
PYTHON_FOLDERS := python tests tools bench examples
WARNINGS := -DGM_WERROR=ON -DCMAKE_RULE_MESSAGES=OFF
SCORE_FLAGS = $(if $(ONLY),--only '$(ONLY)') --jobs $(JOBS) --timeout 600

# $(call measure,PROGRAMS,FILE.json) in front of a command that writes the file: notes at which commit it was measured.
measure = $(1)/python tools/measured.py $(2)

# Score the models of a zoo and list the places that break: programs, zoo, name, plain records (they belong to one set
# of installed packages, though their names do not tell).
define score_zoo
	@status=0; \
	$(call measure,$(1),build/score-$(3).json) $(1)/python "$(KIT)/score.py" --zoo "$(KIT)/$(2)" --cache $(4) --json build/score-$(3).json $(SCORE_FLAGS) \
	  --mend "$(1)/python tools/zoo_sites.py keep build/kept-$(3) $(1)/graphmend run" || status=$$?; \
	$(1)/python tools/zoo_sites.py list --records $(4) --kept build/kept-$(3) --score build/score-$(3).json \
	  --json build/sites-$(3).json > build/sites-$(3).txt || exit 1; tail -n 8 build/sites-$(3).txt; exit $$status
endef

.DELETE_ON_ERROR:
.PHONY: all build test check lint format layers gcc clang sanitize pytest crashes demo paper score recall oracle adversary soak operators fuzz fuzz-hours edits bench bench-models bench-calls bench-fifty bench-first bench-attempts bench-meaning servers launchers training gpu packages transcripts growth mutants mutants-runtime capture fixed matrix worth drift pictures sbom wheels shelf vscode docs man lock results clean

all: build

# The environments. The stamps depend on nothing that changes between two commits, so they are made once.

PIP_INSTALL = -m pip install --quiet --disable-pip-version-check
HAS_TORCH = -c 'import sys; sys.exit(sys.version_info < (3, 10))'
HAS_CMAKE = cmake --version 2>/dev/null | awk 'NR == 1 {split($$3, v, "."); found = v[1] > 3 || v[1] == 3 && v[2] >= 25} END {exit !found}'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# $(call locked,BIN,NAME): what requirements/NAME.txt has, with its hashes. Where the index or the interpreter is another one, the releases
# that NAME.in allows, and it is said; LOCKED=1 fails instead.
locked = $(1)/python $(PIP_INSTALL) --require-hashes --requirement requirements/$(2).txt $(if $(LOCKED),,|| { \
  echo "make: NOT LOCKED: there is something else here than requirements/$(2).txt has; taking what $(2).in allows" >&2; \
  $(1)/python $(PIP_INSTALL) --requirement requirements/$(2).in; })

# torch comes first and without a hash: its wheels are built for a machine.
$(VENV)/tools.stamp: | $(BIN)/python
	if $(BIN)/python $(HAS_TORCH); then $(BIN)/python $(PIP_INSTALL) $(TORCH_PACKAGE); fi
	$(call locked,$(BIN),tools)
	$(HAS_CMAKE) || $(BIN)/python $(PIP_INSTALL) $(CMAKE_PACKAGE)
	touch $@

$(PAPER_VENV)/bin/python:
	$(PYTHON) -m venv $(PAPER_VENV)

$(PAPER_VENV)/tools.stamp: | $(PAPER_VENV)/bin/python
	$(PAPER_VENV)/bin/python $(PIP_INSTALL) $(TORCH_PACKAGE) transformers==4.52.4 "rich>=13,<16" "scikit-build-core>=0.10,<2"
	$(HAS_CMAKE) || $(PAPER_VENV)/bin/python $(PIP_INSTALL) $(CMAKE_PACKAGE)
	touch $@

# The project itself: an editable install, so that Python files are used as they stand; redone when C files change.
INSTALL = $(PIP_INSTALL) --no-build-isolation --no-deps --editable .

$(VENV)/graphmend.stamp: $(VENV)/tools.stamp pyproject.toml CMakeLists.txt $(C_SOURCES)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python $(INSTALL)
	touch $@

$(PAPER_VENV)/graphmend.stamp: $(PAPER_VENV)/tools.stamp pyproject.toml CMakeLists.txt $(C_SOURCES)
	PATH="$(CURDIR)/$(PAPER_VENV)/bin:$$PATH" $(PAPER_VENV)/bin/python $(INSTALL)
	touch $@

build: $(VENV)/graphmend.stamp

# Builds that only have to succeed, and the one that the tests of hostile input run.

CMAKE = PATH="$(CURDIR)/$(BIN):$$PATH" cmake

gcc: $(VENV)/tools.stamp
	$(CMAKE) -S . -B build/gcc -DCMAKE_C_COMPILER=gcc -DGM_TESTS=ON $(WARNINGS) >/dev/null
	$(CMAKE) --build build/gcc --parallel $(JOBS) -- --quiet

clang: $(VENV)/tools.stamp
	@if command -v clang >/dev/null; then set -e; \
	  $(CMAKE) -S . -B build/clang -DCMAKE_C_COMPILER=clang -DGM_TESTS=ON $(WARNINGS) >/dev/null; \
	  $(CMAKE) --build build/clang --parallel $(JOBS) -- --quiet; \
	else echo "clang: SKIPPED, it is not installed"; fi

sanitize: $(VENV)/tools.stamp
	$(CMAKE) -S . -B build/sanitize -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O1 -g1" -DGM_SANITIZE=ON -DGM_TESTS=ON $(WARNINGS) >/dev/null
	$(CMAKE) --build build/sanitize --parallel $(JOBS) -- --quiet

layers:
	$(PYTHON) tools/check_layers.py

# clang-format leaves out what .clang-format-ignore names.
C_FORMATTED = $(shell find src include fuzz tests/c -name '*.[ch]')

format: $(VENV)/tools.stamp $(BIN)/clang-format
	$(BIN)/ruff format $(PYTHON_FOLDERS)
	$(BIN)/clang-format -i $(C_FORMATTED)

# For environments that were made before clang-format was among the tools.
$(BIN)/clang-format: | $(VENV)/tools.stamp
	$(call locked,$(BIN),tools)

lint: $(VENV)/tools.stamp $(BIN)/clang-format
	$(BIN)/ruff format --check $(PYTHON_FOLDERS)
	$(BIN)/clang-format --dry-run -Werror $(C_FORMATTED)
	$(BIN)/ruff check $(PYTHON_FOLDERS)
	$(BIN)/python tools/check_writers.py
	$(BIN)/python tools/check_torch_names.py
	$(BIN)/python tools/check_references.py
	$(BIN)/python tools/check_state.py
	$(BIN)/python tools/check_limits.py

pytest: build sanitize
	GRAPHMEND_BUILD="$(CURDIR)/build/sanitize" PATH="$(CURDIR)/$(BIN):$$PATH" $(if $(filter-out 1,$(WORKERS)),OMP_NUM_THREADS=1) $(BIN)/python -m pytest --workers $(WORKERS) $(TESTS)

crashes: build gcc
	GRAPHMEND_BUILD="$(CURDIR)/build/gcc" GRAPHMEND_KILLS=$(or $(KILLS),1000) $(BIN)/python -m pytest tests/fix/test_crashes.py

# One after the other, so that the closing line of pytest is the last one.
test:
	$(MAKE) --no-print-directory layers lint gcc clang sanitize build
	$(MAKE) --no-print-directory pytest

CORE_TESTS := tests/cli tests/server tests/flow tests/values tests/syntax tests/fix/test_command.py tests/fix/test_crashes.py tests/fix/test_selections.py tests/rules/test_rules.py \
  tests/rules/test_stated_findings.py tests/rules/test_stated_forms.py tests/rules/test_break_advice.py tests/test_check_limits.py tests/test_check_references.py tests/test_check_state.py

check:
	$(MAKE) --no-print-directory layers lint gcc build
	GRAPHMEND_BUILD="$(CURDIR)/build/gcc" PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest --workers $(WORKERS) \
	  -k "not test_plain_program and not test_mended_program" --ignore tests/syntax/test_hostile.py $(CORE_TESTS)

demo: build
	@mkdir -p build
	$(call measure,$(BIN),build/demo.json) $(BIN)/python examples/demo.py --json build/demo.json

paper: $(PAPER_VENV)/graphmend.stamp
	@mkdir -p build
	$(call measure,$(PAPER_VENV)/bin,build/paper-check.json) $(PAPER_VENV)/bin/python tools/paper_check.py --json build/paper-check.json
ifdef KIT
	$(call score_zoo,$(PAPER_VENV)/bin,zoo/paper.jsonl,paper-then,build/score-cache-then)
endif

score: build
	@test -n "$(KIT)" || { echo "usage: make score KIT=dir [ONLY='branch_*'] [ZOO=zoo/dev.jsonl]" >&2; exit 2; }
	@mkdir -p build/score-cache
ifdef ZOO
	$(call score_zoo,$(BIN),$(ZOO),$(basename $(notdir $(ZOO))),build/score-cache)
else ifdef DEVICE
	$(call measure,$(BIN),build/score-default-device.json) env GRAPHMEND_DEVICE=$(DEVICE) \
	  $(BIN)/python "$(KIT)/score.py" --python "$(BIN)/python bench/on_device.py" --mend "$(BIN)/graphmend run bench/on_device.py" $(SCORE_FLAGS) \
	  --cache build/score-cache-$(DEVICE) --cases "$(KIT)/cases_dev" --json build/score-default-device.json
else
	$(call measure,$(BIN),build/score-cases$(if $(INDUCTOR),-inductor).json) \
	  $(BIN)/python "$(KIT)/score.py" --mend "$(BIN)/graphmend run" $(if $(INDUCTOR),--inductor) $(SCORE_FLAGS) \
	  --cache build/score-cache$(if $(INDUCTOR),-inductor) \
	  --cases "$(KIT)/cases_dev" --json build/score-cases$(if $(INDUCTOR),-inductor).json
endif

recall: build
	@test -n "$(KIT)" && test -n "$(ZOO)" || { echo "usage: make recall KIT=dir ZOO=zoo/dev.jsonl [RECORDS=dir]" >&2; exit 2; }
	$(call measure,$(BIN),build/check-recall.json) \
	  $(BIN)/python tools/check_recall.py --records "$(or $(RECORDS),build/score-cache)" --zoo "$(KIT)/$(ZOO)" \
	  --graphmend $(BIN)/graphmend --json build/check-recall.json

oracle: build
	@mkdir -p build
	status=0; for kind in "" --symtable; do \
	  PATH="$(CURDIR)/$(BIN):$$PATH" $(call measure,$(BIN),build/oracle.json) \
	    $(BIN)/python tools/ast_oracle $$kind --jobs $(JOBS) --json build/oracle.json \
	    $(addprefix --python ,$(PYTHONS)) $(SOURCES) || status=1; done; exit $$status

adversary: build
	@mkdir -p build
	$(BIN)/python tests/adversary/hunt.py --programs $(or $(PROGRAMS),2000) --seed $(or $(SEED),1) --jobs $(JOBS) \
	  --json build/adversary.json

soak: build
	$(BIN)/python tests/adversary/soak.py --hours $(or $(HOURS),1) --jobs $(JOBS) --folder build/soak

operators: build
	@mkdir -p build
	$(BIN)/python tests/operators/all_forms.py --jobs $(JOBS) --only '$(ONLY)' --backend $(or $(BACKEND),eager) --json build/operators.json

# A target's seeds: files of the repository, or those that are made for it.
FUZZ := $(or $(TARGET),read)
SEEDS_read := build/fuzz/seeds/read
SEEDS_answer := build/fuzz/seeds/read
SEEDS_growth := build/fuzz/seeds/read
SEEDS_meaning := build/fuzz/seeds/meaning tests/meaning/meaning_shop
SEEDS_notebook := build/fuzz/seeds/notebook
SEEDS_server := build/fuzz/seeds/server
SEEDS_settings := build/fuzz/seeds/settings
SEEDS_parse := tests/data/check examples
SEEDS_pipeline := tests/data/check examples

BUILD_FUZZ = $(CMAKE) -S . -B build/fuzz -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O1 -g1" -DGM_SANITIZE=ON -DGM_FUZZ=ON $(WARNINGS) >/dev/null && \
  $(CMAKE) --build build/fuzz --parallel $(JOBS) -- --quiet

# UBSan of gcc has no callback for the driver, which sees the abort and keeps the input.
fuzz fuzz-hours: export UBSAN_OPTIONS = abort_on_error=1
fuzz: $(VENV)/tools.stamp
	$(BUILD_FUZZ) fuzz_$(FUZZ)
	@mkdir -p build/fuzz/corpus/$(FUZZ) build/fuzz/found
	$(BIN)/python tools/fuzz_seeds.py build/fuzz/seeds
	build/fuzz/fuzz_$(FUZZ) -max_total_time=$(or $(SECONDS),60) -artifact_prefix=build/fuzz/found/$(FUZZ)- \
	  build/fuzz/corpus/$(FUZZ) $(SEEDS_$(FUZZ))

FUZZED := answer growth meaning notebook parse pipeline read server settings
fuzz-hours: $(VENV)/tools.stamp
	$(BUILD_FUZZ) $(addprefix fuzz_,$(FUZZED))
	$(BIN)/python tools/fuzz_seeds.py build/fuzz/seeds
	$(call measure,$(BIN),build/fuzz-hours.json) $(BIN)/python tools/fuzz_hours.py --hours $(or $(HOURS),8) \
	  --json build/fuzz-hours.json $(foreach target,$(FUZZED),'$(target)=$(SEEDS_$(target))')

edits: build
	GRAPHMEND_EDITS=$(or $(EDITS),10000) $(BIN)/python -m pytest tests/server/test_random_edits.py

bench: build
	$(call measure,$(BIN),build/bench-parse.json) $(BIN)/python bench/parse.py --json build/bench-parse.json
	$(call measure,$(BIN),build/bench-check.json) $(BIN)/python bench/check.py --json build/bench-check.json
	$(call measure,$(BIN),build/bench-server.json) $(BIN)/python bench/server.py --json build/bench-server.json
	$(call measure,$(BIN),build/bench-branches.json) $(BIN)/python bench/branches.py --json build/bench-branches.json
	$(call measure,$(BIN),build/bench-events.json) $(BIN)/python bench/events.py --json build/bench-events.json

bench-models: build
	$(call measure,$(BIN),build/bench-models.json) \
	  $(BIN)/python bench/models.py $(if $(ZOO),--zoo "$(ZOO)") $(if $(ONLY),--only '$(ONLY)') --json build/bench-models.json

bench-calls: build
	@test -n "$(KIT)" -a -n "$(ZOO)" || { echo "usage: make bench-calls KIT=dir ZOO=zoo/dev.jsonl [ONLY=ids]" >&2; exit 2; }
	$(call measure,$(BIN),build/bench-calls.json) $(BIN)/python bench/calls.py "$(KIT)/$(ZOO)" $(if $(ONLY),--only '$(ONLY)') --json build/bench-calls.json

bench-fifty: build
	@test -n "$(ZOO)$(CASES)" || { echo "usage: make bench-fifty [ZOO=zoo.jsonl] [CASES='PYTHON=FOLDER ..'] [ONLY=names]" >&2; exit 2; }
	$(call measure,$(BIN),build/bench-fifty.json) $(BIN)/python bench/fifty_calls.py $(if $(ZOO),--zoo "$(ZOO)") \
	  $(if $(CASES),--cases $(CASES)) $(if $(ONLY),--only '$(ONLY)') --json build/bench-fifty.json

bench-first: build
	$(call measure,$(BIN),build/bench-first.json) $(BIN)/python bench/first_runs.py $(if $(ONLY),--only $(ONLY)) --json build/bench-first.json

bench-attempts: build
	$(call measure,$(BIN),build/bench-attempts.json) $(BIN)/python bench/attempts.py $(if $(LAYERS),--layers $(LAYERS)) --json build/bench-attempts.json

gpu: build
	@test -n "$(KIT)" || { echo "usage: make gpu KIT=dir [WITH=python3] [ONLY='branch_*'] [JOBS=16]" >&2; exit 2; }
	$(or $(WITH),$(BIN)/python) tools/measured.py build/gpu.json $(or $(WITH),$(BIN)/python) bench/gpu.py --kit "$(abspath $(KIT))" \
	  --json build/gpu.json --jobs $(JOBS) $(if $(ONLY),--only '$(ONLY)')

packages: build
	@test -n "$(KIT)" || { echo "usage: make packages KIT=dir [ONLY='torchmetrics*'] [FAMILIES='metrics graphs']" >&2; exit 2; }
	$(call measure,$(BIN),build/packages.json) $(BIN)/python tools/packages.py --kit "$(abspath $(KIT))" --json build/packages.json \
	  $(if $(ONLY),--only '$(ONLY)') $(FAMILIES)

transcripts: build
	@mkdir -p build
	$(call measure,$(BIN),build/transcripts.json) $(BIN)/python tools/transcripts.py --json build/transcripts.json

growth: build
	@mkdir -p build
	$(call measure,$(BIN),build/growth.json) $(BIN)/python bench/growth.py $(if $(ONLY),--only $(ONLY)) --json build/growth.json

# A second try of what lived is no fresh draw: it has a file of its own, which `make results` does not tell.
MUTANTS = build/mutants$(if $(AGAIN),-again).json
mutants: build
	@mkdir -p build
	PATH="$(CURDIR)/$(BIN):$$PATH" $(call measure,$(BIN),$(MUTANTS)) $(BIN)/python tools/mutants.py --count $(or $(N),200) \
	  --seed $(or $(SEED),1) --only '$(or $(ONLY),src/)' --each $(or $(EACH),0) $(if $(AGAIN),--again build/mutants.json) $(if $(WHOLE),--whole) \
	  $(if $(SECONDS),--seconds $(SECONDS)) --json $(MUTANTS)

mutants-runtime: build
	@mkdir -p build
	$(call measure,$(BIN),build/mutants-runtime.json) $(BIN)/python tools/mutants_runtime.py --count $(or $(N),100) --seed $(or $(SEED),1) \
	  $(if $(ONLY),--only '$(ONLY)') $(if $(SECONDS),--seconds $(SECONDS)) --json build/mutants-runtime.json

bench-meaning: build
	$(call measure,$(BIN),build/bench-meaning.json) $(BIN)/python bench/meaning.py --json build/bench-meaning.json
	$(call measure,$(BIN),build/bench-meaning-peers.json) $(BIN)/python bench/meaning_peers.py --json build/bench-meaning-peers.json
	$(if $(PEER),$(BIN)/python $(PIP_INSTALL) $(PEER))
	$(call measure,$(BIN),build/bench-meaning-plays.json) \
	  $(BIN)/python bench/meaning_plays.py $(if $(PEER),--peer $(PEER)) --json build/bench-meaning-plays.json

# What is in $(VENV), torch among it, is not installed again.
SERVERS := build/servers
$(SERVERS)/tools.stamp: | build
	$(BIN)/python -m venv $(SERVERS)
	$(BIN)/python -c 'import site; print("import site; site.addsitedir(%r)" % site.getsitepackages()[0])' \
	  > "$$($(SERVERS)/bin/python -c 'import site; print(site.getsitepackages()[0])')/behind.pth"
	$(SERVERS)/bin/python $(PIP_INSTALL) uvicorn hypercorn granian "litellm[proxy]" proxy.py accelerate openai
	touch $@

servers: build $(SERVERS)/tools.stamp
	$(SERVERS)/bin/python -m pytest tests/meaning/test_servers.py

LAUNCHERS := build/launchers
$(LAUNCHERS)/tools.stamp: | build
	$(BIN)/python -m venv $(LAUNCHERS)
	$(BIN)/python -c 'import site; print("import site; site.addsitedir(%r)" % site.getsitepackages()[0])' \
	  > "$$($(LAUNCHERS)/bin/python -c 'import site; print(site.getsitepackages()[0])')/behind.pth"
	$(LAUNCHERS)/bin/python $(PIP_INSTALL) "ray>=2.40,<3" "joblib>=1.3,<2" "accelerate>=1,<2"
	touch $@

launchers: build $(LAUNCHERS)/tools.stamp
	$(LAUNCHERS)/bin/python -c "import ray, joblib, accelerate"
	PATH="$(CURDIR)/$(BIN):$$PATH" GRAPHMEND_PYTHON="$(CURDIR)/$(LAUNCHERS)/bin/python" $(LAUNCHERS)/bin/python -m pytest tests/python/test_launchers.py

training: build
	@mkdir -p build
	$(call measure,$(BIN),build/training.json) $(BIN)/python tests/verify/training/forty.py --json build/training.json --jobs $(JOBS) \
	  $(if $(ONLY),--only '$(ONLY)') $(if $(BACKEND),--backend $(BACKEND))

capture: build
	@mkdir -p build
	$(call measure,$(BIN),build/capture.json) \
	  $(BIN)/python tools/capture_matrix.py $(if $(KIT),--cases "$(KIT)/cases_dev") --jobs $(JOBS) --json build/capture.json

FIXED := build/fixed/site-packages

fixed: build
	@mkdir -p build/fixed; rm -f build/fixed-score.json
	$(call measure,$(BIN),build/fixed.json) \
	  $(BIN)/python tools/fix_tree.py --folder $(FIXED) --json build/fixed.json \
	  $(if $(KIT),--zoo "$(KIT)/$(or $(ZOO),zoo/dev.jsonl)" --chosen build/fixed/zoo.jsonl)
ifdef KIT
	$(BIN)/python "$(KIT)/score.py" --zoo build/fixed/zoo.jsonl --cache build/score-cache --json build/fixed-score.json $(SCORE_FLAGS) \
	  --mend 'env PYTHONPATH="$(CURDIR)/$(FIXED)$(if $(PYTHONPATH),:$(PYTHONPATH))" $(BIN)/python'
endif

# Environments of their own: what makes the bill is no part of it.
.venv-%/tools.stamp: requirements/%.txt
	$(PYTHON) -m venv .venv-$*
	$(call locked,.venv-$*/bin,$*)
	touch $@

sbom: build .venv-sbom/tools.stamp
	@mkdir -p build
	.venv-sbom/bin/cyclonedx-py environment --pyproject pyproject.toml --mc-type library --output-reproducible --validate \
	  --output-file build/sbom.json $(BIN)/python

wheels: .venv-wheels/tools.stamp
	.venv-wheels/bin/python tools/wheels.py $(if $(ONLY),--only '$(ONLY)')
	.venv-wheels/bin/python -m build --sdist --no-isolation --skip-dependency-check --outdir dist . >/dev/null

shelf: build
	rm -rf build/shelf
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pip wheel --quiet --no-build-isolation --no-deps --wheel-dir build/shelf .
	GRAPHMEND_SHELF="$$(ls $(CURDIR)/build/shelf/*.whl)" $(BIN)/python -m pytest tests/shelf

# What is installed is what package-lock.json has, by hash.
VSCODE := editors/vscode
$(VSCODE)/node_modules/.package-lock.json: $(VSCODE)/package-lock.json
	cd $(VSCODE) && npm ci --no-audit --no-fund --loglevel=error
	touch $@

vscode: build $(VSCODE)/node_modules/.package-lock.json
	@mkdir -p dist
	cp LICENSE $(VSCODE)/LICENSE
	cd $(VSCODE) && for step in types lint build test package; do \
	  GRAPHMEND="$(CURDIR)/$(BIN)/graphmend" npm run --silent $$step || exit 1; done

docs: build .venv-docs/tools.stamp
	$(BIN)/python tools/site_pages.py build/docs/pages --graphmend $(BIN)/graphmend
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/python -m mkdocs build --strict --quiet --config-file build/docs/mkdocs.yml
	@echo "docs: build/docs/site; \`$(PYTHON) -m http.server --directory build/docs/site\` serves it, with search"

man: build
	rm -rf build/man
	$(BIN)/python tools/man_pages.py build/man --graphmend $(BIN)/graphmend

LOCKS := tools sbom lock wheels docs
lock: .venv-lock/tools.stamp
	cd requirements && for name in $(LOCKS); do ../.venv-lock/bin/pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras --upgrade \
	  --no-header --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --output-file $$name.txt $$name.in || exit 1; done

matrix: build
	@mkdir -p build
	$(call measure,$(BIN),build/matrix.json) $(BIN)/python tools/matrix.py --json build/matrix.json $(if $(KIT),--kit "$(KIT)") \
	  $(if $(ONLY),--only '$(ONLY)') $(if $(INDUCTOR),--inductor) $(if $(MODELS),--models) $(if $(DRAW),--draw $(DRAW)) \
	  $(if $(DEMO),--demo) $(if $(WITH),--python $(WITH)) $(or $(TORCH),2.9.1 2.12.1 2.14.1 2.15.0)

worth: build
	@test -n "$(KIT)" || { echo "usage: make worth KIT=dir [ONLY='branch_*']" >&2; exit 2; }
	@mkdir -p build
	$(call measure,$(BIN),build/worth.json) $(BIN)/python tools/worth.py --kit "$(KIT)" $(if $(ONLY),--only '$(ONLY)') \
	  --jobs $(JOBS) --json build/worth.json

drift: $(VENV)/tools.stamp
	@test -n "$(TORCH)" || { echo "usage: make drift TORCH=2.15.0" >&2; exit 2; }
	@mkdir -p build/torch
	test -x build/torch/$(TORCH)/bin/python || sh tools/torch_env.sh $(TORCH) build/torch/$(TORCH) $(PYTHON)
	build/torch/$(TORCH)/bin/python -W ignore tools/drift.py "$$($(BIN)/python -c 'import torch; print(*torch.__path__)')"

pictures: build
	@mkdir -p build
	$(BIN)/graphmend verify --json build/verify-tour.json examples/tour.py
	$(BIN)/python tests/verify/pictures.py build/verify-tour.json docs/pictures

results: build
	$(BIN)/python tools/write_results.py
	$(BIN)/python tools/results_of_packages.py build/packages.json --transcripts build/transcripts.json --out docs/packages.md

clean:
	rm -rf build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis

# Two commands do everything: `make run` and `make test`. `make help` lists the others.
#
# Each first installs what is missing (setup/), then configures and builds what changed. CMake does
# the building; this file only says in which order things happen, and with which environment.

SHELL := /bin/bash
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
.PHONY: help run test test-levels test-metal test-shaders test-asan test-tsan test-random test-triton test-versions test-libraries \
  test-precision test-torch test-wheel test-all bench-compile bench-cpu bench-vulkan bench-opencl bench-routes bench-triton bench-torch bench-torch-compile build build-times wheel \
  setup drivers triton-wheels docs docs-serve docs-packages format clean build-products release packages test-systems

# One compilation may take 2 GB: no more of them at once than the free memory holds.
JOBS ?= $(shell awk -v cores=$$(nproc) '/^MemAvailable/ { n = int($$2 / 2000000); \
          print n < 1 ? 1 : n < cores ? n : cores }' /proc/meminfo)

# These settings let ccache reuse precompiled headers, and the work of another clone.
export CCACHE_SLOPPINESS ?= pch_defines,time_macros,include_file_mtime,include_file_ctime
export CCACHE_BASEDIR ?= $(CURDIR)

python := .venv/bin/python
# `make wheel PYTHON=…` makes a wheel for that Python, but the Python that makes it does not change.
ifneq ($(filter %wheel,$(MAKECMDGOALS)),)
unexport PYTHON
endif
# The variable silences an advertisement of the theme's authors.
mkdocs := NO_MKDOCS_2_WARNING=1 build/docs-venv/bin/mkdocs
folder-release := build
folder-debug := build/debug
folder-tsan := build/tsan

help: ## this list
	@echo "usage: make TARGET"
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1\t\2/p' Makefile | expand -t 18

run: build-products ## compile kernels, show and validate the result, run them on every device
	@bash examples/run.sh

test: build-release drivers triton-wheels docs-packages ## unit, lit, house and documents; the last line counts them
	@$(python) tools/run-tests.py --build build --jobs $(JOBS)

test-metal: build-release ## Metal's driver on a mock: conformance, the whole corpus, all examples; writes docs/metal-kernels.md
	@PATH=$(CURDIR)/build/bin:$$PATH $(python) tests/metal/run-all.py --report docs/metal-kernels.md

test-levels: build-release ## the CPU device's suites on every level of x86-64 that this processor runs, and emulated
	@for level in x86-64-v2 x86-64-v3 x86-64-v4; do \
	  $(python) tests/levels/run-suites.py --level $$level --all || exit 1; done
	@! command -v qemu-x86_64 >/dev/null || for cpu in EPYC-Milan Haswell SandyBridge Nehalem; do \
	  $(python) tests/levels/run-suites.py --emulate $$cpu || exit 1; done

test-shaders: build-release drivers ## every variant of the shaders by feature, on every driver here
	@PUMICE_CORPUS=all .venv/bin/lit -v --no-progress-bar -j 1 tests/shaders

# Code in the distribution's library is not instrumented. So containers that cross the border look
# overflowed when they are not, and memory that our side's LLVM allocators poison is never unpoisoned
# by theirs. Libraries stay loaded. Memory held by the globals of an unloaded library would look leaked,
# and no suppression could name it.
test-asan: build-debug ## unit and lit tests with AddressSanitizer and UndefinedBehaviorSanitizer
	@echo 'int dlclose(void *library) { return 0; }' | clang-22 -x c -shared -fPIC - -o build/debug/keep-libraries.so
	@LD_PRELOAD=$(CURDIR)/build/debug/keep-libraries.so UBSAN_OPTIONS=print_stacktrace=1 \
	  ASAN_OPTIONS=detect_container_overflow=0:allow_user_poisoning=0:verify_asan_link_order=0 \
	  LSAN_OPTIONS=suppressions=$(CURDIR)/tests/lsan-drivers.txt:print_suppressions=0 \
	  $(python) tools/run-tests.py --build build/debug --jobs $(JOBS) --only unit,lit

test-tsan: build-tsan ## unit tests with ThreadSanitizer
	@TSAN_OPTIONS=suppressions=$(CURDIR)/tests/tsan-drivers.txt $(python) tools/run-tests.py --build build/tsan --jobs $(JOBS) --only unit

test-random: build-release ## ten thousand random programs, on the CPU device and compared with lavapipe
	@VK_ICD_FILENAMES=/usr/share/vulkan/icd.d/lvp_icd.$$(uname -m).json VK_LOADER_LAYERS_DISABLE=all NODEVICE_SELECT=1 \
	  build/tests/RandomPrograms --count 10000 --known tests/random/known.txt

test-triton: build-release ## all kernels of the sweep over Triton's operations, random kernels, and memory beyond 4 GiB
	@PYTHONPATH=build/python $(python) tests/triton/sweep/run.py --device cpu:0
	@PYTHONPATH=build/python $(python) tests/triton/sweep/run.py --device cpu:0 --fast --check 'accesses/*' 'pointers/*' \
	  'descriptors/*' 'atomics/*' 'reductions/*' 'products/*' 'control/*' 'conversions/*'
	@VK_ICD_FILENAMES=/usr/share/vulkan/icd.d/lvp_icd.$$(uname -m).json VK_LOADER_LAYERS_DISABLE=all NODEVICE_SELECT=1 \
	  PYTHONPATH=build/python $(python) tests/triton/sweep/run.py --device vulkan:0
	@VK_ICD_FILENAMES=/usr/share/vulkan/icd.d/lvp_icd.$$(uname -m).json VK_LOADER_LAYERS_DISABLE=all NODEVICE_SELECT=1 \
	  PYTHONPATH=build/python $(python) tests/triton/sweep/run.py --device vulkan:0 --addressing descriptors
	@VK_ICD_FILENAMES=/usr/share/vulkan/icd.d/lvp_icd.$$(uname -m).json VK_LOADER_LAYERS_DISABLE=all NODEVICE_SELECT=1 \
	  PYTHONPATH=build/python $(python) tests/triton/sweep/run.py --device vulkan:0 --layout-seed 3
	@for level in x86-64-v2 x86-64-v3; do test $$(uname -m) != x86_64 || \
	  PYTHONPATH=build/python $(python) tests/triton/sweep/run.py --device cpu:0 --target $$level || exit 1; done
	@! test -s build/intel-opencl/complete || for route in spirv llvm; do \
	  OCL_ICD_VENDORS=$(CURDIR)/build/intel-opencl/icd LD_LIBRARY_PATH=build/opencl/lib:build/intel-opencl/lib \
	  PYTHONPATH=build/python $(python) tests/triton/sweep/run.py --device opencl:0 --via $$route || exit 1; done
	@PYTHONPATH=build/python $(python) tests/triton/random/run.py --seed 1000 --count 2000
	@PYTHONPATH=build/python $(python) tests/triton/random/run.py --seed 2000 --count 400 --large
	@PYTHONPATH=build/python $(python) tests/triton/random/run.py --seed 100000 --count 1000
	@PYTHONPATH=build/python $(python) tests/triton/random/run.py --seed 110000 --count 100 --large
	@PATH=$(CURDIR)/build/bin:$$PATH PYTHONPATH=build/python $(python) tests/triton/targets.py --every
	@PYTHONPATH=build/python $(python) tests/triton/large.py

# Versions that cannot be downloaded are skipped, and named.
test-versions: build-release ## the tests of Triton's kernels with every version of its wheel that is supported
	@setup/triton-wheels.sh $(CURDIR)/build 3.7.1 3.8.0 3.9.0
	@PATH=$(CURDIR)/build/bin:$$PATH $(python) tests/triton/versions.py 3.6.0 3.7.1 3.8.0 3.9.0

test-libraries: build-release ## scripts like Triton's tutorials, models and PyTorch's operators by torch.compile, and libraries of Triton kernels
	@setup/test-libraries.sh $(CURDIR)/build
	@PYTHONPATH=build/python $(python) tests/tutorials/run.py
	@PYTHONPATH=build/python $(python) tests/training/run.py
	@PYTHONPATH=build/python $(python) tests/libraries/run.py
	@PYTHONPATH=build/python $(python) tests/libraries/op_db.py $(OP_DB)

test-torch: build-release ## PyTorch's tables of operators, modules and optimizers, and random calls, on the device vk and on the CPU
	@for test in coverage plans; do PYTHONPATH=build/python PUMICE_TEST_ALL=1 PUMICE_TEST_DEVICES=cpu,vulkan:0 \
	  VK_ICD_FILENAMES=/usr/share/vulkan/icd.d/lvp_icd.$$(uname -m).json VK_LOADER_LAYERS_DISABLE=all \
	  $(python) python/test/test_vk_$$test.py || exit 1; done
	@for table in operators references modules optimizers; do PYTHONPATH=build/python $(python) tests/torch/tables.py \
	  --table $$table --types all --grad --jobs $(JOBS) $(OP_DB) || exit 1; done
	@PYTHONPATH=build/python $(python) tests/torch/fuzz_plans.py \
	  --cases 10000 --jobs $(JOBS)

test-precision: build-release ## functions of one f32 for all 2^32 inputs, on each level of the CPU device
	@PUMICE_EVERY_FLOAT=1 build/tests/EveryFloatTest --gtest_brief=1

# Needs root and debootstrap; otherwise it says what is missing.
test-wheel: wheel ## the wheel in a bare Debian root, without LLVM, Vulkan and compilers
	@tools/try-wheel.sh "$$(ls -t build/wheel/*.whl | head -n 1)" || test $$? = 77

test-all: test test-levels test-shaders test-asan test-tsan test-random test-triton test-versions test-libraries test-precision \
  test-torch test-wheel ## all twelve test targets

bench-compile: build-release ## time the compiler; writes build/bench/compile.json
	@mkdir -p build/bench && build/bin/bench-compile --json build/bench/compile.json

bench-cpu: build-release ## time kernels on this CPU and on its other drivers; writes build/bench/cpu.json
ifndef PUMICE_SKIP_PACKAGES
	@setup/bench-peers.sh $(CURDIR)/build
endif
	@mkdir -p build/bench && build/bin/bench-cpu --json build/bench/cpu.json

bench-vulkan: build-release ## time the runtime, compared with a bare Vulkan loop; writes build/bench/vulkan.json
	@build/bin/bench-vulkan --kernels build/bench/stream.pumice --json build/bench/vulkan.json

bench-opencl: build-release ## time launches and kernels through OpenCL, compared with OpenCL alone; writes build/bench/opencl.json
	@setup/bench-peers.sh build opencl && setup/bench-peers.sh build intel-opencl
	@mkdir -p build/bench && OCL_ICD_VENDORS=$(CURDIR)/build/intel-opencl/icd \
	  LD_LIBRARY_PATH=$(CURDIR)/build/opencl/lib:$(CURDIR)/build/intel-opencl/lib \
	  build/bin/bench-opencl --kernels build/bench/opencl --json build/bench/opencl.json $(BENCH)

bench-routes: build-release ## compare both routes to SPIR-V for OpenCL; writes build/bench/routes.json
	@setup/bench-peers.sh build opencl && setup/bench-peers.sh build intel-opencl
	@OCL_ICD_VENDORS=$(CURDIR)/build/intel-opencl/icd PATH=$(CURDIR)/build/bin:$$PATH \
	  LD_LIBRARY_PATH=$(CURDIR)/build/opencl/lib:$(CURDIR)/build/intel-opencl/lib \
	  $(python) bench/opencl/bench_routes.py --json build/bench/routes.json $(BENCH)

bench-triton: build-release ## time Triton kernels, compared with PyTorch or (BENCH="--device vulkan --vs cuda") CUDA; writes build/bench/triton.json
	@mkdir -p build/bench && PYTHONPATH=build/python $(python) bench/triton/bench_triton.py --json build/bench/triton.json $(BENCH)

bench-torch: build-release ## time PyTorch's device vk, compared with PyTorch's CPU or (BENCH="--device vulkan:0") CUDA; writes build/bench/torch.json
	@mkdir -p build/bench && PYTHONPATH=build/python $(python) bench/torch/bench_torch.py --json build/bench/torch.json $(BENCH)

bench-torch-compile: build-release ## time models by torch.compile on the CPU, compared with inductor's C++ back end; writes build/bench/torch-compile.json
	@mkdir -p build/bench && PYTHONPATH=build/python $(python) bench/torch/bench_compile.py --json build/bench/torch-compile.json $(BENCH)

wheel: build-products ## a self-contained Python wheel, in build/wheel (PYTHON=python3.12: for that version and later)
	@ninja -C build -j $(JOBS) pumice_torch
	@$(python) tools/make-wheel.py --build build $(if $(PYTHON),--python $(PYTHON)) $(if $(PYTHON_HEADERS),--headers $(PYTHON_HEADERS))

packages: build-release ## the runtime for Linux on aarch64, macOS and Windows: wheels and archives, in build/packages
	@$(python) tools/make-packages.py --build build

# Builds the tests with zig: about 10 minutes for each system on two cores. Emulators are unpacked into build/.
test-systems: packages ## the runtime's tests and the conformance suite on emulated aarch64, and the packages in emulators
	@setup/arm64-root.sh build/arm64-root && setup/wine.sh build/wine
	@$(python) tests/systems/run-tests.py here --build build
	@for system in linux-aarch64:aarch64-linux-gnu.2.28 windows-x86_64:x86_64-windows-gnu; do \
	  $(python) tests/cross/cross-compile.py $${system%%:*} build && \
	  tools/build-system-tests.sh build/packages/$${system%%:*}/tests $${system##*:} $(JOBS) && \
	  $(python) tests/systems/run-tests.py $${system%%:*} --build build || exit 1; done

release: build-release ## all files that a release publishes, in build/release; needs a checkout without changes
	@$(python) tools/make-release.py --build build

build: build-release ## everything, optimised, into build/bin

build-products: setup
	@test -f $(folder-release)/build.ninja || cmake --preset release >/dev/null
	@test -x $(folder-release)/bin/pumice || echo "building Pumice: the first time takes about 10 to 12 minutes on two cores"
	@NINJA_STATUS='[%f of %t, %p, %e s] ' ninja -C $(folder-release) -j $(JOBS) pumice_products

build-%: setup
	@test -f $(folder-$*)/build.ninja || cmake --preset $* >/dev/null
	@ninja -C $(folder-$*) -j $(JOBS)

build-times: ## which files took longest to compile, in seconds
	@awk -F'\t' 'NR > 1 && $$4 ~ /\.(o|pch)$$/ { printf "%7.1f  %s\n", ($$2 - $$1) / 1000, $$4 }' \
	  build/.ninja_log | sort -rn | sort -s -u -k2 | sort -rn | head -25

setup: ## only install missing packages
ifndef PUMICE_SKIP_PACKAGES
	@setup/install-packages.sh
	@setup/spirv-cross.sh build/spirv-cross || true # else Debian 12's version is linked
endif
	@setup/make-venv.sh

drivers: ## unpack more drivers and emulators into build/ for the tests, if they can be downloaded
ifndef PUMICE_SKIP_PACKAGES
	@setup/test-drivers.sh $(CURDIR)/build
endif

triton-wheels: ## install the newest tested version of Triton into build/ for the tests, if it can be downloaded
ifndef PUMICE_SKIP_PACKAGES
	@setup/triton-wheels.sh $(CURDIR)/build 3.9.0
endif

# Its reference needs what `make build` has built.
docs: build-products ## the documentation as a site, with every link checked, into build/site
	@setup/docs-venv.sh $(CURDIR)/build
	@ninja -C build -j $(JOBS) pumice-opt >/dev/null
	@$(mkdocs) build --quiet && echo "the site is in build/site; \`make docs-serve\` shows it, and can search in it"

docs-serve: ## the same, shown on this machine and rebuilt after every change
	@setup/docs-venv.sh $(CURDIR)/build
	@$(mkdocs) serve --no-strict --dev-addr 127.0.0.1:8000

docs-packages: ## install the tools for the documentation into build/, if they can be downloaded
ifndef PUMICE_SKIP_PACKAGES
	@setup/docs-venv.sh $(CURDIR)/build 2>&1 || true
endif

format: ## clang-format over our sources
	@git ls-files '*.h' '*.cpp' | xargs clang-format-22 -i

clean: ## remove everything built (.venv stays)
	@rm -rf build

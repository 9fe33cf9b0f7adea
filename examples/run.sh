#!/usr/bin/env bash
# What `make run` shows: one kernel, three targets, one file; what is in it; whether it is valid;
# then this kernel and another one, and three of Triton's, compiled for and run on every device of
# this machine.
#   examples/run.sh [--small]: with small matrices
set -euo pipefail
cd "$(dirname "$0")/.."
build=${PUMICE_BUILD:-build}
out=$build/run
mkdir -p $out

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

show $build/bin/pumice compile examples/softmax.mlir -o $out/softmax.pumice \
  --target rdna3 --target h200 --target lavapipe22
show $build/bin/pumice inspect --no-asm $out/softmax.pumice
show .venv/bin/python tools/validate-spirv.py $out/softmax.pumice
show $build/bin/pumice-showcase "$@" examples/softmax.mlir examples/matmul.mlir
# Triton's wheel is there where setup/requirements.txt has one for this machine; debug builds have no package.
if [ -e $build/python/pumice ] && [ -n "$(ls -d .venv/lib/python3*/site-packages/triton 2>/dev/null)" ]; then
  show env PYTHONPATH=$build/python .venv/bin/python examples/triton/run.py softmax matmul attention --device all
fi

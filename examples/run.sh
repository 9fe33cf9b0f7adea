#!/usr/bin/env bash
# `make run` runs this script. It compiles one kernel for three targets into one file, inspects the file and checks it.
# Then it compiles this kernel, another one and three of Triton's for every device of this machine, and runs them.
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
# The wheel is installed if setup/requirements.txt has one for this machine. Debug builds have no package.
if [ -e $build/python/pumice ] && [ -n "$(ls -d .venv/lib/python3*/site-packages/triton 2>/dev/null)" ]; then
  show env PYTHONPATH=$build/python .venv/bin/python examples/triton/run.py softmax matmul attention --device all
fi

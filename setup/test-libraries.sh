#!/usr/bin/env bash
# Installs the libraries that tests/libraries runs (its requirements.txt) into BUILD/libraries/site, if they are missing.
#
#   setup/test-libraries.sh BUILD
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
wanted=$root/tests/libraries/requirements.txt
folder=$1/libraries
cmp -s "$wanted" "$folder/installed.txt" && exit 0

python=$root/.venv/bin/python
"$python" -c 'import torch, triton' || {
  echo "setup: tests/libraries needs PyTorch's build for CPUs and Triton: .venv/bin/pip install torch==2.13.0 triton==3.6.0" >&2
  exit 1
}
echo "setup: installing libraries of Triton kernels for the tests"
rm -rf "$folder/site" && mkdir -p "$folder"
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --no-compile --target "$folder/site" -r "$wanted"
cp "$wanted" "$folder/installed.txt"

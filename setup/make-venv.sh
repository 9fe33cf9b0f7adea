#!/bin/sh
# Makes .venv from setup/requirements.txt, and from setup/requirements-torch.txt if that can be downloaded.
# Does nothing if it was made from the same lists.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-/usr/bin/python3}
digest=$(cat setup/requirements.txt setup/requirements-torch.txt | sha256sum | cut -d' ' -f1)
stamp=.venv/made-from-$digest
if [ -e "$stamp" ] && .venv/bin/python -c '' 2>/dev/null; then
  exit 0
fi

echo "setup: making .venv"
if ! .venv/bin/python -c '' 2>/dev/null; then
  rm -rf .venv # broken, or a link to nowhere
  "$python" -m venv .venv
fi
rm -f .venv/made-from-*
install() {
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input --no-deps \
    --requirement "$1"
}
install setup/requirements.txt
install setup/requirements-torch.txt 2>/dev/null ||
  echo "setup: the package index has no build of PyTorch for CPUs: tests that need it are skipped"
touch "$stamp"

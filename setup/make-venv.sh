#!/bin/sh
# Makes .venv as setup/requirements.txt says. Does nothing when it was made from the same list.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-/usr/bin/python3}
digest=$(sha256sum <setup/requirements.txt | cut -d' ' -f1)
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
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input --no-deps \
  --requirement setup/requirements.txt
touch "$stamp"

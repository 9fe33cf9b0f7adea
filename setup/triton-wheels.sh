#!/bin/sh
# Installs versions of Triton other than that of .venv, for the tests:
#
#   setup/triton-wheels.sh FOLDER VERSION...
#
# Each goes to FOLDER/triton/VERSION; a PYTHONPATH that names it takes precedence over .venv. Tests can run without
# them. If a wheel cannot be downloaded (no network, another processor), the reason goes to
# FOLDER/triton/VERSION/absent, and its tests are skipped. Complete installations are left unchanged.
set -u
python=$(dirname "$0")/../.venv/bin/python
build=${1:?the build folder is missing}
shift

for version in "$@"; do
  folder=$build/triton/$version
  [ ! -e "$folder/complete" ] || continue
  echo "setup: installing Triton $version for the tests"
  rm -rf "$folder"
  mkdir -p "$folder"
  if "$python" -m pip install --quiet --disable-pip-version-check --no-input --no-deps \
    --only-binary :all: --target "$folder" "triton==$version" > "$folder.log" 2>&1; then
    touch "$folder/complete"
  else
    reason=$(grep -m 1 -i '^error' "$folder.log" || tail -n 1 "$folder.log")
    rm -rf "$folder"
    mkdir -p "$folder"
    echo "Triton $version is not installed: $reason" | tee "$folder/absent" | sed 's/^/setup: without it: /'
  fi
  rm -f "$folder.log"
done
exit 0

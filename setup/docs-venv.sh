#!/bin/sh
# Installs the packages that build the site of docs/ (setup/requirements-docs.txt) into BUILD/docs-venv:
#
#   setup/docs-venv.sh [BUILD]
#
# If the packages cannot be downloaded, the reason goes to BUILD/docs-venv/absent, and the script fails. It does
# nothing if the environment was made from the same list.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$root/build}/docs-venv
wanted=$root/setup/requirements-docs.txt
if cmp -s "$wanted" "$folder/complete" && "$folder/bin/python" -c '' 2>/dev/null; then
  exit 0
fi

echo "setup: installing what builds the documentation"
rm -rf "$folder"
mkdir -p "$folder"
if said=$( { "${PYTHON:-/usr/bin/python3}" -m venv "$folder" &&
             "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --no-deps \
               --requirement "$wanted"; } 2>&1); then
  cp "$wanted" "$folder/complete"
  exit 0
fi
reason=$(echo "$said" | grep -m 1 -i '^error' || echo "$said" | tail -n 1)
rm -rf "$folder"
mkdir -p "$folder"
echo "the documentation's packages are not installed: $reason" | tee "$folder/absent" | sed 's/^/setup: /' >&2
exit 1

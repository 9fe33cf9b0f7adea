#!/bin/sh
# Installs the missing packages of setup/packages.txt. Without root, it only names them.
# Does nothing, quickly, if all are installed. `--check` only reports the missing ones.
set -eu
list=$(dirname "$0")/packages.txt

if ! command -v dpkg-query >/dev/null; then
  echo "setup: this is not a Debian system; install what $list names, then set PUMICE_SKIP_PACKAGES=1" >&2
  exit 1
fi

wanted=$(sed -e 's/#.*//' "$list")
# dpkg-query fails if it does not know one of the names, but still reports the others.
# shellcheck disable=SC2086
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
            sed -n 's/^installed //p') || true
missing=
for package in $wanted; do
  echo "$installed" | grep -qxF "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "${1:-}" = --check ] || [ "$(id -u)" != 0 ]; then
  echo "setup: packages are missing, and only root may install them. Run as root:" >&2
  echo "  apt-get update && apt-get install -y --no-install-recommends$missing" >&2
  exit 1
fi

echo "setup: installing$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
# shellcheck disable=SC2086
if ! apt-get install -q -y --no-install-recommends $missing; then
  echo "setup: apt-get could not install them; LLVM 22 is in Debian 12's security suite:" \
       "is bookworm-security among apt's sources?" >&2
  exit 1
fi

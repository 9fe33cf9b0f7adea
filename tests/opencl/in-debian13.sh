#!/bin/sh
# Runs a command of this tree on Debian 13's OpenCL drivers, which setup/debian13-opencl.sh unpacks into FOLDER:
#
#   tests/opencl/in-debian13.sh FOLDER COMMAND...
#
# The command sees FOLDER/root as its root, and this tree at its own place. Exits with 77 (skipped) if the drivers
# are missing, or this system allows no user to have a root of their own.
folder=$1
shift
tree=$(cd "$(dirname "$0")/../.." && pwd)
if [ ! -s "$folder/complete" ]; then
  echo "skipped: $(head -n 1 "$folder/absent" 2>/dev/null || echo "setup/debian13-opencl.sh has not run")"
  exit 77
fi
user=
[ "$(id -u)" = 0 ] || user=--map-root-user
if ! unshare $user --mount true 2>/dev/null; then
  echo "skipped: this system allows no private mounts (unshare --mount)"
  exit 77
fi
exec unshare $user --mount sh -c '
  root=$1 tree=$2
  shift 2
  for each in /proc /sys /dev "$tree"; do
    mkdir -p "$root$each" && mount --rbind "$each" "$root$each" || exit 1
  done
  exec chroot "$root" "$@"' in-root "$(cd "$folder/root" && pwd)" "$tree" "$@"

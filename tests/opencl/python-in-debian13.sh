#!/bin/sh
# Runs a Python script of this tree on Debian 13's OpenCL drivers, which setup/debian13-opencl.sh unpacks into FOLDER:
#
#   OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd tests/opencl/python-in-debian13.sh FOLDER SCRIPT...
#
# FOLDER/root has no Python, so this system's Python and libraries are mounted there. Libraries that both systems have
# are Debian 13's. Needs root rights. The paths of the script and of its files are relative to the tree.
set -eu
folder=$(cd "$1" && pwd)
shift
tree=$(cd "$(dirname "$0")/../.." && pwd)
python=$(readlink -f "$tree/.venv/bin/python")
libraries=/usr/lib/$(uname -m)-linux-gnu
export HOME=/tmp LD_LIBRARY_PATH="$libraries:/host$libraries" PYTHONPATH="$tree/build/python"
exec unshare --mount sh -eu -c '
  root=$1 tree=$2 python=$3
  shift 3
  for each in /proc /sys /dev "$tree"; do
    mkdir -p "$root$each" && mount --rbind "$each" "$root$each"
  done
  mkdir -p "$root/host/usr" "$root/usr/lib/$(basename "$python")" "$root/usr/lib/python3"
  mount --bind /usr "$root/host/usr"
  mount --bind "/usr/lib/$(basename "$python")" "$root/usr/lib/$(basename "$python")"
  mount --bind /usr/lib/python3 "$root/usr/lib/python3"
  for each in "$python" /usr/bin/python3; do
    touch "$root$each" && mount --bind "$python" "$root$each"
  done
  exec chroot "$root" /host/usr/bin/env -C "$tree" "$tree/.venv/bin/python" "$@"' \
  in-root "$folder/root" "$tree" "$python" "$@"

#!/bin/sh
# Unpacks the parts of Python 3.13's source that Windows needs from Debian 13 into a folder, and prints the folder:
# Include/ has the headers, PC/ has pyconfig.h and the functions of the stable ABI.
#
#   setup/python-source.sh FOLDER
#
# The extension module of the wheel for Windows is compiled with them, since Debian's packages of headers are for Linux.
# Needs no root and changes nothing outside FOLDER. Does nothing if FOLDER is complete.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/private-packages.sh"

folder=$(mkdir -p "$1" && cd "$1" && pwd)
if [ ! -e "$folder/complete" ]; then
  kind=deb-src download_packages "$folder" trixie python3.13
  archive=$(ls "$folder"/debs/python3.13_*.orig.tar.xz) || give_up "Debian has no source of Python 3.13"
  tar -xf "$archive" -C "$folder" --strip-components 1 --wildcards "*/Include" "*/PC/pyconfig.h*" "*/PC/python3dll.c" \
    "*/LICENSE"
  # Visual Studio's build makes this file. Its one placeholder is for a build without the lock of the interpreter.
  [ -e "$folder/PC/pyconfig.h" ] || cp "$folder/PC/pyconfig.h.in" "$folder/PC/pyconfig.h"
  [ -e "$folder/Include/Python.h" ] || give_up "the archive has no Include/Python.h"
  drop_downloads "$folder"
  touch "$folder/complete"
fi
echo "$folder"

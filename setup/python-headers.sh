#!/bin/sh
# Unpacks the headers of Python 3.13 from Debian 13 into a folder, and prints the subfolder with
# Python.h. The wheel for Python 3.12 and later is compiled with them.
#
#   setup/python-headers.sh [FOLDER]
#
# Needs no root and changes nothing outside FOLDER. Does nothing if FOLDER is complete.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/private-packages.sh"

folder=${1:-$(dirname "$here")/build/python-headers}
if [ ! -e "$folder/complete" ]; then
  rm -rf "$folder"
  mkdir -p "$folder/root"
  download_packages "$folder" trixie libpython3.13-dev
  for deb in "$folder"/debs/*.deb; do
    dpkg-deb -x "$deb" "$folder/root"
  done
  [ -e "$folder/root/usr/include/python3.13/Python.h" ] ||
    give_up "the package has no Python.h: $(cd "$folder/debs" && echo *)"
  drop_downloads "$folder"
  touch "$folder/complete"
fi
echo "$folder/root/usr/include/python3.13"

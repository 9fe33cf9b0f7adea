#!/bin/sh
# Unpacks SPIRV-Cross of Debian 14, which translates cooperative matrices to Metal's language, into FOLDER:
#
#   setup/spirv-cross.sh FOLDER
#
# The build links its archives, which need nothing newer than Debian 12 has. Without them, it links Debian 12's version,
# and products of matrices on Apple's targets are computed by subgroup operations. Needs no root and changes nothing
# outside FOLDER. Does nothing if FOLDER is complete.
set -eu
folder=$(mkdir -p "$1" && cd "$1" && pwd)
. "$(cd "$(dirname "$0")" && pwd)/private-packages.sh"
[ ! -s "$folder/complete" ] || exit 0

download_packages "$folder" forky libspirv-cross-c-shared-dev
mkdir -p "$folder/root"
dpkg-deb -x "$folder"/debs/libspirv-cross-c-shared-dev_*.deb "$folder/root"
version=$(dpkg-deb --show --showformat='${Package} ${Version}\n' "$folder"/debs/libspirv-cross-c-shared-dev_*.deb)
drop_downloads "$folder"
echo "$version" > "$folder/complete"

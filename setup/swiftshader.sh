#!/bin/sh
# Unpacks SwiftShader (Vulkan on a CPU) into build/swiftshader, next to the system's drivers.
#
#   setup/swiftshader.sh [FOLDER]
#
# Debian has no package of it, but a package of its browser contains the library: 30 MB are
# downloaded, 5 MB are kept. Needs no root and changes nothing outside FOLDER. Does nothing if
# FOLDER is complete. A variable then chooses the driver by its ICD file:
#   VK_DRIVER_FILES=FOLDER/icd/swiftshader_icd.json
# The package follows the browser's releases, so its version is not fixed. FOLDER/complete contains it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/private-packages.sh"

folder=${1:-$(dirname "$here")/build/swiftshader}
package=chromium-common
library=usr/lib/chromium/libvk_swiftshader.so

if [ -s "$folder/complete" ]; then
  exit 0
fi
rm -rf "$folder"
mkdir -p "$folder/lib" "$folder/icd"
download_packages "$folder" bookworm $package
deb=$(ls "$folder"/debs/*.deb)
# Extracts one file of the archive, not the whole browser.
dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$folder/lib" --strip-components=4 "./$library" ||
  give_up "$(basename "$deb") holds no $library"

cat > "$folder/icd/swiftshader_icd.json" <<ICD
{"file_format_version": "1.0.0",
 "ICD": {"library_path": "$folder/lib/$(basename $library)", "api_version": "1.3.0"}}
ICD
require_libraries "$folder/lib/$(basename $library)"
version=$(dpkg-deb --field "$deb" Version)
drop_downloads "$folder"
echo "$package $version" > "$folder/complete"

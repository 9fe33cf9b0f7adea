#!/bin/sh
# Unpacks SwiftShader (Vulkan on a CPU) into build/swiftshader, beside the system's drivers.
#
#   setup/swiftshader.sh [FOLDER]
#
# Debian has no package of it, but a part of its browser brings the library along: 30 MB are
# downloaded, 5 MB are kept. Needs no root and changes nothing outside FOLDER: apt downloads with a
# configuration of its own. Does nothing when FOLDER is complete. The driver is then chosen by its
# ICD file:
#   VK_DRIVER_FILES=FOLDER/icd/swiftshader_icd.json
# The package follows the browser's releases, so its version is not fixed; FOLDER/complete tells it.
set -eu

folder=${1:-$(cd "$(dirname "$0")/.." && pwd)/build/swiftshader}
package=chromium-common
library=usr/lib/chromium/libvk_swiftshader.so
mirror=${PUMICE_DEBIAN_MIRROR:-http://deb.debian.org/debian}

if [ -s "$folder/complete" ]; then
  exit 0
fi
if [ "$(dpkg --print-architecture 2>/dev/null)" != amd64 ] ||
   ! grep -q bookworm /etc/os-release 2>/dev/null; then
  echo "swiftshader: this package is for Debian 12 on amd64" >&2
  exit 1
fi

rm -rf "$folder"
mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" "$folder/debs" \
         "$folder/lib" "$folder/icd"
cat > "$folder/apt/sources.sources" <<END
Types: deb
URIs: $mirror
Suites: bookworm
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
END
apt() {
  apt-get -qq -o Dir::Etc::SourceList="$folder/apt/sources.sources" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::Etc::Parts=/dev/null -o Dir::State::Lists="$folder/apt/lists" \
    -o Dir::Cache="$folder/apt/cache" -o Debug::NoLocking=1 -o APT::Sandbox::User=root "$@"
}
apt update
(cd "$folder/debs" && apt download $package)
deb=$(ls "$folder"/debs/*.deb)
# One member of the archive, not the whole browser.
dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$folder/lib" --strip-components=4 "./$library"

cat > "$folder/icd/swiftshader_icd.json" <<END
{"file_format_version": "1.0.0",
 "ICD": {"library_path": "$folder/lib/$(basename $library)", "api_version": "1.3.0"}}
END
if [ ! -s "$folder/lib/$(basename $library)" ]; then
  echo "swiftshader: $(basename "$deb") holds no $library" >&2
  exit 1
fi
missing=$(ldd "$folder/lib/$(basename $library)" | grep 'not found' || true)
if [ -n "$missing" ]; then
  echo "swiftshader: libraries are missing: $missing" >&2
  exit 1
fi
version=$(dpkg-deb --field "$deb" Version)
rm -rf "$folder/apt" "$folder/debs"
echo "$package $version" > "$folder/complete"

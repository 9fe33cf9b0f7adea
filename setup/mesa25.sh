#!/bin/sh
# Unpacks Mesa 25 (lavapipe with Vulkan 1.4, RADV up to RDNA4) into build/mesa25, beside the system's.
#
#   setup/mesa25.sh [FOLDER]
#
# Needs no root and changes nothing outside FOLDER: apt downloads with a configuration of its own.
# Does nothing when FOLDER is complete. A driver is then chosen by its ICD file:
#   LD_LIBRARY_PATH=FOLDER/lib VK_DRIVER_FILES=FOLDER/icd/radeon_icd.json
set -eu

folder=${1:-$(cd "$(dirname "$0")/.." && pwd)/build/mesa25}
version=25.0.7
packages="mesa-vulkan-drivers libllvm19 libdrm2 libdrm-amdgpu1 libdrm-intel1"
mirror=${PUMICE_DEBIAN_MIRROR:-http://deb.debian.org/debian}

if [ "$(cat "$folder/complete" 2>/dev/null)" = "$version" ]; then
  exit 0
fi
if [ "$(dpkg --print-architecture 2>/dev/null)" != amd64 ] ||
   ! grep -q bookworm /etc/os-release 2>/dev/null; then
  echo "mesa25: these packages are for Debian 12 on amd64" >&2
  exit 1
fi

rm -rf "$folder"
mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" "$folder/debs" \
         "$folder/root" "$folder/icd"
cat > "$folder/apt/sources.sources" <<END
Types: deb
URIs: $mirror
Suites: bookworm bookworm-backports
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
END
apt() {
  apt-get -qq -o Dir::Etc::SourceList="$folder/apt/sources.sources" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::Etc::Parts=/dev/null -o Dir::State::Lists="$folder/apt/lists" \
    -o Dir::Cache="$folder/apt/cache" -o Debug::NoLocking=1 -o APT::Sandbox::User=root \
    -o APT::Default-Release=bookworm-backports "$@"
}
apt update
(cd "$folder/debs" && apt download $packages)
for deb in "$folder"/debs/*.deb; do
  dpkg-deb -x "$deb" "$folder/root"
done
case $(ls "$folder/debs") in
  *mesa-vulkan-drivers_$version-*) ;;
  *) echo "mesa25: the mirror has another version than $version: $(ls "$folder/debs")" >&2; exit 1 ;;
esac

ln -s root/usr/lib/x86_64-linux-gnu "$folder/lib"
for icd in "$folder"/root/usr/share/vulkan/icd.d/*_icd.json; do
  # The loader looks relative names up in the system's folders: name the file in full.
  sed "s|\"library_path\": \".*/\{0,1\}\(libvulkan[^\"/]*\)\"|\"library_path\": \"$folder/lib/\1\"|" \
    "$icd" > "$folder/icd/$(basename "$icd")"
done
missing=$(LD_LIBRARY_PATH="$folder/lib" ldd "$folder/lib/libvulkan_radeon.so" \
            "$folder/lib/libvulkan_lvp.so" | grep 'not found' || true)
if [ -n "$missing" ]; then
  echo "mesa25: libraries are missing: $missing" >&2
  exit 1
fi
rm -rf "$folder/apt" "$folder/debs"
echo "$version" > "$folder/complete"

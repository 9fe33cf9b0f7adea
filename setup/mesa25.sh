#!/bin/sh
# Unpacks Mesa 25 (lavapipe with Vulkan 1.4, RADV up to RDNA4) into build/mesa25, next to the system's.
#
#   setup/mesa25.sh [FOLDER]
#
# Needs no root and changes nothing outside FOLDER. Does nothing if FOLDER is complete. Variables
# then choose a driver by its ICD file:
#   LD_LIBRARY_PATH=FOLDER/lib VK_DRIVER_FILES=FOLDER/icd/radeon_icd.json
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/private-packages.sh"

folder=${1:-$(dirname "$here")/build/mesa25}
version=25.0.7

if [ "$(cat "$folder/complete" 2>/dev/null)" = "$version" ]; then
  exit 0
fi
rm -rf "$folder"
mkdir -p "$folder/root" "$folder/icd"
download_packages "$folder" bookworm-backports \
  mesa-vulkan-drivers libllvm19 libdrm2 libdrm-amdgpu1 libdrm-intel1
case $(ls "$folder/debs") in
  *mesa-vulkan-drivers_$version-*) ;;
  *) give_up "the mirror has another version than $version: $(cd "$folder/debs" && echo *)" ;;
esac
for deb in "$folder"/debs/*.deb; do
  dpkg-deb -x "$deb" "$folder/root"
done

ln -s root/usr/lib/x86_64-linux-gnu "$folder/lib"
for icd in "$folder"/root/usr/share/vulkan/icd.d/*_icd.json; do
  # The loader looks up relative names in the system's folders, so the file needs its full path.
  sed "s|\"library_path\": \".*/\{0,1\}\(libvulkan[^\"/]*\)\"|\"library_path\": \"$folder/lib/\1\"|" \
    "$icd" > "$folder/icd/$(basename "$icd")"
done
LD_LIBRARY_PATH="$folder/lib"
export LD_LIBRARY_PATH
require_libraries "$folder/lib/libvulkan_radeon.so" "$folder/lib/libvulkan_lvp.so"
drop_downloads "$folder"
echo "$version" > "$folder/complete"

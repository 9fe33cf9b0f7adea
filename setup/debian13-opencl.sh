#!/bin/sh
# Unpacks two OpenCL drivers of Debian 13 that take SPIR-V, PoCL 6.0 and Mesa's rusticl, into FOLDER:
#
#   setup/debian13-opencl.sh FOLDER
#
# Debian 12's PoCL takes no SPIR-V. These drivers need Debian 13's C library, and run programs at fixed
# places (/usr/bin/llvm-spirv-18). So FOLDER/root is the root of a system, in which tests/opencl/in-debian13.sh
# runs a command. Needs no root rights and changes nothing outside FOLDER. Does nothing if FOLDER is complete.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/private-packages.sh"

folder=$1
# The pumice of this tree is linked with this library, and Debian 13's C library runs it.
copy_linked() {
  for file in /usr/lib/"$(uname -m)"-linux-gnu/libspirv-cross-c-shared.so.0; do
    [ ! -e "$file" ] || [ -e "$folder/root$file" ] || cp -L "$file" "$folder/root$file"
  done
}
if [ -s "$folder/complete" ]; then
  copy_linked
  exit 0
fi
rm -rf "$folder"
mkdir -p "$folder/root"
folder=$(cd "$folder" && pwd)
system="libc6 libgcc-s1 libstdc++6 libcap2 libudev1 libxml2 libicu76 liblzma5 libedit2 libtinfo6 libbsd0 libmd0
  libffi8 zlib1g libzstd1 libz3-4 ocl-icd-libopencl1"
pocl="pocl-opencl-icd libpocl2t64 libpocl2-common libhwloc15 libclang-cpp18 libllvm18 clang-18
  libclang-common-18-dev libclang1-18 llvm-spirv-18 libllvmspirvlib18.1 binutils binutils-x86-64-linux-gnu
  libbinutils libctf0 libctf-nobfd0 libsframe1 libjansson4 libc6-dev libgcc-14-dev"
rusticl="mesa-opencl-icd mesa-libgallium libllvm19 libclang-cpp19 libclang-common-19-dev libclc-19
  libllvmspirvlib19.1 libdrm2 libdrm-amdgpu1 libdrm-intel1 libpciaccess0 libelf1t64 libexpat1 libsensors5
  libx11-6 libx11-xcb1 libxcb1 libxcb-randr0 libxcb-dri3-0 libxcb-present0 libxcb-sync1 libxcb-shm0
  libxcb-xfixes0 libxau6 libxdmcp6 libxshmfence1"
download_packages "$folder" trixie $system $pocl $rusticl
for deb in "$folder"/debs/*.deb; do
  dpkg-deb -x "$deb" "$folder/root"
done
for link in bin sbin lib lib64; do
  [ -e "$folder/root/$link" ] || ln -s "usr/$link" "$folder/root/$link"
done
mkdir -p "$folder/root/proc" "$folder/root/sys" "$folder/root/dev" "$folder/root/tmp"
# Without Mesa's old driver, and rusticl's code for GPUs.
(cd "$folder/root" && rm -rf etc/OpenCL/vendors/mesa.icd usr/lib/x86_64-linux-gnu/gallium-pipe \
   usr/lib/clc/*.bc usr/share/doc)
versions=$(cd "$folder/debs" && echo pocl-opencl-icd_* mesa-opencl-icd_*)
drop_downloads "$folder"
copy_linked
echo "$versions" > "$folder/complete"

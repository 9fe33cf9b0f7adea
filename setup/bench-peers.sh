#!/bin/sh
# Unpacks peers for `make bench-cpu` that a system may lack into FOLDER (build):
#
#   setup/bench-peers.sh [FOLDER [NAME]]
#
#   FOLDER/opencl        the OpenCL loader (Debian's ocl-icd-libopencl1)
#   FOLDER/pocl          PoCL, with the part of clang 15 that it compiles with
#   FOLDER/intel-opencl  Intel's OpenCL runtime for CPUs, from PyPI, in a separate environment
#   FOLDER/mesa25, FOLDER/swiftshader  unpacked by the scripts of these names
#
# Needs no root and changes nothing outside FOLDER. Complete peers are left unchanged. A peer that cannot
# be downloaded is left out. The reason goes to FOLDER/NAME/absent, and the benchmark shows it. With NAME, only that
# peer is unpacked, and its absence is an error.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(mkdir -p "${1:-$(dirname "$here")/build}" && cd "${1:-$(dirname "$here")/build}" && pwd)
. "$here/private-packages.sh"

# unpack FOLDER PACKAGE...: unpacks Debian packages into FOLDER/root, and links their libraries in FOLDER/lib.
unpack() {
  folder=$1
  shift
  mkdir -p "$folder/root" "$folder/icd"
  download_packages "$folder" bookworm "$@"
  for deb in "$folder"/debs/*.deb; do
    dpkg-deb -x "$deb" "$folder/root"
  done
  ln -s root/usr/lib/x86_64-linux-gnu "$folder/lib"
  versions=$(for deb in "$folder"/debs/*.deb; do
    dpkg-deb --show --showformat='${Package} ${Version}\n' "$deb"
  done)
  drop_downloads "$folder"
}

make_opencl() {
  unpack "$1" ocl-icd-libopencl1
  require_libraries "$1/lib/libOpenCL.so.1"
  echo "$versions" > "$1/complete"
}

make_pocl() {
  unpack "$1" pocl-opencl-icd libpocl2 libpocl2-common libhwloc15 libclang-cpp15 libllvm15 \
    clang-15 libclang-common-15-dev
  library=$(ls "$1"/lib/libpocl.so.2.*)
  LD_LIBRARY_PATH="$1/lib" require_libraries "$library"
  echo "$library" > "$1/icd/pocl.icd"
  echo "$versions" > "$1/complete"
}

make_intel_opencl() {
  "${PYTHON:-/usr/bin/python3}" -m venv "$1/venv" || give_up "no Python environment can be made"
  "$1/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input \
    intel-opencl-rt intel-cmplr-lib-rt tbb > "$1/log" 2>&1 ||
    give_up "not installed: $(grep -m 1 -i '^error' "$1/log" || tail -n 1 "$1/log")"
  ln -s venv/lib "$1/lib"
  [ -e "$1/lib/libintelocl.so" ] || give_up "intel-opencl-rt holds no lib/libintelocl.so"
  LD_LIBRARY_PATH="$1/lib" require_libraries "$1/lib/libintelocl.so"
  mkdir -p "$1/icd"
  echo "$1/lib/libintelocl.so" > "$1/icd/intel.icd"
  "$1/venv/bin/python" -m pip list --format freeze > "$1/complete"
}

make_mesa25() { "$here/mesa25.sh" "$1"; }
make_swiftshader() { "$here/swiftshader.sh" "$1"; }

if [ $# -ge 2 ]; then
  case $2 in
    opencl|pocl|intel-opencl|mesa25|swiftshader) ;;
    *) give_up "there is no peer '$2'; there are opencl, pocl, intel-opencl, mesa25 and swiftshader" ;;
  esac
  folder=$build/$2
  [ ! -s "$folder/complete" ] || exit 0
  rm -rf "$folder"
  mkdir -p "$folder"
  "make_$(echo "$2" | tr - _)" "$folder"
  exit 0
fi

for name in opencl pocl intel-opencl mesa25 swiftshader; do
  folder=$build/$name
  [ ! -s "$folder/complete" ] || continue
  echo "setup: unpacking $name for the benchmark"
  if ! said=$("$here/bench-peers.sh" "$build" $name 2>&1); then
    rm -rf "$folder"
    mkdir -p "$folder"
    echo "$said" | tail -n 1 | tee "$folder/absent" | sed 's/^/setup: without it: /'
  fi
done
exit 0

#!/bin/sh
# Unpacks, once, the Vulkan and OpenCL drivers that tests run on in addition to the system's, into FOLDER (build):
#
#   setup/test-drivers.sh [FOLDER]
#
# Tests can run without them. If a driver cannot be downloaded (no network, another system), the
# reason goes to FOLDER/NAME/absent, its tests show the reason and are skipped, and the script
# succeeds.
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$(dirname "$here")/build}

# unpack NAME: some drivers have a script of their own, and others are also peers of a benchmark.
unpack() {
  case $1 in
    opencl|intel-opencl) "$here/bench-peers.sh" "$build" "$1" ;;
    *) "$here/$1.sh" "$build/$1" ;;
  esac
}

for name in mesa25 swiftshader opencl intel-opencl debian13-opencl; do
  folder=$build/$name
  [ -s "$folder/complete" ] || echo "setup: unpacking $name for the tests"
  if ! said=$(unpack "$name" 2>&1); then
    rm -rf "$folder"
    mkdir -p "$folder"
    echo "$said" | tail -n 1 | tee "$folder/absent" | sed 's/^/setup: without it: /'
  fi
done
exit 0

#!/bin/sh
# Unpacks, once, what tests run on in addition to the system's own, into FOLDER (build): Vulkan and OpenCL drivers,
# emulators of other systems, and the headers of Python that wheels for other systems are compiled with.
#
#   setup/test-drivers.sh [FOLDER]
#
# Tests can run without them. If one cannot be downloaded (no network, another system), the
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

for name in mesa25 swiftshader opencl intel-opencl debian13-opencl arm64-root wine python-headers python-source; do
  folder=$build/$name
  [ -e "$folder/complete" ] || echo "setup: unpacking $name for the tests"
  if ! said=$(unpack "$name" 2>&1); then
    rm -rf "$folder"
    mkdir -p "$folder"
    echo "$said" | tail -n 1 | tee "$folder/absent" | sed 's/^/setup: without it: /'
  fi
done
exit 0

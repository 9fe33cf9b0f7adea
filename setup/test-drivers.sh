#!/bin/sh
# Unpacks, once, the Vulkan drivers that tests run on in addition to the system's, into FOLDER (build):
#
#   setup/test-drivers.sh [FOLDER]
#
# Tests can run without them. If a driver cannot be downloaded (no network, another system), the
# reason goes to FOLDER/NAME/absent, its tests show the reason and are skipped, and the script
# succeeds.
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$(dirname "$here")/build}

for name in mesa25 swiftshader; do
  folder=$build/$name
  [ -s "$folder/complete" ] || echo "setup: unpacking $name for the tests"
  if ! said=$("$here/$name.sh" "$folder" 2>&1); then
    rm -rf "$folder"
    mkdir -p "$folder"
    echo "$said" | tail -n 1 | tee "$folder/absent" | sed 's/^/setup: without it: /'
  fi
done
exit 0

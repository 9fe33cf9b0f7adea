#!/bin/sh
# Builds the runtime's tests for another system with zig (cmake/cross/Zig.cmake), into FOLDER:
#
#   tools/build-system-tests.sh FOLDER TARGET [JOBS]
set -eu
cmake -S "$(dirname "$0")/.." -B "$1" -G Ninja --toolchain "$(cd "$(dirname "$0")/.." && pwd)/cmake/cross/Zig.cmake" \
  -DPUMICE_ZIG_TARGET="$2" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER_LAUNCHER=ccache \
  -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DPUMICE_BUILD_COMPILER=OFF -DPUMICE_BUILD_TESTS=ON -DPUMICE_PRECOMPILE=OFF \
  -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=12 > /dev/null
ninja -C "$1" -j "${3:-2}" pumice_system_tests

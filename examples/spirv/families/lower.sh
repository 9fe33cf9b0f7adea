#!/bin/sh
# Lowers everything beside this script, for docs/spirv-to-llvm.md. Of each function it leaves, in the
# current folder: NAME.spirv, the module's text; NAME.lanes, what one invocation does; NAME.simd, what
# a subgroup of eight lanes does, in the llvm dialect and with values unnamed; NAME.asm, for AVX2.
set -eu
here=$(dirname "$0")
flat=pumice-flatten-spirv,pumice-inline-spirv-calls,pumice-spirv-to-lanes'{width=8}'
structured=mem2reg,cse,pumice-find-merges,pumice-structure-lanes,canonicalize

# Lines from one that matches $2 up to one that matches $3, in files by the name that follows $2.
split() {
  awk -v kind="$1" -v from="$2" -v to="$3" '
    match($0, from "[a-z]+") { name = substr($0, RSTART, RLENGTH); sub(from, "", name) }
    name != "" { print > (name "." kind) }
    $0 ~ to { name = "" }'
}

lower() {
  pumice-opt "$1" --pass-pipeline="builtin.module($flat,func.func($structured))" |
    split lanes 'func @' '^  }'
  pumice-opt "$1" -pumice-spirv-to-cpu=lanes=8 -canonicalize | sed 's/%[0-9][0-9]*/%x/g' |
    split simd 'func @' '^  }'
}

for module in values memory control together matrices; do
  split spirv 'func @' '^  }' < "$here/$module.mlir"
  lower "$here/$module.mlir"
  mlir-translate --no-implicit-module --serialize-spirv "$here/$module.mlir" -o "$module.spv"
  for kernel in $(sed -n 's/.*EntryPoint "GLCompute" @\([a-z]*\).*/\1/p' "$here/$module.mlir"); do
    pumice compile "$module.spv" --kernel "$kernel" --emit asm --target x86-64-v3 -o "$kernel.asm"
  done
done
clang-22 --target=spirv64 -x cl -cl-std=CL3.0 -Xclang -finclude-default-header -O2 \
  -c "$here/opencl.cl" -o opencl.spv
lower opencl.spv
glslangValidator -V "$here/print.comp" -e print --source-entrypoint main -o print.spv > print.log
lower print.spv

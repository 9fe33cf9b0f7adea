#!/bin/sh
# Lowers everything next to this script, for docs/spirv-to-llvm.md. For each function it leaves
# files in the current folder. NAME.spirv is the module's text, NAME.lanes the code of one
# invocation. NAME.simd is the code of a subgroup of eight lanes in the llvm dialect, with unnamed
# values. NAME.asm is for AVX2.
set -eu
here=$(dirname "$0")
flat=pumice-flatten-spirv,pumice-inline-spirv-calls,pumice-spirv-to-lanes'{width=8}'
structured=mem2reg,cse,pumice-find-merges,pumice-structure-lanes,canonicalize

# Prints the lines from one that matches $2 to one that matches $3, into files named after the
# function.
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

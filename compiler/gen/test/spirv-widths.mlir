// Both ways give modules for both addressing models.

// RUN: pumice-opt %s --pass-pipeline='builtin.module(convert-gen-to-llvm{index-bitwidth=32},convert-func-to-llvm{index-bitwidth=32},convert-arith-to-llvm{index-bitwidth=32},canonicalize)' \
// RUN:   | mlir-translate --mlir-to-llvmir | llc -mtriple=spirv32 -filetype=obj | spirv-dis | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: pumice-opt %s --pass-pipeline='builtin.module(convert-gen-to-llvm,convert-func-to-llvm,convert-arith-to-llvm,canonicalize)' \
// RUN:   | mlir-translate --mlir-to-llvmir | llc -mtriple=spirv64 -filetype=obj | spirv-dis | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: pumice-opt %s --pass-pipeline='builtin.module(convert-gen-to-spirv,convert-func-to-spirv,convert-arith-to-spirv,canonicalize,pumice-wrap-spirv,spirv.module(spirv-update-vce))' \
// RUN:   | sed -n '/spirv.module/,/^  }/p' | mlir-translate --no-implicit-module --serialize-spirv | spirv-dis | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: pumice-opt %s --pass-pipeline='builtin.module(convert-gen-to-spirv{index-bitwidth=64},convert-func-to-spirv,convert-arith-to-spirv,canonicalize,pumice-wrap-spirv{index-bitwidth=64},spirv.module(spirv-update-vce))' \
// RUN:   | sed -n '/spirv.module/,/^  }/p' | mlir-translate --no-implicit-module --serialize-spirv | spirv-dis | FileCheck %s --check-prefixes=CHECK,WIDE

// NARROW: OpMemoryModel Physical32 OpenCL
// WIDE: OpMemoryModel Physical64 OpenCL
// CHECK-DAG: OpDecorate %__spirv_BuiltInWorkgroupSize BuiltIn WorkgroupSize
// NARROW-DAG: OpTypeVector %uint 3
// WIDE-DAG: OpTypeVector %ulong 3
// NARROW: OpFunction %uint None
// WIDE: OpFunction %ulong None

module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.2, [Addresses, Kernel, Int64], []>, #spirv.resource_limits<>>} {
  func.func @size() -> index {
    %c1_i32 = arith.constant 1 : i32
    %0 = gen.work_group_size %c1_i32
    func.return %0 : index
  }
}

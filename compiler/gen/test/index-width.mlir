// An index has the bits that an option or the module's data layout states.
// RUN: pumice-opt %s -convert-gen-to-llvm | FileCheck %s --check-prefix=LLVM
// RUN: pumice-opt %s -convert-gen-to-llvm=index-bitwidth=32 | FileCheck %s --check-prefix=LLVM32
// RUN: pumice-opt %s --pass-pipeline='builtin.module(builtin.module(convert-gen-to-llvm,convert-func-to-llvm,convert-arith-to-llvm,canonicalize))' \
// RUN:   | FileCheck %s --check-prefix=LAYOUT
// RUN: pumice-opt %s --pass-pipeline='builtin.module(builtin.module(convert-gen-to-spirv,convert-func-to-spirv,convert-arith-to-spirv,canonicalize))' \
// RUN:   | FileCheck %s --check-prefix=SPIRV

module {
  // LLVM-LABEL: module @small
  // LLVM: llvm.func spir_funccc @_Z12get_local_idj(i32) -> i64
  // LLVM32-LABEL: module @small
  // LLVM32: llvm.func spir_funccc @_Z12get_local_idj(i32) -> i32
  // LAYOUT-LABEL: module @small
  // LAYOUT: llvm.func @position() -> i32
  // LAYOUT: llvm.call @_Z12get_local_idj({{.*}}) : (i32) -> i32
  // SPIRV-LABEL: module @small
  // SPIRV: spirv.GlobalVariable @__spirv_BuiltInLocalInvocationId {{.*}} : !spirv.ptr<vector<3xi32>, Input>
  // SPIRV: spirv.func @position() -> i32
  module @small attributes {
      dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>,
      spirv.target_env = #spirv.target_env<#spirv.vce<v1.2, [Addresses, Kernel], []>, #spirv.resource_limits<>>} {
    func.func @position() -> index {
      %c1_i32 = arith.constant 1 : i32
      %0 = gen.local_id %c1_i32
      return %0 : index
    }
  }

  // With 64 bits, the conversion to SPIR-V also converts func and arith.
  // LAYOUT-LABEL: module @large
  // LAYOUT: llvm.call @_Z12get_local_idj({{.*}}) : (i32) -> i64
  // SPIRV-LABEL: module @large
  // SPIRV: spirv.GlobalVariable @__spirv_BuiltInLocalInvocationId {{.*}} : !spirv.ptr<vector<3xi64>, Input>
  // SPIRV: spirv.func @position(%arg0: i64) -> i64
  // SPIRV: %[[C:.*]] = spirv.Constant 1 : i32
  // SPIRV: %[[V:.*]] = spirv.Load "Input" %{{.*}} : vector<3xi64>
  // SPIRV: %[[I:.*]] = spirv.VectorExtractDynamic %[[V]][%[[C]]] : vector<3xi64>, i32
  // SPIRV: %[[S:.*]] = spirv.IAdd %[[I]], %arg0 : i64
  // SPIRV: spirv.ReturnValue %[[S]] : i64
  module @large attributes {
      dlti.dl_spec = #dlti.dl_spec<index = 64 : i32>,
      spirv.target_env = #spirv.target_env<#spirv.vce<v1.2, [Addresses, Kernel, Int64], []>, #spirv.resource_limits<>>} {
    func.func @position(%offset: index) -> index {
      %c1_i32 = arith.constant 1 : i32
      %0 = gen.local_id %c1_i32
      %1 = arith.addi %0, %offset : index
      return %1 : index
    }
  }
}

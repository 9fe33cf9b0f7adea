// The pipeline of the dialect's proposal through the SPIR-V dialect, and the code after each step.
// The proposal puts the functions into a spirv.module by hand; pumice-wrap-spirv does it here.

// RUN: pumice-opt %s --pass-pipeline="builtin.module(convert-gen-to-spirv,convert-func-to-spirv,convert-arith-to-spirv,canonicalize)" \
// RUN:   | FileCheck %s --check-prefix=CONVERTED --match-full-lines --strict-whitespace
//      CONVERTED:module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.2, [Addresses, Kernel], []>, #spirv.resource_limits<>>} {
// CONVERTED-NEXT:  spirv.GlobalVariable @__spirv_BuiltInLocalInvocationId built_in("LocalInvocationId") : !spirv.ptr<vector<3xi32>, Input>
// CONVERTED-NEXT:  spirv.func @get_local_id() -> i32 "None" {
// CONVERTED-NEXT:    %cst0_i32 = spirv.Constant 0 : i32
// CONVERTED-NEXT:    %__spirv_BuiltInLocalInvocationId_addr = spirv.mlir.addressof @__spirv_BuiltInLocalInvocationId : !spirv.ptr<vector<3xi32>, Input>
// CONVERTED-NEXT:    %0 = spirv.Load "Input" %__spirv_BuiltInLocalInvocationId_addr : vector<3xi32>
// CONVERTED-NEXT:    %1 = spirv.VectorExtractDynamic %0[%cst0_i32] : vector<3xi32>, i32
// CONVERTED-NEXT:    spirv.ReturnValue %1 : i32
// CONVERTED-NEXT:  }
// CONVERTED-NEXT:}

// RUN: pumice-opt %s --pass-pipeline="builtin.module(convert-gen-to-spirv,convert-func-to-spirv,convert-arith-to-spirv,canonicalize,pumice-wrap-spirv{name=kernels},spirv.module(spirv-update-vce))" \
// RUN:   | sed -n '/spirv.module/,/^  }/s/^  //p' | tee %t.spv.mlir | FileCheck %s --match-full-lines --strict-whitespace
//      CHECK:spirv.module @__spv__kernels Physical32 OpenCL requires #spirv.vce<v1.0, [Addresses, Kernel], []> attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.2, [Addresses, Kernel], []>, #spirv.resource_limits<>>} {
// CHECK-NEXT:  spirv.GlobalVariable @__spirv_BuiltInLocalInvocationId built_in("LocalInvocationId") : !spirv.ptr<vector<3xi32>, Input>
// CHECK-NEXT:  spirv.func @get_local_id() -> i32 "None" {
// CHECK-NEXT:    %cst0_i32 = spirv.Constant 0 : i32
// CHECK-NEXT:    %__spirv_BuiltInLocalInvocationId_addr = spirv.mlir.addressof @__spirv_BuiltInLocalInvocationId : !spirv.ptr<vector<3xi32>, Input>
// CHECK-NEXT:    %0 = spirv.Load "Input" %__spirv_BuiltInLocalInvocationId_addr : vector<3xi32>
// CHECK-NEXT:    %1 = spirv.VectorExtractDynamic %0[%cst0_i32] : vector<3xi32>, i32
// CHECK-NEXT:    spirv.ReturnValue %1 : i32
// CHECK-NEXT:  }
// CHECK-NEXT:}

// RUN: mlir-translate --no-implicit-module --serialize-spirv %t.spv.mlir | spirv-dis --no-header --no-indent \
// RUN:   | FileCheck %s --check-prefix=SPIRV --match-full-lines --strict-whitespace
//      SPIRV:OpCapability Addresses
// SPIRV-NEXT:OpCapability Kernel
// SPIRV-NEXT:OpMemoryModel Physical32 OpenCL
// SPIRV-NEXT:OpName %__spirv_BuiltInLocalInvocationId "__spirv_BuiltInLocalInvocationId"
// SPIRV-NEXT:OpName %get_local_id "get_local_id"
// SPIRV-NEXT:OpDecorate %__spirv_BuiltInLocalInvocationId BuiltIn LocalInvocationId
// SPIRV-NEXT:%uint = OpTypeInt 32 0
// SPIRV-NEXT:%v3uint = OpTypeVector %uint 3
// SPIRV-NEXT:%_ptr_Input_v3uint = OpTypePointer Input %v3uint
// SPIRV-NEXT:%__spirv_BuiltInLocalInvocationId = OpVariable %_ptr_Input_v3uint Input
// SPIRV-NEXT:%5 = OpTypeFunction %uint
// SPIRV-NEXT:%uint_0 = OpConstant %uint 0
// SPIRV-NEXT:%get_local_id = OpFunction %uint None %5
// SPIRV-NEXT:%7 = OpLabel
// SPIRV-NEXT:%9 = OpLoad %v3uint %__spirv_BuiltInLocalInvocationId
// SPIRV-NEXT:%10 = OpVectorExtractDynamic %uint %9 %uint_0
// SPIRV-NEXT:OpReturnValue %10
// SPIRV-NEXT:OpFunctionEnd

module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.2, [Addresses, Kernel], []>, #spirv.resource_limits<>>} {
  func.func @get_local_id() -> index {
    %c0_i32 = arith.constant 0 : i32
    %0 = gen.local_id %c0_i32
    func.return %0 : index
  }
}

// The pipeline of the dialect's proposal through LLVM, and the code after each step of it.

// RUN: pumice-opt %s --pass-pipeline="builtin.module(convert-gen-to-llvm,convert-func-to-llvm,convert-arith-to-llvm,canonicalize)" \
// RUN:   | FileCheck %s --match-full-lines --strict-whitespace
//      CHECK:module {
// CHECK-NEXT:  llvm.func spir_funccc @_Z12get_local_idj(i32) -> i64
// CHECK-NEXT:  llvm.func @get_local_id() -> i64 {
// CHECK-NEXT:    %0 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:    %1 = llvm.call @_Z12get_local_idj(%0) : (i32) -> i64
// CHECK-NEXT:    llvm.return %1 : i64
// CHECK-NEXT:  }
// CHECK-NEXT:}

// RUN: pumice-opt %s --pass-pipeline="builtin.module(convert-gen-to-llvm,convert-func-to-llvm,convert-arith-to-llvm,canonicalize)" \
// RUN:   | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=IR --match-full-lines --strict-whitespace
//      IR:source_filename = "LLVMDialectModule"
// IR-EMPTY:
// IR-NEXT:declare spir_func i64 @_Z12get_local_idj(i32)
// IR-EMPTY:
// IR-NEXT:define i64 @get_local_id() {
// IR-NEXT:  %1 = call i64 @_Z12get_local_idj(i32 0)
// IR-NEXT:  ret i64 %1
// IR-NEXT:}
// IR-EMPTY:
// IR-NEXT:!llvm.module.flags = !{!0}
// IR-EMPTY:
// IR-NEXT:!0 = !{i32 2, !"Debug Info Version", i32 3}

// RUN: pumice-opt %s --pass-pipeline="builtin.module(convert-gen-to-llvm,convert-func-to-llvm,convert-arith-to-llvm,canonicalize)" \
// RUN:   | mlir-translate --mlir-to-llvmir | llc -mtriple=spirv64 | FileCheck %s --check-prefix=SPIRV
//      SPIRV: OpCapability Kernel
// SPIRV-NEXT: OpCapability Addresses
// SPIRV-NEXT: OpCapability Int64
// SPIRV-NEXT: OpCapability Linkage
// SPIRV-NEXT: OpExtInstImport "OpenCL.std"
// SPIRV-NEXT: OpMemoryModel Physical64 OpenCL
// SPIRV-NEXT: OpSource
// SPIRV-NEXT: OpName %[[FUNCTION:.*]] "get_local_id"
// SPIRV-NEXT: OpName %[[VARIABLE:.*]] "__spirv_BuiltInLocalInvocationId"
// SPIRV-NEXT: OpDecorate %[[FUNCTION]] LinkageAttributes "get_local_id" Export
// SPIRV-NEXT: OpDecorate %[[VARIABLE]] Constant
// SPIRV-NEXT: OpDecorate %[[VARIABLE]] LinkageAttributes "__spirv_BuiltInLocalInvocationId" Import
// SPIRV-NEXT: OpDecorate %[[VARIABLE]] BuiltIn LocalInvocationId
// SPIRV-NEXT: %[[I64:.*]] = OpTypeInt 64 0
// SPIRV-NEXT: %[[TYPE:.*]] = OpTypeFunction %[[I64]]
// SPIRV-NEXT: %[[VECTOR:.*]] = OpTypeVector %[[I64]] 3
// SPIRV-NEXT: %[[POINTER:.*]] = OpTypePointer Input %[[VECTOR]]
// SPIRV-NEXT: %[[VARIABLE]] = OpVariable %[[POINTER]] Input
// SPIRV-NEXT: %[[FUNCTION]] = OpFunction %[[I64]] None %[[TYPE]]
// SPIRV-NEXT: OpLabel
// SPIRV-NEXT: %[[LOADED:.*]] = OpLoad %[[VECTOR]] %[[VARIABLE]] Aligned 1
// SPIRV-NEXT: %[[RESULT:.*]] = OpCompositeExtract %[[I64]] %[[LOADED]] 0
// SPIRV-NEXT: OpReturnValue %[[RESULT]]
// SPIRV-NEXT: OpFunctionEnd

func.func @get_local_id() -> index {
  %c0_i32 = arith.constant 0 : i32
  %0 = gen.local_id %c0_i32
  func.return %0 : index
}

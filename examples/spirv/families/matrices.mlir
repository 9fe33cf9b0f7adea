// Cooperative matrices; docs/spirv-to-llvm.md shows the code that they are lowered to.
!floats = !spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>
!a = !spirv.coopmatrix<8x8xf32, Subgroup, MatrixA>
!b = !spirv.coopmatrix<8x8xf32, Subgroup, MatrixB>
!sum = !spirv.coopmatrix<8x8xf32, Subgroup, MatrixAcc>

spirv.module Logical Vulkan requires #spirv.vce<v1.6, [Shader, VulkanMemoryModel, CooperativeMatrixKHR], [SPV_KHR_cooperative_matrix]> {
  spirv.GlobalVariable @floats bind(0, 0) : !spirv.ptr<!floats, StorageBuffer>

  spirv.func @matrices() "None" {
    %floats = spirv.mlir.addressof @floats : !spirv.ptr<!floats, StorageBuffer>
    %0 = spirv.Constant 0 : i32
    %8 = spirv.Constant 8 : i32
    %64 = spirv.Constant 64 : i32
    %p = spirv.AccessChain %floats[%0, %0] : !spirv.ptr<!floats, StorageBuffer>, i32, i32 -> !spirv.ptr<f32, StorageBuffer>
    %q = spirv.AccessChain %floats[%0, %64] : !spirv.ptr<!floats, StorageBuffer>, i32, i32 -> !spirv.ptr<f32, StorageBuffer>
    %a = spirv.KHR.CooperativeMatrixLoad %p, %8, <RowMajor> : !spirv.ptr<f32, StorageBuffer>, i32 -> !a
    %b = spirv.KHR.CooperativeMatrixLoad %p, %8, <ColumnMajor> : !spirv.ptr<f32, StorageBuffer>, i32 -> !b
    %c = spirv.KHR.CooperativeMatrixLoad %q, %8, <RowMajor> : !spirv.ptr<f32, StorageBuffer>, i32 -> !sum
    %d = spirv.KHR.CooperativeMatrixMulAdd %a, %b, %c : !a, !b -> !sum
    %e = spirv.FNegate %d : !sum
    spirv.KHR.CooperativeMatrixStore %q, %e, %8, <RowMajor> : !spirv.ptr<f32, StorageBuffer>, !sum, i32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @matrices, @floats
  spirv.ExecutionMode @matrices "LocalSize", 8, 1, 1
}

// Workgroup memory of words becomes vectors of 16 bytes if all indices show which word of a vector they mean.
// RUN: pumice-opt %s --pumice-join-words | FileCheck %s

// CHECK-LABEL: spirv.module @joined
// CHECK: spirv.GlobalVariable @m : !spirv.ptr<!spirv.array<16 x vector<4xi32>>, Workgroup>
spirv.module @joined Logical Vulkan requires #spirv.vce<v1.6, [Shader, VulkanMemoryModel, CooperativeMatrixKHR, Float16], [SPV_KHR_cooperative_matrix]> {
  spirv.GlobalVariable @m : !spirv.ptr<!spirv.array<64 x i32>, Workgroup>
  // CHECK: spirv.func @k(%[[Q:.*]]: i32, %[[V:.*]]: vector<4xi32>, %[[COLUMN:.*]]: i32)
  spirv.func @k(%q: i32, %v: vector<4xi32>, %column: i32) "None" {
    %c1 = spirv.Constant 1 : i32
    %c2 = spirv.Constant 2 : i32
    %c3 = spirv.Constant 3 : i32
    %c4 = spirv.Constant 4 : i32
    %c7 = spirv.Constant 7 : i32
    %c20 = spirv.Constant 20 : i32
    %m = spirv.mlir.addressof @m : !spirv.ptr<!spirv.array<64 x i32>, Workgroup>
    %i0 = spirv.IMul %q, %c4 : i32
    %i1 = spirv.IAdd %i0, %c1 : i32
    %i2 = spirv.IAdd %i0, %c2 : i32
    %i3 = spirv.IAdd %i0, %c3 : i32
    %v0 = spirv.CompositeExtract %v[0 : i32] : vector<4xi32>
    %v1 = spirv.CompositeExtract %v[1 : i32] : vector<4xi32>
    %v2 = spirv.CompositeExtract %v[2 : i32] : vector<4xi32>
    %v3 = spirv.CompositeExtract %v[3 : i32] : vector<4xi32>
    %p0 = spirv.AccessChain %m[%i0] : !spirv.ptr<!spirv.array<64 x i32>, Workgroup>, i32 -> !spirv.ptr<i32, Workgroup>
    %p1 = spirv.AccessChain %m[%i1] : !spirv.ptr<!spirv.array<64 x i32>, Workgroup>, i32 -> !spirv.ptr<i32, Workgroup>
    %p2 = spirv.AccessChain %m[%i2] : !spirv.ptr<!spirv.array<64 x i32>, Workgroup>, i32 -> !spirv.ptr<i32, Workgroup>
    %p3 = spirv.AccessChain %m[%i3] : !spirv.ptr<!spirv.array<64 x i32>, Workgroup>, i32 -> !spirv.ptr<i32, Workgroup>
    // Four stores become one.
    // CHECK: %[[P:.*]] = spirv.AccessChain %{{.*}}[%[[Q]]] {{.*}} -> !spirv.ptr<vector<4xi32>, Workgroup>
    // CHECK: spirv.Store "Workgroup" %[[P]], %[[V]] {{.*}} : vector<4xi32>
    // CHECK-NOT: spirv.Store
    spirv.Store "Workgroup" %p0, %v0 ["NonPrivatePointer"] : i32
    spirv.Store "Workgroup" %p1, %v1 ["NonPrivatePointer"] : i32
    spirv.Store "Workgroup" %p2, %v2 ["NonPrivatePointer"] : i32
    spirv.Store "Workgroup" %p3, %v3 ["NonPrivatePointer"] : i32
    // A matrix is loaded from vectors, so its stride counts vectors.
    // CHECK: spirv.KHR.CooperativeMatrixLoad %{{.*}}, %[[FIVE:.*]], <RowMajor>, {{.*}} : !spirv.ptr<vector<4xi32>, Workgroup>, i32
    %f = spirv.KHR.CooperativeMatrixLoad %p0, %c20, <RowMajor>, <NonPrivatePointer> : !spirv.ptr<i32, Workgroup>, i32 -> !spirv.coopmatrix<16x16xf16, Subgroup, MatrixA>
    // A single word is an element of a vector, also if its number is known only at run time.
    // CHECK: %[[WORD:.*]] = spirv.UDiv
    // CHECK: %[[E:.*]] = spirv.AccessChain %{{.*}}[%[[Q]], %[[WORD]]]
    // CHECK: spirv.Store "Workgroup" %[[E]]
    %rest = spirv.BitwiseAnd %column, %c7 : i32
    %word = spirv.UDiv %rest, %c2 : i32
    %at = spirv.IAdd %i0, %word : i32
    %p = spirv.AccessChain %m[%at] : !spirv.ptr<!spirv.array<64 x i32>, Workgroup>, i32 -> !spirv.ptr<i32, Workgroup>
    spirv.Store "Workgroup" %p, %v0 ["NonPrivatePointer"] : i32
    spirv.Return
  }
}

// An index that may mean any word leaves the array as it is.
// CHECK-LABEL: spirv.module @unknown
// CHECK: spirv.GlobalVariable @m : !spirv.ptr<!spirv.array<64 x i32>, Workgroup>
spirv.module @unknown Logical Vulkan requires #spirv.vce<v1.6, [Shader, VulkanMemoryModel, CooperativeMatrixKHR, Float16], [SPV_KHR_cooperative_matrix]> {
  spirv.GlobalVariable @m : !spirv.ptr<!spirv.array<64 x i32>, Workgroup>
  spirv.func @k(%q: i32, %v: i32) "None" {
    %c20 = spirv.Constant 20 : i32
    %m = spirv.mlir.addressof @m : !spirv.ptr<!spirv.array<64 x i32>, Workgroup>
    %p = spirv.AccessChain %m[%q] : !spirv.ptr<!spirv.array<64 x i32>, Workgroup>, i32 -> !spirv.ptr<i32, Workgroup>
    spirv.Store "Workgroup" %p, %v ["NonPrivatePointer"] : i32
    %f = spirv.KHR.CooperativeMatrixLoad %p, %c20, <RowMajor>, <NonPrivatePointer> : !spirv.ptr<i32, Workgroup>, i32 -> !spirv.coopmatrix<16x16xf16, Subgroup, MatrixA>
    spirv.Return
  }
}

// RUN: pumice-opt %s --pumice-spirv-to-lanes | FileCheck %s
// A part of a composite is a slice of its scalars.

!in = !spirv.struct<(f32 [0], f32 [4], f32 [8], f32 [12], i32 [16])>
!m = !spirv.matrix<2 x vector<2xf32>>
spirv.GlobalVariable @in bind(0, 0) : !spirv.ptr<!in, StorageBuffer>
spirv.GlobalVariable @out bind(0, 1) : !spirv.ptr<!spirv.struct<(vector<4xf32> [0])>, StorageBuffer>

// CHECK-LABEL: func.func @composites
spirv.func @composites() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 1, 1, 1>} {
  %0 = spirv.Constant 0 : i32
  %in = spirv.mlir.addressof @in : !spirv.ptr<!in, StorageBuffer>
  %out = spirv.mlir.addressof @out : !spirv.ptr<!spirv.struct<(vector<4xf32> [0])>, StorageBuffer>
  %po = spirv.AccessChain %out[%0] : !spirv.ptr<!spirv.struct<(vector<4xf32> [0])>, StorageBuffer>, i32 -> !spirv.ptr<vector<4xf32>, StorageBuffer>
  %all = spirv.Load "StorageBuffer" %in : !in
  // CHECK: %[[F:.*]]:4 = lane.load %{{.*}} align 4 : f32, f32, f32, f32
  // CHECK: %[[I:.*]] = lane.load %{{.*}} align 4 : i32
  %a = spirv.CompositeExtract %all[0 : i32] : !in
  %b = spirv.CompositeExtract %all[1 : i32] : !in
  %c = spirv.CompositeExtract %all[2 : i32] : !in
  %d = spirv.CompositeExtract %all[3 : i32] : !in
  %i = spirv.CompositeExtract %all[4 : i32] : !in
  %v = spirv.CompositeConstruct %a, %b, %c, %d : (f32, f32, f32, f32) -> vector<4xf32>
  // CHECK: lane.store %[[F]]#3, %[[F]]#0, %[[F]]#1, %[[F]]#1
  %s = spirv.VectorShuffle [3 : i32, 4 : i32, 5 : i32, 1 : i32] %v, %v : vector<4xf32>, vector<4xf32> -> vector<4xf32>
  spirv.Store "StorageBuffer" %po, %s : vector<4xf32>
  // CHECK: lane.store %[[F]]#0, %[[F]]#1, %[[F]]#0, %[[F]]#3
  %t = spirv.CompositeInsert %a, %v[2 : i32] : f32 into vector<4xf32>
  spirv.Store "StorageBuffer" %po, %t : vector<4xf32>
  // The matrix with columns [a b] and [c d] is transposed to columns [a c] and [b d].
  // CHECK: lane.store %[[F]]#0, %[[F]]#2, %[[F]]#1, %[[F]]#3
  %c0 = spirv.CompositeConstruct %a, %b : (f32, f32) -> vector<2xf32>
  %c1 = spirv.CompositeConstruct %c, %d : (f32, f32) -> vector<2xf32>
  %m = spirv.CompositeConstruct %c0, %c1 : (vector<2xf32>, vector<2xf32>) -> !m
  %w = spirv.Transpose %m : !m -> !m
  %w0 = spirv.CompositeExtract %w[0 : i32] : !m
  %w1 = spirv.CompositeExtract %w[1 : i32] : !m
  %u = spirv.CompositeConstruct %w0, %w1 : (vector<2xf32>, vector<2xf32>) -> vector<4xf32>
  spirv.Store "StorageBuffer" %po, %u : vector<4xf32>
  // Two chains of compare and select: one of three selects, and one of four.
  // CHECK-COUNT-3: arith.select
  %x = spirv.VectorExtractDynamic %v[%i] : vector<4xf32>, i32
  // CHECK-COUNT-4: arith.select %{{.*}}, %[[F]]#0, %[[F]]#{{[0-3]}}
  %y = spirv.VectorInsertDynamic %a, %v[%i] : vector<4xf32>, i32
  // CHECK: %[[AC:.*]] = arith.mulf %[[F]]#0, %[[F]]#0 fastmath<contract>
  // CHECK: %[[BD:.*]] = arith.mulf %[[F]]#2, %[[F]]#1 fastmath<contract>
  // CHECK: arith.addf %[[AC]], %[[BD]] fastmath<contract>
  %z = spirv.MatrixTimesVector %m, %c0 : !m, vector<2xf32> -> vector<2xf32>
  spirv.Return
}

// RUN: pumice-opt %s -convert-gen-to-spirv | FileCheck %s
// Every operation becomes instructions of SPIR-V.

module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.3,
    [Addresses, Kernel, Groups, Int8, Int16, Int64, Float16, Float64, GroupNonUniformArithmetic,
     GroupNonUniformBallot, GroupNonUniformShuffle, GroupNonUniformShuffleRelative], []>,
    #spirv.resource_limits<>>} {

// CHECK-DAG: spirv.GlobalVariable @__spirv_BuiltInWorkgroupId built_in("WorkgroupId") : !spirv.ptr<vector<3xi32>, Input>
// CHECK-DAG: spirv.GlobalVariable @__spirv_BuiltInWorkgroupSize built_in("WorkgroupSize") : !spirv.ptr<vector<3xi32>, Input>
// CHECK-DAG: spirv.GlobalVariable @__spirv_BuiltInNumWorkgroups built_in("NumWorkgroups") : !spirv.ptr<vector<3xi32>, Input>
// CHECK-DAG: spirv.GlobalVariable @__spirv_BuiltInSubgroupSize built_in("SubgroupSize") : !spirv.ptr<i32, Input>

// CHECK-LABEL: func.func @constant_dimensions
func.func @constant_dimensions() -> (index, index, index) {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c3_i32 = arith.constant 3 : i32
  // CHECK: spirv.mlir.addressof @__spirv_BuiltInWorkgroupId
  // CHECK: spirv.VectorExtractDynamic %{{.*}}[%c0_i32] : vector<3xi32>, i32
  %0 = gen.work_group_id %c0_i32
  // CHECK: spirv.mlir.addressof @__spirv_BuiltInWorkgroupSize
  // CHECK: spirv.VectorExtractDynamic %{{.*}}[%c1_i32] : vector<3xi32>, i32
  %1 = gen.work_group_size %c1_i32
  // CHECK-NOT: spirv.VectorExtractDynamic
  %2 = gen.num_work_groups %c3_i32
  return %0, %1, %2 : index, index, index
}

// CHECK-LABEL: func.func @any_dimension
func.func @any_dimension(%dimension: i32) -> (index, index) {
  // CHECK: %[[V:.*]] = spirv.Load "Input" %{{.*}} : vector<3xi32>
  // CHECK: %[[LIMIT:.*]] = spirv.Constant 3 : i32
  // CHECK: %[[EXISTS:.*]] = spirv.ULessThan %arg0, %[[LIMIT]] : i32
  // CHECK: %[[C0:.*]] = spirv.Constant 0 : i32
  // CHECK: %[[D:.*]] = spirv.Select %[[EXISTS]], %arg0, %[[C0]] : i1, i32
  // CHECK: %[[N:.*]] = spirv.VectorExtractDynamic %[[V]][%[[D]]] : vector<3xi32>, i32
  // CHECK: %[[BEYOND:.*]] = spirv.Constant 1 : i32
  // CHECK: spirv.Select %[[EXISTS]], %[[N]], %[[BEYOND]] : i1, i32
  %0 = gen.num_work_groups %dimension
  // CHECK: spirv.VectorExtractDynamic
  // CHECK: %[[NONE:.*]] = spirv.Constant 0 : i32
  // CHECK: spirv.Select %{{.*}}, %{{.*}}, %[[NONE]] : i1, i32
  %1 = gen.local_id %dimension
  return %0, %1 : index, index
}

// CHECK-LABEL: func.func @sub_groups
func.func @sub_groups() -> (i32, i32, i32, i32) {
  // CHECK: spirv.mlir.addressof @__spirv_BuiltInSubgroupLocalInvocationId
  %0 = gen.sub_group_local_id
  // CHECK: spirv.mlir.addressof @__spirv_BuiltInSubgroupSize
  %1 = gen.sub_group_size
  // CHECK: spirv.mlir.addressof @__spirv_BuiltInSubgroupId
  %2 = gen.sub_group_id
  // CHECK: spirv.mlir.addressof @__spirv_BuiltInNumSubgroups
  %3 = gen.num_sub_groups
  // CHECK: spirv.ControlBarrier <Workgroup>, <Workgroup>, <SequentiallyConsistent|WorkgroupMemory|CrossWorkgroupMemory>
  gen.barrier
  // CHECK: spirv.ControlBarrier <Workgroup>, <Workgroup>, <SequentiallyConsistent|WorkgroupMemory>
  gen.barrier local
  // CHECK: spirv.ControlBarrier <Workgroup>, <Workgroup>, <SequentiallyConsistent|CrossWorkgroupMemory>
  gen.barrier global
  return %0, %1, %2, %3 : i32, i32, i32, i32
}

// CHECK-LABEL: func.func @exchange
func.func @exchange(%i8: i8, %i16: i16, %i32: i32, %f16: f16, %f64: f64, %lane: i32, %c: i1) {
  // CHECK: spirv.GroupNonUniformShuffleXor <Subgroup> %arg0, %arg5 : i8, i32
  %0 = gen.sub_group_shuffle xor %i8, %lane : i8
  // CHECK: spirv.GroupNonUniformShuffleUp <Subgroup> %arg1, %arg5 : i16, i32
  %1 = gen.sub_group_shuffle up %i16, %lane : i16
  // CHECK: spirv.GroupNonUniformShuffleDown <Subgroup> %arg2, %arg5 : i32, i32
  %2 = gen.sub_group_shuffle down %i32, %lane : i32
  // CHECK: spirv.GroupNonUniformShuffle <Subgroup> %arg3, %arg5 : f16, i32
  %3 = gen.sub_group_shuffle idx %f16, %lane : f16
  // CHECK: spirv.GroupBroadcast <Subgroup> %arg4, %arg5 : f64, i32
  %4 = gen.sub_group_broadcast %f64, %lane : f64
  // CHECK: spirv.GroupNonUniformBallot <Subgroup> %arg6 : vector<4xi32>
  %5 = gen.sub_group_ballot %c
  return
}

// CHECK-LABEL: func.func @combine
func.func @combine(%i: i32, %l: i64, %f: f32) {
  // CHECK: spirv.GroupFAdd <Subgroup> <Reduce> %arg2 : f32
  %0 = gen.sub_group_reduce add %f uniform : f32
  // CHECK: spirv.GroupNonUniformFAdd <Subgroup> <Reduce> %arg2 : f32
  %1 = gen.sub_group_reduce add %f : f32
  // CHECK: spirv.GroupNonUniformFMin <Subgroup> <Reduce> %arg2 : f32
  %2 = gen.sub_group_reduce min %f uniform : f32
  // CHECK: spirv.GroupNonUniformFMax <Subgroup> <InclusiveScan> %arg2 : f32
  %3 = gen.sub_group_scan max %f : f32
  // CHECK: spirv.GroupSMin <Subgroup> <Reduce> %arg0 : i32
  %4 = gen.sub_group_reduce smin %i uniform : i32
  // CHECK: spirv.GroupNonUniformSMax <Subgroup> <Reduce> %arg0 : i32
  %5 = gen.sub_group_reduce smax %i : i32
  // CHECK: spirv.GroupUMin <Subgroup> <ExclusiveScan> %arg1 : i64
  %6 = gen.sub_group_scan umin %l exclusive uniform : i64
  // CHECK: spirv.GroupUMax <Subgroup> <Reduce> %arg1 : i64
  %7 = gen.sub_group_reduce umax %l uniform : i64
  // CHECK: spirv.GroupIAdd <Subgroup> <InclusiveScan> %arg0 : i32
  %8 = gen.sub_group_scan add %i uniform : i32
  // CHECK: spirv.GroupNonUniformIMul <Subgroup> <Reduce> %arg0 : i32
  %9 = gen.sub_group_reduce mul %i uniform : i32
  // CHECK: spirv.GroupNonUniformFMul <Subgroup> <Reduce> %arg2 : f32
  %10 = gen.sub_group_reduce mul %f : f32
  // CHECK: spirv.GroupNonUniformBitwiseAnd <Subgroup> <Reduce> %arg0 : i32
  %11 = gen.sub_group_reduce and %i : i32
  // CHECK: spirv.GroupNonUniformBitwiseOr <Subgroup> <Reduce> %arg0 : i32
  %12 = gen.sub_group_reduce or %i : i32
  // CHECK: spirv.GroupNonUniformBitwiseXor <Subgroup> <ExclusiveScan> %arg0 : i32
  %13 = gen.sub_group_scan xor %i exclusive : i32
  return
}

}

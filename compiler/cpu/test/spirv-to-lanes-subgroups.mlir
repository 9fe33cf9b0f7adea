// RUN: pumice-opt %s --pumice-spirv-to-lanes | FileCheck %s

spirv.GlobalVariable @mask built_in("SubgroupLtMask") : !spirv.ptr<vector<4xi32>, Input>

// CHECK-LABEL: func.func @subgroups
spirv.func @subgroups() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 32, 1, 1>} {
  // CHECK: %[[LANE:.*]] = lane.builtin subgroup_lane
  // CHECK: arith.shli
  %m = spirv.mlir.addressof @mask : !spirv.ptr<vector<4xi32>, Input>
  %mask = spirv.Load "Input" %m : vector<4xi32>
  %x = spirv.Constant 1 : i32
  %c4 = spirv.Constant 4 : i32
  %f = spirv.Constant 1.0 : f32
  %v = spirv.Constant dense<2.0> : vector<2xf32>
  %t = spirv.Constant true
  // The elected lane is the lowest active one.
  // CHECK: %[[ALL:.*]] = lane.ballot
  // CHECK: math.cttz %[[ALL]] : i64
  // CHECK: arith.cmpi eq
  %0 = spirv.GroupNonUniformElect <Subgroup> : i1
  // CHECK: lane.ballot
  // CHECK: arith.cmpi ne
  %1 = spirv.GroupNonUniformAny <Subgroup> %t : i1
  // CHECK: arith.xori
  // CHECK: lane.ballot
  // CHECK: arith.cmpi eq
  %2 = spirv.GroupNonUniformAll <Subgroup> %t : i1
  // CHECK: lane.shuffle
  // CHECK: lane.shuffle
  // CHECK: arith.cmpf oeq
  %3 = spirv.GroupNonUniformAllEqual <Subgroup> %v : vector<2xf32>, i1
  // CHECK: lane.ballot
  %4 = spirv.GroupNonUniformBallot <Subgroup> %t : vector<4xi32>
  // CHECK: math.ctpop
  %5 = spirv.GroupNonUniformBallotBitCount <Subgroup> <Reduce> %4 : vector<4xi32> -> i32
  // CHECK-COUNT-2: lane.shuffle %{{.*}}, %{{.*}} : f32
  %6 = spirv.GroupNonUniformBroadcast <Subgroup> %v, %x : vector<2xf32>, i32
  // CHECK: %[[UP:.*]] = arith.subi
  // CHECK: lane.shuffle %{{.*}}, %[[UP]] : f32
  %7 = spirv.GroupNonUniformShuffleUp <Subgroup> %f, %x : f32, i32
  // CHECK: lane.reduce fadd %{{.*}} : f32
  %8 = spirv.GroupNonUniformFAdd <Subgroup> <Reduce> %f : f32 -> f32
  // CHECK: lane.reduce add scan "exclusive" %{{.*}} : i32
  %9 = spirv.GroupNonUniformIAdd <Subgroup> <ExclusiveScan> %x : i32 -> i32
  // CHECK: lane.reduce umax cluster 4 %{{.*}} : i32
  %10 = spirv.GroupNonUniformUMax <Subgroup> <ClusteredReduce> %x cluster_size(%c4) : i32, i32 -> i32
  // CHECK: lane.reduce and %{{.*}} : i1
  %11 = spirv.GroupNonUniformLogicalAnd <Subgroup> <Reduce> %t : i1 -> i1
  // CHECK: lane.builtin subgroup_lane
  // CHECK: arith.andi
  // CHECK: arith.ori
  // CHECK: lane.shuffle
  %12 = spvx.op "GroupNonUniformQuadBroadcast"(%f, %x) {literals = array<i32: 3>} : (f32, i32) -> f32
  // CHECK: lane.shuffle
  %13 = spirv.GroupNonUniformRotateKHR <Subgroup> %f, %x, cluster_size(%c4) : f32, i32, i32 -> f32
  spirv.Return
}

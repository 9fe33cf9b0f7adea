// RUN: pumice-opt %s -convert-gpu-to-gen -canonicalize | FileCheck %s
// Kernels stay kernels; what they ask of the grid and of subgroups becomes gen.

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @positions
  gpu.func @positions(%out: memref<?xindex>) kernel {
    // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i32
    // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
    // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i32
    // CHECK: %[[R0:.*]] = gen.local_id %[[C0]]
    %0 = gpu.thread_id x
    // CHECK: %[[R1:.*]] = gen.work_group_id %[[C1]]
    %1 = gpu.block_id y
    // CHECK: %[[R2:.*]] = gen.work_group_size %[[C2]]
    %2 = gpu.block_dim z
    // CHECK: %[[R3:.*]] = gen.num_work_groups %[[C0]]
    %3 = gpu.grid_dim x
    // CHECK: %[[GROUP:.*]] = gen.work_group_id %[[C0]]
    // CHECK: %[[SIZE:.*]] = gen.work_group_size %[[C0]]
    // CHECK: %[[LOCAL:.*]] = gen.local_id %[[C0]]
    // CHECK: %[[BEFORE:.*]] = arith.muli %[[GROUP]], %[[SIZE]] : index
    // CHECK: %[[R4:.*]] = arith.addi %[[BEFORE]], %[[LOCAL]] : index
    %4 = gpu.global_id x
    // CHECK: %[[LANE:.*]] = gen.sub_group_local_id
    // CHECK: %[[R5:.*]] = arith.index_castui %[[LANE]] : i32 to index
    %5 = gpu.lane_id
    // CHECK: gen.sub_group_id
    %6 = gpu.subgroup_id : index
    // CHECK: gen.num_sub_groups
    %7 = gpu.num_subgroups : index
    // CHECK: gen.sub_group_size
    %8 = gpu.subgroup_size : index
    // CHECK: gen.barrier{{$}}
    gpu.barrier
    memref.store %0, %out[%1] : memref<?xindex>
    memref.store %2, %out[%3] : memref<?xindex>
    memref.store %4, %out[%5] : memref<?xindex>
    memref.store %6, %out[%7] : memref<?xindex>
    memref.store %8, %out[%7] : memref<?xindex>
    // CHECK: gpu.return
    gpu.return
  }

  // CHECK-LABEL: func.func @shuffles
  // CHECK-SAME: (%[[X:.*]]: f32, %[[OFFSET:.*]]: i32, %[[WIDTH:.*]]: i32)
  func.func @shuffles(%x: f32, %offset: i32, %width: i32) -> (f32, i1, f32, i1, f32, i1) {
    // CHECK: gen.sub_group_shuffle xor %[[X]], %[[OFFSET]] : f32
    // CHECK: %[[L0:.*]] = gen.sub_group_local_id
    // CHECK: arith.cmpi ult, %[[L0]], %[[WIDTH]] : i32
    %0, %v0 = gpu.shuffle xor %x, %offset, %width : f32
    // CHECK: gen.sub_group_shuffle up %[[X]], %[[OFFSET]] : f32
    // CHECK: %[[L1:.*]] = gen.sub_group_local_id
    // CHECK: %[[IN1:.*]] = arith.cmpi ult, %[[L1]], %[[WIDTH]] : i32
    // CHECK: %[[HAS1:.*]] = arith.cmpi uge, %[[L1]], %[[OFFSET]] : i32
    // CHECK: arith.andi %[[IN1]], %[[HAS1]] : i1
    %1, %v1 = gpu.shuffle up %x, %offset, %width : f32
    // CHECK: gen.sub_group_shuffle down %[[X]], %[[OFFSET]] : f32
    // CHECK: %[[L2:.*]] = gen.sub_group_local_id
    // CHECK: %[[IN2:.*]] = arith.cmpi ult, %[[L2]], %[[WIDTH]] : i32
    // CHECK: %[[ROOM:.*]] = arith.subi %[[WIDTH]], %[[L2]] : i32
    // CHECK: %[[HAS2:.*]] = arith.cmpi ult, %[[OFFSET]], %[[ROOM]] : i32
    // CHECK: arith.andi %[[IN2]], %[[HAS2]] : i1
    %2, %v2 = gpu.shuffle down %x, %offset, %width : f32
    return %0, %v0, %1, %v1, %2, %v2 : f32, i1, f32, i1, f32, i1
  }

  // CHECK-LABEL: func.func @together
  func.func @together(%x: f32, %n: i32, %lane: i32) -> (f32, i32, f32, f32) {
    // CHECK: gen.sub_group_reduce add %arg0 : f32
    %0 = gpu.subgroup_reduce add %x : (f32) -> f32
    // CHECK: gen.sub_group_reduce umax %arg1 uniform : i32
    %1 = gpu.subgroup_reduce maxui %n uniform : (i32) -> i32
    // CHECK: gen.sub_group_reduce min %arg0 : f32
    %2 = gpu.subgroup_reduce minnumf %x : (f32) -> f32
    // CHECK: gen.sub_group_shuffle idx %arg0, %arg2 : f32
    %3 = gpu.subgroup_broadcast %x, specific_lane %lane : f32
    return %0, %1, %2, %3 : f32, i32, f32, f32
  }
}

// RUN: pumice-opt %s -pumice-lower-gen | FileCheck %s
// RUN: pumice compile %s --target intel-cpu --via spirv -o %t.spirv.pumice
// RUN: pumice compile %s --target intel-cpu --via llvm -o %t.llvm.pumice
// RUN: pumice compile %s --target cpu -o %t.vulkan.pumice
// RUN: pumice run %t.spirv.pumice --launch %S/inputs/lower-gen.json --device cpu:0 | FileCheck %s --check-prefix=RAN
// RUN: pumice run %t.llvm.pumice --launch %S/inputs/lower-gen.json --device cpu:0 | FileCheck %s --check-prefix=RAN
// RUN: pumice run %t.vulkan.pumice --launch %S/inputs/lower-gen.json --device cpu:0 | FileCheck %s --check-prefix=RAN
// RAN: PASS

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @positions
  gpu.func @positions(%out: memref<16x8xi32>, %dimension: i32) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>, pumice.required_subgroup_size = 16 : i32} {
    %d0 = arith.constant 0 : i32
    %d1 = arith.constant 1 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    // CHECK: %[[I:.*]] = gpu.thread_id  x
    %i = gen.local_id %d0
    %n = arith.index_cast %i : index to i32
    // A dimension that is known only at run time selects one of three positions.
    // CHECK: gpu.block_dim  x
    // CHECK: arith.select
    // CHECK: gpu.block_dim  z
    // CHECK: arith.select
    %size = gen.work_group_size %dimension
    %size32 = arith.index_cast %size : index to i32
    // CHECK: gpu.lane_id
    %lane = gen.sub_group_local_id
    // CHECK: gpu.shuffle  xor
    %exchanged = gen.sub_group_shuffle xor %n, %d1 : i32
    // CHECK: gpu.subgroup_broadcast
    %first = gen.sub_group_broadcast %n, %d1 : i32
    // CHECK: gpu.subgroup_reduce add
    %sum = gen.sub_group_reduce add %n : i32
    // CHECK: gen.sub_group_scan add
    %prefix = gen.sub_group_scan add %n exclusive : i32
    // CHECK: gen.sub_group_scan umax %{{.*}} uniform
    %most = gen.sub_group_scan umax %n uniform : i32
    // CHECK: spirv.GroupNonUniformBallot
    %odd = arith.trunci %n : i32 to i1
    %ballot = gen.sub_group_ballot %odd
    %word = vector.extract %ballot[0] : i32 from vector<4xi32>
    // CHECK: gpu.barrier
    gen.barrier
    memref.store %size32, %out[%i, %c0] : memref<16x8xi32>
    memref.store %lane, %out[%i, %c1] : memref<16x8xi32>
    memref.store %exchanged, %out[%i, %c2] : memref<16x8xi32>
    memref.store %first, %out[%i, %c3] : memref<16x8xi32>
    memref.store %sum, %out[%i, %c4] : memref<16x8xi32>
    memref.store %prefix, %out[%i, %c5] : memref<16x8xi32>
    memref.store %most, %out[%i, %c6] : memref<16x8xi32>
    memref.store %word, %out[%i, %c7] : memref<16x8xi32>
    gpu.return
  }
}

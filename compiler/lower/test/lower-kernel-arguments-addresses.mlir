// An argument whose address is used is a number in the parameter block.
// RUN: pumice-opt %s --pass-pipeline="builtin.module(gpu.module(pumice-select-target{target=lavapipe22},pumice-lower-kernel-arguments))" | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: gpu.func @k() kernel
  // CHECK-SAME: access = "read_write"
  // CHECK-SAME: unnamed_memory
  // CHECK: %[[A:.*]] = vk.parameter 0 : i64
  // CHECK: vk.at_address %[[A]] : memref<?xf32>
  // CHECK: %[[B:.*]] = arith.addi %[[A]], %{{.*}} : i64
  // CHECK: %[[M:.*]] = vk.at_address %[[B]] : memref<?xf16>
  // CHECK: memref.load %[[M]]
  gpu.func @k(%x: memref<?xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %four = arith.constant 4 : i64
    %a = vk.address_of %x : memref<?xf32>
    %b = arith.addi %a, %four : i64
    %m = vk.at_address %b : memref<?xf16>
    %v = memref.load %m[%c0] : memref<?xf16>
    %w = arith.extf %v : f16 to f32
    memref.store %w, %x[%c0] : memref<?xf32>
    gpu.return
  }
}

// RUN: pumice-opt %s --pass-pipeline="builtin.module(gpu.module(pumice-select-target{target=lavapipe22},pumice-lower-kernel-arguments{addressing=physical}))" | FileCheck %s --check-prefixes=CHECK,PHYSICAL
// RUN: pumice-opt %s --pass-pipeline="builtin.module(gpu.module(pumice-select-target{target=lavapipe22},pumice-lower-kernel-arguments{addressing=descriptors index-bits=64}))" | FileCheck %s --check-prefixes=CHECK,DESCRIPTORS
// RUN: pumice-opt %s --pass-pipeline="builtin.module(gpu.module(pumice-select-target{target=vulkan1.0},pumice-lower-kernel-arguments))" | FileCheck %s --check-prefix=AUTOMATIC

// Without buffer device addresses, `auto` means descriptors.
// AUTOMATIC: vk.binding set(0) binding(0)

gpu.module @m {
  // CHECK: memref.global "private" @k_workgroup : memref<32xf32, 3>
  // CHECK-LABEL: gpu.func @k() kernel
  // CHECK-SAME: pumice.interface
  // PHYSICAL-SAME: addressing = "physical"
  // DESCRIPTORS-SAME: addressing = "descriptors"
  // CHECK-SAME: access = "read"
  // CHECK-SAME: access = "read_write"
  // PHYSICAL-SAME: index_bits = 32
  // DESCRIPTORS-SAME: index_bits = 64
  // CHECK-SAME: place = "push_constants"
  gpu.func @k(%x: memref<?xf32>, %y: memref<4x?xf16, strided<[?, 1], offset: ?>>, %h: f16, %b: i1,
              %l: i64, %n: index)
      workgroup(%t: memref<32xf32, 3>) private(%p: memref<2xf32, 5>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // PHYSICAL: %[[X:.*]] = vk.parameter 0 : memref<?xf32>
    // PHYSICAL: vk.parameter 8 : i32
    // DESCRIPTORS: %[[X:.*]] = vk.binding set(0) binding(0) : memref<?xf32>
    // DESCRIPTORS: vk.parameter 0 : i64
    // CHECK: memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%{{.*}}], strides: [1]
    // PHYSICAL: vk.parameter 16 : memref<?xf16>
    // DESCRIPTORS: vk.binding set(0) binding(1) : memref<?xf16>
    // CHECK: %[[HALF:.*]] = arith.trunci %{{.*}} : i32 to i16
    // CHECK: arith.bitcast %[[HALF]] : i16 to f16
    // CHECK: arith.trunci {{.*}} : i32 to i1
    // CHECK: vk.parameter {{.*}} : i64
    // CHECK: memref.get_global @k_workgroup : memref<32xf32, 3>
    // CHECK: memref.alloca() : memref<2xf32, 5>
    %c0 = arith.constant 0 : index
    %e = memref.load %x[%n] : memref<?xf32>
    memref.store %e, %t[%c0] : memref<32xf32, 3>
    memref.store %e, %p[%c0] : memref<2xf32, 5>
    %f = memref.load %y[%c0, %n] : memref<4x?xf16, strided<[?, 1], offset: ?>>
    %g = arith.addf %f, %h : f16
    %s = arith.select %b, %g, %f : f16
    memref.store %s, %y[%c0, %n] : memref<4x?xf16, strided<[?, 1], offset: ?>>
    %i = arith.index_cast %l : i64 to index
    %d = memref.load %x[%i] : memref<?xf32>
    memref.store %d, %p[%c0] : memref<2xf32, 5>
    gpu.return
  }

  // Elements are consecutive, whatever type they are read as.
  // CHECK-LABEL: gpu.func @vectors
  // CHECK-SAME: fields = [{{.*}}argument = 0 : i64, dimension = 0 : i64, offset = 0 : i64, size = 12 : i64{{.*}}argument = 1 : i64, dimension = 0 : i64, offset = 12 : i64, size = 3 : i64
  gpu.func @vectors(%f: vector<3xf32>, %b: vector<3xi8>, %r: memref<f32>) kernel {
    // CHECK: %[[F0:.*]] = vk.parameter 0 : f32
    // CHECK: %[[F1:.*]] = vk.parameter 4 : f32
    // CHECK: %[[F2:.*]] = vk.parameter 8 : f32
    // CHECK: vector.from_elements %[[F0]], %[[F1]], %[[F2]] : vector<3xf32>
    // CHECK: %[[W0:.*]] = vk.parameter 12 : i32
    // CHECK: %[[B0:.*]] = arith.trunci %[[W0]] : i32 to i8
    // CHECK: %[[W1:.*]] = vk.parameter 12 : i32
    // CHECK: %[[C8:.*]] = arith.constant 8 : i32
    // CHECK: %[[S1:.*]] = arith.shrui %[[W1]], %[[C8]] : i32
    // CHECK: %[[B1:.*]] = arith.trunci %[[S1]] : i32 to i8
    // CHECK: vector.from_elements %[[B0]], %[[B1]], %{{.*}} : vector<3xi8>
    %b1 = vector.extract %b[1] : i8 from vector<3xi8>
    %x = arith.sitofp %b1 : i8 to f32
    %f1 = vector.extract %f[1] : f32 from vector<3xf32>
    %s = arith.addf %x, %f1 : f32
    memref.store %s, %r[] : memref<f32>
    gpu.return
  }
}

// Loops that multiply fragments lose masks that hold in all iterations, also if the number of iterations is known only at
// run time. The first and the last iteration decide.
// RUN: pumice-opt %s --pumice-take-full-blocks | FileCheck %s

#a = #tile.layout<[16, 16], register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], subgroup = []>
#r = #tile.layout<[16], register = [1, 2, 4], lane = [8, 0, 0, 0, 0], subgroup = []>
#f = #tile.layout<[16, 16], register = [[0, 1], [0, 8], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], subgroup = []>

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [VK_KHR_cooperative_matrix], {
    cooperativeMatrix, shaderFloat16, vulkanMemoryModel, subgroupSize = 32 : i32,
    cooperativeMatrixPropertiesKHR = ["16x16x16 f16 f16 f32 f32 subgroup"],
    cooperativeMatrixFragments = ["accumulator 16x16 f32 subgroup components (0,1) (0,8) (8,0) lanes (0,2) (0,4) (1,0) (2,0) (4,0)"]}>} {

// The limit falls from iteration to iteration: column < depth - 16 · k.
// CHECK-LABEL: gpu.func @falling
// CHECK-SAME: %[[DEPTH:[^ ]*]]: i32, %[[COUNT:[^ ]*]]: i32
// CHECK: arith.extsi %[[COUNT]] : i32 to i64
// CHECK: arith.andi
// CHECK: scf.if
// CHECK: scf.for
// CHECK: tile.load from %{{[^ ]*}} at %{{[^ ]*}} {neighbours
// CHECK: } else {
// CHECK: scf.for
// CHECK: tile.load from %{{[^ ]*}} at %{{[^ ]*}} mask
gpu.func @falling(%x: memref<?xf16>, %c: memref<?xf32>, %depth: i32, %count: i32) kernel {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #f>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %columns = tile.range 0 to 16 : tensor<16xi32, #r>
  %places = arith.constant dense<0> : tensor<16x16xi32, #a>
  %sum = scf.for %k = %c0 to %count step %c1 iter_args(%s = %zero) -> (tensor<16x16xf32, #f>) : i32 {
    %done = arith.muli %k, %c16 : i32
    %rest = arith.subi %depth, %done : i32
    %limit = tile.splat %rest : i32 -> tensor<16xi32, #r>
    %is = arith.cmpi slt, %columns, %limit : tensor<16xi32, #r>
    %row = tile.expand_dims %is axis 0 : tensor<16xi1, #r> -> tensor<1x16xi1, #tile.layout<[1, 16], register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 0], [0, 0], [0, 0], [0, 0]], subgroup = []>>
    %mask = tile.broadcast %row : tensor<1x16xi1, #tile.layout<[1, 16], register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 0], [0, 0], [0, 0], [0, 0]], subgroup = []>> -> tensor<16x16xi1, #a>
    %l = tile.load from %x at %places mask %mask {neighbours = 8 : i32} : (memref<?xf16>, tensor<16x16xi32, #a>, tensor<16x16xi1, #a>) -> tensor<16x16xf16, #a>
    %d = tile.dot %l, %l, %s : tensor<16x16xf16, #a>, tensor<16x16xf16, #a> -> tensor<16x16xf32, #f>
    scf.yield %d : tensor<16x16xf32, #f>
  }
  %to = arith.constant dense<0> : tensor<16x16xi32, #f>
  tile.store %sum to %c at %to : (tensor<16x16xf32, #f>, memref<?xf32>, tensor<16x16xi32, #f>)
  gpu.return
}

// A product of unknown numbers may wrap, so the mask stays.
// CHECK-LABEL: gpu.func @unknown
// CHECK-NOT: scf.if
// CHECK: tile.load from %{{[^ ]*}} at %{{[^ ]*}} mask
// CHECK: gpu.return
gpu.func @unknown(%x: memref<?xf16>, %c: memref<?xf32>, %depth: i32, %count: i32) kernel {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #f>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %places = arith.constant dense<0> : tensor<16x16xi32, #a>
  %sum = scf.for %k = %c0 to %count step %c1 iter_args(%s = %zero) -> (tensor<16x16xf32, #f>) : i32 {
    %done = arith.muli %k, %depth : i32
    %limit = tile.splat %done : i32 -> tensor<16x16xi32, #a>
    %mask = arith.cmpi slt, %places, %limit : tensor<16x16xi32, #a>
    %l = tile.load from %x at %places mask %mask {neighbours = 8 : i32} : (memref<?xf16>, tensor<16x16xi32, #a>, tensor<16x16xi1, #a>) -> tensor<16x16xf16, #a>
    %d = tile.dot %l, %l, %s : tensor<16x16xf16, #a>, tensor<16x16xf16, #a> -> tensor<16x16xf32, #f>
    scf.yield %d : tensor<16x16xf32, #f>
  }
  %to = arith.constant dense<0> : tensor<16x16xi32, #f>
  tile.store %sum to %c at %to : (tensor<16x16xf32, #f>, memref<?xf32>, tensor<16x16xi32, #f>)
  gpu.return
}
}

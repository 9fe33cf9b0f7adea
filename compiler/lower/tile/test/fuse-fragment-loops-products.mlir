// RUN: pumice-opt %s --pumice-fuse-fragment-loops --cse | FileCheck %s
// Small products are unrolled, unless lanes hold different rows and columns: then each element of the factors would need
// its own shuffle.

#c4 = #tile.layout<[8, 4], register = [[4, 0]], lane = [[0, 1], [0, 2], [1, 0], [2, 0]], subgroup = []>
#a = #tile.layout<[8, 64], register = [[0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8]], subgroup = []>
#b4 = #tile.layout<[64, 4], register = [[4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 1], [0, 2], [1, 0], [2, 0]], subgroup = []>
#c16 = #tile.layout<[8, 16], register = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8]], subgroup = []>
#b16 = #tile.layout<[64, 16], register = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8]], subgroup = []>
gpu.module @tiles {

// Two registers of 64 steps.
// CHECK-LABEL: gpu.func @narrow
// CHECK-NOT: tile.dot
// CHECK: scf.for %{{.*}} = %c0_i32 to %c64_i32 step %c1_i32 iter_args({{.*}}) -> (tensor<8x4xf32
// CHECK: math.fma
gpu.func @narrow(%x: memref<?xf32>, %p: i32) kernel {
  %ofA = tile.splat %p : i32 -> tensor<8x64xi32, #a>
  %ofB = tile.splat %p : i32 -> tensor<64x4xi32, #b4>
  %ofC = tile.splat %p : i32 -> tensor<8x4xi32, #c4>
  %a = tile.load from %x at %ofA : (memref<?xf32>, tensor<8x64xi32, #a>) -> tensor<8x64xf32, #a>
  %b = tile.load from %x at %ofB : (memref<?xf32>, tensor<64x4xi32, #b4>) -> tensor<64x4xf32, #b4>
  %zero = arith.constant dense<0.0> : tensor<8x4xf32, #c4>
  %d = tile.dot %a, %b, %zero : tensor<8x64xf32, #a>, tensor<64x4xf32, #b4> -> tensor<8x4xf32, #c4>
  tile.store %d to %x at %ofC : (tensor<8x4xf32, #c4>, memref<?xf32>, tensor<8x4xi32, #c4>)
  gpu.return
}

// Eight registers of 64 steps.
// CHECK-LABEL: gpu.func @wide
// CHECK: tile.dot
gpu.func @wide(%x: memref<?xf32>, %p: i32) kernel {
  %ofA = tile.splat %p : i32 -> tensor<8x64xi32, #a>
  %ofB = tile.splat %p : i32 -> tensor<64x16xi32, #b16>
  %ofC = tile.splat %p : i32 -> tensor<8x16xi32, #c16>
  %a = tile.load from %x at %ofA : (memref<?xf32>, tensor<8x64xi32, #a>) -> tensor<8x64xf32, #a>
  %b = tile.load from %x at %ofB : (memref<?xf32>, tensor<64x16xi32, #b16>) -> tensor<64x16xf32, #b16>
  %zero = arith.constant dense<0.0> : tensor<8x16xf32, #c16>
  %d = tile.dot %a, %b, %zero : tensor<8x64xf32, #a>, tensor<64x16xf32, #b16> -> tensor<8x16xf32, #c16>
  tile.store %d to %x at %ofC : (tensor<8x16xf32, #c16>, memref<?xf32>, tensor<8x16xi32, #c16>)
  gpu.return
}
}

// A large sum within one block is also available in another shape.
// RUN: pumice-opt %s --pumice-fuse-fragment-loops="registers=4 unrolled=4" | FileCheck %s

#cube = #tile.layout<[8, 8, 4], register = [[0, 0, 1], [0, 0, 2], [1, 1, 0], [2, 2, 0], [4, 4, 0]], lane = [[0, 1, 0], [0, 2, 0], [0, 4, 0]], subgroup = []>
#square = #tile.layout<[8, 8], register = [[1, 1], [2, 2], [4, 4]], lane = [[0, 1], [0, 2], [0, 4]], subgroup = []>
#flat = #tile.layout<[64], register = [9, 18, 36], lane = [1, 2, 4], subgroup = []>

gpu.module @m {
  // CHECK-LABEL: gpu.func @sum
  // CHECK:       tile.reduce
  // CHECK:       tile.array_store
  // CHECK:       tile.array_load {{.*}} : {{.*}} -> tensor<64xf32
  // CHECK:       tile.store
  gpu.func @sum(%x: memref<?xf32>, %y: memref<?xf32>, %n: i32) kernel {
    %p = tile.splat %n : i32 -> tensor<8x8x4xi32, #cube>
    %v = tile.load from %x at %p : (memref<?xf32>, tensor<8x8x4xi32, #cube>) -> tensor<8x8x4xf32, #cube>
    %s = tile.reduce %v axis 2 : (tensor<8x8x4xf32, #cube>) -> tensor<8x8xf32, #square> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %r = tile.reshape %s : tensor<8x8xf32, #square> -> tensor<64xf32, #flat>
    %i = tile.range 0 to 64 : tensor<64xi32, #flat>
    tile.store %r to %y at %i : (tensor<64xf32, #flat>, memref<?xf32>, tensor<64xi32, #flat>)
    gpu.return
  }
}

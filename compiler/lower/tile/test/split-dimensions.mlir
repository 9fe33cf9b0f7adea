// Tensors whose blocks would be most of the tensor are computed in another shape, in which they have small blocks.
// RUN: pumice-opt %s --pumice-split-dimensions | FileCheck %s
// RUN: pumice-opt %s --pumice-split-dimensions=registers=1024 | FileCheck %s --check-prefix=LARGE
// RUN: pumice-opt %s --pumice-split-dimensions --pumice-fuse-fragment-loops --cse | FileCheck %s --check-prefix=LOOPS

// An element's number has 14 bits. Lanes hold bit 10 and bits 5 to 3.
#flat = #tile.layout<[16384], register = [2048, 4096, 8192, 64, 128, 256, 512, 1, 2, 4], lane = [8, 16, 32, 1024], subgroup = []>
#matrix = #tile.layout<[128, 128], register = [[0, 16], [0, 32], [0, 64], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8]], subgroup = []>
#turned = #tile.layout<[128, 128], register = [[16, 0], [32, 0], [64, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[1, 0], [2, 0], [4, 0], [8, 0]], subgroup = []>
#row = #tile.layout<[16384], register = [2048, 4096, 8192, 1, 2, 4, 8, 16, 32, 64], lane = [128, 256, 512, 1024], subgroup = []>

// LARGE-NOT: tensor<{{(8|16)}}x
// CHECK-DAG: #[[PARTS:.*]] = #tile.layout<[128, 128], register = {{\[}}[16, 0], [32, 0], [64, 0], [0, 1],
gpu.module @m {
  // A range becomes a range for each dimension. A splat is a splat in any shape, and reshapes
  // there and back disappear.
  // CHECK-LABEL: gpu.func @turned
  // CHECK:       %[[V:.*]] = tile.trans
  // CHECK-NOT:   tile.reshape
  // CHECK:       %[[MORE:.*]] = arith.addf %[[V]], %{{.*}} : tensor<128x128xf32, #[[PARTS]]>
  // CHECK:       tile.range 0 to 128 : tensor<128xi32
  // CHECK:       tile.expand_dims
  // CHECK:       tile.broadcast
  // CHECK:       arith.addi {{.*}} : tensor<128x128xi32, #[[PARTS]]>
  // CHECK:       tile.store %[[MORE]] to {{.*}} mask {{.*}} : (tensor<128x128xf32, #[[PARTS]]>
  // LOOPS-LABEL: gpu.func @turned
  // LOOPS:       scf.for
  // LOOPS:         scf.for
  // LOOPS:           tile.load
  // LOOPS-NOT:       scf.for
  // LOOPS:           tile.store
  // LOOPS-NOT:   tile.array
  // LOOPS:       gpu.return
  gpu.func @turned(%x: memref<?xf32>, %y: memref<?xf32>, %n: i32) kernel {
    %places = tile.splat %n : i32 -> tensor<128x128xi32, #matrix>
    %v = tile.load from %x at %places : (memref<?xf32>, tensor<128x128xi32, #matrix>) -> tensor<128x128xf32, #matrix>
    %t = tile.trans %v [1, 0] : tensor<128x128xf32, #matrix> -> tensor<128x128xf32, #turned>
    %u = tile.reshape %t : tensor<128x128xf32, #turned> -> tensor<16384xf32, #row>
    %one = arith.constant dense<1.0> : tensor<16384xf32, #row>
    %w = arith.addf %u, %one : tensor<16384xf32, #row>
    %i = tile.range 0 to 16384 : tensor<16384xi32, #row>
    %limit = tile.splat %n : i32 -> tensor<16384xi32, #row>
    %m = arith.cmpi slt, %i, %limit : tensor<16384xi32, #row>
    tile.store %w to %y at %i mask %m : (tensor<16384xf32, #row>, memref<?xf32>, tensor<16384xi32, #row>, tensor<16384xi1, #row>)
    gpu.return
  }

  // The start of the range is added once.
  // CHECK-LABEL: gpu.func @from_five
  // CHECK-DAG:   tile.range 5 to 13 : tensor<8xi32
  // CHECK-DAG:   tile.range 0 to 16 : tensor<16xi32
  // CHECK-DAG:   tile.range 0 to 128 : tensor<128xi32
  // CHECK-DAG:   arith.constant dense<8> : tensor<128xi32
  // CHECK-DAG:   arith.constant dense<1024> : tensor<16xi32
  // CHECK:       tile.store {{.*}} tensor<16x128x8xi32
  gpu.func @from_five(%y: memref<?xi32>) kernel {
    %i = tile.range 5 to 16389 : tensor<16384xi32, #flat>
    %p = arith.addi %i, %i : tensor<16384xi32, #flat>
    tile.store %p to %y at %i : (tensor<16384xi32, #flat>, memref<?xi32>, tensor<16384xi32, #flat>)
    gpu.return
  }

  // Summed elements are reordered, so that registers are the highest bits.
  // CHECK-LABEL: gpu.func @sum
  // CHECK:       %[[APART:.*]] = tile.reshape
  // CHECK:       %[[SORTED:.*]] = tile.trans %[[APART]]
  // CHECK:       %[[ALL:.*]] = tile.reshape %[[SORTED]]
  // CHECK:       tile.reduce %[[ALL]] axis 0
  // LOOPS-LABEL: gpu.func @sum
  // LOOPS:       scf.for
  // LOOPS:         tile.load
  // LOOPS:       tile.reduce
  gpu.func @sum(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
    %i = tile.range 0 to 16384 : tensor<16384xi32, #row>
    %v = tile.load from %x at %i : (memref<?xf32>, tensor<16384xi32, #row>) -> tensor<16384xf32, #row>
    %s = tile.reduce %v axis 0 : (tensor<16384xf32, #row>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %zero = arith.constant 0 : index
    memref.store %s, %y[%zero] : memref<?xf32>
    gpu.return
  }

  // A loop carries the new shape.
  // CHECK-LABEL: gpu.func @carried
  // CHECK:       scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (tensor<128x128xf32, #[[PARTS]]>)
  // CHECK-NOT:     tile.reshape
  // CHECK:         %[[NEXT:.*]] = arith.addf %[[SUM]], {{.*}} : tensor<128x128xf32, #[[PARTS]]>
  // CHECK-NEXT:    scf.yield %[[NEXT]]
  gpu.func @carried(%x: memref<?xf32>, %y: memref<?xf32>, %n: i32) kernel {
    %i = tile.range 0 to 16384 : tensor<16384xi32, #row>
    %none = arith.constant dense<0.0> : tensor<16384xf32, #row>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %sum = scf.for %k = %zero to %n step %one iter_args(%so_far = %none) -> (tensor<16384xf32, #row>) : i32 {
      %v = tile.load from %x at %i : (memref<?xf32>, tensor<16384xi32, #row>) -> tensor<16384xf32, #row>
      %w = arith.addf %so_far, %v : tensor<16384xf32, #row>
      scf.yield %w : tensor<16384xf32, #row>
    }
    tile.store %sum to %y at %i : (tensor<16384xf32, #row>, memref<?xf32>, tensor<16384xi32, #row>)
    gpu.return
  }
}

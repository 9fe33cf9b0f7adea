// RUN: pumice-opt %s --pumice-fuse-fragment-loops --cse --canonicalize | FileCheck %s
// Combinations that are not arithmetic on tensors: loops and prints, for each element of a block.

#big = #tile.layout<[1024], register = [16, 32, 64, 128, 256, 512], lane = [1, 2, 4, 8], subgroup = []>
#one = #tile.layout<[1], register = [], lane = [0, 0, 0, 0], subgroup = []>
gpu.module @tiles {

// The first block is combined with nothing, and prints nothing. Printed values are computed in the region.
// CHECK-LABEL: gpu.func @printing
// CHECK: scf.for
// CHECK: %[[FIRST:.*]] = arith.cmpi eq
// CHECK: %[[BOTH:.*]] = tile.map {{.*}} pack 1
// CHECK: %[[LATER:.*]] = arith.cmpi ne
// CHECK: %[[MASK:.*]] = tile.splat %[[LATER]]
// CHECK: arith.andi %{{.*}}, %[[MASK]]
// CHECK: tile.print "%d of %d"
// CHECK: arith.select %[[FIRST]], %{{.*}}, %[[BOTH]]
// CHECK: tile.reduce
gpu.func @printing(%x: memref<?xi32>) kernel {
  %i = tile.range 0 to 1024 : tensor<1024xi32, #big>
  %limit = arith.constant dense<7> : tensor<1xi32, #one>
  %t = tile.load from %x at %i : (memref<?xi32>, tensor<1024xi32, #big>) -> tensor<1024xi32, #big>
  %s = tile.reduce %t axis 0 : (tensor<1024xi32, #big>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %sum = arith.addi %a, %b : i32
    %all = tile.splat %sum : i32 -> tensor<1xi32, #one>
    %mask = arith.cmpi sgt, %all, %limit : tensor<1xi32, #one>
    tile.print "%d of %d"(%all, %limit) mask %mask : (tensor<1xi32, #one>, tensor<1xi32, #one>, tensor<1xi1, #one>)
    tile.yield %sum : i32
  }
  %zero = arith.constant dense<0> : tensor<1xi32, #one>
  %r = tile.splat %s : i32 -> tensor<1xi32, #one>
  tile.store %r to %x at %zero : (tensor<1xi32, #one>, memref<?xi32>, tensor<1xi32, #one>)
  gpu.return
}

// CHECK-LABEL: gpu.func @looping
// CHECK: scf.for
// CHECK: tile.scan
// CHECK: tile.map {{.*}} pack 1
// CHECK: scf.while
// CHECK: tile.store
gpu.func @looping(%x: memref<?xi32>) kernel {
  %i = tile.range 0 to 1024 : tensor<1024xi32, #big>
  %t = tile.load from %x at %i : (memref<?xi32>, tensor<1024xi32, #big>) -> tensor<1024xi32, #big>
  %s = tile.scan %t axis 0 : (tensor<1024xi32, #big>) -> tensor<1024xi32, #big> {
  ^bb0(%a: i32, %b: i32):
    %none = arith.constant 0 : i32
    %r:2 = scf.while (%u = %a, %v = %b) : (i32, i32) -> (i32, i32) {
      %more = arith.cmpi ne, %v, %none : i32
      scf.condition(%more) %u, %v : i32, i32
    } do {
    ^bb1(%u: i32, %v: i32):
      %rest = arith.remsi %u, %v : i32
      scf.yield %v, %rest : i32, i32
    }
    tile.yield %r#0 : i32
  }
  tile.store %s to %x at %i : (tensor<1024xi32, #big>, memref<?xi32>, tensor<1024xi32, #big>)
  gpu.return
}
}

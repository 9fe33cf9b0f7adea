// In loops, too, joins and splits of large blocks only name registers. Joined values are loaded where they are stored.
// RUN: pumice-opt %s --pumice-fuse-fragment-loops --cse --canonicalize | FileCheck %s

#flat = #tile.layout<[1024], register = [16, 32, 64, 128, 256, 512], lane = [1, 2, 4, 8], subgroup = []>
#twice = #tile.layout<[2048], register = [16, 32, 64, 128, 256, 512, 1024], lane = [1, 2, 4, 8], subgroup = []>
#pairs = #tile.layout<[1024, 2], register = [[0, 1], [16, 0], [32, 0], [64, 0], [128, 0], [256, 0], [512, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0]], subgroup = []>
gpu.module @tiles {

// CHECK-LABEL: gpu.func @join
// CHECK-NOT: alloca
// CHECK: scf.for
// CHECK: tile.load from %arg0 {{.*}} -> tensor<32xf32
// CHECK: tile.load from %arg1 {{.*}} -> tensor<32xf32
// CHECK: tile.join {{.*}} -> tensor<32x2xf32
// CHECK: tile.store
// CHECK-NOT: scf.for
// CHECK: gpu.return
gpu.func @join(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>) kernel {
  %i = tile.range 0 to 1024 : tensor<1024xi32, #flat>
  %a = tile.load from %x at %i : (memref<?xf32>, tensor<1024xi32, #flat>) -> tensor<1024xf32, #flat>
  %b = tile.load from %y at %i : (memref<?xf32>, tensor<1024xi32, #flat>) -> tensor<1024xf32, #flat>
  %two = arith.constant dense<2> : tensor<1024xi32, #flat>
  %one = arith.constant dense<1> : tensor<1024xi32, #flat>
  %even = arith.muli %i, %two : tensor<1024xi32, #flat>
  %odd = arith.addi %even, %one : tensor<1024xi32, #flat>
  %j = tile.join %even, %odd : tensor<1024xi32, #flat> -> tensor<1024x2xi32, #pairs>
  %p = tile.join %a, %b : tensor<1024xf32, #flat> -> tensor<1024x2xf32, #pairs>
  tile.store %p to %z at %j : (tensor<1024x2xf32, #pairs>, memref<?xf32>, tensor<1024x2xi32, #pairs>)
  gpu.return
}

// Both halves of a block come from one split.
// CHECK-LABEL: gpu.func @split
// CHECK-NOT: alloca
// CHECK: scf.for
// CHECK: tile.load {{.*}} -> tensor<64x2xf32
// CHECK: %[[A:.*]], %[[B:.*]] = tile.split {{.*}} -> tensor<64xf32
// CHECK: arith.subf %[[A]], %[[B]] : tensor<64xf32
// CHECK: tile.store
// CHECK-NOT: scf.for
// CHECK: gpu.return
gpu.func @split(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
  %i = tile.range 0 to 1024 : tensor<1024xi32, #flat>
  %j = tile.join %i, %i : tensor<1024xi32, #flat> -> tensor<1024x2xi32, #pairs>
  %t = tile.load from %x at %j : (memref<?xf32>, tensor<1024x2xi32, #pairs>) -> tensor<1024x2xf32, #pairs>
  %a, %b = tile.split %t : tensor<1024x2xf32, #pairs> -> tensor<1024xf32, #flat>, tensor<1024xf32, #flat>
  %d = arith.subf %a, %b : tensor<1024xf32, #flat>
  tile.store %d to %y at %i : (tensor<1024xf32, #flat>, memref<?xf32>, tensor<1024xi32, #flat>)
  gpu.return
}

// One array, which two loops fill.
// CHECK-LABEL: gpu.func @cat
// CHECK: %[[ARRAY:.*]] = memref.alloca() : memref<128xf32
// CHECK-NOT: alloca
// CHECK: scf.for
// CHECK: tile.array_store {{.*}} to %[[ARRAY]][%{{.*}}] [0, 1, 2, 3]
// CHECK: scf.for
// CHECK: tile.array_store {{.*}} to %[[ARRAY]][%{{.*}}] [64, 65, 66, 67]
// CHECK: scf.for
// CHECK: tile.array_load %[[ARRAY]]
// CHECK: tile.store
gpu.func @cat(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
  %i = tile.range 0 to 1024 : tensor<1024xi32, #flat>
  %a = tile.load from %x at %i : (memref<?xf32>, tensor<1024xi32, #flat>) -> tensor<1024xf32, #flat>
  %b = arith.negf %a : tensor<1024xf32, #flat>
  %c = tile.cat %a, %b : tensor<1024xf32, #flat> -> tensor<2048xf32, #twice>
  %j = tile.range 0 to 2048 : tensor<2048xi32, #twice>
  tile.store %c to %y at %j : (tensor<2048xf32, #twice>, memref<?xf32>, tensor<2048xi32, #twice>)
  gpu.return
}

// All variables of a loop are read before any of them changes: the swapped halves go through another array.
// CHECK-LABEL: gpu.func @swapped
// CHECK: %{{.*}} = memref.alloca() : memref<128xf32
// CHECK: %{{.*}} = memref.alloca() : memref<128xf32
// CHECK-NOT: alloca
// CHECK: scf.for
// CHECK: tile.array_store {{.*}} to %[[PAIRS:[a-z0-9_]*]][
// CHECK: scf.for %{{.*}} to %arg2
// CHECK: scf.for
// CHECK: tile.array_load %[[PAIRS]][
// CHECK: tile.split
// CHECK: tile.join
// CHECK: tile.array_store {{.*}} to %[[ASIDE:[a-z0-9_]*]][
// CHECK: scf.for
// CHECK: tile.array_load %[[ASIDE]][
// CHECK: tile.array_store {{.*}} to %[[PAIRS]][
gpu.func @swapped(%x: memref<?xf32>, %y: memref<?xf32>, %turns: i32) kernel {
  %none = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  %i = tile.range 0 to 1024 : tensor<1024xi32, #flat>
  %t = tile.load from %x at %i : (memref<?xf32>, tensor<1024xi32, #flat>) -> tensor<1024xf32, #flat>
  %u = arith.negf %t : tensor<1024xf32, #flat>
  %first = tile.join %t, %u : tensor<1024xf32, #flat> -> tensor<1024x2xf32, #pairs>
  %last = scf.for %k = %none to %turns step %step iter_args(%now = %first) -> (tensor<1024x2xf32, #pairs>) : i32 {
    %a, %b = tile.split %now : tensor<1024x2xf32, #pairs> -> tensor<1024xf32, #flat>, tensor<1024xf32, #flat>
    %next = tile.join %b, %a : tensor<1024xf32, #flat> -> tensor<1024x2xf32, #pairs>
    scf.yield %next : tensor<1024x2xf32, #pairs>
  }
  %a, %b = tile.split %last : tensor<1024x2xf32, #pairs> -> tensor<1024xf32, #flat>, tensor<1024xf32, #flat>
  tile.store %a to %y at %i : (tensor<1024xf32, #flat>, memref<?xf32>, tensor<1024xi32, #flat>)
  gpu.return
}
}

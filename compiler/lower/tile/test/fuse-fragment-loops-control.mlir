// Large tensors that conditionals return and that while loops carry; code and prints for each element.
// RUN: pumice-opt %s --pumice-fuse-fragment-loops --cse --canonicalize | FileCheck %s

#big = #tile.layout<[1024], register = [16, 32, 64, 128, 256, 512], lane = [1, 2, 4, 8], subgroup = []>
gpu.module @tiles {

// Both sides fill one array, block by block. A scalar stays a scalar.
// CHECK-LABEL: gpu.func @condition
// CHECK-COUNT-2: memref.alloca() : memref<64xf32
// CHECK-NOT: memref.alloca
// CHECK: tile.load
// CHECK: tile.array_store {{.*}} to %[[LOADED:[a-z0-9_]*]][
// CHECK: %[[N:.*]] = scf.if %arg2 -> (i32) {
// CHECK: %[[FIRST:.*]] = arith.addi %arg3, %c1_i32
// CHECK: scf.for
// CHECK: %[[T:.*]] = tile.array_load %[[LOADED]]
// CHECK: arith.mulf %[[T]], %[[T]] : tensor<64xf32
// CHECK: tile.array_store {{.*}} to %[[ARRAY:[a-z0-9_]*]][
// CHECK: scf.yield %[[FIRST]]
// CHECK: } else {
// CHECK: %[[SECOND:.*]] = arith.muli %arg3, %arg3
// CHECK: scf.for
// CHECK: math.exp {{.*}} : tensor<64xf32
// CHECK: tile.array_store {{.*}} to %[[ARRAY]]
// CHECK: scf.yield %[[SECOND]]
// CHECK: scf.for
// CHECK: tile.array_load %[[ARRAY]]
// CHECK: memref.store %[[N]]
gpu.func @condition(%x: memref<?xf32>, %y: memref<?xi32>, %c: i1, %p: i32) kernel {
  %i = tile.range 0 to 1024 : tensor<1024xi32, #big>
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0 : index
  %t = tile.load from %x at %i : (memref<?xf32>, tensor<1024xi32, #big>) -> tensor<1024xf32, #big>
  %r, %n = scf.if %c -> (tensor<1024xf32, #big>, i32) {
    %s = arith.mulf %t, %t : tensor<1024xf32, #big>
    %q = arith.addi %p, %c1 : i32
    scf.yield %s, %q : tensor<1024xf32, #big>, i32
  } else {
    %e = math.exp %t : tensor<1024xf32, #big>
    %q = arith.muli %p, %p : i32
    scf.yield %e, %q : tensor<1024xf32, #big>, i32
  }
  tile.store %r to %x at %i : (tensor<1024xf32, #big>, memref<?xf32>, tensor<1024xi32, #big>)
  memref.store %n, %y[%zero] : memref<?xi32>
  gpu.return
}

// A value that the condition forwards unchanged stays in its array, and changes in place.
// CHECK-LABEL: gpu.func @while
// CHECK: %[[ARRAY:.*]] = memref.alloca() : memref<64xf32
// CHECK-NOT: memref.alloca
// CHECK: scf.while (%{{.*}} = %c0_i32) : (i32) -> i32 {
// CHECK: scf.condition(%{{.*}}) %{{[a-z0-9]*}} : i32
// CHECK: scf.for
// CHECK: %[[OLD:.*]] = tile.array_load %[[ARRAY]][%[[AT:.*]]]
// CHECK: %[[NEW:.*]] = arith.addf %[[OLD]], %[[OLD]] : tensor<64xf32
// CHECK: tile.array_store %[[NEW]] to %[[ARRAY]][%[[AT]]]
// CHECK: scf.yield %{{[a-z0-9]*}} : i32
// CHECK: scf.for
// CHECK: tile.array_load %[[ARRAY]]
gpu.func @while(%x: memref<?xf32>, %n: i32) kernel {
  %i = tile.range 0 to 1024 : tensor<1024xi32, #big>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %t = tile.load from %x at %i : (memref<?xf32>, tensor<1024xi32, #big>) -> tensor<1024xf32, #big>
  %k, %r = scf.while (%k = %c0, %s = %t) : (i32, tensor<1024xf32, #big>) -> (i32, tensor<1024xf32, #big>) {
    %goes = arith.cmpi slt, %k, %n : i32
    scf.condition(%goes) %k, %s : i32, tensor<1024xf32, #big>
  } do {
  ^bb0(%k: i32, %s: tensor<1024xf32, #big>):
    %next = arith.addi %k, %c1 : i32
    %twice = arith.addf %s, %s : tensor<1024xf32, #big>
    scf.yield %next, %twice : i32, tensor<1024xf32, #big>
  }
  tile.store %r to %x at %i : (tensor<1024xf32, #big>, memref<?xf32>, tensor<1024xi32, #big>)
  gpu.return
}

// A value that the condition computes gets an array in addition to that of its source.
// CHECK-LABEL: gpu.func @made_by_condition
// CHECK-COUNT-2: memref.alloca() : memref<64xf32
// CHECK-NOT: memref.alloca
// CHECK: scf.while : () -> () {
// CHECK: scf.for
// CHECK: tile.array_load %[[KEPT:[a-z0-9_]*]][
// CHECK: math.exp {{.*}} : tensor<64xf32
// CHECK: tile.array_store %{{.*}} to %[[HANDED:[a-z0-9_]*]][
// CHECK: scf.condition(%arg1)
// CHECK: } do {
// CHECK: scf.for
// CHECK: tile.array_load %[[HANDED]][
// CHECK: tile.array_store %{{.*}} to %[[KEPT]][
gpu.func @made_by_condition(%x: memref<?xf32>, %c: i1) kernel {
  %i = tile.range 0 to 1024 : tensor<1024xi32, #big>
  %t = tile.load from %x at %i : (memref<?xf32>, tensor<1024xi32, #big>) -> tensor<1024xf32, #big>
  %r = scf.while (%s = %t) : (tensor<1024xf32, #big>) -> tensor<1024xf32, #big> {
    %e = math.exp %s : tensor<1024xf32, #big>
    scf.condition(%c) %e : tensor<1024xf32, #big>
  } do {
  ^bb0(%e: tensor<1024xf32, #big>):
    %n = math.sin %e : tensor<1024xf32, #big>
    scf.yield %n : tensor<1024xf32, #big>
  }
  tile.store %r to %x at %i : (tensor<1024xf32, #big>, memref<?xf32>, tensor<1024xi32, #big>)
  gpu.return
}

// Neither value needs an array.
// CHECK-LABEL: gpu.func @elements
// CHECK-NOT: memref.alloca
// CHECK: scf.for
// CHECK: tile.print "%d\0A"(%{{.*}}) : (tensor<64xi32
// CHECK: scf.for
// CHECK: tile.load
// CHECK: tile.map {{.*}} pack 1 : (tensor<64xf32, {{.*}}) -> tensor<64xf32
// CHECK: tile.store
gpu.func @elements(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
  %i = tile.range 0 to 1024 : tensor<1024xi32, #big>
  tile.print "%d\0A"(%i) : (tensor<1024xi32, #big>)
  %t = tile.load from %x at %i : (memref<?xf32>, tensor<1024xi32, #big>) -> tensor<1024xf32, #big>
  %m = tile.map %t pack 1 : (tensor<1024xf32, #big>) -> tensor<1024xf32, #big> {
  ^bb0(%a: f32):
    %s = arith.mulf %a, %a : f32
    tile.yield %s : f32
  }
  tile.store %m to %y at %i : (tensor<1024xf32, #big>, memref<?xf32>, tensor<1024xi32, #big>)
  gpu.return
}

// The old value of a variable gets another array. It is read before the variable changes, in any order of the code.
// CHECK-LABEL: gpu.func @kept_beside
// CHECK: scf.for %{{.*}} = %c0_i32 to %arg1
// CHECK: scf.for
// CHECK: %[[OLD:.*]] = tile.array_load %[[NOW:[a-z0-9_]*]][
// CHECK: arith.mulf %[[OLD]], %[[OLD]]
// CHECK: tile.array_store %{{.*}} to %[[NEXT:[a-z0-9_]*]][
// CHECK: scf.for
// CHECK: tile.array_load %[[NOW]][
// CHECK: tile.array_store %{{.*}} to %[[ASIDE:[a-z0-9_]*]][
// CHECK: scf.for
// CHECK: tile.array_load %[[NEXT]][
// CHECK: tile.array_store %{{.*}} to %[[NOW]][
// CHECK: scf.for
// CHECK: tile.array_load %[[ASIDE]][
gpu.func @kept_beside(%x: memref<?xf32>, %n: i32) kernel {
  %i = tile.range 0 to 1024 : tensor<1024xi32, #big>
  %t = tile.load from %x at %i : (memref<?xf32>, tensor<1024xi32, #big>) -> tensor<1024xf32, #big>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%now = %t, %was = %t)
      -> (tensor<1024xf32, #big>, tensor<1024xf32, #big>) : i32 {
    %next = arith.mulf %now, %now : tensor<1024xf32, #big>
    scf.yield %next, %now : tensor<1024xf32, #big>, tensor<1024xf32, #big>
  }
  tile.store %r#1 to %x at %i : (tensor<1024xf32, #big>, memref<?xf32>, tensor<1024xi32, #big>)
  gpu.return
}
}

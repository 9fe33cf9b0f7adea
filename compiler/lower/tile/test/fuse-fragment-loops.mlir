// RUN: pumice-opt %s --pumice-fuse-fragment-loops --cse | FileCheck %s

#big = #tile.layout<[1024], register = [8, 16, 32, 64, 128, 256, 512], lane = [1, 2, 4], subgroup = []>
#huge = #tile.layout<[8192], register = [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096], lane = [1, 2, 4], subgroup = []>
#small = #tile.layout<[64], register = [8, 16, 32], lane = [1, 2, 4], subgroup = []>
#rows = #tile.layout<[16, 64], register = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0]], lane = [[0, 1], [0, 2], [0, 4]], subgroup = []>
#row = #tile.layout<[16], register = [1, 2, 4, 8], lane = [0, 0, 0], subgroup = []>
#column = #tile.layout<[16, 1], register = [[1, 0], [2, 0], [4, 0], [8, 0]], lane = [[0, 0], [0, 0], [0, 0]], subgroup = []>
#a = #tile.layout<[16, 32], register = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], lane = [[0, 1], [0, 2], [0, 4]], subgroup = []>
#b = #tile.layout<[32, 64], register = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], lane = [[0, 1], [0, 2], [0, 4]], subgroup = []>

#batchA = #tile.layout<[2, 16, 32], register = [[0, 0, 8], [0, 0, 16], [0, 1, 0], [0, 2, 0], [0, 4, 0], [0, 8, 0], [1, 0, 0]], lane = [[0, 0, 1], [0, 0, 2], [0, 0, 4]], subgroup = []>
#batchB = #tile.layout<[2, 32, 64], register = [[0, 0, 8], [0, 0, 16], [0, 0, 32], [0, 1, 0], [0, 2, 0], [0, 4, 0], [0, 8, 0], [0, 16, 0], [1, 0, 0]], lane = [[0, 0, 1], [0, 0, 2], [0, 0, 4]], subgroup = []>
#batchC = #tile.layout<[2, 16, 64], register = [[0, 0, 8], [0, 0, 16], [0, 0, 32], [0, 1, 0], [0, 2, 0], [0, 4, 0], [0, 8, 0], [1, 0, 0]], lane = [[0, 0, 1], [0, 0, 2], [0, 0, 4]], subgroup = []>

#tall = #tile.layout<[32, 64], register = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], lane = [[0, 1], [0, 2], [0, 4]], subgroup = []>
#tallrow = #tile.layout<[32], register = [1, 2, 4, 8, 16], lane = [0, 0, 0], subgroup = []>
#tallcolumn = #tile.layout<[32, 1], register = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], lane = [[0, 0], [0, 0], [0, 0]], subgroup = []>
#across = #tile.layout<[64], register = [8, 16, 32], lane = [1, 2, 4], subgroup = []>
#wide = #tile.layout<[1, 64], register = [[0, 8], [0, 16], [0, 32]], lane = [[0, 1], [0, 2], [0, 4]], subgroup = []>

// CHECK: #[[BLOCK:.*]] = #tile.layout<[32], register = [8, 16], lane = [1, 2, 4], subgroup = []>

gpu.module @tiles {

// A chain is one loop, with four registers an iteration. Values computed from scalars alone are computed in it.
// CHECK-LABEL: gpu.func @chain
gpu.func @chain(%x: memref<?xf32>, %y: memref<?xf32>, %n: i32) kernel {
  // CHECK-NOT: alloca
  // CHECK: scf.for %[[I:.*]] = %c0_i32 to %c1024_i32 step %c32_i32
  // CHECK-NEXT: %[[R:.*]] = tile.range 0 to 32 : tensor<32xi32, #[[BLOCK]]>
  // CHECK-NEXT: %[[S:.*]] = tile.splat %[[I]]
  // CHECK-NEXT: %[[P:.*]] = arith.addi %[[R]], %[[S]]
  // CHECK: %[[M:.*]] = arith.cmpi slt, %[[P]]
  // CHECK-NEXT: %[[T:.*]] = tile.load from %{{.*}} at %[[P]] mask %[[M]]
  // CHECK-NEXT: %[[U:.*]] = arith.mulf %[[T]], %[[T]]
  // CHECK-NEXT: tile.store %[[U]] to %{{.*}} at %[[P]] mask %[[M]]
  // CHECK-NOT: tile.load
  %i = tile.range 0 to 1024 : tensor<1024xi32, #big>
  %limit = tile.splat %n : i32 -> tensor<1024xi32, #big>
  %m = arith.cmpi slt, %i, %limit : tensor<1024xi32, #big>
  %t = tile.load from %x at %i mask %m
      : (memref<?xf32>, tensor<1024xi32, #big>, tensor<1024xi1, #big>) -> tensor<1024xf32, #big>
  %u = arith.mulf %t, %t : tensor<1024xf32, #big>
  tile.store %u to %y at %i mask %m
      : (tensor<1024xf32, #big>, memref<?xf32>, tensor<1024xi32, #big>, tensor<1024xi1, #big>)
  gpu.return
}

// Small tensors do not change.
// CHECK-LABEL: gpu.func @small
// CHECK-NOT: scf.for
// CHECK: gpu.return
gpu.func @small(%x: memref<?xf32>) kernel {
  %i = tile.range 0 to 64 : tensor<64xi32, #small>
  %t = tile.load from %x at %i : (memref<?xf32>, tensor<64xi32, #small>) -> tensor<64xf32, #small>
  tile.store %t to %x at %i : (tensor<64xf32, #small>, memref<?xf32>, tensor<64xi32, #small>)
  gpu.return
}

// After the sum, elements are loaded again. Exponentials are kept, because they cost more.
// CHECK-LABEL: gpu.func @passes
gpu.func @passes(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
  // CHECK: %[[KEPT:.*]] = memref.alloca() : memref<128xf32, #gpu.address_space<private>>
  // CHECK: %[[SUMS:.*]] = scf.for {{.*}} iter_args(%[[SUM:.*]] = %cst)
  // CHECK: %[[T:.*]] = tile.load
  // CHECK: %[[E:.*]] = math.exp %[[T]]
  // CHECK: %[[NEXT:.*]] = arith.addf %[[SUM]], %[[E]]
  // CHECK: tile.array_store %[[E]] to %[[KEPT]][%{{.*}}] [0, 1, 2, 3]
  // CHECK: scf.yield %[[NEXT]]
  // CHECK: %[[S:.*]] = tile.reduce %[[SUMS]] axis 0 : (tensor<32xf32, #[[BLOCK]]>) -> f32
  // CHECK: scf.for
  // CHECK: %[[EXP:.*]] = tile.array_load %[[KEPT]][%{{.*}}] [0, 1, 2, 3]
  // CHECK: arith.divf %[[EXP]]
  // CHECK: %[[AGAIN:.*]] = tile.load
  // CHECK: arith.addf %{{.*}}, %[[AGAIN]]
  // CHECK: tile.store
  %i = tile.range 0 to 1024 : tensor<1024xi32, #big>
  %t = tile.load from %x at %i : (memref<?xf32>, tensor<1024xi32, #big>) -> tensor<1024xf32, #big>
  %e = math.exp %t : tensor<1024xf32, #big>
  %s = tile.reduce %e axis 0 : (tensor<1024xf32, #big>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %d = tile.splat %s : f32 -> tensor<1024xf32, #big>
  %q = arith.divf %e, %d : tensor<1024xf32, #big>
  %z = arith.addf %q, %t : tensor<1024xf32, #big>
  tile.store %z to %y at %i : (tensor<1024xf32, #big>, memref<?xf32>, tensor<1024xi32, #big>)
  gpu.return
}

// After a write in between, loaded values are kept.
// CHECK-LABEL: gpu.func @written
gpu.func @written(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
  // CHECK: %[[KEPT:.*]] = memref.alloca()
  // CHECK: scf.for
  // CHECK: %[[T:.*]] = tile.load
  // CHECK: tile.array_store %[[T]] to %[[KEPT]]
  // CHECK: scf.for
  // CHECK: tile.store
  // CHECK: scf.for
  // CHECK: tile.array_load %[[KEPT]]
  // CHECK: tile.store
  %i = tile.range 0 to 1024 : tensor<1024xi32, #big>
  %one = arith.constant dense<1> : tensor<1024xi32, #big>
  %next = arith.addi %i, %one : tensor<1024xi32, #big>
  %zero = arith.constant dense<0.0> : tensor<1024xf32, #big>
  %t = tile.load from %x at %i : (memref<?xf32>, tensor<1024xi32, #big>) -> tensor<1024xf32, #big>
  tile.store %zero to %x at %next : (tensor<1024xf32, #big>, memref<?xf32>, tensor<1024xi32, #big>)
  tile.store %t to %x at %i : (tensor<1024xf32, #big>, memref<?xf32>, tensor<1024xi32, #big>)
  gpu.return
}

// A combination without a neutral element begins with the first block.
// CHECK-LABEL: gpu.func @no_neutral
gpu.func @no_neutral(%x: memref<?xf32>, %y: memref<f32>) kernel {
  // CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[AT:.*]] = %{{.*}})
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[I]], %c0_i32
  // CHECK: %[[LESS:.*]] = arith.cmpf olt, %[[SUM]], %[[T:.*]] : tensor<32xf32
  // CHECK: %[[BEST:.*]] = arith.select %[[LESS]]
  // CHECK: arith.select %[[FIRST]], %[[T]], %[[BEST]] : tensor<32xf32
  %i = tile.range 0 to 1024 : tensor<1024xi32, #big>
  %t = tile.load from %x at %i : (memref<?xf32>, tensor<1024xi32, #big>) -> tensor<1024xf32, #big>
  %s:2 = tile.reduce %t, %i axis 0
      : (tensor<1024xf32, #big>, tensor<1024xi32, #big>) -> (f32, i32) {
  ^bb0(%a: f32, %m: i32, %b: f32, %n: i32):
    %l = arith.cmpf olt, %a, %b : f32
    %c = arith.select %l, %a, %b : f32
    %o = arith.select %l, %m, %n : i32
    tile.yield %c, %o : f32, i32
  }
  memref.store %s#0, %y[] : memref<f32>
  gpu.return
}

// Scanned totals are carried from block to block, and users of the results are in the loop.
// CHECK-LABEL: gpu.func @scanned
gpu.func @scanned(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
  // CHECK-NOT: alloca
  // CHECK: %[[NONE:.*]] = arith.constant dense<-0.000000e+00>
  // CHECK: scf.for %{{.*}} = %c0_i32 to %c1024_i32 step %c32_i32 iter_args(%[[SUM:.*]] = %[[NONE]])
  // CHECK: %[[T:.*]] = tile.load
  // CHECK: %[[OWN:.*]] = tile.scan %[[T]] axis 0 : (tensor<32xf32, #[[BLOCK]]>)
  // CHECK: %[[LAST:.*]] = arith.constant dense<31> : tensor<32xi32, #[[BLOCK]]>
  // CHECK: %[[END:.*]] = tile.gather %[[OWN]][%[[LAST]]] axis 0
  // CHECK: %[[S:.*]] = arith.addf %[[SUM]], %[[OWN]]
  // CHECK: %[[NEXT:.*]] = arith.addf %[[SUM]], %[[END]]
  // CHECK: tile.store %[[S]]
  // CHECK: scf.yield %[[NEXT]]
  // CHECK-NOT: scf.for
  %i = tile.range 0 to 1024 : tensor<1024xi32, #big>
  %t = tile.load from %x at %i : (memref<?xf32>, tensor<1024xi32, #big>) -> tensor<1024xf32, #big>
  %s = tile.scan %t axis 0 : (tensor<1024xf32, #big>) -> tensor<1024xf32, #big> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %s to %y at %i : (tensor<1024xf32, #big>, memref<?xf32>, tensor<1024xi32, #big>)
  gpu.return
}

// A reversed scan begins with the last block. All operands are scanned together. A
// sum from the beginning has its own loop.
// CHECK-LABEL: gpu.func @scanned_from_the_end
gpu.func @scanned_from_the_end(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
  // CHECK: scf.for %[[I:.*]] = %c0_i32 to %c1024_i32 step %c32_i32 iter_args(%[[V:.*]] = {{.*}}, %[[W:.*]] =
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[I]], %c0_i32
  // CHECK: %[[START:.*]] = arith.subi %c992_i32, %[[I]]
  // CHECK: tile.splat %[[START]]
  // CHECK: %[[OWN:.*]]:2 = tile.scan {{.*}} axis 0 reverse
  // CHECK: tile.gather %[[OWN]]#0
  // CHECK: tile.gather %[[OWN]]#1
  // CHECK: arith.mulf %[[V]], %[[OWN]]#0
  // CHECK: arith.select %[[FIRST]], %[[OWN]]#0
  // CHECK: arith.select %[[FIRST]], %[[OWN]]#1
  // CHECK: scf.for
  // CHECK: tile.scan %{{.*}} axis 0 :
  %i = tile.range 0 to 1024 : tensor<1024xi32, #big>
  %t = tile.load from %x at %i : (memref<?xf32>, tensor<1024xi32, #big>) -> tensor<1024xf32, #big>
  %u = tile.load from %y at %i : (memref<?xf32>, tensor<1024xi32, #big>) -> tensor<1024xf32, #big>
  %s:2 = tile.scan %t, %u axis 0 reverse
      : (tensor<1024xf32, #big>, tensor<1024xf32, #big>) -> (tensor<1024xf32, #big>, tensor<1024xf32, #big>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %p = arith.mulf %a, %c : f32
    %q = arith.mulf %b, %c : f32
    %r = arith.addf %q, %d : f32
    tile.yield %p, %r : f32, f32
  }
  %z = tile.scan %t axis 0 : (tensor<1024xf32, #big>) -> tensor<1024xf32, #big> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %w = arith.addf %s#0, %s#1 : tensor<1024xf32, #big>
  tile.store %w to %x at %i : (tensor<1024xf32, #big>, memref<?xf32>, tensor<1024xi32, #big>)
  tile.store %z to %y at %i : (tensor<1024xf32, #big>, memref<?xf32>, tensor<1024xi32, #big>)
  gpu.return
}

// Rows are the outer loop, and the reduced dimension is the inner one. The rows' maxima are kept for the second loop.
// CHECK-LABEL: gpu.func @rows
gpu.func @rows(%x: memref<?xf32>, %p: i32) kernel {
  // CHECK: %[[MAXIMA:.*]] = memref.alloca() : memref<16xf32
  // CHECK: scf.for %[[I:.*]] = %c0_i32 to %c16_i32 step %c1_i32
  // CHECK: scf.for {{.*}} to %c64_i32 step %c32_i32 iter_args
  // CHECK: %[[M:.*]] = tile.reduce %{{.*}} axis 1
  // CHECK: tile.array_store %[[M]] to %[[MAXIMA]][%[[I]]] [0]
  // CHECK: scf.for %[[J:.*]] = %c0_i32 to %c16_i32 step %c1_i32
  // CHECK: scf.for
  // CHECK: %[[MAX:.*]] = tile.array_load %[[MAXIMA]][%[[J]]] [0]
  // CHECK: tile.expand_dims %[[MAX]] axis 1
  // CHECK: tile.store
  %at = tile.splat %p : i32 -> tensor<16x64xi32, #rows>
  %t = tile.load from %x at %at : (memref<?xf32>, tensor<16x64xi32, #rows>) -> tensor<16x64xf32, #rows>
  %m = tile.reduce %t axis 1 : (tensor<16x64xf32, #rows>) -> tensor<16xf32, #row> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  }
  %e = tile.expand_dims %m axis 1 : tensor<16xf32, #row> -> tensor<16x1xf32, #column>
  %w = tile.broadcast %e : tensor<16x1xf32, #column> -> tensor<16x64xf32, #rows>
  %d = arith.subf %t, %w : tensor<16x64xf32, #rows>
  tile.store %d to %x at %at : (tensor<16x64xf32, #rows>, memref<?xf32>, tensor<16x64xi32, #rows>)
  gpu.return
}

// A tensor that a loop carries is changed in place.
// CHECK-LABEL: gpu.func @carried
gpu.func @carried(%x: memref<?xf32>, %n: i32) kernel {
  // CHECK: %[[SUM:.*]] = memref.alloca()
  // CHECK: scf.for
  // CHECK: tile.array_store %{{.*}} to %[[SUM]]
  // CHECK: scf.for %{{.*}} = %c0_i32 to %arg1 step %c1_i32 : i32 {
  // CHECK-NEXT: scf.for
  // CHECK: %[[OLD:.*]] = tile.array_load %[[SUM]][%[[AT:.*]]]
  // CHECK: %[[NEW:.*]] = arith.addf %[[OLD]]
  // CHECK: tile.array_store %[[NEW]] to %[[SUM]][%[[AT]]]
  // CHECK: scf.for
  // CHECK: %[[LAST:.*]] = tile.array_load %[[SUM]]
  // CHECK: tile.store %[[LAST]]
  %i = tile.range 0 to 1024 : tensor<1024xi32, #big>
  %zero = arith.constant dense<0.0> : tensor<1024xf32, #big>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<1024xf32, #big>) : i32 {
    %t = tile.load from %x at %i : (memref<?xf32>, tensor<1024xi32, #big>) -> tensor<1024xf32, #big>
    %next = arith.addf %sum, %t : tensor<1024xf32, #big>
    scf.yield %next : tensor<1024xf32, #big>
  }
  tile.store %s to %x at %i : (tensor<1024xf32, #big>, memref<?xf32>, tensor<1024xi32, #big>)
  gpu.return
}

// Variables that are swapped are read before either changes.
// CHECK-LABEL: gpu.func @swapped
gpu.func @swapped(%x: memref<?xf32>, %n: i32) kernel {
  // CHECK: scf.for %{{.*}} = %c0_i32 to %arg1
  // CHECK: scf.for
  // CHECK: tile.array_load %[[SECOND:[a-z0-9_]*]][
  // CHECK: tile.array_store %{{.*}} to %[[NEW_FIRST:[a-z0-9_]*]][
  // CHECK: scf.for
  // CHECK: tile.array_load %[[FIRST:[a-z0-9_]*]][
  // CHECK: tile.array_store %{{.*}} to %[[NEW_SECOND:[a-z0-9_]*]][
  // CHECK: scf.for
  // CHECK: tile.array_load %[[NEW_FIRST]][
  // CHECK: tile.array_store %{{.*}} to %[[FIRST]][
  // CHECK: scf.for
  // CHECK: tile.array_load %[[NEW_SECOND]][
  // CHECK: tile.array_store %{{.*}} to %[[SECOND]][
  %i = tile.range 0 to 1024 : tensor<1024xi32, #big>
  %zero = arith.constant dense<0.0> : tensor<1024xf32, #big>
  %t = tile.load from %x at %i : (memref<?xf32>, tensor<1024xi32, #big>) -> tensor<1024xf32, #big>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %zero, %b = %t)
      -> (tensor<1024xf32, #big>, tensor<1024xf32, #big>) : i32 {
    scf.yield %b, %a : tensor<1024xf32, #big>, tensor<1024xf32, #big>
  }
  tile.store %s#0 to %x at %i : (tensor<1024xf32, #big>, memref<?xf32>, tensor<1024xi32, #big>)
  gpu.return
}

// Factors go to workgroup memory. Blocks of four rows and four registers are computed at once.
// CHECK-LABEL: gpu.func @product
// CHECK-SAME: workgroup(%[[FACTORS:.*]] : memref<2560xf32, #gpu.address_space<workgroup>>)
gpu.func @product(%x: memref<?xf32>, %p: i32) kernel {
  // CHECK: gpu.barrier
  // CHECK: scf.for
  // CHECK: tile.store %{{.*}} to %[[FACTORS]]
  // CHECK: scf.for
  // CHECK: tile.store %{{.*}} to %[[FACTORS]]
  // CHECK: gpu.barrier
  // CHECK: scf.for %{{.*}} = %c0_i32 to %c64_i32 step %c32_i32
  // CHECK: scf.for %{{.*}} = %c0_i32 to %c16_i32 step %c4_i32
  // CHECK: scf.for %{{.*}} = %c0_i32 to %c32_i32 step %c1_i32 iter_args({{.*}}) -> (tensor<4x32xf32
  // CHECK: tile.load from %[[FACTORS]] {{.*}} -> tensor<4x1xf32
  // CHECK: tile.load from %[[FACTORS]] {{.*}} -> tensor<1x32xf32
  // CHECK: math.fma
  %ofA = tile.splat %p : i32 -> tensor<16x32xi32, #a>
  %ofB = tile.splat %p : i32 -> tensor<32x64xi32, #b>
  %ofC = tile.splat %p : i32 -> tensor<16x64xi32, #rows>
  %a = tile.load from %x at %ofA : (memref<?xf32>, tensor<16x32xi32, #a>) -> tensor<16x32xf32, #a>
  %b = tile.load from %x at %ofB : (memref<?xf32>, tensor<32x64xi32, #b>) -> tensor<32x64xf32, #b>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32, #rows>
  %d = tile.dot %a, %b, %zero : tensor<16x32xf32, #a>, tensor<32x64xf32, #b> -> tensor<16x64xf32, #rows>
  tile.store %d to %x at %ofC : (tensor<16x64xf32, #rows>, memref<?xf32>, tensor<16x64xi32, #rows>)
  gpu.return
}

// The matrices of a batch are computed one after the other. All are in workgroup memory, with their own strides.
// CHECK-LABEL: gpu.func @batched
// CHECK-SAME: workgroup(%[[FACTORS:.*]] : memref<5120xf32, #gpu.address_space<workgroup>>)
gpu.func @batched(%x: memref<?xf32>, %p: i32) kernel {
  // CHECK: gpu.barrier
  // CHECK: tile.store %{{.*}} to %[[FACTORS]]
  // CHECK: tile.store %{{.*}} to %[[FACTORS]]
  // CHECK: gpu.barrier
  // CHECK: scf.for %[[MATRIX:.*]] = %c0_i32 to %c2_i32 step %c1_i32
  // CHECK: scf.for %{{.*}} = %c0_i32 to %c64_i32 step %c32_i32
  // CHECK: scf.for %{{.*}} = %c0_i32 to %c16_i32 step %c4_i32
  // CHECK-DAG: arith.muli %[[MATRIX]], %c512_i32
  // CHECK-DAG: arith.muli %[[MATRIX]], %c2048_i32
  // CHECK: scf.for %{{.*}} = %c0_i32 to %c32_i32 step %c1_i32 iter_args({{.*}}) -> (tensor<1x4x32xf32
  // CHECK: tile.load from %[[FACTORS]] {{.*}} -> tensor<1x4x1xf32
  // CHECK: tile.load from %[[FACTORS]] {{.*}} -> tensor<1x1x32xf32
  // CHECK: math.fma
  %ofA = tile.splat %p : i32 -> tensor<2x16x32xi32, #batchA>
  %ofB = tile.splat %p : i32 -> tensor<2x32x64xi32, #batchB>
  %ofC = tile.splat %p : i32 -> tensor<2x16x64xi32, #batchC>
  %a = tile.load from %x at %ofA : (memref<?xf32>, tensor<2x16x32xi32, #batchA>) -> tensor<2x16x32xf32, #batchA>
  %b = tile.load from %x at %ofB : (memref<?xf32>, tensor<2x32x64xi32, #batchB>) -> tensor<2x32x64xf32, #batchB>
  %zero = arith.constant dense<0.0> : tensor<2x16x64xf32, #batchC>
  %d = tile.dot %a, %b, %zero : tensor<2x16x32xf32, #batchA>, tensor<2x32x64xf32, #batchB> -> tensor<2x16x64xf32, #batchC>
  tile.store %d to %x at %ofC : (tensor<2x16x64xf32, #batchC>, memref<?xf32>, tensor<2x16x64xi32, #batchC>)
  gpu.return
}

// A gather goes through workgroup memory. An index out of range reads any element.
// CHECK-LABEL: gpu.func @gathered
// CHECK-SAME: workgroup(%[[ELEMENTS:.*]] : memref<1024xf32, #gpu.address_space<workgroup>>)
gpu.func @gathered(%x: memref<?xf32>, %y: memref<?xi32>) kernel {
  // CHECK: gpu.barrier
  // CHECK: scf.for
  // CHECK: tile.store %{{.*}} to %[[ELEMENTS]]
  // CHECK: gpu.barrier
  // CHECK: scf.for
  // CHECK: %[[PLACES:.*]] = tile.load from %{{.*}} -> tensor<32xi32
  // CHECK: %[[LAST:.*]] = tile.splat %c1023_i32
  // CHECK: arith.andi %[[PLACES]], %[[LAST]]
  // CHECK: tile.load from %[[ELEMENTS]] {{.*}} -> tensor<32xf32
  %i = tile.range 0 to 1024 : tensor<1024xi32, #big>
  %t = tile.load from %x at %i : (memref<?xf32>, tensor<1024xi32, #big>) -> tensor<1024xf32, #big>
  %p = tile.load from %y at %i : (memref<?xi32>, tensor<1024xi32, #big>) -> tensor<1024xi32, #big>
  %g = tile.gather %t[%p] axis 0 : (tensor<1024xf32, #big>, tensor<1024xi32, #big>) -> tensor<1024xf32, #big>
  tile.store %g to %x at %i : (tensor<1024xf32, #big>, memref<?xf32>, tensor<1024xi32, #big>)
  gpu.return
}

// Bytes are stored as words there.
// CHECK-LABEL: gpu.func @gathered_bytes
// CHECK-SAME: workgroup(%[[WORDS:.*]] : memref<1024xi32, #gpu.address_space<workgroup>>)
gpu.func @gathered_bytes(%x: memref<?xi8>, %y: memref<?xi32>) kernel {
  // CHECK: arith.extui {{.*}} to tensor<32xi32
  // CHECK: tile.store %{{.*}} to %[[WORDS]]
  // CHECK: tile.load from %[[WORDS]]
  // CHECK: arith.trunci {{.*}} to tensor<32xi8
  %i = tile.range 0 to 1024 : tensor<1024xi32, #big>
  %t = tile.load from %x at %i : (memref<?xi8>, tensor<1024xi32, #big>) -> tensor<1024xi8, #big>
  %p = tile.load from %y at %i : (memref<?xi32>, tensor<1024xi32, #big>) -> tensor<1024xi32, #big>
  %g = tile.gather %t[%p] axis 0 : (tensor<1024xi8, #big>, tensor<1024xi32, #big>) -> tensor<1024xi8, #big>
  tile.store %g to %x at %i : (tensor<1024xi8, #big>, memref<?xi8>, tensor<1024xi32, #big>)
  gpu.return
}

// A histogram is counted there. A number out of range is counted anywhere.
// CHECK-LABEL: gpu.func @counted
// CHECK-SAME: workgroup(%[[COUNTS:.*]] : memref<64xi32, #gpu.address_space<workgroup>>)
gpu.func @counted(%x: memref<?xi32>, %y: memref<?xi32>) kernel {
  // CHECK: gpu.barrier
  // CHECK: tile.store %{{.*}} to %[[COUNTS]]
  // CHECK: gpu.barrier
  // CHECK: scf.for
  // CHECK-DAG: %[[NUMBERS:.*]] = tile.load from %{{.*}} -> tensor<32xi32
  // CHECK-DAG: %[[LAST:.*]] = tile.splat %c63_i32
  // CHECK: %[[PLACES:.*]] = arith.andi %[[NUMBERS]], %[[LAST]]
  // CHECK: %[[ONE:.*]] = tile.splat %c1_i32
  // CHECK: tile.atomic_rmw "add" "relaxed" %[[ONE]] to %[[COUNTS]] at %[[PLACES]] mask %{{.*}}
  // CHECK: gpu.barrier
  // CHECK: tile.load from %[[COUNTS]]
  // CHECK-NOT: tile.histogram
  %i = tile.range 0 to 1024 : tensor<1024xi32, #big>
  %t = tile.load from %x at %i : (memref<?xi32>, tensor<1024xi32, #big>) -> tensor<1024xi32, #big>
  %five = arith.constant dense<5> : tensor<1024xi32, #big>
  %m = arith.cmpi sgt, %t, %five : tensor<1024xi32, #big>
  %h = tile.histogram %t mask %m : (tensor<1024xi32, #big>, tensor<1024xi1, #big>) -> tensor<64xi32, #small>
  %j = tile.range 0 to 64 : tensor<64xi32, #small>
  tile.store %h to %y at %j : (tensor<64xi32, #small>, memref<?xi32>, tensor<64xi32, #small>)
  gpu.return
}

// Gathers take at most half of the workgroup memory (32 KiB here), since other data must fit, too.
// CHECK-LABEL: gpu.func @gathered_from_many
// CHECK-NOT: workgroup(
// CHECK: tile.gather
gpu.func @gathered_from_many(%x: memref<?xf32>, %y: memref<?xi32>) kernel {
  %i = tile.range 0 to 8192 : tensor<8192xi32, #huge>
  %t = tile.load from %x at %i : (memref<?xf32>, tensor<8192xi32, #huge>) -> tensor<8192xf32, #huge>
  %p = tile.load from %y at %i : (memref<?xi32>, tensor<8192xi32, #huge>) -> tensor<8192xi32, #huge>
  %g = tile.gather %t[%p] axis 0 : (tensor<8192xf32, #huge>, tensor<8192xi32, #huge>) -> tensor<8192xf32, #huge>
  tile.store %g to %x at %i : (tensor<8192xf32, #huge>, memref<?xf32>, tensor<8192xi32, #huge>)
  gpu.return
}

// Operations with two results share loops, too. Random numbers use them.
// CHECK-LABEL: gpu.func @upper
gpu.func @upper(%x: memref<?xi32>) kernel {
  // CHECK-NOT: alloca
  // CHECK: scf.for
  // CHECK: %[[LOW:.*]], %[[HIGH:.*]] = arith.mului_extended {{.*}} : tensor<32xi32
  // CHECK: arith.xori %[[HIGH]], %[[LOW]]
  // CHECK: tile.store
  // CHECK: gpu.return
  %i = tile.range 0 to 1024 : tensor<1024xi32, #big>
  %t = tile.load from %x at %i : (memref<?xi32>, tensor<1024xi32, #big>) -> tensor<1024xi32, #big>
  %low, %high = arith.mului_extended %t, %t : tensor<1024xi32, #big>
  %r = arith.xori %high, %low : tensor<1024xi32, #big>
  tile.store %r to %x at %i : (tensor<1024xi32, #big>, memref<?xi32>, tensor<1024xi32, #big>)
  gpu.return
}

// If a loop uses offsets repeatedly, their remainders are kept, one for each row: fewer than all offsets.
// CHECK-LABEL: gpu.func @remainders
gpu.func @remainders(%x: memref<?xf32>, %y: memref<?xf32>, %n: i32, %p: i32) kernel {
  // CHECK: %[[KEPT:.*]] = memref.alloca() : memref<32xi32, #gpu.address_space<private>>
  // CHECK-NOT: alloca
  // CHECK: arith.remsi
  // CHECK: tile.array_store %{{.*}} to %[[KEPT]]
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tile.range 0 to 32 : tensor<32xi32, #tallrow>
  %limit = tile.splat %n : i32 -> tensor<32xi32, #tallrow>
  %m = arith.remsi %i, %limit : tensor<32xi32, #tallrow>
  %rows = tile.expand_dims %m axis 1 : tensor<32xi32, #tallrow> -> tensor<32x1xi32, #tallcolumn>
  %j = tile.range 0 to 64 : tensor<64xi32, #across>
  %columns = tile.expand_dims %j axis 0 : tensor<64xi32, #across> -> tensor<1x64xi32, #wide>
  %r = tile.broadcast %rows : tensor<32x1xi32, #tallcolumn> -> tensor<32x64xi32, #tall>
  %c = tile.broadcast %columns : tensor<1x64xi32, #wide> -> tensor<32x64xi32, #tall>
  %o = arith.addi %r, %c : tensor<32x64xi32, #tall>
  // CHECK: scf.for
  // CHECK: tile.array_load %[[KEPT]]
  // CHECK: tile.load
  scf.for %k = %c0 to %p step %c1 : i32 {
    %t = tile.load from %x at %o : (memref<?xf32>, tensor<32x64xi32, #tall>) -> tensor<32x64xf32, #tall>
    %u = arith.addf %t, %t : tensor<32x64xf32, #tall>
    tile.store %u to %y at %o : (tensor<32x64xf32, #tall>, memref<?xf32>, tensor<32x64xi32, #tall>)
  }
  gpu.return
}
}

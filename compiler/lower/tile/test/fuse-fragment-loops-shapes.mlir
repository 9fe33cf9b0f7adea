// RUN: pumice-opt %s --pumice-fuse-fragment-loops --cse | FileCheck %s
// Large tensors in several shapes, reductions whose whole dimension is in a block, and arrays that share memory.

#flat = #tile.layout<[4096], register = [16, 32, 64, 128, 256, 512, 1024, 2048], lane = [1, 2, 4, 8], subgroup = []>
#square = #tile.layout<[64, 64], register = [[0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8]], subgroup = []>
#sums = #tile.layout<[64], register = [16, 32], lane = [1, 2, 4, 8], subgroup = []>
#rows = #tile.layout<[64], register = [1, 2, 4, 8, 16, 32], lane = [0, 0, 0, 0], subgroup = []>
#tall = #tile.layout<[64, 1], register = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 0], [0, 0], [0, 0], [0, 0]], subgroup = []>
#wide = #tile.layout<[1, 64], register = [[0, 16], [0, 32]], lane = [[0, 1], [0, 2], [0, 4], [0, 8]], subgroup = []>
#cube = #tile.layout<[2, 2, 2, 2, 2, 2, 2, 2, 16], register = [[1, 0, 0, 0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 0, 0, 1, 0]], lane = [[0, 0, 0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0, 0, 0, 2], [0, 0, 0, 0, 0, 0, 0, 0, 4], [0, 0, 0, 0, 0, 0, 0, 0, 8]], subgroup = []>
#less = #tile.layout<[2, 2, 2, 2, 2, 2, 2, 16], register = [[1, 0, 0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 0, 1, 0]], lane = [[0, 0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0, 0, 2], [0, 0, 0, 0, 0, 0, 0, 4], [0, 0, 0, 0, 0, 0, 0, 8]], subgroup = []>
#one = #tile.layout<[1, 2, 2, 2, 2, 2, 2, 2, 16], register = [[0, 1, 0, 0, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 0, 0, 1, 0]], lane = [[0, 0, 0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0, 0, 0, 2], [0, 0, 0, 0, 0, 0, 0, 0, 4], [0, 0, 0, 0, 0, 0, 0, 0, 8]], subgroup = []>
#descending = #tile.layout<[4096], register = [2048, 1024, 512, 256, 128, 64, 32, 16], lane = [1, 2, 4, 8], subgroup = []>
gpu.module @tiles {

// A block of the rows is one of the loaded tensor: nothing is kept.
// CHECK-LABEL: gpu.func @other_shape
// CHECK-NOT: memref.alloca() : memref<256
// CHECK: scf.for
// CHECK: tile.load from {{.*}} -> tensor<64xf32
// CHECK: tile.reshape {{.*}} -> tensor<1x64xf32
// CHECK: arith.addf
// CHECK-NOT: memref<256
// CHECK: gpu.return
gpu.func @other_shape(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
  %i = tile.range 0 to 4096 : tensor<4096xi32, #flat>
  %t = tile.load from %x at %i : (memref<?xf32>, tensor<4096xi32, #flat>) -> tensor<4096xf32, #flat>
  %r = tile.reshape %t : tensor<4096xf32, #flat> -> tensor<64x64xf32, #square>
  %s = tile.reduce %r axis 0 : (tensor<64x64xf32, #square>) -> tensor<64xf32, #sums> {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tile.yield %sum : f32
  }
  %j = tile.range 0 to 64 : tensor<64xi32, #sums>
  tile.store %s to %y at %j : (tensor<64xf32, #sums>, memref<?xf32>, tensor<64xi32, #sums>)
  gpu.return
}

// An expensive value is kept. Its reshape is the same array.
// CHECK-LABEL: gpu.func @kept
// CHECK: %[[ARRAY:.*]] = memref.alloca() : memref<256xf32
// CHECK-NOT: memref<256xf32
// CHECK: math.exp
// CHECK: tile.array_store {{.*}} to %[[ARRAY]]
// CHECK: tile.array_load %[[ARRAY]]{{.*}} -> tensor<1x64xf32
gpu.func @kept(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
  %i = tile.range 0 to 4096 : tensor<4096xi32, #flat>
  %t = tile.load from %x at %i : (memref<?xf32>, tensor<4096xi32, #flat>) -> tensor<4096xf32, #flat>
  %e = math.exp %t : tensor<4096xf32, #flat>
  %r = tile.reshape %e : tensor<4096xf32, #flat> -> tensor<64x64xf32, #square>
  %s = tile.reduce %r axis 0 : (tensor<64x64xf32, #square>) -> tensor<64xf32, #sums> {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tile.yield %sum : f32
  }
  %j = tile.range 0 to 64 : tensor<64xi32, #sums>
  tile.store %s to %y at %j : (tensor<64xf32, #sums>, memref<?xf32>, tensor<64xi32, #sums>)
  gpu.return
}

// A row is within a block (four registers): its maximum, the subtraction, and the store share one loop.
// CHECK-LABEL: gpu.func @within_blocks
// CHECK-NOT: alloca
// CHECK: scf.for
// CHECK: tile.load
// CHECK: tile.reduce {{.*}} axis 1
// CHECK: arith.subf
// CHECK: tile.store
// CHECK-NOT: scf.for
// CHECK: gpu.return
gpu.func @within_blocks(%x: memref<?xf32>) kernel {
  %c64 = arith.constant dense<64> : tensor<64xi32, #rows>
  %i = tile.range 0 to 64 : tensor<64xi32, #rows>
  %first = arith.muli %i, %c64 : tensor<64xi32, #rows>
  %rows = tile.expand_dims %first axis 1 : tensor<64xi32, #rows> -> tensor<64x1xi32, #tall>
  %j = tile.range 0 to 64 : tensor<64xi32, #sums>
  %columns = tile.expand_dims %j axis 0 : tensor<64xi32, #sums> -> tensor<1x64xi32, #wide>
  %all = tile.broadcast %rows : tensor<64x1xi32, #tall> -> tensor<64x64xi32, #square>
  %each = tile.broadcast %columns : tensor<1x64xi32, #wide> -> tensor<64x64xi32, #square>
  %o = arith.addi %all, %each : tensor<64x64xi32, #square>
  %r = tile.load from %x at %o : (memref<?xf32>, tensor<64x64xi32, #square>) -> tensor<64x64xf32, #square>
  %u = arith.mulf %r, %r : tensor<64x64xf32, #square>
  %m = tile.reduce %u axis 1 : (tensor<64x64xf32, #square>) -> tensor<64xf32, #rows> {
  ^bb0(%a: f32, %b: f32):
    %max = arith.maximumf %a, %b : f32
    tile.yield %max : f32
  }
  %c = tile.expand_dims %m axis 1 : tensor<64xf32, #rows> -> tensor<64x1xf32, #tall>
  %b = tile.broadcast %c : tensor<64x1xf32, #tall> -> tensor<64x64xf32, #square>
  %d = arith.subf %u, %b : tensor<64x64xf32, #square>
  tile.store %d to %x at %o : (tensor<64x64xf32, #square>, memref<?xf32>, tensor<64x64xi32, #square>)
  gpu.return
}

// Two steps, each of which needs all of the previous one: the second array may be the first one.
// CHECK-LABEL: gpu.func @one_after_the_other
// CHECK-COUNT-2: memref.alloca() : memref<256xf32
// CHECK-NOT: memref.alloca() : memref<256xf32
// CHECK: gpu.return
gpu.func @one_after_the_other(%x: memref<?xf32>) kernel {
  %i = tile.range 0 to 4096 : tensor<4096xi32, #flat>
  %t = tile.load from %x at %i : (memref<?xf32>, tensor<4096xi32, #flat>) -> tensor<4096xf32, #flat>
  %t1 = math.exp %t : tensor<4096xf32, #flat>
  %s1 = tile.reduce %t1 axis 0 : (tensor<4096xf32, #flat>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tile.yield %sum : f32
  }
  %b1 = tile.splat %s1 : f32 -> tensor<4096xf32, #flat>
  %d1 = arith.divf %t1, %b1 : tensor<4096xf32, #flat>
  %t2 = math.exp %d1 : tensor<4096xf32, #flat>
  %s2 = tile.reduce %t2 axis 0 : (tensor<4096xf32, #flat>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tile.yield %sum : f32
  }
  %b2 = tile.splat %s2 : f32 -> tensor<4096xf32, #flat>
  %d2 = arith.divf %t2, %b2 : tensor<4096xf32, #flat>
  %t3 = math.exp %d2 : tensor<4096xf32, #flat>
  %s3 = tile.reduce %t3 axis 0 : (tensor<4096xf32, #flat>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tile.yield %sum : f32
  }
  %b3 = tile.splat %s3 : f32 -> tensor<4096xf32, #flat>
  %d3 = arith.divf %t3, %b3 : tensor<4096xf32, #flat>
  tile.store %d3 to %x at %i : (tensor<4096xf32, #flat>, memref<?xf32>, tensor<4096xi32, #flat>)
  gpu.return
}

// A step of a sort: six dimensions of two blocks each become one loop of 64 iterations. Each is a bit of its number.
// CHECK-LABEL: gpu.func @hypercube
// CHECK: %[[TURNS:.*]] = arith.constant 64 : i32
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[TURNS]]
// CHECK: tile.reduce {{.*}} axis 0
// CHECK: arith.subf
// CHECK-NOT: tile.reduce
// CHECK: gpu.return
gpu.func @hypercube(%x: memref<?xf32>) kernel {
  %i = tile.range 0 to 4096 : tensor<4096xi32, #descending>
  %t = tile.load from %x at %i : (memref<?xf32>, tensor<4096xi32, #descending>) -> tensor<4096xf32, #descending>
  %c = tile.reshape %t : tensor<4096xf32, #descending> -> tensor<2x2x2x2x2x2x2x2x16xf32, #cube>
  %m = tile.reduce %c axis 0 : (tensor<2x2x2x2x2x2x2x2x16xf32, #cube>) -> tensor<2x2x2x2x2x2x2x16xf32, #less> {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tile.yield %sum : f32
  }
  %e = tile.expand_dims %m axis 0 : tensor<2x2x2x2x2x2x2x16xf32, #less> -> tensor<1x2x2x2x2x2x2x2x16xf32, #one>
  %b = tile.broadcast %e : tensor<1x2x2x2x2x2x2x2x16xf32, #one> -> tensor<2x2x2x2x2x2x2x2x16xf32, #cube>
  %d = arith.subf %b, %c : tensor<2x2x2x2x2x2x2x2x16xf32, #cube>
  %f = tile.reshape %d : tensor<2x2x2x2x2x2x2x2x16xf32, #cube> -> tensor<4096xf32, #descending>
  tile.store %f to %x at %i : (tensor<4096xf32, #descending>, memref<?xf32>, tensor<4096xi32, #descending>)
  gpu.return
}

// A value that is computed from scalars gets its array in a loop.
// CHECK-LABEL: gpu.func @numbers
// CHECK: %[[ARRAY:.*]] = memref.alloca() : memref<256xi32
// CHECK: scf.for
// CHECK: tile.array_store {{.*}} to %[[ARRAY]]
// CHECK: tile.array_load %[[ARRAY]]{{.*}} -> tensor<1x64xi32
gpu.func @numbers(%y: memref<?xi32>) kernel {
  %i = tile.range 0 to 4096 : tensor<4096xi32, #flat>
  %r = tile.reshape %i : tensor<4096xi32, #flat> -> tensor<64x64xi32, #square>
  %s = tile.reduce %r axis 0 : (tensor<64x64xi32, #square>) -> tensor<64xi32, #sums> {
  ^bb0(%a: i32, %b: i32):
    %sum = arith.addi %a, %b : i32
    tile.yield %sum : i32
  }
  %j = tile.range 0 to 64 : tensor<64xi32, #sums>
  tile.store %s to %y at %j : (tensor<64xi32, #sums>, memref<?xi32>, tensor<64xi32, #sums>)
  gpu.return
}

// A value that was overwritten meanwhile is not loaded again.
// CHECK-LABEL: gpu.func @overwritten
// CHECK: %[[KEPT:.*]] = memref.alloca() : memref<256xf32
// CHECK: %[[OLD:.*]] = tile.load
// CHECK: tile.store
// CHECK: tile.array_store %[[OLD]] to %[[KEPT]]
// CHECK: tile.array_load %[[KEPT]]
// CHECK-NOT: tile.load
// CHECK: gpu.return
gpu.func @overwritten(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
  %i = tile.range 0 to 4096 : tensor<4096xi32, #flat>
  %t = tile.load from %x at %i : (memref<?xf32>, tensor<4096xi32, #flat>) -> tensor<4096xf32, #flat>
  %zero = arith.constant dense<0.0> : tensor<4096xf32, #flat>
  tile.store %zero to %x at %i : (tensor<4096xf32, #flat>, memref<?xf32>, tensor<4096xi32, #flat>)
  %r = tile.reshape %t : tensor<4096xf32, #flat> -> tensor<64x64xf32, #square>
  %s = tile.reduce %r axis 0 : (tensor<64x64xf32, #square>) -> tensor<64xf32, #sums> {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tile.yield %sum : f32
  }
  %j = tile.range 0 to 64 : tensor<64xi32, #sums>
  tile.store %s to %y at %j : (tensor<64xf32, #sums>, memref<?xf32>, tensor<64xi32, #sums>)
  gpu.return
}
}

// RUN: pumice-opt %s --pumice-fuse-fragment-loops --cse --canonicalize | FileCheck %s
// Loaded values are loaded again if that gives the same values. This excludes loads after a store to the same places, and
// loads of places of other iterations.

#big = #tile.layout<[1024], register = [16, 32, 64, 128, 256, 512], lane = [1, 2, 4, 8], subgroup = []>
#square = #tile.layout<[64, 64], register = [[0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8]], subgroup = []>
#columns = #tile.layout<[64], register = [16, 32], lane = [1, 2, 4, 8], subgroup = []>
#row = #tile.layout<[1, 64], register = [[0, 16], [0, 32]], lane = [[0, 1], [0, 2], [0, 4], [0, 8]], subgroup = []>
#rows = #tile.layout<[64], register = [1, 2, 4, 8, 16, 32], lane = [0, 0, 0, 0], subgroup = []>
#column = #tile.layout<[64, 1], register = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 0], [0, 0], [0, 0], [0, 0]], subgroup = []>
#turned = #tile.layout<[64, 64], register = [[16, 0], [32, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0]], subgroup = []>
gpu.module @tiles {

// This iteration's block is loaded before its store: no array.
// CHECK-LABEL: gpu.func @before_the_store
// CHECK-NOT: memref.alloca
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tile.load from %arg0
// CHECK: arith.addf
// CHECK: tile.store %{{.*}} to %arg0
// CHECK: gpu.return
gpu.func @before_the_store(%x: memref<?xf32>) kernel {
  %i = tile.range 0 to 1024 : tensor<1024xi32, #big>
  %t = tile.load from %x at %i : (memref<?xf32>, tensor<1024xi32, #big>) -> tensor<1024xf32, #big>
  %s = tile.reduce %t axis 0 : (tensor<1024xf32, #big>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tile.yield %sum : f32
  }
  %all = tile.splat %s : f32 -> tensor<1024xf32, #big>
  %u = arith.addf %t, %all : tensor<1024xf32, #big>
  tile.store %u to %x at %i : (tensor<1024xf32, #big>, memref<?xf32>, tensor<1024xi32, #big>)
  gpu.return
}

// CHECK-LABEL: gpu.func @behind_the_store
// CHECK: memref.alloca() : memref<64xf32
// CHECK: scf.for
// CHECK: tile.load from %arg0
// CHECK: tile.array_store
// CHECK: scf.for
// CHECK-NOT: tile.load
// CHECK: tile.store %{{.*}} to %arg0
// CHECK-NOT: tile.load
// CHECK: tile.array_load
// CHECK: tile.store %{{.*}} to %arg1
gpu.func @behind_the_store(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
  %i = tile.range 0 to 1024 : tensor<1024xi32, #big>
  %t = tile.load from %x at %i : (memref<?xf32>, tensor<1024xi32, #big>) -> tensor<1024xf32, #big>
  %s = tile.reduce %t axis 0 : (tensor<1024xf32, #big>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tile.yield %sum : f32
  }
  %all = tile.splat %s : f32 -> tensor<1024xf32, #big>
  tile.store %all to %x at %i : (tensor<1024xf32, #big>, memref<?xf32>, tensor<1024xi32, #big>)
  %u = arith.addf %t, %all : tensor<1024xf32, #big>
  tile.store %u to %y at %i : (tensor<1024xf32, #big>, memref<?xf32>, tensor<1024xi32, #big>)
  gpu.return
}

// The other half of a pair may belong to an earlier iteration, and be overwritten.
// CHECK-LABEL: gpu.func @other_places
// CHECK: memref.alloca() : memref<256xf32
// CHECK: tile.load from %arg0
// CHECK: tile.array_store
// CHECK: scf.for
// CHECK: tile.trans
// CHECK: tile.store %{{.*}} to %arg0
gpu.func @other_places(%x: memref<?xf32>, %p: i32) kernel {
  %o = tile.splat %p : i32 -> tensor<64x64xi32, #square>
  %t = tile.load from %x at %o : (memref<?xf32>, tensor<64x64xi32, #square>) -> tensor<64x64xf32, #square>
  %r = tile.trans %t [1, 0] : tensor<64x64xf32, #square> -> tensor<64x64xf32, #turned>
  %c = tile.convert_layout %r : tensor<64x64xf32, #turned> -> tensor<64x64xf32, #square>
  %u = arith.addf %t, %c : tensor<64x64xf32, #square>
  tile.store %u to %x at %o : (tensor<64x64xf32, #square>, memref<?xf32>, tensor<64x64xi32, #square>)
  gpu.return
}

// Two elements may have the same place: all are loaded before any is stored.
// CHECK-LABEL: gpu.func @places_that_meet
// CHECK: memref.alloca() : memref<64xf32
// CHECK: scf.for
// CHECK: tile.load from %arg0
// CHECK: tile.array_store
// CHECK-NOT: tile.store
// CHECK: scf.for
// CHECK: tile.array_load
// CHECK: tile.store %{{.*}} to %arg0
gpu.func @places_that_meet(%x: memref<?xf32>, %n: i32) kernel {
  %i = tile.range 0 to 1024 : tensor<1024xi32, #big>
  %all = tile.splat %n : i32 -> tensor<1024xi32, #big>
  %o = arith.remsi %i, %all : tensor<1024xi32, #big>
  %t = tile.load from %x at %o : (memref<?xf32>, tensor<1024xi32, #big>) -> tensor<1024xf32, #big>
  %u = arith.addf %t, %t : tensor<1024xf32, #big>
  tile.store %u to %x at %o : (tensor<1024xf32, #big>, memref<?xf32>, tensor<1024xi32, #big>)
  gpu.return
}

// CHECK-LABEL: gpu.func @rows_of_one_place
// CHECK: memref.alloca() : memref<256xf32
gpu.func @rows_of_one_place(%x: memref<?xf32>) kernel {
  %j = tile.range 0 to 64 : tensor<64xi32, #columns>
  %row = tile.expand_dims %j axis 0 : tensor<64xi32, #columns> -> tensor<1x64xi32, #row>
  %o = tile.broadcast %row : tensor<1x64xi32, #row> -> tensor<64x64xi32, #square>
  %t = tile.load from %x at %o : (memref<?xf32>, tensor<64x64xi32, #square>) -> tensor<64x64xf32, #square>
  %u = arith.addf %t, %t : tensor<64x64xf32, #square>
  tile.store %u to %x at %o : (tensor<64x64xf32, #square>, memref<?xf32>, tensor<64x64xi32, #square>)
  gpu.return
}

// i + j: along diagonals, many elements have the same place.
// CHECK-LABEL: gpu.func @diagonals
// CHECK: memref.alloca() : memref<256xf32
// CHECK: tile.load from %arg0
// CHECK: tile.array_store
// CHECK-NOT: tile.store
// CHECK: tile.array_load
// CHECK: tile.store %{{.*}} to %arg0
gpu.func @diagonals(%x: memref<?xf32>) kernel {
  %j = tile.range 0 to 64 : tensor<64xi32, #columns>
  %row = tile.expand_dims %j axis 0 : tensor<64xi32, #columns> -> tensor<1x64xi32, #row>
  %a = tile.broadcast %row : tensor<1x64xi32, #row> -> tensor<64x64xi32, #square>
  %i = tile.range 0 to 64 : tensor<64xi32, #rows>
  %column = tile.expand_dims %i axis 1 : tensor<64xi32, #rows> -> tensor<64x1xi32, #column>
  %b = tile.broadcast %column : tensor<64x1xi32, #column> -> tensor<64x64xi32, #square>
  %o = arith.addi %a, %b : tensor<64x64xi32, #square>
  %t = tile.load from %x at %o : (memref<?xf32>, tensor<64x64xi32, #square>) -> tensor<64x64xf32, #square>
  %u = arith.addf %t, %t : tensor<64x64xf32, #square>
  tile.store %u to %x at %o : (tensor<64x64xf32, #square>, memref<?xf32>, tensor<64x64xi32, #square>)
  gpu.return
}

// Each row begins after the previous one ends, with a stride of 64 and with one known only at launch.
// CHECK-LABEL: gpu.func @rows_apart
// CHECK-NOT: memref.alloca
// CHECK-LABEL: gpu.func @rows_apart_at_run_time
// CHECK-NOT: memref.alloca
gpu.func @rows_apart(%x: memref<?xf32>) kernel {
  %j = tile.range 0 to 64 : tensor<64xi32, #columns>
  %row = tile.expand_dims %j axis 0 : tensor<64xi32, #columns> -> tensor<1x64xi32, #row>
  %a = tile.broadcast %row : tensor<1x64xi32, #row> -> tensor<64x64xi32, #square>
  %i = tile.range 0 to 64 : tensor<64xi32, #rows>
  %column = tile.expand_dims %i axis 1 : tensor<64xi32, #rows> -> tensor<64x1xi32, #column>
  %c64 = arith.constant dense<64> : tensor<64x1xi32, #column>
  %from = arith.muli %column, %c64 : tensor<64x1xi32, #column>
  %b = tile.broadcast %from : tensor<64x1xi32, #column> -> tensor<64x64xi32, #square>
  %o = arith.addi %a, %b : tensor<64x64xi32, #square>
  %t = tile.load from %x at %o : (memref<?xf32>, tensor<64x64xi32, #square>) -> tensor<64x64xf32, #square>
  %u = arith.addf %t, %t : tensor<64x64xf32, #square>
  tile.store %u to %x at %o : (tensor<64x64xf32, #square>, memref<?xf32>, tensor<64x64xi32, #square>)
  gpu.return
}

gpu.func @rows_apart_at_run_time(%x: memref<?xf32>, %n: i32) kernel {
  %j = tile.range 0 to 64 : tensor<64xi32, #columns>
  %row = tile.expand_dims %j axis 0 : tensor<64xi32, #columns> -> tensor<1x64xi32, #row>
  %a = tile.broadcast %row : tensor<1x64xi32, #row> -> tensor<64x64xi32, #square>
  %i = tile.range 0 to 64 : tensor<64xi32, #rows>
  %column = tile.expand_dims %i axis 1 : tensor<64xi32, #rows> -> tensor<64x1xi32, #column>
  %all = tile.splat %n : i32 -> tensor<64x1xi32, #column>
  %from = arith.muli %column, %all : tensor<64x1xi32, #column>
  %b = tile.broadcast %from : tensor<64x1xi32, #column> -> tensor<64x64xi32, #square>
  %o = arith.addi %a, %b : tensor<64x64xi32, #square>
  %t = tile.load from %x at %o : (memref<?xf32>, tensor<64x64xi32, #square>) -> tensor<64x64xf32, #square>
  %u = arith.addf %t, %t : tensor<64x64xf32, #square>
  tile.store %u to %x at %o : (tensor<64x64xf32, #square>, memref<?xf32>, tensor<64x64xi32, #square>)
  gpu.return
}

// A stride of 63 overlaps the previous row.
// CHECK-LABEL: gpu.func @rows_that_meet
// CHECK: memref.alloca() : memref<256xf32
gpu.func @rows_that_meet(%x: memref<?xf32>) kernel {
  %j = tile.range 0 to 64 : tensor<64xi32, #columns>
  %row = tile.expand_dims %j axis 0 : tensor<64xi32, #columns> -> tensor<1x64xi32, #row>
  %a = tile.broadcast %row : tensor<1x64xi32, #row> -> tensor<64x64xi32, #square>
  %i = tile.range 0 to 64 : tensor<64xi32, #rows>
  %column = tile.expand_dims %i axis 1 : tensor<64xi32, #rows> -> tensor<64x1xi32, #column>
  %c63 = arith.constant dense<-63> : tensor<64x1xi32, #column>
  %from = arith.muli %column, %c63 : tensor<64x1xi32, #column>
  %b = tile.broadcast %from : tensor<64x1xi32, #column> -> tensor<64x64xi32, #square>
  %o = arith.addi %a, %b : tensor<64x64xi32, #square>
  %t = tile.load from %x at %o : (memref<?xf32>, tensor<64x64xi32, #square>) -> tensor<64x64xf32, #square>
  %u = arith.addf %t, %t : tensor<64x64xf32, #square>
  tile.store %u to %x at %o : (tensor<64x64xf32, #square>, memref<?xf32>, tensor<64x64xi32, #square>)
  gpu.return
}
}

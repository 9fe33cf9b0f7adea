// RUN: pumice-opt %s --pumice-take-full-blocks --cse --canonicalize | FileCheck %s

#l = #tile.layout<[64], register = [8, 16, 32], lane = [1, 2, 4], subgroup = []>
#rows = #tile.layout<[8, 8], register = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4]], subgroup = []>
#column = #tile.layout<[8, 1], register = [[1, 0], [2, 0], [4, 0]], lane = [[0, 0], [0, 0], [0, 0]], subgroup = []>
#row = #tile.layout<[1, 8], register = [], lane = [[0, 1], [0, 2], [0, 4]], subgroup = []>
#wide = #tile.layout<[128], register = [8, 16, 32], lane = [1, 2, 4], subgroup = [64]>

gpu.module @tiles {

// Only the last index matters: 1023 in all iterations. Results of reductions leave the conditional.
// CHECK-LABEL: gpu.func @sum
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<?xf32>, %[[Y:[a-z0-9]*]]: memref<?xf32>, %[[N:[a-z0-9]*]]: i32
gpu.func @sum(%x: memref<?xf32>, %y: memref<?xf32>, %n: i32) kernel {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c1024 = arith.constant 1024 : i32
  %none = arith.constant dense<0.0> : tensor<64xf32, #l>
  %limit = tile.splat %n : i32 -> tensor<64xi32, #l>
  %r = tile.range 0 to 64 : tensor<64xi32, #l>
  // CHECK: %[[FULL:.*]] = arith.cmpi sgt, %[[N]], %c1023_i32 : i32
  // CHECK: %[[SUM:.*]] = scf.if %[[FULL]] -> (tensor<64xf32, #[[L:.*]]>) {
  // CHECK:   scf.for
  // CHECK-NOT: cmpi
  // CHECK-NOT: select
  // CHECK:     tile.load from %[[X]] at %{{[^ ]*}} : (
  // CHECK: } else {
  // CHECK:   scf.for
  // CHECK:     %[[M:.*]] = arith.cmpi slt
  // CHECK:     tile.load from %[[X]] at %{{[^ ]*}} mask %[[M]] other
  // CHECK:     arith.select %[[M]]
  // CHECK: }
  // CHECK: tile.store %[[SUM]] to %[[Y]]
  %sum = scf.for %b = %c0 to %c1024 step %c64 iter_args(%s = %none) -> tensor<64xf32, #l> : i32 {
    %at = tile.splat %b : i32 -> tensor<64xi32, #l>
    %i = arith.addi %r, %at : tensor<64xi32, #l>
    %m = arith.cmpi slt, %i, %limit : tensor<64xi32, #l>
    %v = tile.load from %x at %i mask %m other %none : (memref<?xf32>, tensor<64xi32, #l>, tensor<64xi1, #l>, tensor<64xf32, #l>) -> tensor<64xf32, #l>
    %w = arith.addf %v, %v : tensor<64xf32, #l>
    %c = arith.select %m, %w, %none : tensor<64xi1, #l>, tensor<64xf32, #l>
    %t = arith.addf %s, %c : tensor<64xf32, #l>
    scf.yield %t : tensor<64xf32, #l>
  }
  tile.store %sum to %y at %r : (tensor<64xf32, #l>, memref<?xf32>, tensor<64xi32, #l>)
  gpu.return
}

// With an offset that the loop does not change, indices could wrap between the first and the last one.
// CHECK-LABEL: gpu.func @based
// CHECK-SAME: %[[N:[a-z0-9]*]]: i32, %[[BASE:[a-z0-9]*]]: i32
gpu.func @based(%x: memref<?xf32>, %n: i32, %base: i32) kernel {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %none = arith.constant dense<0.0> : tensor<64xf32, #l>
  %limit = tile.splat %n : i32 -> tensor<64xi32, #l>
  %bases = tile.splat %base : i32 -> tensor<64xi32, #l>
  %r = tile.range 0 to 64 : tensor<64xi32, #l>
  // CHECK: %[[LAST:.*]] = arith.addi %[[BASE]], %c127_i32
  // CHECK-DAG: %[[KEPT:.*]] = arith.cmpi slt, %[[LAST]], %[[N]]
  // CHECK-DAG: %[[ORDERED:.*]] = arith.cmpi sle, %[[BASE]], %[[LAST]]
  // CHECK: %[[FULL:.*]] = arith.andi %[[KEPT]], %[[ORDERED]]
  // CHECK: scf.if %[[FULL]] {
  // CHECK: tile.store %{{[^ ]*}} to %{{[^ ]*}} at %{{[^ ]*}} : (
  // CHECK: } else {
  // CHECK: tile.store {{.*}} mask
  scf.for %b = %c0 to %c128 step %c64 : i32 {
    %at = tile.splat %b : i32 -> tensor<64xi32, #l>
    %i = arith.addi %r, %at : tensor<64xi32, #l>
    %j = arith.addi %bases, %i : tensor<64xi32, #l>
    %m = arith.cmpi sgt, %limit, %j : tensor<64xi32, #l>
    tile.store %none to %x at %j mask %m : (tensor<64xf32, #l>, memref<?xf32>, tensor<64xi32, #l>, tensor<64xi1, #l>)
  }
  gpu.return
}

// Both dimensions and a scalar are tested, also lower bounds.
// CHECK-LABEL: gpu.func @rows
// CHECK-SAME: %[[H:[a-z0-9]*]]: i32, %[[W:[a-z0-9]*]]: i32, %[[TOP:[a-z0-9]*]]: i32, %[[ANY:[a-z0-9]*]]: i1
gpu.func @rows(%x: memref<?xf32>, %h: i32, %w: i32, %top: i32, %any: i1) kernel {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %c32 = arith.constant 32 : i32
  %r = tile.range 0 to 8 : tensor<8xi32, #tile.layout<[8], register = [1, 2, 4], lane = [0, 0, 0], subgroup = []>>
  %q = tile.range 0 to 8 : tensor<8xi32, #tile.layout<[8], register = [], lane = [1, 2, 4], subgroup = []>>
  %c = tile.expand_dims %r axis 1 : tensor<8xi32, #tile.layout<[8], register = [1, 2, 4], lane = [0, 0, 0], subgroup = []>> -> tensor<8x1xi32, #column>
  %d = tile.expand_dims %q axis 0 : tensor<8xi32, #tile.layout<[8], register = [], lane = [1, 2, 4], subgroup = []>> -> tensor<1x8xi32, #row>
  %hs = tile.splat %h : i32 -> tensor<8x1xi32, #column>
  %ws = tile.splat %w : i32 -> tensor<1x8xi32, #row>
  %ts = tile.splat %top : i32 -> tensor<8x1xi32, #column>
  %as = tile.splat %any : i1 -> tensor<8x8xi1, #rows>
  // CHECK-DAG: arith.cmpi sgt, %[[W]], %c7_i32
  // CHECK-DAG: arith.cmpi sle, %[[TOP]], %c0_i32
  // CHECK-DAG: arith.cmpi sgt, %[[H]], %c31_i32
  // CHECK: arith.andi %[[ANY]]
  // CHECK: scf.if
  // CHECK-NOT: mask
  // CHECK: } else {
  // CHECK: mask
  scf.for %b = %c0 to %c32 step %c8 : i32 {
    %at = tile.splat %b : i32 -> tensor<8x1xi32, #column>
    %i = arith.addi %c, %at : tensor<8x1xi32, #column>
    %below = arith.cmpi slt, %i, %hs : tensor<8x1xi32, #column>
    %above = arith.cmpi sge, %i, %ts : tensor<8x1xi32, #column>
    %in = arith.andi %below, %above : tensor<8x1xi1, #column>
    %before = arith.cmpi slt, %d, %ws : tensor<1x8xi32, #row>
    %m0 = tile.broadcast %in : tensor<8x1xi1, #column> -> tensor<8x8xi1, #rows>
    %m1 = tile.broadcast %before : tensor<1x8xi1, #row> -> tensor<8x8xi1, #rows>
    %m2 = arith.andi %m0, %m1 : tensor<8x8xi1, #rows>
    %m = arith.andi %m2, %as : tensor<8x8xi1, #rows>
    %p = tile.broadcast %i : tensor<8x1xi32, #column> -> tensor<8x8xi32, #rows>
    %v = tile.load from %x at %p mask %m : (memref<?xf32>, tensor<8x8xi32, #rows>, tensor<8x8xi1, #rows>) -> tensor<8x8xf32, #rows>
    tile.store %v to %x at %p mask %m : (tensor<8x8xf32, #rows>, memref<?xf32>, tensor<8x8xi32, #rows>, tensor<8x8xi1, #rows>)
  }
  gpu.return
}

// These stay unchanged: masks that depend on memory or test for equality, loops whose end is not
// known, indices that wrap, and loops that wait for other subgroups.
// CHECK-LABEL: gpu.func @left
// CHECK-NOT: scf.if
// CHECK: gpu.return
gpu.func @left(%x: memref<?xf32>, %y: memref<?xi32>, %n: i32) kernel {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %none = arith.constant dense<0.0> : tensor<64xf32, #l>
  %limit = tile.splat %n : i32 -> tensor<64xi32, #l>
  %r = tile.range 0 to 64 : tensor<64xi32, #l>
  scf.for %b = %c0 to %c128 step %c64 : i32 {
    %at = tile.splat %b : i32 -> tensor<64xi32, #l>
    %i = arith.addi %r, %at : tensor<64xi32, #l>
    %k = tile.load from %y at %i : (memref<?xi32>, tensor<64xi32, #l>) -> tensor<64xi32, #l>
    %m = arith.cmpi slt, %k, %limit : tensor<64xi32, #l>
    tile.store %none to %x at %i mask %m : (tensor<64xf32, #l>, memref<?xf32>, tensor<64xi32, #l>, tensor<64xi1, #l>)
    %e = arith.cmpi eq, %i, %limit : tensor<64xi32, #l>
    tile.store %none to %x at %i mask %e : (tensor<64xf32, #l>, memref<?xf32>, tensor<64xi32, #l>, tensor<64xi1, #l>)
  }
  scf.for %b = %c0 to %n step %c64 : i32 {
    %at = tile.splat %b : i32 -> tensor<64xi32, #l>
    %i = arith.addi %r, %at : tensor<64xi32, #l>
    %m = arith.cmpi slt, %i, %limit : tensor<64xi32, #l>
    tile.store %none to %x at %i mask %m : (tensor<64xf32, #l>, memref<?xf32>, tensor<64xi32, #l>, tensor<64xi1, #l>)
  }
  %half = arith.constant 1073741824 : i32
  %most = arith.constant 2147483647 : i32
  scf.for %b = %c0 to %most step %half : i32 {
    scf.for %c = %c0 to %most step %half : i32 {
      %at = arith.addi %b, %c : i32
      %twice = arith.addi %at, %at : i32
      %ats = tile.splat %twice : i32 -> tensor<64xi32, #l>
      %i = arith.addi %r, %ats : tensor<64xi32, #l>
      %m = arith.cmpi slt, %i, %limit : tensor<64xi32, #l>
      tile.store %none to %x at %i mask %m : (tensor<64xf32, #l>, memref<?xf32>, tensor<64xi32, #l>, tensor<64xi1, #l>)
    }
  }
  %wide = tile.range 0 to 128 : tensor<128xi32, #wide>
  %wlimit = tile.splat %n : i32 -> tensor<128xi32, #wide>
  scf.for %b = %c0 to %c128 step %c64 : i32 {
    %m = arith.cmpi slt, %wide, %wlimit : tensor<128xi32, #wide>
    %v = tile.load from %y at %wide mask %m : (memref<?xi32>, tensor<128xi32, #wide>, tensor<128xi1, #wide>) -> tensor<128xi32, #wide>
    %s = tile.reduce %v axis 0 : (tensor<128xi32, #wide>) -> i32 {
    ^bb0(%p: i32, %q: i32):
      %t = arith.addi %p, %q : i32
      tile.yield %t : i32
    }
  }
  gpu.return
}
}

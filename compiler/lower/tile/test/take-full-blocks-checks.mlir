// A checked kernel's tests of places are decided before the loop, if all places, or all those that the
// kernel's own mask allows, are inside memory.
// RUN: pumice-opt %s --pumice-take-full-blocks --cse --canonicalize | FileCheck %s

#l = #tile.layout<[64], register = [8, 16, 32], lane = [1, 2, 4], subgroup = []>
gpu.module @tiles {

// CHECK-LABEL: gpu.func @checked
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<?xf32>, %[[N:[a-z0-9]*]]: i32, %[[LOW:[a-z0-9]*]]: i32, %[[HIGH:[a-z0-9]*]]: i32
// CHECK: %[[ALL:.*]] = arith.cmpi sge, %[[HIGH]], %c1023_i32
// CHECK: %[[LAST:.*]] = arith.addi %[[N]], %c-1_i32
// CHECK: %[[MASKED:.*]] = arith.cmpi sle, %[[LAST]], %[[HIGH]]
// CHECK: %[[BELOW:.*]] = arith.ori %[[ALL]], %[[MASKED]]
// CHECK: %[[ABOVE:.*]] = arith.cmpi sle, %[[LOW]], %c0_i32
// CHECK: %[[SURE:.*]] = arith.andi %[[ABOVE]], %[[BELOW]]
// CHECK: scf.if %[[SURE]]
// CHECK:   %[[FULL:.*]] = arith.cmpi sgt, %[[N]], %c1023_i32
// CHECK:   scf.if %[[FULL]]
// CHECK-NOT: cmpi
// CHECK:       tile.load from %[[X]] at %{{[^ ]*}} : (
// CHECK:   } else {
// CHECK:       %[[M:.*]] = arith.cmpi slt
// CHECK-NOT: any_held
// CHECK:       tile.load from %[[X]] at %{{[^ ]*}} mask %[[M]] : (
// CHECK:   scf.yield %false
// CHECK: } else {
// CHECK-NOT:   tile.inside
// CHECK:       tile.any_held
// CHECK:       %[[RIGHT:.*]] = arith.andi
// CHECK:       tile.load from %[[X]] at %{{[^ ]*}} mask %[[RIGHT]] : (
gpu.func @checked(%x: memref<?xf32>, %n: i32, %low: i32, %high: i32) -> i1 {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c1024 = arith.constant 1024 : i32
  %no = arith.constant false
  %yes = arith.constant dense<true> : tensor<64xi1, #l>
  %none = arith.constant dense<0.0> : tensor<64xf32, #l>
  %limit = tile.splat %n : i32 -> tensor<64xi32, #l>
  %first = tile.splat %low : i32 -> tensor<64xi32, #l>
  %last = tile.splat %high : i32 -> tensor<64xi32, #l>
  %r = tile.range 0 to 64 : tensor<64xi32, #l>
  %found = scf.for %b = %c0 to %c1024 step %c64 iter_args(%s = %no) -> i1 : i32 {
    %at = tile.splat %b : i32 -> tensor<64xi32, #l>
    %i = arith.addi %r, %at : tensor<64xi32, #l>
    %m = arith.cmpi slt, %i, %limit : tensor<64xi32, #l>
    %above = arith.cmpi sge, %i, %first : tensor<64xi32, #l>
    %below = arith.cmpi sle, %i, %last : tensor<64xi32, #l>
    %inside = arith.andi %above, %below {tile.inside} : tensor<64xi1, #l>
    %outside = arith.xori %inside, %yes : tensor<64xi1, #l>
    %wrong = arith.andi %outside, %m : tensor<64xi1, #l>
    %any = tile.any_held %wrong : tensor<64xi1, #l>
    %right = arith.andi %inside, %m : tensor<64xi1, #l>
    %v = tile.load from %x at %i mask %right : (memref<?xf32>, tensor<64xi32, #l>, tensor<64xi1, #l>) -> tensor<64xf32, #l>
    tile.store %v to %x at %i mask %right : (tensor<64xf32, #l>, memref<?xf32>, tensor<64xi32, #l>, tensor<64xi1, #l>)
    %t = arith.ori %s, %any : i1
    scf.yield %t : i1
  }
  gpu.return %found : i1
}

// A mask of other indices does not limit these.
// CHECK-LABEL: gpu.func @other_indices
// CHECK-SAME: %[[HIGH:[a-z0-9]*]]: i32, %[[N:[a-z0-9]*]]: i32
// CHECK: %[[ALL:.*]] = arith.cmpi sge, %[[HIGH]], %c1023_i32
// CHECK: scf.if %[[ALL]]
gpu.func @other_indices(%x: memref<?xf32>, %high: i32, %n: i32) -> i1 {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c1024 = arith.constant 1024 : i32
  %no = arith.constant false
  %yes = arith.constant dense<true> : tensor<64xi1, #l>
  %zero = arith.constant dense<0> : tensor<64xi32, #l>
  %limit = tile.splat %n : i32 -> tensor<64xi32, #l>
  %last = tile.splat %high : i32 -> tensor<64xi32, #l>
  %r = tile.range 0 to 64 : tensor<64xi32, #l>
  %found = scf.for %b = %c0 to %c1024 step %c64 iter_args(%s = %no) -> i1 : i32 {
    %at = tile.splat %b : i32 -> tensor<64xi32, #l>
    %i = arith.addi %r, %at : tensor<64xi32, #l>
    %m = arith.cmpi slt, %r, %limit : tensor<64xi32, #l>
    %above = arith.cmpi sge, %i, %zero : tensor<64xi32, #l>
    %below = arith.cmpi sle, %i, %last : tensor<64xi32, #l>
    %inside = arith.andi %above, %below {tile.inside} : tensor<64xi1, #l>
    %outside = arith.xori %inside, %yes : tensor<64xi1, #l>
    %wrong = arith.andi %outside, %m : tensor<64xi1, #l>
    %any = tile.any_held %wrong : tensor<64xi1, #l>
    %right = arith.andi %inside, %m : tensor<64xi1, #l>
    %v = tile.load from %x at %i mask %right : (memref<?xf32>, tensor<64xi32, #l>, tensor<64xi1, #l>) -> tensor<64xf32, #l>
    tile.store %v to %x at %i mask %right : (tensor<64xf32, #l>, memref<?xf32>, tensor<64xi32, #l>, tensor<64xi1, #l>)
    %t = arith.ori %s, %any : i1
    scf.yield %t : i1
  }
  gpu.return %found : i1
}
}

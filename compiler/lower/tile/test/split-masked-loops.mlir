// RUN: pumice-opt %s --pumice-split-masked-loops --cse | FileCheck %s

#l = #tile.layout<[64], register = [8, 16, 32], lane = [1, 2, 4], subgroup = []>

gpu.module @tiles {

// The mask holds in 12 iterations. A row of zeros has the sum that it would have after 16.
// CHECK-LABEL: gpu.func @sum
// CHECK: %[[FIRST:.*]] = scf.for %{{.*}} = %c0_i32 to %c768_i32 step %c64_i32
// CHECK-NOT: select
// CHECK:   tile.load from %{{[^ ]*}} at %{{[^ ]*}} : (
// CHECK: }
// CHECK: %[[SUM:.*]] = scf.for %{{.*}} = %c768_i32 to %c832_i32 step %c64_i32 iter_args(%{{.*}} = %[[FIRST]])
// CHECK:   tile.load from %{{[^ ]*}} at %{{[^ ]*}} mask
// CHECK:   arith.select
// CHECK: }
// CHECK: tile.store %[[SUM]]
gpu.func @sum(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c1024 = arith.constant 1024 : i32
  %limit = arith.constant dense<768> : tensor<64xi32, #l>
  %none = arith.constant dense<0.0> : tensor<64xf32, #l>
  %r = tile.range 0 to 64 : tensor<64xi32, #l>
  %sum = scf.for %b = %c0 to %c1024 step %c64 iter_args(%s = %none) -> tensor<64xf32, #l> : i32 {
    %at = tile.splat %b : i32 -> tensor<64xi32, #l>
    %i = arith.addi %r, %at : tensor<64xi32, #l>
    %m = arith.cmpi slt, %i, %limit : tensor<64xi32, #l>
    %v = tile.load from %x at %i mask %m other %none : (memref<?xf32>, tensor<64xi32, #l>, tensor<64xi1, #l>, tensor<64xf32, #l>) -> tensor<64xf32, #l>
    %w = arith.mulf %v, %v : tensor<64xf32, #l>
    %c = arith.select %m, %w, %none : tensor<64xi1, #l>, tensor<64xf32, #l>
    %t = arith.addf %s, %c : tensor<64xf32, #l>
    scf.yield %t : tensor<64xf32, #l>
  }
  tile.store %sum to %y at %r : (tensor<64xf32, #l>, memref<?xf32>, tensor<64xi32, #l>)
  gpu.return
}

// Stores change nothing where the mask is false, and neither do values that it selects. The mask ends within an iteration.
// CHECK-LABEL: gpu.func @copy
// CHECK: scf.for %{{.*}} = %c0_i32 to %c64_i32 step %c64_i32
// CHECK: scf.for %{{.*}} = %c64_i32 to %c128_i32 step %c64_i32
// CHECK-NOT: scf.for
gpu.func @copy(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c1024 = arith.constant 1024 : i32
  %limit = arith.constant dense<99> : tensor<64xi32, #l>
  %none = arith.constant dense<0.0> : tensor<64xf32, #l>
  %r = tile.range 0 to 64 : tensor<64xi32, #l>
  %last = scf.for %b = %c0 to %c1024 step %c64 iter_args(%s = %none) -> tensor<64xf32, #l> : i32 {
    %at = tile.splat %b : i32 -> tensor<64xi32, #l>
    %i = arith.addi %r, %at : tensor<64xi32, #l>
    %m = arith.cmpi sle, %i, %limit : tensor<64xi32, #l>
    %v = tile.load from %x at %i mask %m : (memref<?xf32>, tensor<64xi32, #l>, tensor<64xi1, #l>) -> tensor<64xf32, #l>
    %w = arith.divf %v, %s : tensor<64xf32, #l>
    %t = arith.select %m, %w, %s : tensor<64xi1, #l>, tensor<64xf32, #l>
    tile.store %v to %y at %i mask %m : (tensor<64xf32, #l>, memref<?xf32>, tensor<64xi32, #l>, tensor<64xi1, #l>)
    scf.yield %t : tensor<64xf32, #l>
  }
  tile.store %last to %y at %r : (tensor<64xf32, #l>, memref<?xf32>, tensor<64xi32, #l>)
  gpu.return
}

// A number that is known only at run time, and offsets: indices must not wrap. An iteration that adds 1 is needed.
// CHECK-LABEL: gpu.func @counted
// CHECK-SAME: %[[N:[a-z0-9]*]]: i32, %[[BASE:[a-z0-9]*]]: i32
// CHECK: %[[MIDDLE:.*]] = arith.trunci
// CHECK: scf.for %{{.*}} = %c0_i32 to %[[MIDDLE]] step %c64_i32
// CHECK: scf.for %{{.*}} = %[[MIDDLE]] to %c1024_i32 step %c64_i32
gpu.func @counted(%x: memref<?xf32>, %y: memref<?xf32>, %n: i32, %base: i32) kernel {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c1024 = arith.constant 1024 : i32
  %limit = tile.splat %n : i32 -> tensor<64xi32, #l>
  %none = arith.constant dense<0.0> : tensor<64xf32, #l>
  %one = arith.constant dense<1.0> : tensor<64xf32, #l>
  %r = tile.range 0 to 64 : tensor<64xi32, #l>
  %sum = scf.for %b = %c0 to %c1024 step %c64 iter_args(%s = %none) -> tensor<64xf32, #l> : i32 {
    %at = tile.splat %b : i32 -> tensor<64xi32, #l>
    %bases = tile.splat %base : i32 -> tensor<64xi32, #l>
    %j = arith.addi %r, %at : tensor<64xi32, #l>
    %i = arith.addi %j, %bases : tensor<64xi32, #l>
    %m = arith.cmpi slt, %i, %limit : tensor<64xi32, #l>
    %v = tile.load from %x at %i mask %m other %one : (memref<?xf32>, tensor<64xi32, #l>, tensor<64xi1, #l>, tensor<64xf32, #l>) -> tensor<64xf32, #l>
    %t = arith.addf %s, %v : tensor<64xf32, #l>
    scf.yield %t : tensor<64xf32, #l>
  }
  tile.store %sum to %y at %r : (tensor<64xf32, #l>, memref<?xf32>, tensor<64xi32, #l>)
  gpu.return
}

// These stay as they are: a mask that depends on memory, one that no scalar decides, and a loop around another one.
// CHECK-LABEL: gpu.func @left
// CHECK: scf.for %{{.*}} = %c0_i32 to %c128_i32
// CHECK: scf.for %{{.*}} = %c0_i32 to %c1024_i32
// CHECK-NOT: scf.for
// CHECK: gpu.return
gpu.func @left(%x: memref<?xf32>, %y: memref<?xi32>, %n: i32) kernel {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %c1024 = arith.constant 1024 : i32
  %limit = tile.splat %n : i32 -> tensor<64xi32, #l>
  %none = arith.constant dense<0.0> : tensor<64xf32, #l>
  %r = tile.range 0 to 64 : tensor<64xi32, #l>
  scf.for %a = %c0 to %c128 step %c64 : i32 {
    %outer = tile.splat %a : i32 -> tensor<64xi32, #l>
    %o = arith.addi %r, %outer : tensor<64xi32, #l>
    %p = arith.cmpi slt, %o, %limit : tensor<64xi32, #l>
    tile.store %none to %x at %o mask %p : (tensor<64xf32, #l>, memref<?xf32>, tensor<64xi32, #l>, tensor<64xi1, #l>)
    scf.for %b = %c0 to %c1024 step %c64 : i32 {
      %at = tile.splat %b : i32 -> tensor<64xi32, #l>
      %i = arith.addi %r, %at : tensor<64xi32, #l>
      %k = tile.load from %y at %i : (memref<?xi32>, tensor<64xi32, #l>) -> tensor<64xi32, #l>
      %m = arith.cmpi slt, %k, %limit : tensor<64xi32, #l>
      tile.store %none to %x at %i mask %m : (tensor<64xf32, #l>, memref<?xf32>, tensor<64xi32, #l>, tensor<64xi1, #l>)
      %e = arith.cmpi eq, %i, %limit : tensor<64xi32, #l>
      tile.store %none to %x at %i mask %e : (tensor<64xf32, #l>, memref<?xf32>, tensor<64xi32, #l>, tensor<64xi1, #l>)
    }
  }
  gpu.return
}

}

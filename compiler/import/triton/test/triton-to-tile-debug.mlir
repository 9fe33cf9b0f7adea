// Prints and assertions: a line for each element, with its program and place. Assertions alone are marked.
// RUN: pumice-opt %s --split-input-file --pumice-triton-to-tile=lanes=4 --canonicalize | FileCheck %s

// CHECK-LABEL: gpu.func @prints
// CHECK: tile.print "pid (%d, %d, %d) idx (%d, %d) x: %f\0A"(%{{.*}}) : (i32, i32, i32, tensor<2x4xi32, {{.*}}>, tensor<2x4xi32, {{.*}}>, tensor<2x4xf32
// CHECK: tile.print "pid (%d, %d, %d) 100%% (operand 0) 0x%08x\0A"
// CHECK: tile.print "pid (%d, %d, %d) 100%% (operand 1) 0x%016lx\0A"
// CHECK: tile.print "pid (%d, %d, %d) only text\0A"(%{{.*}}) mask %{{.*}} : (i32, i32, i32, tensor<1xi1
tt.func public @prints(%n: i32, %m: i64, %v: f32) attributes {noinline = false} {
  %x = tt.splat %v : f32 -> tensor<2x4xf32>
  tt.print " x: " {hex = false, isSigned = array<i32: 0>} : %x : tensor<2x4xf32>
  tt.print " 100% " {hex = true, isSigned = array<i32: 1, 1>} : %n, %m : i32, i64
  tt.print " \1Eonly text" {hex = false, isSigned = array<i32>}
  tt.return
}

// -----

// CHECK-LABEL: gpu.func @asserts
// CHECK: tile.print "\1Ek.py:7: assertion failed: small, in asserts, pid (%d, %d, %d) idx (%d)\1E\0A"
// CHECK-SAME: mask
tt.func public @asserts(%n: i32) attributes {noinline = false} {
  %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %m = tt.splat %n : i32 -> tensor<8xi32>
  %c = arith.cmpi slt, %i, %m : tensor<8xi32>
  tt.assert %c, "small" : tensor<8xi1> loc("k.py":7:5)
  tt.return
}

// Prints and assertions print a line for each element, with its program and position. Only
// assertions have marks.
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
// CHECK: tile.print "\1Ek.py:7: assertion failed: small, in asserts, pid (%d, %d, %d) idx (%d), where %d < n (%d)\1E\0A"
// CHECK-SAME: mask
tt.func public @asserts(%n: i32 loc("n"("k.py":5:0))) attributes {noinline = false} {
  %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %m = tt.splat %n : i32 -> tensor<8xi32>
  %c = arith.cmpi slt, %i, %m : tensor<8xi32>
  tt.assert %c, "small" : tensor<8xi1> loc("k.py":7:5)
  tt.return
}

// -----

// Neither constants nor values that only have their statement's name are shown by name. Only
// comparisons are shown.
// CHECK-LABEL: gpu.func @combined
// CHECK: tile.print "\1Ek.py:9: assertion failed: in combined, pid (%d, %d, %d) idx (%d, %d), where %lu >= %lu, %f == m (%f)\1E\0A"
// CHECK: tile.print "\1Ek.py:10: assertion failed: in combined, pid (%d, %d, %d)\1E\0A"
tt.func public @combined(%n: i64, %m: f32 loc("m"("k.py":5:0)), %b: i1) attributes {noinline = false} {
  %true = arith.constant dense<true> : tensor<2x4xi1>
  %c8 = arith.constant dense<8> : tensor<2x4xi64>
  %x = tt.splat %n : i64 -> tensor<2x4xi64> loc("ok"("k.py":8:3))
  %y = arith.muli %x, %x : tensor<2x4xi64> loc("ok"("k.py":8:3))
  %c = arith.cmpi uge, %y, %c8 : tensor<2x4xi64> loc("ok"("k.py":8:3))
  %one = tt.splat %m : f32 -> tensor<4xf32>
  %row = tt.expand_dims %one {axis = 0 : i32} : tensor<4xf32> -> tensor<1x4xf32>
  %all = tt.broadcast %row : tensor<1x4xf32> -> tensor<2x4xf32>
  %z = arith.mulf %all, %all : tensor<2x4xf32>
  %e = arith.cmpf oeq, %z, %all : tensor<2x4xf32>
  %not = arith.xori %e, %true : tensor<2x4xi1>
  %o = arith.ori %c, %not : tensor<2x4xi1>
  tt.assert %o, "" : tensor<2x4xi1> loc("k.py":9:5)
  tt.assert %b, "" : i1 loc("k.py":10:5)
  tt.return
}

// RUN: pumice-opt %s --pass-pipeline='builtin.module(func.func(pumice-merge-matrix-products))' | FileCheck %s
// On 8 lanes, each scalar of a 4 × 8 matrix holds one row.

// Products with the same left factor are joined side by side, then those with the same right one.
// CHECK-LABEL: @grid
// CHECK: %[[A:.*]]:4 = lane.load {{.*}} align 16
// CHECK: %[[B:.*]]:8 = lane.load
// CHECK: %[[C:.*]]:8 = lane.load
// CHECK: %[[D:.*]]:4 = lane.load {{.*}} align 32
// CHECK: %[[R:.*]]:16 = lane.matrix_product 8, 16, 8
// CHECK-SAME: %[[A]]#0, %[[A]]#1, %[[A]]#2, %[[A]]#3, %[[D]]#0, %[[D]]#1, %[[D]]#2, %[[D]]#3 :
// CHECK-SAME: (%[[B]]#0, %[[C]]#0, %[[B]]#1, %[[C]]#1, %[[B]]#2, %[[C]]#2,
// CHECK-NOT: matrix_product
// CHECK: lane.store %[[R]]#0, %[[R]]#2, %[[R]]#4, %[[R]]#6 to
// CHECK: lane.store %[[R]]#1, %[[R]]#3, %[[R]]#5, %[[R]]#7 to
// CHECK: lane.store %[[R]]#8, %[[R]]#10, %[[R]]#12, %[[R]]#14 to
func.func @grid() attributes {lane.kernel} {
  %p = lane.buffer 0, 0
  %z = arith.constant 0.0 : f32
  %a:4 = lane.load %p align 16 : f32, f32, f32, f32
  %b:8 = lane.load %p align 4 : f32, f32, f32, f32, f32, f32, f32, f32
  %c:8 = lane.load %p align 4 : f32, f32, f32, f32, f32, f32, f32, f32
  %d:4 = lane.load %p align 32 : f32, f32, f32, f32
  %q:4 = lane.matrix_product 4, 8, 8 (%a#0, %a#1, %a#2, %a#3 : f32, f32, f32, f32) (%b#0, %b#1, %b#2, %b#3, %b#4, %b#5, %b#6, %b#7 : f32, f32, f32, f32, f32, f32, f32, f32) (%z, %z, %z, %z : f32, f32, f32, f32)
  %r:4 = lane.matrix_product 4, 8, 8 (%a#0, %a#1, %a#2, %a#3 : f32, f32, f32, f32) (%c#0, %c#1, %c#2, %c#3, %c#4, %c#5, %c#6, %c#7 : f32, f32, f32, f32, f32, f32, f32, f32) (%z, %z, %z, %z : f32, f32, f32, f32)
  %s:4 = lane.matrix_product 4, 8, 8 (%d#0, %d#1, %d#2, %d#3 : f32, f32, f32, f32) (%b#0, %b#1, %b#2, %b#3, %b#4, %b#5, %b#6, %b#7 : f32, f32, f32, f32, f32, f32, f32, f32) (%z, %z, %z, %z : f32, f32, f32, f32)
  %t:4 = lane.matrix_product 4, 8, 8 (%d#0, %d#1, %d#2, %d#3 : f32, f32, f32, f32) (%c#0, %c#1, %c#2, %c#3, %c#4, %c#5, %c#6, %c#7 : f32, f32, f32, f32, f32, f32, f32, f32) (%z, %z, %z, %z : f32, f32, f32, f32)
  lane.store %q#0, %q#1, %q#2, %q#3 to %p align 4 : f32, f32, f32, f32
  lane.store %r#0, %r#1, %r#2, %r#3 to %p align 4 : f32, f32, f32, f32
  lane.store %s#0, %s#1, %s#2, %s#3 to %p align 4 : f32, f32, f32, f32
  lane.store %t#0, %t#1, %t#2, %t#3 to %p align 4 : f32, f32, f32, f32
  return
}

// A product that is added to another one makes it twice as deep. Clamped sums do not.
// CHECK-LABEL: @chain
// CHECK: %[[A:.*]]:2 = lane.load
// CHECK: %[[B:.*]]:2 = lane.load
// CHECK: lane.matrix_product 2, 4, 8(%[[A]]#0, %[[B]]#0, %[[A]]#1, %[[B]]#1 : i32, i32, i32, i32)
// CHECK-SAME: (%c0_i32, %c0_i32, %c0_i32, %c0_i32, %c1_i32, %c1_i32, %c1_i32, %c1_i32 :
// CHECK: lane.matrix_product 2, 4, 4 saturating
// CHECK: lane.matrix_product 2, 4, 4 saturating
func.func @chain() attributes {lane.kernel} {
  %p = lane.buffer 0, 0
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %a:2 = lane.load %p align 4 : i32, i32
  %b:2 = lane.load %p align 4 : i32, i32
  %q:2 = lane.matrix_product 2, 4, 4 (%a#0, %a#1 : i32, i32) (%0, %0, %0, %0 : i32, i32, i32, i32) (%0, %0 : i32, i32)
  %r:2 = lane.matrix_product 2, 4, 4 (%b#0, %b#1 : i32, i32) (%1, %1, %1, %1 : i32, i32, i32, i32) (%q#0, %q#1 : i32, i32)
  lane.store %r#0, %r#1 to %p align 4 : i32, i32
  %s:2 = lane.matrix_product 2, 4, 4 saturating (%a#0, %a#1 : i32, i32) (%0, %0, %0, %0 : i32, i32, i32, i32) (%0, %0 : i32, i32)
  %t:2 = lane.matrix_product 2, 4, 4 saturating (%b#0, %b#1 : i32, i32) (%1, %1, %1, %1 : i32, i32, i32, i32) (%s#0, %s#1 : i32, i32)
  lane.store %t#0, %t#1 to %p align 4 : i32, i32
  return
}

// A set of a variable between the products moves behind them.
// CHECK-LABEL: @sets
// CHECK: %[[R:.*]]:4 = lane.matrix_product 2, 8, 4
// CHECK: lane.set %{{.*}}, %[[R]]#0
// CHECK-NOT: matrix_product
func.func @sets() attributes {lane.kernel} {
  %v = lane.var i32
  %p = lane.buffer 0, 0
  %0 = arith.constant 0 : i32
  %a:2 = lane.load %p align 4 : i32, i32
  %b:4 = lane.load %p align 4 : i32, i32, i32, i32
  %c:4 = lane.load %p align 4 : i32, i32, i32, i32
  %q:2 = lane.matrix_product 2, 4, 4 (%a#0, %a#1 : i32, i32) (%b#0, %b#1, %b#2, %b#3 : i32, i32, i32, i32) (%0, %0 : i32, i32)
  lane.set %v, %q#0 : i32
  %r:2 = lane.matrix_product 2, 4, 4 (%a#0, %a#1 : i32, i32) (%c#0, %c#1, %c#2, %c#3 : i32, i32, i32, i32) (%0, %0 : i32, i32)
  lane.store %r#0, %r#1 to %p align 4 : i32, i32
  %old = lane.get %v : i32
  lane.store %old to %p align 4 : i32
  return
}

// The first result is needed before the second product, so both products stay.
// CHECK-LABEL: @needed
// CHECK: lane.matrix_product 2, 4, 4
// CHECK: lane.store
// CHECK: lane.matrix_product 2, 4, 4
func.func @needed() attributes {lane.kernel} {
  %p = lane.buffer 0, 0
  %0 = arith.constant 0 : i32
  %a:2 = lane.load %p align 4 : i32, i32
  %b:4 = lane.load %p align 4 : i32, i32, i32, i32
  %q:2 = lane.matrix_product 2, 4, 4 (%a#0, %a#1 : i32, i32) (%b#0, %b#1, %b#2, %b#3 : i32, i32, i32, i32) (%0, %0 : i32, i32)
  lane.store %q#0, %q#1 to %p align 4 : i32, i32
  %c:4 = lane.load %p align 4 : i32, i32, i32, i32
  %r:2 = lane.matrix_product 2, 4, 4 (%a#0, %a#1 : i32, i32) (%c#0, %c#1, %c#2, %c#3 : i32, i32, i32, i32) (%0, %0 : i32, i32)
  lane.store %r#0, %r#1 to %p align 4 : i32, i32
  return
}

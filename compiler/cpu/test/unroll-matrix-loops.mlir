// RUN: pumice-opt %s --pass-pipeline='builtin.module(func.func(pumice-unroll-matrix-loops))' | FileCheck %s

// A loop of two iterations over an array of two elements becomes values.
// CHECK-LABEL: @twice
// CHECK-NOT: lane.loop
// CHECK: %[[X:.*]] = lane.load
// CHECK: %[[P:.*]] = lane.matrix_product 2, 2, 2(%[[X]] : f32)
// CHECK-NOT: lane.set {{.*}}, %[[P]]
// CHECK: %[[Y:.*]] = lane.load
// CHECK: %[[Q:.*]] = lane.matrix_product 2, 2, 2(%[[Y]] : f32) (%[[Y]] : f32) (%[[P]] : f32)
// CHECK: lane.set %{{.*}}, %[[Q]]
// CHECK: lane.store %[[Q]]
func.func @twice() attributes {lane.kernel} {
  %i = lane.var i32
  %sum = lane.var f32
  %parts = lane.array 2 x f32
  %p = lane.buffer 0, 0
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %2 = arith.constant 2 : i32
  %z = arith.constant 0.0 : f32
  lane.set %i, %0 overwrite : i32
  lane.set %sum, %z : f32
  lane.loop {
    %n = lane.get %i : i32
    %more = arith.cmpi slt, %n, %2 : i32
    lane.if %more {
      lane.end
    } else {
      lane.exit 1
    }
    %x = lane.load %p align 4 : f32
    lane.array_set %parts[%n], %x : f32
    %again = lane.array_get %parts[%n] : f32
    %old = lane.get %sum : f32
    %new = lane.matrix_product 2, 2, 2 (%again : f32) (%x : f32) (%old : f32)
    lane.set %sum, %new : f32
    lane.end
  } continuing {
    %n = lane.get %i : i32
    %next = arith.addi %n, %1 : i32
    lane.set %i, %next overwrite : i32
    lane.end
  }
  %last = lane.get %sum : f32
  lane.store %last to %p align 4 : f32
  return
}

// A loop with an unknown number of iterations, and the array that it changes, stay unchanged.
// CHECK-LABEL: @unknown
// CHECK: lane.loop
// CHECK: %[[N:.*]] = lane.get
// CHECK: lane.matrix_product
func.func @unknown() attributes {lane.kernel} {
  %i = lane.var i32
  %sum = lane.var f32
  %p = lane.buffer 0, 0
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %count = lane.load %p align 4 : i32
  lane.set %i, %0 overwrite : i32
  lane.set %sum, %z : f32
  lane.loop {
    %n = lane.get %i : i32
    %more = arith.cmpi slt, %n, %count : i32
    lane.if %more {
      lane.end
    } else {
      lane.exit 1
    }
    %old = lane.get %sum : f32
    %new = lane.matrix_product 2, 2, 2 (%z : f32) (%z : f32) (%old : f32)
    lane.set %sum, %new : f32
    lane.end
  } continuing {
    %n = lane.get %i : i32
    %next = arith.addi %n, %1 : i32
    lane.set %i, %next overwrite : i32
    lane.end
  }
  return
}

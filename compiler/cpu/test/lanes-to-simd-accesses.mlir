// RUN: pumice-opt %s --pumice-lanes-to-simd=width=4 | FileCheck %s
// Volatile accesses are emitted scalar by scalar, for one lane after the other. Hints go to all
// accesses that are made from one. A clock is read once for all lanes.

// CHECK-LABEL: llvm.func @accesses
func.func @accesses() attributes {lane.kernel, lane.workgroup_size = array<i32: 4, 1, 1>} {
  %p = lane.buffer 0, 0
  %q = lane.buffer 0, 1
  %i = lane.builtin local_id_x
  %w = arith.extui %i : i32 to i64
  %c8 = arith.constant 8 : i64
  %bytes = arith.muli %w, %c8 : i64
  %at = lane.offset %p[%bytes]
  // CHECK: llvm.load volatile %{{.*}} {alignment = 8 : i64} : !llvm.ptr -> f32
  // CHECK: llvm.load volatile %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> f32
  // CHECK-NOT: llvm.load volatile
  %x:2 = lane.load %at align 8 {volatile} : f32, f32
  // CHECK: llvm.load %{{.*}} {alignment = 8 : i64, lane.nontemporal, lane.restrict = array<i32: 1, 2>} : !llvm.ptr -> vector<4xf32>
  // CHECK: llvm.load %{{.*}} {alignment = 8 : i64, lane.nontemporal, lane.restrict = array<i32: 1, 2>} : !llvm.ptr -> vector<4xf32>
  %y:2 = lane.load %at align 8 {nontemporal, restrict = array<i32: 1, 2>} : f32, f32
  // CHECK: %[[TIME:.*]] = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
  // CHECK: llvm.store %[[TIME]], %{{.*}} {alignment = 8 : i64, lane.restrict = array<i32: -1, 2>} : i64, !llvm.ptr
  %t = lane.clock
  lane.store %t to %q align 8 {restrict = array<i32: -1, 2>} : i64
  // CHECK: llvm.call_intrinsic "llvm.readsteadycounter"() : () -> i64
  %now = lane.clock nanoseconds
  lane.store %now to %q align 8 {restrict = array<i32: -1, 2>} : i64
  // CHECK: llvm.store volatile %{{.*}} {alignment = 8 : i64} : f32
  // CHECK: llvm.store volatile %{{.*}} {alignment = 4 : i64} : f32
  lane.store %x#0, %y#0 to %at align 8 {volatile} : f32, f32
  func.return
}

// With Flatten, code without stores is not skipped by a branch. With DontFlatten, any code is.
// CHECK-LABEL: llvm.func @selections
func.func @selections() attributes {lane.kernel, lane.workgroup_size = array<i32: 4, 1, 1>} {
  %i = lane.builtin local_id_x
  %one = arith.constant 1 : i32
  %c = arith.cmpi eq, %i, %one : i32
  %v = lane.var i32
  lane.set %v, %one : i32
  // The loop over workgroups has two branches.
  // CHECK: llvm.cond_br
  // CHECK: llvm.cond_br
  // CHECK-NOT: llvm.cond_br
  // CHECK: arith.muli
  // CHECK-NOT: llvm.cond_br
  // CHECK: llvm.select
  lane.if %c control 1 {
    %a = arith.muli %i, %i : i32
    %b = arith.muli %a, %i : i32
    %d = arith.muli %b, %i : i32
    %e = arith.muli %d, %i : i32
    %f = arith.muli %e, %i : i32
    %g = arith.muli %f, %i : i32
    %h = arith.muli %g, %i : i32
    %j = arith.muli %h, %i : i32
    %k = arith.muli %j, %i : i32
    lane.set %v, %k : i32
    lane.end
  } else {
    lane.end
  }
  // CHECK: llvm.cond_br
  lane.if %c control 2 {
    lane.set %v, %i : i32
    lane.end
  } else {
    lane.end
  }
  %p = lane.buffer 0, 0
  %r = lane.get %v : i32
  lane.store %r to %p align 4 : i32
  func.return
}

// RUN: pumice-opt %s -pumice-lanes-to-simd='width=4' | FileCheck %s

// Loads of x[2 i] and x[2 i + 1], in either order, become two vectors and shuffles. So do stores.
// CHECK-LABEL: llvm.func @pairs
func.func @pairs() attributes {lane.kernel, lane.workgroup_size = array<i32: 4, 1, 1>} {
  %in = lane.buffer 0, 0
  %out = lane.buffer 0, 1
  %x = lane.builtin local_id_x
  %four = arith.constant 4 : i64
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %i = arith.muli %x, %two : i32
  %next = arith.addi %i, %one : i32
  %iwide = arith.extsi %i : i32 to i64
  %nextwide = arith.extsi %next : i32 to i64
  %ibytes = arith.muli %iwide, %four : i64
  %nextbytes = arith.muli %nextwide, %four : i64
  %p0 = lane.offset %in[%ibytes]
  %p1 = lane.offset %in[%nextbytes]
  %q0 = lane.offset %out[%ibytes]
  %q1 = lane.offset %out[%nextbytes]
  // CHECK-NOT: gather
  // CHECK: llvm.load %{{.+}} {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
  // CHECK: llvm.load %{{.+}} {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
  // CHECK-NOT: gather
  %b = lane.load %p1 align 4 : f32
  %a = lane.load %p0 align 4 : f32
  // CHECK-NOT: scatter
  // CHECK: llvm.store %{{.+}}, %{{.+}} {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
  // CHECK: llvm.store %{{.+}}, %{{.+}} {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
  // CHECK-NOT: scatter
  lane.store %b to %q0 align 4 : f32
  lane.store %a to %q1 align 4 : f32
  return
}

// The accesses stay separate, because a store comes between them.
// CHECK-LABEL: llvm.func @apart
func.func @apart() attributes {lane.kernel, lane.workgroup_size = array<i32: 4, 1, 1>} {
  %in = lane.buffer 0, 0
  %out = lane.buffer 0, 1
  %x = lane.builtin local_id_x
  %four = arith.constant 4 : i64
  %eight = arith.constant 8 : i64
  %i = arith.extsi %x : i32 to i64
  %bytes = arith.muli %i, %eight : i64
  %p0 = lane.offset %in[%bytes]
  %p1 = lane.offset %p0[%four]
  // CHECK-COUNT-2: llvm.intr.masked.gather
  %a = lane.load %p0 align 4 : f32
  lane.store %a to %out align 4 : f32
  %b = lane.load %p1 align 4 : f32
  lane.store %b to %out align 4 : f32
  return
}

// RUN: pumice-opt %s -pumice-lanes-to-simd='width=4' | FileCheck %s

// Loads the next element in a ring of 16: as a vector, except where the ring wraps.
// CHECK-LABEL: llvm.func @ring
func.func @ring() attributes {lane.kernel, lane.workgroup_size = array<i32: 16, 1, 1>} {
  %in = lane.buffer 0, 0
  %out = lane.buffer 0, 1
  %x = lane.builtin local_id_x
  %one = arith.constant 1 : i32
  %last = arith.constant 15 : i32
  %four = arith.constant 4 : i64
  %next = arith.addi %x, %one : i32
  %ring = arith.andi %next, %last : i32
  %wide = arith.extsi %ring : i32 to i64
  %bytes = arith.muli %wide, %four : i64
  %p = lane.offset %in[%bytes]
  // CHECK: %[[FIRST:.+]] = arith.andi %{{.+}}, %{{.+}} : i32
  // CHECK: %[[LAST:.+]] = llvm.mlir.constant(12 : i32) : i32
  // CHECK: %[[FITS:.+]] = llvm.icmp "ule" %[[FIRST]], %[[LAST]] : i32
  // CHECK: llvm.cond_br %[[FITS]], ^[[TOGETHER:.+]], ^[[APART:.+]]
  // CHECK: ^[[TOGETHER]]:
  // CHECK: llvm.load %{{.+}} {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
  // CHECK: ^[[APART]]:
  // CHECK: llvm.intr.masked.gather
  %v = lane.load %p align 4 : f32
  %widex = arith.extsi %x : i32 to i64
  %xbytes = arith.muli %widex, %four : i64
  %q = lane.offset %out[%xbytes]
  lane.store %v to %q align 4 : f32
  return
}

// A ring of three elements wraps in every register.
// CHECK-LABEL: llvm.func @short
func.func @short() attributes {lane.kernel, lane.workgroup_size = array<i32: 16, 1, 1>} {
  %in = lane.buffer 0, 0
  %x = lane.builtin local_id_x
  %one = arith.constant 1 : i32
  %last = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %four = arith.constant 4 : i64
  %next = arith.addi %x, %one : i32
  %ring = arith.remui %next, %three : i32
  %wide = arith.extsi %ring : i32 to i64
  %bytes = arith.muli %wide, %four : i64
  %p = lane.offset %in[%bytes]
  // CHECK: arith.remui %{{.+}} : vector<4xi32>
  // CHECK-NOT: cond_br
  // CHECK: llvm.intr.masked.gather
  %v = lane.load %p align 4 : f32
  lane.store %v to %in align 4 : f32
  return
}

// If the divisor is unknown, the numbers of all lanes are compared. Both branches use the same
// mask.
// CHECK-LABEL: llvm.func @ring_of_any
func.func @ring_of_any() attributes {lane.kernel, lane.workgroup_size = array<i32: 16, 1, 1>} {
  %in = lane.buffer 0, 0
  %out = lane.buffer 0, 1
  %x = lane.builtin local_id_x
  %zero = arith.constant 0 : i64
  %four = arith.constant 4 : i64
  %p0 = lane.offset %in[%zero]
  %n = lane.load %p0 align 4 : i32
  %ring = arith.remui %x, %n : i32
  %wide = arith.extsi %ring : i32 to i64
  %bytes = arith.muli %wide, %four : i64
  %p = lane.offset %in[%bytes]
  // CHECK: %[[SAME:.+]] = llvm.icmp "eq" %{{.+}}, %{{.+}} : vector<4xi{{32|64}}>
  // CHECK: %[[ALL:.+]] = "llvm.intr.vector.reduce.and"(%[[SAME]])
  // CHECK: llvm.cond_br %[[ALL]], ^[[TOGETHER:.+]], ^[[APART:.+]]
  // CHECK: ^[[TOGETHER]]:
  // CHECK: llvm.load %{{.+}} {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
  // CHECK: ^[[APART]]:
  // CHECK: llvm.intr.masked.gather
  %v = lane.load %p align 4 : f32
  %widex = arith.extsi %x : i32 to i64
  %xbytes = arith.muli %widex, %four : i64
  %q = lane.offset %out[%xbytes]
  lane.store %v to %q align 4 : f32
  return
}

// Most subgroups have one quotient. Then one element is loaded.
// CHECK-LABEL: llvm.func @quotient
func.func @quotient() attributes {lane.kernel, lane.workgroup_size = array<i32: 16, 1, 1>} {
  %in = lane.buffer 0, 0
  %out = lane.buffer 0, 1
  %x = lane.builtin local_id_x
  %c = arith.constant 100 : i32
  %seven = arith.constant 7 : i32
  %four = arith.constant 4 : i64
  %moved = arith.addi %x, %seven : i32
  %row = arith.divui %moved, %c : i32
  %wide = arith.extsi %row : i32 to i64
  %bytes = arith.muli %wide, %four : i64
  %p = lane.offset %in[%bytes]
  // CHECK: %[[EQUAL:.+]] = llvm.icmp "eq" %{{.+}}, %{{.+}} : vector<4xi{{32|64}}>
  // CHECK: %[[ALL:.+]] = "llvm.intr.vector.reduce.and"(%[[EQUAL]])
  // CHECK: llvm.cond_br %[[ALL]], ^[[ONE:.+]], ^[[APART:.+]]
  // CHECK: ^[[ONE]]:
  // CHECK: %[[ELEMENT:.+]] = llvm.load %{{.+}} {alignment = 4 : i64} : !llvm.ptr -> f32
  // CHECK: ^[[APART]]:
  // CHECK: llvm.intr.masked.gather
  %v = lane.load %p align 4 : f32
  %widex = arith.extsi %x : i32 to i64
  %xbytes = arith.muli %widex, %four : i64
  %q = lane.offset %out[%xbytes]
  lane.store %v to %q align 4 : f32
  return
}

// Quotients by small numbers differ in each register.
// CHECK-LABEL: llvm.func @small_quotient
func.func @small_quotient() attributes {lane.kernel, lane.workgroup_size = array<i32: 16, 1, 1>} {
  %in = lane.buffer 0, 0
  %x = lane.builtin local_id_x
  %three = arith.constant 3 : i32
  %four = arith.constant 4 : i64
  %row = arith.divui %x, %three : i32
  %wide = arith.extsi %row : i32 to i64
  %bytes = arith.muli %wide, %four : i64
  %p = lane.offset %in[%bytes]
  // CHECK: arith.divui %{{.+}} : vector<4xi32>
  // CHECK-NOT: cond_br
  // CHECK: llvm.intr.masked.gather
  %v = lane.load %p align 4 : f32
  lane.store %v to %in align 4 : f32
  return
}

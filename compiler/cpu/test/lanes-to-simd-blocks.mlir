// RUN: pumice-opt %s -pumice-lanes-to-simd='width=8' | FileCheck %s

// A subgroup has two rows of four lanes. Their addresses are two scalars, and each row loads once.
// CHECK-LABEL: llvm.func @rows
func.func @rows() attributes {lane.kernel, lane.workgroup_size = array<i32: 4, 4, 1>} {
  %in = lane.buffer 0, 0
  %out = lane.buffer 0, 1
  %x = lane.builtin local_id_x
  %y = lane.builtin local_id_y
  %four = arith.constant 4 : i64
  %pitch = arith.constant 100 : i32
  // CHECK: %[[ROW0:.+]] = arith.muli %{{.+}}, %{{.+}} : i32
  // CHECK: %[[ROW1:.+]] = arith.muli %{{.+}}, %{{.+}} : i32
  %row = arith.muli %y, %pitch : i32
  %wide = arith.extsi %row : i32 to i64
  %bytes = arith.muli %wide, %four : i64
  %p = lane.offset %in[%bytes]
  // CHECK: llvm.load %{{.+}} {alignment = 4 : i64} : !llvm.ptr -> f32
  // CHECK: llvm.load %{{.+}} {alignment = 4 : i64} : !llvm.ptr -> f32
  // CHECK-NOT: gather
  %v = lane.load %p align 4 : f32
  %place = arith.addi %row, %x : i32
  %wideplace = arith.extsi %place : i32 to i64
  %at = arith.muli %wideplace, %four : i64
  %q = lane.offset %out[%at]
  // CHECK: llvm.store %{{.+}}, %{{.+}} {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
  // CHECK: llvm.store %{{.+}}, %{{.+}} {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
  // CHECK-NOT: scatter
  lane.store %v to %q align 4 : f32
  return
}

// If lanes are inactive, a row may have no active lane. Then its address is not used.
// CHECK-LABEL: llvm.func @masked
func.func @masked() attributes {lane.kernel, lane.workgroup_size = array<i32: 4, 4, 1>} {
  %in = lane.buffer 0, 0
  %out = lane.buffer 0, 1
  %x = lane.builtin local_index
  %y = lane.builtin local_id_y
  %four = arith.constant 4 : i64
  %wide = arith.extsi %y : i32 to i64
  %bytes = arith.muli %wide, %four : i64
  %p = lane.offset %in[%bytes]
  %c = lane.load %p align 4 : i32
  %less = arith.cmpi ult, %x, %c : i32
  lane.if %less {
    // CHECK: %[[NONE:.+]] = llvm.icmp "ne" %{{.+}}, %{{.+}} : i4
    // CHECK: %[[SAFE:.+]] = llvm.select %[[NONE]], %{{.+}}, %{{.+}} : i1, !llvm.ptr
    // CHECK: llvm.load %[[SAFE]]
    %next = lane.offset %p[%four]
    %v = lane.load %next align 4 : i32
    lane.store %v to %out align 4 : i32
    lane.end
  } else {
    lane.end
  }
  return
}

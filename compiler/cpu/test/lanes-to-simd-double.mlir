// RUN: pumice-opt %s -pumice-lanes-to-simd='width=4 may-double' | FileCheck %s

// A loop, a row of 16 and nobody who asks: eight lanes.
// CHECK-LABEL: llvm.func @loops
// CHECK-SAME: lane.subgroup_size = 8 : i32
func.func @loops() attributes {lane.kernel, lane.workgroup_size = array<i32: 16, 1, 1>} {
  %x = lane.builtin local_id_x
  %one = arith.constant 1 : i32
  %i = lane.var i32
  lane.set %i, %x overwrite : i32
  lane.loop {
    %n = lane.get %i : i32
    %c = arith.cmpi ult, %n, %one : i32
    lane.if %c {
      lane.exit 1
    } else {
      lane.end
    }
    lane.end
  } continuing {
    %n = lane.get %i : i32
    %m = arith.subi %n, %one : i32
    lane.set %i, %m overwrite : i32
    lane.end
  }
  return
}

// A row of four would be torn apart.
// CHECK-LABEL: llvm.func @rows
// CHECK-SAME: lane.subgroup_size = 4 : i32
func.func @rows() attributes {lane.kernel, lane.workgroup_size = array<i32: 4, 4, 1>} {
  lane.loop {
    lane.exit 0
  } continuing {
    lane.end
  }
  return
}

// This one would see it.
// CHECK-LABEL: llvm.func @asks
// CHECK-SAME: lane.subgroup_size = 4 : i32
func.func @asks() attributes {lane.kernel, lane.workgroup_size = array<i32: 16, 1, 1>} {
  %lane = lane.builtin subgroup_lane
  lane.loop {
    lane.exit 0
  } continuing {
    lane.end
  }
  return
}

// One that asked for a size gets it.
// CHECK-LABEL: llvm.func @asked
// CHECK-SAME: lane.subgroup_size = 4 : i32
func.func @asked() attributes {lane.kernel, lane.subgroup_size = 4 : i32,
                               lane.workgroup_size = array<i32: 16, 1, 1>} {
  lane.loop {
    lane.exit 0
  } continuing {
    lane.end
  }
  return
}

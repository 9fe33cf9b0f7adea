// RUN: pumice-opt %s -pumice-lanes-to-simd='width=4 may-widen' | FileCheck %s

// The kernel has a loop, its values fit, and it cannot observe the lanes: four registers.
// CHECK-LABEL: llvm.func @loops
// CHECK-SAME: lane.subgroup_size = 16 : i32
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

// There are eight values for each lane, so only two registers of each fit.
// CHECK-LABEL: llvm.func @presses
// CHECK-SAME: lane.subgroup_size = 8 : i32
func.func @presses() attributes {lane.kernel, lane.workgroup_size = array<i32: 16, 1, 1>} {
  %in = lane.buffer 0, 0
  %x = lane.builtin local_id_x
  %wide = arith.extsi %x : i32 to i64
  %stride = arith.constant 32 : i64
  %bytes = arith.muli %wide, %stride : i64
  %p = lane.offset %in[%bytes]
  %v:8 = lane.load %p align 4 : f32, f32, f32, f32, f32, f32, f32, f32
  lane.loop {
    %a = arith.addf %v#0, %v#1 : f32
    %b = arith.addf %a, %v#2 : f32
    %c = arith.addf %b, %v#3 : f32
    %d = arith.addf %c, %v#4 : f32
    %e = arith.addf %d, %v#5 : f32
    %f = arith.addf %e, %v#6 : f32
    lane.store %f to %p align 4 : f32
    lane.exit 0
  } continuing {
    lane.end
  }
  return
}

// With two rows of four lanes or more, addresses are shared no less than with one row.
// CHECK-LABEL: llvm.func @rows
// CHECK-SAME: lane.subgroup_size = 16 : i32
func.func @rows() attributes {lane.kernel, lane.workgroup_size = array<i32: 4, 4, 1>} {
  lane.loop {
    lane.exit 0
  } continuing {
    lane.end
  }
  return
}

// A condition that the lanes of one row share would become a mask.
// CHECK-LABEL: llvm.func @divides
// CHECK-SAME: lane.subgroup_size = 4 : i32
func.func @divides() attributes {lane.kernel, lane.workgroup_size = array<i32: 4, 4, 1>} {
  %y = lane.builtin local_id_y
  %one = arith.constant 1 : i32
  %c = arith.cmpi ult, %y, %one : i32
  lane.loop {
    lane.if %c {
      lane.return
    } else {
      lane.end
    }
    lane.exit 0
  } continuing {
    lane.end
  }
  return
}

// This kernel could observe the number of lanes.
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

// A kernel that requests a subgroup size gets it.
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

// RUN: pumice-opt %s --pumice-lanes-to-simd=annotate-only | FileCheck %s
// Tests which values are uniform, strided or varying, and where lanes diverge.

// CHECK-LABEL: @shapes
func.func @shapes() attributes {lane.kernel, lane.workgroup_size = array<i32: 256, 1, 1>} {
  %c4 = arith.constant 4 : i32
  %c15 = arith.constant 15 : i32
  %c16 = arith.constant 16 : i32
  %w4 = arith.constant 4 : i64
  // CHECK: lane.builtin local_index {lane.shape = "strided 1"}
  %i = lane.builtin local_index
  // CHECK: lane.builtin workgroup_id_x {lane.once, lane.shape = "uniform"}
  %g = lane.builtin workgroup_id_x
  // CHECK: arith.divui {{.*}}lane.shape = "uniform"
  %row = arith.divui %i, %c16 : i32
  // CHECK: arith.andi {{.*}}lane.shape = "strided 1"
  %column = arith.andi %i, %c15 : i32
  // CHECK: arith.divui {{.*}}lane.shape = "varying, groups of 4 strided 0"
  %quad = arith.divui %i, %c4 : i32
  // CHECK: arith.muli {{.*}}lane.shape = "strided 4"
  %s = arith.muli %i, %c4 : i32
  // CHECK: arith.addi {{.*}}lane.shape = "strided 4"
  %t = arith.addi %s, %g : i32
  // Only addresses are computed from this value.
  // CHECK: arith.extsi {{.*}}lane.shape = "strided 4"
  %wide = arith.extsi %t : i32 to i64
  %bytes = arith.muli %wide, %w4 : i64
  %b = lane.buffer 0, 0
  // CHECK: lane.offset {{.*}}lane.shape = "strided 16"
  %p = lane.offset %b[%bytes]
  // This value is also stored as a number, and it might have wrapped.
  // CHECK: arith.extsi {{.*}}lane.shape = "varying"
  %n = arith.extsi %t : i32 to i64
  lane.store %n to %p align 8 : i64
  // A value with a small bound cannot wrap.
  // CHECK: arith.extui {{.*}}lane.shape = "strided 1"
  %m = arith.extui %i : i32 to i64
  lane.store %m to %p align 8 : i64
  // The number of an OpenCL invocation cannot wrap, nor can slightly larger numbers. Other sums
  // can.
  // CHECK: arith.addi {{.*}}lane.invocation, lane.shape = "strided 1"
  %number = arith.addi %i, %g {lane.invocation} : i32
  %more = arith.addi %number, %c16 : i32
  // CHECK: arith.extui {{.*}}lane.shape = "strided 1"
  %far = arith.extui %more : i32 to i64
  lane.store %far to %p align 8 : i64
  // CHECK: arith.extsi {{.*}}lane.shape = "varying"
  %further = arith.extsi %more : i32 to i64
  lane.store %further to %p align 8 : i64
  // CHECK: arith.extui {{.*}}lane.shape = "varying"
  %open = arith.extui %t : i32 to i64
  lane.store %open to %p align 8 : i64
  return
}

// CHECK-LABEL: @flow
func.func @flow() attributes {lane.kernel, lane.workgroup_size = array<i32: 64, 1, 1>} {
  %i = lane.builtin local_index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c9 = arith.constant 9 : i32
  // CHECK: lane.var {{.*}}"uniform"
  %u = lane.var i32
  // CHECK: lane.var {{.*}}"varying"
  %left = lane.var i32
  lane.set %u, %c0 overwrite : i32
  lane.set %left, %c0 : i32
  lane.loop {
    %n = lane.get %u : i32
    %more = arith.cmpi slt, %n, %c9 : i32
    lane.if %more {
      lane.end
    } else {
      // CHECK: lane.exit 1 {lane.jumps}
      lane.exit 1
    // CHECK-NEXT: }
    // CHECK-NOT: lane.splits
    }
    %odd = arith.cmpi eq, %n, %i : i32
    lane.if %odd {
      lane.set %left, %n : i32
      // CHECK: lane.exit 1{{$}}
      lane.exit 1
    } else {
      lane.end
    // CHECK: } {lane.leaks, lane.splits}
    }
    lane.end
  } continuing {
    %n = lane.get %u : i32
    %next = arith.addi %n, %c1 : i32
    lane.set %u, %next overwrite : i32
    lane.end
  // CHECK: } {lane.splits}
  }
  return
}

// A barrier makes its loop run once per workgroup, and also the `if` that leaves the loop.
// CHECK-LABEL: @barrier
func.func @barrier() attributes {lane.kernel, lane.workgroup_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c9 = arith.constant 9 : i32
  // CHECK: lane.var {{.*}}lane.once
  %u = lane.var i32
  lane.set %u, %c0 overwrite : i32
  lane.loop {
    %n = lane.get %u : i32
    %more = arith.cmpi slt, %n, %c9 : i32
    lane.if %more {
      lane.end
    } else {
      lane.exit 1
    // CHECK: } {lane.for_workgroup}
    }
    lane.barrier
    lane.end
  } continuing {
    %n = lane.get %u : i32
    %next = arith.addi %n, %c1 : i32
    lane.set %u, %next overwrite : i32
    lane.end
  // CHECK: } {lane.for_workgroup}
  }
  return
}

// The kernel of a workgroup of one subgroup is not split at barriers. A load after a barrier may
// read what a store before it wrote, and must stay there.
// CHECK-LABEL: @one_subgroup
// CHECK: lane.barrier
// CHECK: lane.load {{.*}}{lane.shape = "uniform"}
func.func @one_subgroup() attributes {lane.kernel, lane.shared_bytes = 4 : i64, lane.workgroup_size = array<i32: 16, 1, 1>} {
  %g = lane.builtin workgroup_id_x
  %s = lane.shared 0
  %b = lane.buffer 0, 0
  lane.store %g to %s align 4 : i32
  lane.barrier
  %x = lane.load %s align 4 : i32
  lane.store %x to %b align 4 : i32
  return
}

// Arrays hold uniform or strided elements only once. They do not if lanes access them differently.
// CHECK-LABEL: @arrays
func.func @arrays() attributes {lane.kernel, lane.workgroup_size = array<i32: 64, 1, 1>} {
  %i = lane.builtin local_index
  %g = lane.builtin workgroup_id_x
  %c3 = arith.constant 3 : i32
  %uniform = lane.array 4 x i32
  %strided = lane.array 4 x i32
  %mixed = lane.array 4 x i32
  %apart = lane.array 4 x i32
  %masked = lane.array 4 x i32
  lane.array_set %uniform[%c3], %g : i32
  %sum = arith.addi %i, %g : i32
  lane.array_set %strided[%g], %i : i32
  lane.array_set %strided[%c3], %sum : i32
  lane.array_set %mixed[%c3], %g : i32
  lane.array_set %mixed[%g], %i : i32
  lane.array_set %apart[%c3], %g : i32
  // CHECK: lane.array_get {{.*}}lane.shape = "uniform"
  %a = lane.array_get %uniform[%g] : i32
  // CHECK: lane.array_get {{.*}}lane.shape = "strided 1"
  %b = lane.array_get %strided[%g] : i32
  // CHECK: lane.array_get {{.*}}lane.shape = "varying"
  %c = lane.array_get %mixed[%g] : i32
  // CHECK: lane.array_get {{.*}}lane.shape = "varying"
  %d = lane.array_get %apart[%i] : i32
  %some = arith.cmpi ult, %i, %c3 : i32
  lane.if %some {
    // Only some lanes write this element.
    lane.array_set %masked[%c3], %g : i32
    lane.end
  } else {
    lane.end
  }
  // CHECK: lane.array_get {{.*}}lane.shape = "varying"
  %e = lane.array_get %masked[%c3] : i32
  %out = lane.buffer 0, 0
  lane.store %a, %b, %c, %d, %e to %out align 4 : i32, i32, i32, i32, i32
  return
}

// Products of 32 bits wrap, and so do their strides. With large strides, values may wrap between
// lanes.
// CHECK-LABEL: @wraps
func.func @wraps() attributes {lane.kernel, lane.workgroup_size = array<i32: 256, 1, 1>} {
  %c3 = arith.constant 3 : i32
  %third = arith.constant -1431655765 : i32
  %far = arith.constant 1073741824 : i32
  %i = lane.builtin local_index
  // CHECK: arith.muli {{.*}}lane.shape = "strided 3"
  %x = arith.muli %i, %c3 : i32
  // CHECK: arith.muli {{.*}}lane.shape = "strided 1"
  %y = arith.muli %x, %third : i32
  // CHECK: arith.extsi {{.*}}lane.shape = "strided 1"
  %near = arith.extsi %y : i32 to i64
  // CHECK: arith.muli {{.*}}lane.shape = "strided 1073741824"
  %z = arith.muli %i, %far : i32
  // CHECK: arith.extsi {{.*}}lane.shape = "varying"
  %apart = arith.extsi %z : i32 to i64
  %b = lane.buffer 0, 0
  %p = lane.offset %b[%near]
  %q = lane.offset %b[%apart]
  lane.store %i to %p align 4 : i32
  lane.store %i to %q align 4 : i32
  return
}

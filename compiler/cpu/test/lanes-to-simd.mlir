// RUN: pumice-opt %s --pumice-lanes-to-simd=width=8 | FileCheck %s
// Tests what each construct becomes.

// CHECK-LABEL: llvm.func @consecutive(
// CHECK-SAME: lane.bindings = array<i32: 0, 0, 0>
// CHECK-SAME: lane.scratch_bytes = 64
// CHECK-SAME: lane.subgroup_size = 8
func.func @consecutive() attributes {lane.kernel, lane.workgroup_size = array<i32: 64, 1, 1>} {
  %i = lane.builtin local_index
  %c4 = arith.constant 4 : i64
  %w = arith.extsi %i : i32 to i64
  %o = arith.muli %w, %c4 : i64
  %b = lane.buffer 0, 0
  %p = lane.offset %b[%o]
  // A condition of the whole workgroup is computed before the loop over its subgroups.
  // CHECK: arith.cmpi eq, {{.*}} : i32
  // CHECK: llvm.load {{.*}} -> vector<8xf32>
  %x = lane.load %p align 4 : f32
  // CHECK: arith.addf {{.*}} : vector<8xf32>
  %y = arith.addf %x, %x : f32
  %g = lane.builtin workgroup_id_x
  %c0 = arith.constant 0 : i32
  %first = arith.cmpi eq, %g, %c0 : i32
  // CHECK: llvm.cond_br
  lane.if %first {
    // CHECK: llvm.store {{.*}} : vector<8xf32>
    lane.store %y to %p align 4 : f32
    lane.end
  } else {
    lane.end
  }
  return
}

// CHECK-LABEL: llvm.func @divergent(
func.func @divergent() attributes {lane.kernel, lane.workgroup_size = array<i32: 64, 1, 1>} {
  %i = lane.builtin local_index
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i64
  %w = arith.extsi %i : i32 to i64
  %o = arith.muli %w, %c4 : i64
  %b = lane.buffer 0, 0
  %p = lane.offset %b[%o]
  // CHECK: arith.cmpi ult, {{.*}} : vector<8xi32>
  %some = arith.cmpi ult, %i, %c3 : i32
  // CHECK: llvm.cond_br
  lane.if %some {
    // CHECK: llvm.intr.masked.load
    %x = lane.load %p align 4 : i32
    // A gather uses the loaded 32-bit index as it is, and index 0 in inactive lanes.
    %xw = arith.extsi %x : i32 to i64
    %xo = arith.muli %xw, %c4 : i64
    %q = lane.offset %b[%xo]
    // CHECK: %[[INDEX:.*]] = llvm.select %[[THERE:.*]], %{{.*}}, %{{.*}} : vector<8xi1>, vector<8xi32>
    // CHECK: llvm.getelementptr %{{.*}}[%[[INDEX]]] : (!llvm.ptr, vector<8xi32>) -> vector<8x!llvm.ptr>, i32
    // CHECK: llvm.intr.masked.gather %{{.*}}, %[[THERE]], %{{.*}}
    %y = lane.load %q align 4 : i32
    // CHECK: llvm.intr.masked.store
    lane.store %y to %p align 4 : i32
    lane.end
  } else {
    lane.end
  }
  return
}

// There are two loops over eight subgroups. The stack keeps the loaded value between them.
// CHECK-LABEL: llvm.func @barrier(
// CHECK-SAME: lane.scratch_bytes = 64
// CHECK: llvm.alloca %{{.*}} x i8 {alignment = 64 : i64}
func.func @barrier() attributes {lane.kernel, lane.workgroup_size = array<i32: 64, 1, 1>,
                                 lane.shared_bytes = 256 : i64} {
  %i = lane.builtin local_index
  %c4 = arith.constant 4 : i64
  %c63 = arith.constant 63 : i32
  %w = arith.extsi %i : i32 to i64
  %o = arith.muli %w, %c4 : i64
  %b = lane.buffer 0, 0
  %s = lane.shared 0
  %p = lane.offset %b[%o]
  %sp = lane.offset %s[%o]
  %x = lane.load %p align 4 : i32
  lane.store %x to %sp align 4 : i32
  // CHECK: %[[X:.*]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: llvm.store %[[X]],
  // CHECK: llvm.store %[[X]],
  // CHECK: llvm.cond_br
  lane.barrier
  %r = arith.subi %c63, %i : i32
  %rw = arith.extsi %r : i32 to i64
  %ro = arith.muli %rw, %c4 : i64
  %rp = lane.offset %s[%ro]
  %y = lane.load %rp align 4 : i32
  %z = arith.addi %x, %y : i32
  lane.store %z to %p align 4 : i32
  // CHECK: %[[KEPT:.*]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: arith.addi %[[KEPT]]
  // CHECK: llvm.cond_br
  return
}

// A subgroup updates memory once for all its lanes.
// CHECK-LABEL: llvm.func @count(
func.func @count() attributes {lane.kernel, lane.workgroup_size = array<i32: 64, 1, 1>} {
  %i = lane.builtin local_index
  %b = lane.buffer 0, 0
  // CHECK: %[[SUM:.*]] = "llvm.intr.vector.reduce.add"
  // CHECK-NEXT: llvm.atomicrmw add %{{.*}}, %[[SUM]] monotonic
  %old = lane.atomic add monotonic %b, %i : i32
  return
}

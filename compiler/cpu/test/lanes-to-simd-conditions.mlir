// RUN: pumice-opt %s -pumice-lanes-to-simd='width=4' | FileCheck %s

// The first lane shows whether any lane is below a bound, and the last lane whether any is not.
// CHECK-LABEL: llvm.func @below
func.func @below() attributes {lane.kernel, lane.workgroup_size = array<i32: 16, 1, 1>} {
  %out = lane.buffer 0, 0
  %x = lane.builtin local_id_x
  %bound = lane.builtin workgroup_id_x
  %c = arith.cmpi ult, %x, %bound : i32
  // CHECK: %[[FIRST:.+]] = llvm.mul %{{.+}}, %{{.+}} : i32
  // CHECK: %[[LAST:.+]] = llvm.add %[[FIRST]], %{{.+}} : i32
  // CHECK: %[[SOME:.+]] = arith.cmpi ult, %[[FIRST]], %{{.+}} : i32
  // CHECK: %[[OTHERS:.+]] = arith.cmpi uge, %{{.+}}, %{{.+}} : i32
  // CHECK: llvm.cond_br %[[SOME]]
  lane.if %c {
    lane.store %x to %out align 4 : i32
    lane.end
  // CHECK: llvm.cond_br %[[OTHERS]]
  } else {
    lane.store %bound to %out align 4 : i32
    lane.end
  }
  return
}

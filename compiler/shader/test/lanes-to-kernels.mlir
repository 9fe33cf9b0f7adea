// Slots and push constants become the parameters of a kernel.
// RUN: pumice-opt %s --pumice-lanes-to-kernels | FileCheck %s
// RUN: pumice-opt %s --pumice-lanes-to-kernels='slots=0,1,0,0,2,0' | FileCheck %s --check-prefix=SLOTS

// CHECK: llvm.mlir.global internal @k_workgroup() {addr_space = 3 : i32
// CHECK: llvm.func spir_kernelcc @k(%[[P:.*]]: !llvm.ptr<1>, %{{.*}}: i64, %[[C:.*]]: i64)
// CHECK-SAME: reqd_work_group_size = array<i32: 8, 1, 1>
// CHECK: llvm.addrspacecast %[[P]] : !llvm.ptr<1> to !llvm.ptr<4>
// CHECK: llvm.call spir_funccc @_Z12get_local_idj
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<4> -> f32
// CHECK: llvm.call spir_funccc @_Z22__spirv_ControlBarrieriii
// CHECK: llvm.call spir_funccc @_Z3sinf
// A divisor of 0 is replaced, because the division would trap.
// CHECK: %[[ZERO:.*]] = llvm.icmp "eq"
// CHECK: %[[DIVISOR:.*]] = llvm.select %[[ZERO]]
// CHECK: llvm.udiv %{{.*}}, %[[DIVISOR]]
// SLOTS: llvm.func spir_kernelcc @k(%{{.*}}: !llvm.ptr<1>, %{{.*}}: i64, %{{.*}}: !llvm.ptr<1>, %{{.*}}: i64, %{{.*}}: i64)
func.func @k() attributes {lane.kernel, lane.push_constant_bytes = 8 : i64, lane.shared_bytes = 64 : i64, lane.workgroup_size = array<i32: 8, 1, 1>} {
  %p = lane.buffer 0, 1
  %c = lane.push_constants
  %s = lane.shared 0
  %i = lane.builtin local_id_x
  %n = lane.load %c align 4 : i32
  %x = lane.load %p align 4 : f32
  lane.store %x to %s align 4 : f32
  lane.barrier
  %y = math.sin %x : f32
  %q = arith.divui %i, %n : i32
  lane.store %y to %p align 4 : f32
  lane.store %q to %s align 4 : i32
  return
}

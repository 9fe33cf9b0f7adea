// Atomics that a device lacks become loops of exchanges.
// RUN: pumice-opt %s --pass-pipeline='builtin.module(func.func(pumice-expand-atomics))' | FileCheck %s
// RUN: pumice-opt %s --pass-pipeline='builtin.module(func.func(pumice-expand-atomics{float-add}))' | FileCheck %s --check-prefix=ADD

// CHECK-LABEL: func @add
// CHECK: %[[FIRST:.*]] = lane.load %arg0 align 4 {atomic_order = "monotonic"} : i32
// CHECK: cf.br ^[[AGAIN:.*]](%[[FIRST]] : i32)
// CHECK: ^[[AGAIN]](%[[SEEN:.*]]: i32):
// CHECK: %[[OLD:.*]] = arith.bitcast %[[SEEN]] : i32 to f32
// CHECK: %[[SUM:.*]] = arith.addf %[[OLD]], %arg1 : f32
// CHECK: %[[BITS:.*]] = arith.bitcast %[[SUM]] : f32 to i32
// CHECK: %[[NOW:.*]] = lane.compare_exchange {{.*}}, %[[SEEN]], %[[BITS]]
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[NOW]], %[[SEEN]] : i32
// CHECK: cf.cond_br %[[SAME]], ^{{.*}}, ^[[AGAIN]](%[[NOW]] : i32)
// ADD-LABEL: func @add
// ADD: lane.atomic fadd
func.func @add(%p: !llvm.ptr, %v: f32) -> f32 {
  %old = lane.atomic fadd monotonic %p, %v : f32
  return %old : f32
}

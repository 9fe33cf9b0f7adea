// RUN: pumice-opt %s --pumice-expand-arith --cse | FileCheck %s
// RUN: pumice-opt %s --pumice-expand-arith=index-bits=64 --cse | FileCheck %s --check-prefix=LONG
// Divisions of 64 bits, for a driver that computes with their results incorrectly.

// CHECK-LABEL: gpu.func @divisions
// CHECK: arith.divui %{{.*}}, %{{.*}} : i32
// CHECK-NOT: arith.divui
// CHECK: scf.if
// CHECK: arith.uitofp
// CHECK: else
// CHECK: arith.divui %{{.*}}, %{{.*}} : i32
// CHECK: arith.divui %{{.*}}, %{{.*}} : index
// CHECK: gpu.return
// LONG-LABEL: gpu.func @divisions
// LONG-COUNT-2: scf.if
// LONG-NOT: divui {{.*}} : index
// LONG: gpu.return
gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [], {shaderInt64, noLongDivisions}>} {
gpu.func @divisions(%x: memref<?xi64>, %y: memref<?xindex>, %a: i64, %n: i32, %i: index, %i2: index) kernel {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : i64
  %m7 = arith.constant 7 : i32
  %0 = arith.divui %n, %m7 : i32
  %1 = arith.extui %0 : i32 to i64
  %2 = arith.divui %a, %c7 : i64
  %3 = arith.addi %1, %2 : i64
  %4 = arith.divsi %3, %a : i64
  memref.store %4, %x[%c0] : memref<?xi64>
  %5 = arith.divui %i, %i2 : index
  memref.store %5, %y[%i] : memref<?xindex>
  gpu.return
}
}

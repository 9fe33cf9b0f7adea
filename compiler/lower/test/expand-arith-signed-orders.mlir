// RUN: pumice-opt %s --pumice-expand-arith --cse | FileCheck %s
// RUN: pumice-opt %s --pumice-expand-arith=index-bits=64 --cse | FileCheck %s --check-prefix=LONG
// Signed comparisons that remain 64 bits wide, for a driver that computes those of extended integers incorrectly.

// CHECK-LABEL: gpu.func @orders
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<?xi1>, %[[A:[a-z0-9]*]]: vector<2xi64>, %[[N:[a-z0-9]*]]: vector<2xi32>
// CHECK-DAG: %[[C:.*]] = arith.constant dense<[-9223372036854775803, -9223372036854775799]> : vector<2xi64>
// CHECK-DAG: %[[LEAST:.*]] = arith.constant dense<-9223372036854775808> : vector<2xi64>
// CHECK: %[[F:.*]] = arith.xori %[[A]], %[[LEAST]] : vector<2xi64>
// CHECK: arith.cmpi ult, %[[F]], %[[C]] : vector<2xi64>
// CHECK: arith.cmpi eq, %[[A]], %{{.*}} : vector<2xi64>
// CHECK: arith.cmpi uge, %[[A]], %{{.*}} : vector<2xi64>
// CHECK: arith.cmpi slt, %[[N]], %{{.*}} : vector<2xi32>
// CHECK: arith.cmpi slt, %{{.*}} : vector<2xindex>
// LONG-LABEL: gpu.func @orders
// LONG: arith.constant dense<[-9223372036854775803, -9223372036854775799]> : vector<2xindex>
// LONG: arith.cmpi ult, %{{.*}} : vector<2xindex>
gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [], {shaderInt64, noSignedLongOrders}>} {
gpu.func @orders(%x: memref<?xi1>, %a: vector<2xi64>, %n: vector<2xi32>, %i: vector<2xindex>) kernel {
  %c0 = arith.constant 0 : index
  %c = arith.constant dense<[5, 9]> : vector<2xi64>
  %places = arith.constant dense<[5, 9]> : vector<2xindex>
  %w = arith.extsi %n : vector<2xi32> to vector<2xi64>
  %0 = arith.cmpi slt, %a, %c : vector<2xi64>
  %1 = arith.cmpi eq, %a, %c : vector<2xi64>
  %4 = arith.cmpi uge, %a, %c : vector<2xi64>
  %2 = arith.cmpi slt, %w, %c : vector<2xi64>
  %3 = arith.cmpi slt, %i, %places : vector<2xindex>
  vector.store %0, %x[%c0] : memref<?xi1>, vector<2xi1>
  vector.store %1, %x[%c0] : memref<?xi1>, vector<2xi1>
  vector.store %4, %x[%c0] : memref<?xi1>, vector<2xi1>
  vector.store %2, %x[%c0] : memref<?xi1>, vector<2xi1>
  vector.store %3, %x[%c0] : memref<?xi1>, vector<2xi1>
  gpu.return
}
}

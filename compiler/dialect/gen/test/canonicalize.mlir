// RUN: pumice-opt %s -canonicalize | FileCheck %s
// A constant dimension that no grid has gives OpenCL's result for it. Others stay.

// CHECK-LABEL: func.func @beyond
func.func @beyond() -> (index, index, index, index) {
  %c3_i32 = arith.constant 3 : i32
  %c-1_i32 = arith.constant -1 : i32
  %0 = gen.local_id %c3_i32
  %1 = gen.work_group_id %c-1_i32
  %2 = gen.work_group_size %c3_i32
  %3 = gen.num_work_groups %c-1_i32
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
  // CHECK: return %[[ZERO]], %[[ZERO]], %[[ONE]], %[[ONE]]
  return %0, %1, %2, %3 : index, index, index, index
}

// CHECK-LABEL: func.func @within
func.func @within(%any: i32) -> (index, index) {
  %c2_i32 = arith.constant 2 : i32
  // CHECK: gen.local_id %c2_i32
  %0 = gen.local_id %c2_i32
  // CHECK: gen.work_group_size %arg0
  %1 = gen.work_group_size %any
  return %0, %1 : index, index
}

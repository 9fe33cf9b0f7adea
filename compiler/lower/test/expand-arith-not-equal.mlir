// RUN: pumice-opt %s --pumice-expand-arith | FileCheck %s
// Targets with noOrderedNotEqual compare twice, since SPIRV-Cross translates OpFOrdNotEqual to `!=`.

gpu.module @on_metal attributes {vk.target_env = #vk.target_env<v1.2, r(0), [], {noOrderedNotEqual}>} {
  // CHECK-LABEL: func @split
  func.func @split(%a: vector<2xf32>, %b: vector<2xf32>) -> vector<2xi1> {
    // CHECK: %[[LESS:.*]] = arith.cmpf olt, %{{.*}}, %{{.*}} : vector<2xf32>
    // CHECK: %[[GREATER:.*]] = arith.cmpf ogt, %{{.*}}, %{{.*}} : vector<2xf32>
    // CHECK: arith.ori %[[LESS]], %[[GREATER]]
    %p = arith.cmpf one, %a, %b : vector<2xf32>
    return %p : vector<2xi1>
  }
  // CHECK-LABEL: func @others
  func.func @others(%a: f32, %b: f32) -> i1 {
    // CHECK: arith.cmpf une
    %p = arith.cmpf une, %a, %b : f32
    return %p : i1
  }
}

gpu.module @elsewhere attributes {vk.target_env = #vk.target_env<v1.2, r(0), [], {}>} {
  // CHECK-LABEL: func @keep
  func.func @keep(%a: f32, %b: f32) -> i1 {
    // CHECK: arith.cmpf one
    %p = arith.cmpf one, %a, %b : f32
    return %p : i1
  }
}

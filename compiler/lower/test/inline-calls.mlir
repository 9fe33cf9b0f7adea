// RUN: pumice-opt %s --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(gpu.module(pumice-inline-calls))' | FileCheck %s

// CHECK-LABEL: gpu.module @m
// CHECK-NOT:     func.func
// CHECK-NOT:     @unused
gpu.module @m {
  func.func private @square(%x: f32) -> f32 {
    %y = arith.mulf %x, %x : f32
    return %y : f32
  }
  func.func @fourth(%x: f32) -> (f32, f32) {
    %y = func.call @square(%x) : (f32) -> f32
    %z = func.call @square(%y) : (f32) -> f32
    return %z, %x : f32, f32
  }
  gpu.func @unused(%x: f32) {
    gpu.return
  }
  // CHECK:       gpu.func @kernel(%[[A:.*]]: f32, %[[P:.*]]: i1) kernel
  // CHECK:         scf.if %[[P]]
  // CHECK-NEXT:      %[[B:.*]] = arith.mulf %[[A]], %[[A]]
  // CHECK-NEXT:      %[[C:.*]] = arith.mulf %[[B]], %[[B]]
  // CHECK-NEXT:      "test.use"(%[[C]], %[[A]])
  // CHECK-NOT:   func.call
  gpu.func @kernel(%a: f32, %p: i1) kernel {
    scf.if %p {
      %r:2 = func.call @fourth(%a) : (f32) -> (f32, f32)
      "test.use"(%r#0, %r#1) : (f32, f32) -> ()
    }
    gpu.return
  }
}

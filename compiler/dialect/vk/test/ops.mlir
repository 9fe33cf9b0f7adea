// RUN: pumice-opt %s | pumice-opt | FileCheck %s

// CHECK-LABEL: func.func @interface
func.func @interface() -> (i32, memref<?xf32>, memref<?xf16>) {
  // CHECK: vk.parameter 16 : i32
  %n = vk.parameter 16 : i32
  // CHECK: vk.parameter 0 : memref<?xf32>
  %x = vk.parameter 0 : memref<?xf32>
  // CHECK: vk.binding set(0) binding(1) : memref<?xf16>
  %y = vk.binding set(0) binding(1) : memref<?xf16>
  return %n, %x, %y : i32, memref<?xf32>, memref<?xf16>
}

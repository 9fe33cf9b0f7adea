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

// CHECK-LABEL: func.func @memory
func.func @memory(%x: memref<?xi64>, %i: index, %a: i64, %b: i64) -> i64 {
  // CHECK: vk.dynamic_workgroup_memory : memref<?xi32, #gpu.address_space<workgroup>>
  %m = vk.dynamic_workgroup_memory : memref<?xi32, #gpu.address_space<workgroup>>
  // CHECK: vk.memory_barrier
  vk.memory_barrier
  // CHECK: vk.read_clock{{$}}
  %now = vk.read_clock
  // CHECK: vk.read_clock subgroup
  %cycles = vk.read_clock subgroup
  // CHECK: vk.atomic_cmpxchg %{{.*}}, %{{.*}}, %{{.*}}[%{{.*}}] : memref<?xi64>
  %old = vk.atomic_cmpxchg %a, %b, %x[%i] : memref<?xi64>
  // CHECK: %[[A:.*]] = vk.address_of %{{.*}} : memref<?xi64>
  %address = vk.address_of %x : memref<?xi64>
  // CHECK: vk.at_address %[[A]] : memref<?xf16>
  %there = vk.at_address %address : memref<?xf16>
  return %old : i64
}

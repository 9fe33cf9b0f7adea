// RUN: pumice-opt %s --pumice-emulate-atomics --split-input-file | FileCheck %s

gpu.module @plain attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {}>} {
  // CHECK-LABEL: gpu.func @words
  gpu.func @words() kernel {
    %i = gpu.thread_id x
    // CHECK: %[[X:.*]] = vk.binding
    %x = vk.binding set(0) binding(0) : memref<?xi32>
    %c = arith.constant 3 : i32
    // CHECK: memref.atomic_rmw maxs
    %a = memref.atomic_rmw maxs %c, %x[%i] : (i32, memref<?xi32>) -> i32
    // CHECK: %[[GUESS:.*]] = memref.load %[[X]][%[[I:.*]]]
    // CHECK: %[[OLD:.*]] = scf.while (%[[V:.*]] = %[[GUESS]]) : (i32) -> i32 {
    // CHECK:   %[[N:.*]] = arith.muli %[[V]], %{{.*}} : i32
    // CHECK:   %[[SEEN:.*]] = vk.atomic_cmpxchg %[[V]], %[[N]], %[[X]][%[[I]]] : memref<?xi32>
    // CHECK:   %[[AGAIN:.*]] = arith.cmpi ne, %[[SEEN]], %[[V]] : i32
    // CHECK:   scf.condition(%[[AGAIN]]) %[[SEEN]] : i32
    // CHECK: } do {
    // CHECK:   scf.yield
    %b = memref.atomic_rmw muli %c, %x[%i] : (i32, memref<?xi32>) -> i32
    // CHECK: memref.atomic_rmw ori %[[OLD]]
    %d = memref.atomic_rmw ori %b, %x[%i] : (i32, memref<?xi32>) -> i32
    gpu.return
  }

  // CHECK-LABEL: gpu.func @region
  gpu.func @region() kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xi32>
    %c = arith.constant 3 : i32
    // CHECK: scf.while
    // CHECK:   arith.remui
    // CHECK:   vk.atomic_cmpxchg
    // CHECK-NOT: generic_atomic_rmw
    %a = memref.generic_atomic_rmw %x[%i] : memref<?xi32> {
    ^bb0(%v: i32):
      %n = arith.remui %v, %c : i32
      memref.atomic_yield %n : i32
    }
    // The order of an update becomes barriers around its loop.
    // CHECK: vk.memory_barrier
    // CHECK-NEXT: memref.load
    // CHECK-NEXT: scf.while
    // CHECK: vk.atomic_cmpxchg {{.*}} : memref<?xi32>
    // CHECK-NOT: acquire_release
    // CHECK: } do {
    // CHECK: vk.memory_barrier
    %b = memref.atomic_rmw muli %c, %x[%i] {pumice.acquire_release} : (i32, memref<?xi32>) -> i32
    gpu.return
  }

  // Private memory: no other invocation accesses it.
  // CHECK-LABEL: gpu.func @private
  gpu.func @private() kernel {
    %i = gpu.thread_id x
    %m = memref.alloca() : memref<8xf32, #gpu.address_space<private>>
    %c = arith.constant 3.0 : f32
    // CHECK: %[[V:.*]] = memref.load
    // CHECK: %[[S:.*]] = arith.addf %[[V]]
    // CHECK: memref.store %[[S]]
    // CHECK-NOT: scf.while
    %a = memref.atomic_rmw addf %c, %m[%i] : (f32, memref<8xf32, #gpu.address_space<private>>) -> f32
    gpu.return
  }
}

// -----

gpu.module @capable attributes {vk.target_env = #vk.target_env<v1.2, r(0), [VK_EXT_shader_atomic_float], {shaderInt64, shaderBufferInt64Atomics, shaderBufferFloat32Atomics, shaderBufferFloat32AtomicAdd}>} {
  // CHECK-LABEL: gpu.func @native
  gpu.func @native() kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xf32>
    %y = vk.binding set(0) binding(1) : memref<?xi64>
    %c = arith.constant 3.0 : f32
    %k = arith.constant 3 : i64
    // CHECK: memref.atomic_rmw addf
    %a = memref.atomic_rmw addf %c, %x[%i] : (f32, memref<?xf32>) -> f32
    // CHECK: memref.atomic_rmw assign
    %b = memref.atomic_rmw assign %c, %x[%i] : (f32, memref<?xf32>) -> f32
    // CHECK: memref.atomic_rmw xori
    %d = memref.atomic_rmw xori %k, %y[%i] : (i64, memref<?xi64>) -> i64
    // CHECK: vk.atomic_cmpxchg {{.*}} : memref<?xi64>
    %e = memref.atomic_rmw muli %k, %y[%i] : (i64, memref<?xi64>) -> i64
    gpu.return
  }
}

// -----

// A driver treats the bits of a computed float as a float: only a compare-and-swap is correct there.
gpu.module @float_bits attributes {vk.target_env = #vk.target_env<v1.3, r(0), [], {noFloatBitsInAtomics}>} {
  // CHECK-LABEL: gpu.func @bits
  gpu.func @bits(%f: f32, %g: vector<2xf32>, %n: i32, %h: f32, %b: i1) kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xi32>
    // CHECK: memref.atomic_rmw maxs %{{.*}}, %{{.*}}[
    %0 = memref.atomic_rmw maxs %n, %x[%i] : (i32, memref<?xi32>) -> i32
    // CHECK: %[[BITS:.*]] = arith.bitcast
    // CHECK: scf.while (%[[V:.*]] = %{{.*}}) : (i32) -> i32 {
    // CHECK:   arith.maxsi %[[V]], %[[BITS]]
    // CHECK:   vk.atomic_cmpxchg
    %1 = arith.bitcast %f : f32 to i32
    %2 = memref.atomic_rmw maxs %1, %x[%i] : (i32, memref<?xi32>) -> i32
    // CHECK: scf.while
    // CHECK:   arith.xori
    // CHECK:   vk.atomic_cmpxchg
    %3 = arith.bitcast %g : vector<2xf32> to vector<2xi32>
    %4 = vector.extract %3[1] : i32 from vector<2xi32>
    %5 = arith.select %b, %4, %n : i32
    %6 = memref.atomic_rmw xori %5, %x[%i] : (i32, memref<?xi32>) -> i32
    // CHECK: memref.atomic_rmw addi
    %7 = arith.addi %5, %n : i32
    %8 = memref.atomic_rmw addi %7, %x[%i] : (i32, memref<?xi32>) -> i32
    gpu.return
  }
}

// -----

gpu.module @many_choices attributes {vk.target_env = #vk.target_env<v1.3, r(0), [], {noFloatBitsInAtomics}>} {
  // Each select is visited once, even if it is used several times.
  // CHECK-LABEL: gpu.func @choices
  // CHECK: memref.atomic_rmw maxs
  gpu.func @choices(%m: i32, %n: i32, %b: i1) kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xi32>
    %s0 = arith.select %b, %m, %n : i32
    %s1 = arith.select %b, %s0, %s0 : i32
    %s2 = arith.select %b, %s1, %s1 : i32
    %s3 = arith.select %b, %s2, %s2 : i32
    %s4 = arith.select %b, %s3, %s3 : i32
    %s5 = arith.select %b, %s4, %s4 : i32
    %s6 = arith.select %b, %s5, %s5 : i32
    %s7 = arith.select %b, %s6, %s6 : i32
    %s8 = arith.select %b, %s7, %s7 : i32
    %s9 = arith.select %b, %s8, %s8 : i32
    %s10 = arith.select %b, %s9, %s9 : i32
    %s11 = arith.select %b, %s10, %s10 : i32
    %s12 = arith.select %b, %s11, %s11 : i32
    %s13 = arith.select %b, %s12, %s12 : i32
    %s14 = arith.select %b, %s13, %s13 : i32
    %s15 = arith.select %b, %s14, %s14 : i32
    %s16 = arith.select %b, %s15, %s15 : i32
    %s17 = arith.select %b, %s16, %s16 : i32
    %s18 = arith.select %b, %s17, %s17 : i32
    %s19 = arith.select %b, %s18, %s18 : i32
    %s20 = arith.select %b, %s19, %s19 : i32
    %s21 = arith.select %b, %s20, %s20 : i32
    %s22 = arith.select %b, %s21, %s21 : i32
    %s23 = arith.select %b, %s22, %s22 : i32
    %s24 = arith.select %b, %s23, %s23 : i32
    %s25 = arith.select %b, %s24, %s24 : i32
    %s26 = arith.select %b, %s25, %s25 : i32
    %s27 = arith.select %b, %s26, %s26 : i32
    %s28 = arith.select %b, %s27, %s27 : i32
    %s29 = arith.select %b, %s28, %s28 : i32
    %s30 = arith.select %b, %s29, %s29 : i32
    %s31 = arith.select %b, %s30, %s30 : i32
    %s32 = arith.select %b, %s31, %s31 : i32
    %s33 = arith.select %b, %s32, %s32 : i32
    %s34 = arith.select %b, %s33, %s33 : i32
    %s35 = arith.select %b, %s34, %s34 : i32
    %s36 = arith.select %b, %s35, %s35 : i32
    %s37 = arith.select %b, %s36, %s36 : i32
    %s38 = arith.select %b, %s37, %s37 : i32
    %s39 = arith.select %b, %s38, %s38 : i32
    %r = memref.atomic_rmw maxs %s39, %x[%i] : (i32, memref<?xi32>) -> i32
    gpu.return
  }
}

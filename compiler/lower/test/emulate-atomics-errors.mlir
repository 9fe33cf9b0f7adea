// RUN: pumice-opt %s --pumice-emulate-atomics --split-input-file --verify-diagnostics

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {shaderInt64, deviceName = "small"}>} {
  memref.global "private" @shared : memref<8xi64, #gpu.address_space<workgroup>> = uninitialized
  gpu.func @buffer() kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xi64>
    %c = arith.constant 3 : i64
    // expected-error @below {{an atomic update of 64 bits needs the feature shaderBufferInt64Atomics, which target 'small' lacks}}
    %a = memref.atomic_rmw addi %c, %x[%i] : (i64, memref<?xi64>) -> i64
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {shaderInt64}>} {
  memref.global "private" @shared : memref<8xi64, #gpu.address_space<workgroup>> = uninitialized
  gpu.func @workgroup() kernel {
    %i = gpu.thread_id x
    %x = memref.get_global @shared : memref<8xi64, #gpu.address_space<workgroup>>
    %c = arith.constant 3 : i64
    // expected-error @below {{an atomic update of 64 bits needs the feature shaderSharedInt64Atomics, which the target lacks}}
    %a = memref.atomic_rmw addi %c, %x[%i] : (i64, memref<8xi64, #gpu.address_space<workgroup>>) -> i64
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {}>} {
  gpu.func @float() kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xf32>
    %c = arith.constant 3.0 : f32
    // expected-error @below {{updates 'f32' in memory, which takes a compare-and-swap of integers; run pumice-legalize-storage first}}
    %a = memref.atomic_rmw addf %c, %x[%i] : (f32, memref<?xf32>) -> f32
    gpu.return
  }
}

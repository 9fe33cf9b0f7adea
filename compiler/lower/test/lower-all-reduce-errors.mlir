// RUN: pumice-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(pumice-lower-all-reduce))'

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [], {subgroupSize = 32 : i32, subgroupFeatures = 63 : i32}>} {
  gpu.func @divergent(%x: f32) kernel {
    %c8 = arith.constant 8 : index
    %id = gpu.thread_id x
    %some = arith.cmpi ult, %id, %c8 : index
    scf.if %some {
      // expected-error @below {{is under control flow that depends on the invocation's id}}
      %r = gpu.all_reduce add %x {} : (f32) -> (f32)
      "test.use"(%r) : (f32) -> ()
    }
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [], {subgroupSize = 32 : i32, subgroupFeatures = 63 : i32}>} {
  gpu.func @wide(%x: i128) kernel {
    // expected-error @below {{cannot reduce values of type 'i128' across lanes: convert them to i64 or narrower}}
    %r = gpu.all_reduce add %x uniform {} : (i128) -> (i128)
    "test.use"(%r) : (i128) -> ()
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [], {subgroupSize = 1 : i32, maxComputeSharedMemorySize = 4096 : i32}>} {
  gpu.func @large(%x: i64) kernel attributes {known_block_size = array<i32: 1024, 1, 1>} {
    // expected-error @below {{needs 8192 bytes of workgroup memory, but maxComputeSharedMemorySize is 4096}}
    %r = gpu.all_reduce add %x uniform {} : (i64) -> (i64)
    "test.use"(%r) : (i64) -> ()
    gpu.return
  }
}

// RUN: pumice-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(pumice-fix-index-width{index-bits=64}))'

gpu.module @wide attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {deviceName = "small"}>} {
  gpu.func @k(%m: memref<4xf32>, %n: i32) kernel {
    // expected-error @below {{an index of 64 bits, which --index-bits 64 asks for, needs the feature shaderInt64, which target 'small' lacks}}
    %i = gpu.thread_id x
    gpu.return
  }
}

// -----

gpu.module @none attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {deviceName = "small"}>} {
  gpu.func @k(%n: i32) kernel {
    %0 = arith.addi %n, %n : i32
    gpu.return
  }
}

// -----

gpu.module @has attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {shaderInt64}>} {
  gpu.func @k(%m: memref<4xf32>, %n: i32) kernel {
    %i = gpu.thread_id x
    gpu.return
  }
}

// -----

// Every element of a memory has an index, even if the code names none.
gpu.module @elements attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {deviceName = "small"}>} {
  gpu.func @k(%m: memref<2x2xf32>) kernel {
    // expected-error @below {{an index of 64 bits, which --index-bits 64 asks for, needs the feature shaderInt64, which target 'small' lacks}}
    %v = vector.type_cast %m : memref<2x2xf32> to memref<vector<2x2xf32>>
    gpu.return
  }
}

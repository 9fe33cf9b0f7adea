// RUN: pumice-opt %s --pumice-widen-types --split-input-file --verify-diagnostics

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {deviceName = "small"}>} {
  gpu.func @wide() kernel {
    %i = gpu.thread_id x
    // expected-error @below {{i64 needs the feature shaderInt64, which target 'small' lacks}}
    %v = arith.index_cast %i : index to i64
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {}>} {
  gpu.func @odd() kernel {
    %i = gpu.thread_id x
    // expected-error @below {{i48 needs the feature shaderInt64, which the target lacks}}
    %v = arith.index_cast %i : index to i48
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {}>} {
  gpu.func @double() kernel {
    // expected-error @below {{f64 needs the feature shaderFloat64, which the target lacks}}
    %v = arith.constant 1.0 : f64
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.2, r(0), [], {shaderInt64}>} {
  gpu.func @huge() kernel {
    // expected-error @below {{'i128' is wider than 64 bits; split it into halves}}
    %v = arith.constant 1 : i128
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {}>} {
  gpu.func @eighth() kernel {
    %a = arith.constant 1.0 : f8E5M2
    // expected-error @below {{'arith.addf' on 'f8E5M2' is not supported; convert to f32, compute, and convert back}}
    %b = arith.addf %a, %a : f8E5M2
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {}>} {
  gpu.func @stored() kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xbf16>
    // expected-error @below {{'memref.load' on 'bf16' is not supported in memory; run pumice-legalize-storage first}}
    %v = memref.load %x[%i] : memref<?xbf16>
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {}>} {
  gpu.func @matrix() kernel {
    %a = arith.constant 1.0 : f16
    // expected-error @below {{'gpu.subgroup_mma_constant_matrix' on 'f16' is not supported by the target, which has no 'f16' arithmetic; extend to 'f32' first}}
    %m = gpu.subgroup_mma_constant_matrix %a : !gpu.mma_matrix<16x16xf16, "COp">
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {}>} {
  gpu.func @mode() kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xf32>
    %a = memref.load %x[%i] : memref<?xf32>
    // expected-error @below {{rounds to 'bf16' with the mode toward_zero; only to_nearest_even is emulated}}
    // expected-error @below {{failed to legalize}}
    %b = arith.truncf %a toward_zero : f32 to bf16
    %c = arith.extf %b : bf16 to f32
    memref.store %c, %x[%i] : memref<?xf32>
    gpu.return
  }
}

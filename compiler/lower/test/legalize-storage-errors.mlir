// RUN: pumice-opt %s --pumice-legalize-storage --split-input-file --verify-diagnostics

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {deviceName = "small"}>} {
  gpu.func @wide() kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xi64>
    // expected-error @below {{memory of i64 needs the feature shaderInt64, which target 'small' lacks}}
    %v = memref.load %x[%i] : memref<?xi64>
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {}>} {
  gpu.func @double() kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xf64>
    // expected-error @below {{memory of f64 needs the feature shaderFloat64, which the target lacks}}
    %v = memref.load %x[%i] : memref<?xf64>
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {}>} {
  gpu.func @huge() kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xi128>
    // expected-error @below {{memory of 'i128' is not supported}}
    %v = memref.load %x[%i] : memref<?xi128>
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {}>} {
  gpu.func @deep(%x: memref<4x4xi8>) kernel {
    %i = gpu.thread_id x
    // expected-error @below {{accesses 'memref<4x4xi8>', which is not a flattened buffer; run pumice-flatten-memory first}}
    %v = memref.load %x[%i, %i] : memref<4x4xi8>
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {shaderInt64}>} {
  gpu.func @torn() kernel {
    %i = gpu.thread_id x
    %n = arith.constant 8 : index
    %x = vk.binding set(0) binding(0) : memref<?xi8>
    %w = memref.view %x[%n][%n] : memref<?xi8> to memref<?xi64>
    %b = memref.load %x[%i] : memref<?xi8>
    %one = arith.constant 1 : i64
    // expected-error @below {{updates 'i64' atomically in memory that is also accessed in other sizes}}
    %old = memref.atomic_rmw addi %one, %w[%i] : (i64, memref<?xi64>) -> i64
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.2, r(0), [], {shaderFloat16}>} {
  gpu.func @odd_rows() kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xf16>
    // expected-error @below {{accesses a matrix of 'f16' in memory that the target stores as 'i32'}}
    %m = gpu.subgroup_mma_load_matrix %x[%i] {leadDimension = 33 : index} : memref<?xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {}>} {
  gpu.func @dim() kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xi8>
    // expected-error @below {{'memref.dim' uses memory of 'i8', which the target stores as 'i32'; only loads, stores and atomics can}}
    %n = memref.dim %x, %i : memref<?xi8>
    gpu.return
  }
}

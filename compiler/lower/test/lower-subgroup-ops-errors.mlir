// RUN: pumice-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(pumice-lower-subgroup-ops))'

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {subgroupSize = 32 : i32, subgroupFeatures = 1 : i32}>} {
  gpu.func @shuffle(%x: f32, %w: i32) kernel {
    // expected-error @below {{'gpu.shuffle' needs subgroup operation 'shuffle' (subgroupFeatures bit 4), which the target lacks}}
    %0, %v = gpu.shuffle xor %x, %w, %w : f32
    "test.use"(%0) : (f32) -> ()
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {subgroupSize = 32 : i32, subgroupFeatures = 1 : i32}>} {
  gpu.func @reduce(%x: f32) kernel {
    // expected-error @below {{'gpu.subgroup_reduce' needs subgroup operation 'arithmetic' (subgroupFeatures bit 2) or subgroup operation 'shuffle' (subgroupFeatures bit 4), which the target lacks}}
    %0 = gpu.subgroup_reduce add %x : (f32) -> f32
    "test.use"(%0) : (f32) -> ()
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {subgroupSize = 32 : i32, subgroupFeatures = 5 : i32}>} {
  gpu.func @clustered(%x: f32) kernel {
    // expected-error @below {{'gpu.subgroup_reduce' needs subgroup operation 'clustered' (subgroupFeatures bit 6) or subgroup operation 'shuffle' (subgroupFeatures bit 4), which the target lacks}}
    %0 = gpu.subgroup_reduce add %x cluster(size = 4) : (f32) -> f32
    "test.use"(%0) : (f32) -> ()
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {subgroupSize = 32 : i32, subgroupFeatures = 17 : i32}>} {
  gpu.func @partial(%x: f32) kernel {
    // expected-error @below {{'gpu.subgroup_reduce' needs subgroup operation 'ballot' (subgroupFeatures bit 3), which the target lacks: mark it `uniform` and give the kernel a known_block_size that is a multiple of 32}}
    %0 = gpu.subgroup_reduce add %x : (f32) -> f32
    "test.use"(%0) : (f32) -> ()
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {subgroupSize = 32 : i32, subgroupFeatures = 127 : i32}>} {
  gpu.func @too_large(%x: f32) kernel {
    // expected-error @below {{needs subgroups of 64 lanes, but the target's subgroupSize is 32}}
    %0 = gpu.subgroup_reduce add %x cluster(size = 64) : (f32) -> f32
    "test.use"(%0) : (f32) -> ()
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {subgroupSize = 8 : i32, subgroupFeatures = 127 : i32}>} {
  gpu.func @rotate(%x: f32) kernel {
    // expected-error @below {{gpu.rotate over 16 lanes, but the target's subgroupSize is 8}}
    %0, %v = gpu.rotate %x, 1, 16 : f32
    "test.use"(%0) : (f32) -> ()
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {subgroupSize = 32 : i32, subgroupFeatures = 127 : i32}>} {
  gpu.func @broadcast(%x: memref<4xf32>) kernel {
    // expected-error @below {{cannot move values of type 'memref<4xf32>' between lanes}}
    %0 = gpu.subgroup_broadcast %x, first_active_lane : memref<4xf32>
    "test.use"(%0) : (memref<4xf32>) -> ()
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.0, r(0), [], {}>} {
  gpu.func @lane(%x: memref<4xf32>) kernel {
    // expected-error @below {{'gpu.lane_id' needs subgroup operation 'basic' (subgroupFeatures bit 0), which the target lacks}}
    %0 = gpu.lane_id
    "test.use"(%0) : (index) -> ()
    gpu.return
  }
}

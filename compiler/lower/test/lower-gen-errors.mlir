// RUN: pumice-opt %s -pumice-lower-gen -split-input-file -verify-diagnostics

gpu.module @m attributes {vk.target_env = #vk.target_env<opencl v3.0, r(0), [cl_khr_subgroups, cl_intel_required_subgroup_size], {subgroupSize = 16 : i32, minSubgroupSize = 8 : i32, maxSubgroupSize = 32 : i32}>} {
  gpu.func @index(%address: index, %n: i32) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    // expected-error@below {{'gen.block_load_2d' has an address of type index, which has 32 bits: use an i64, as vk.address_of returns it, or --index-bits 64}}
    %0 = gen.block_load_2d %address[%n, %n] of %n, %n, %n bits 16 shape 8, 16, 1 : index -> vector<8xi16>
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<opencl v3.0, r(0), [cl_khr_subgroups, cl_intel_required_subgroup_size], {subgroupSize = 16 : i32, minSubgroupSize = 8 : i32, maxSubgroupSize = 32 : i32}>} {
  gpu.func @partial(%address: i64, %n: i32) kernel attributes {known_block_size = array<i32: 24, 1, 1>} {
    // expected-error@below {{'gen.block_load_2d' needs full sub-groups: give the kernel a known_block_size whose x is a multiple of 16}}
    %0 = gen.block_load_2d %address[%n, %n] of %n, %n, %n bits 16 shape 8, 16, 1 : i64 -> vector<8xi16>
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<opencl v3.0, r(0), [cl_khr_subgroups, cl_intel_required_subgroup_size], {subgroupSize = 16 : i32, minSubgroupSize = 8 : i32, maxSubgroupSize = 32 : i32}>} {
  gpu.func @several(%a: i16, %b: vector<8xi32>, %c: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error@below {{'gen.matrix_mad' needs cl_khr_subgroup_shuffle or work-groups of one sub-group}}
    %0 = gen.matrix_mad f16 %a, f16 %b, %c : i16, vector<8xi32>, f32
    gpu.return
  }
}

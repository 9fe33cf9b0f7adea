// RUN: pumice-opt %s -convert-gen-to-spirv --split-input-file --verify-diagnostics

module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.2, [Addresses, Kernel], []>, #spirv.resource_limits<>>} {
  func.func @shuffle(%value: f32, %lane: i32) -> f32 {
    // expected-error@below {{'gen.sub_group_shuffle' needs SPIR-V 1.3, which the target environment lacks: add it to spirv.target_env if the device has it}}
    %0 = gen.sub_group_shuffle xor %value, %lane : f32
    return %0 : f32
  }
}

// -----

module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.3, [Addresses, Kernel, GroupNonUniformShuffle], []>, #spirv.resource_limits<>>} {
  func.func @shuffles(%value: f32, %lane: i32, %wide: f64) {
    %0 = gen.sub_group_shuffle xor %value, %lane : f32
    // expected-error@below {{'gen.sub_group_shuffle' needs the capability GroupNonUniformShuffleRelative}}
    %1 = gen.sub_group_shuffle up %value, %lane : f32
    // expected-error@below {{'gen.sub_group_shuffle' needs the capability Float64}}
    %2 = gen.sub_group_shuffle idx %wide, %lane : f64
    // expected-error@below {{'gen.sub_group_broadcast' needs the capability Groups}}
    %3 = gen.sub_group_broadcast %value, %lane : f32
    // expected-error@below {{'gen.sub_group_reduce' needs the capability Groups}}
    %4 = gen.sub_group_reduce add %value uniform : f32
    // expected-error@below {{'gen.sub_group_reduce' needs the capability GroupNonUniformArithmetic}}
    %5 = gen.sub_group_reduce add %value : f32
    return
  }
}

// -----

// The default target environment is one for shaders.
func.func @size() -> i32 {
  // expected-error@below {{'gen.sub_group_size' needs the capability Kernel or GroupNonUniform}}
  %0 = gen.sub_group_size
  return %0 : i32
}

// RUN: pumice-opt %s -convert-gen-to-spirv --split-input-file --verify-diagnostics

module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.2, [Addresses, Kernel], []>, #spirv.resource_limits<>>} {
  func.func @blocks(%a: i16, %b: vector<8xi32>, %c: f32, %base: index, %n: i32) {
    // expected-error@below {{'gen.matrix_mad' needs the extension SPV_INTEL_subgroup_matrix_multiply_accumulate: use convert-gen-to-spirv{extensions=SPV_INTEL_subgroup_matrix_multiply_accumulate} if the device has it, or pumice-emulate-gen}}
    %0 = gen.matrix_mad f16 %a, f16 %b, %c : i16, vector<8xi32>, f32
    // expected-error@below {{'gen.block_prefetch_2d' needs the extension SPV_INTEL_2d_block_io}}
    gen.block_prefetch_2d %base[%n, %n] of %n, %n, %n bits 16 shape 8, 16, 1 : index
    // expected-error@below {{'gen.sub_group_block_read' needs the extension SPV_INTEL_subgroups, which the target environment lacks: add it to spirv.target_env if the device has it}}
    %1 = gen.sub_group_block_read %base : index -> i32
    return
  }
}

// -----

func.func @pointer(%address: !llvm.ptr<1>) -> i32 {
  // expected-error@below {{'gen.sub_group_block_read' has an LLVM pointer, but convert-gen-to-spirv expects an address of type index}}
  %0 = gen.sub_group_block_read %address : !llvm.ptr<1> -> i32
  return %0 : i32
}

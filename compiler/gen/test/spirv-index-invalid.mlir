// An index of 64 bits needs a capability.

// RUN: pumice-opt %s --convert-gen-to-spirv=index-bitwidth=64 --verify-diagnostics

module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.2, [Addresses, Kernel], []>, #spirv.resource_limits<>>} {
  func.func @get_local_id(%dimension: i32) -> index {
    // expected-error@below {{'gen.local_id' needs the capability Int64, which the target environment lacks: add it to spirv.target_env if the device has it}}
    %0 = gen.local_id %dimension
    func.return %0 : index
  }
}

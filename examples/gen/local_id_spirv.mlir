module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.2, [Addresses, Kernel], []>, #spirv.resource_limits<>>} {
  func.func @get_local_id() -> index {
    %c0_i32 = arith.constant 0 : i32
    %0 = gen.local_id %c0_i32
    func.return %0 : index
  }
}

spirv.func @exchange_all(%in: !spirv.ptr<i32, CrossWorkgroup>, %out: !spirv.ptr<i32, CrossWorkgroup>) "None" {
  %lane = gen.sub_group_local_id
  %from = spirv.InBoundsPtrAccessChain %in[%lane] : !spirv.ptr<i32, CrossWorkgroup>, i32 -> !spirv.ptr<i32, CrossWorkgroup>
  %value = spirv.Load "CrossWorkgroup" %from ["Aligned", 4] : i32
  %result = func.call @exchange(%value) : (i32) -> i32
  %to = spirv.InBoundsPtrAccessChain %out[%lane] : !spirv.ptr<i32, CrossWorkgroup>, i32 -> !spirv.ptr<i32, CrossWorkgroup>
  spirv.Store "CrossWorkgroup" %to, %result ["Aligned", 4] : i32
  spirv.Return
}
spirv.EntryPoint "Kernel" @exchange_all, @__spirv_BuiltInSubgroupLocalInvocationId, @__spirv_BuiltInSubgroupSize
spirv.ExecutionMode @exchange_all "SubgroupSize", 16

spirv.func @answer(%dimensions: !spirv.ptr<i32, CrossWorkgroup>, %out: !spirv.ptr<i32, CrossWorkgroup>) "None" {
  %place = func.call @place() : () -> index
  %p = builtin.unrealized_conversion_cast %place : index to i64
  %from = spirv.InBoundsPtrAccessChain %dimensions[%p] : !spirv.ptr<i32, CrossWorkgroup>, i64 -> !spirv.ptr<i32, CrossWorkgroup>
  %dimension = spirv.Load "CrossWorkgroup" %from ["Aligned", 4] : i32
  %answer = func.call @answers(%dimension) : (i32) -> i32
  %element = func.call @element() : () -> index
  %e = builtin.unrealized_conversion_cast %element : index to i64
  %to = spirv.InBoundsPtrAccessChain %out[%e] : !spirv.ptr<i32, CrossWorkgroup>, i64 -> !spirv.ptr<i32, CrossWorkgroup>
  spirv.Store "CrossWorkgroup" %to, %answer ["Aligned", 4] : i32
  spirv.Return
}
spirv.EntryPoint "Kernel" @answer, @__spirv_BuiltInNumWorkgroups, @__spirv_BuiltInWorkgroupSize,
    @__spirv_BuiltInWorkgroupId, @__spirv_BuiltInLocalInvocationId

// A kernel of one sub-group of 16 that multiplies matrices in memory, for the way through the SPIR-V dialect.

module attributes {
    dlti.dl_spec = #dlti.dl_spec<index = 64 : i32>,
    spirv.target_env = #spirv.target_env<#spirv.vce<v1.3,
      [Addresses, Kernel, Int8, Int16, Int64, Float16, Vector16, GroupNonUniformShuffle, SubgroupDispatch], []>,
      #spirv.resource_limits<>>} {
  spirv.func @f16(%a: !spirv.ptr<i8, CrossWorkgroup>, %b: !spirv.ptr<i8, CrossWorkgroup>,
                  %c: !spirv.ptr<i8, CrossWorkgroup>, %d: !spirv.ptr<i8, CrossWorkgroup>) "None" {
    %zero = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %a64 = spirv.ConvertPtrToU %a : !spirv.ptr<i8, CrossWorkgroup> to i64
    %b64 = spirv.ConvertPtrToU %b : !spirv.ptr<i8, CrossWorkgroup> to i64
    %c64b = spirv.ConvertPtrToU %c : !spirv.ptr<i8, CrossWorkgroup> to i64
    %d64 = spirv.ConvertPtrToU %d : !spirv.ptr<i8, CrossWorkgroup> to i64
    %ai = arith.index_cast %a64 : i64 to index
    %bi = arith.index_cast %b64 : i64 to index
    %ci = arith.index_cast %c64b : i64 to index
    %di = arith.index_cast %d64 : i64 to index
    %0 = gen.block_load_2d %ai[%zero, %zero] of %c32, %c8, %c32 bits 16 shape 8, 16, 1 : index -> vector<8xi16>
    %1 = gen.block_load_2d transformed %bi[%zero, %zero] of %c32, %c16, %c32 bits 16 shape 16, 16, 1 : index -> vector<8xi32>
    %2 = gen.block_load_2d %ci[%zero, %zero] of %c64, %c8, %c64 bits 32 shape 8, 16, 1 : index -> vector<8xi32>
    %3 = spirv.Bitcast %2 : vector<8xi32> to vector<8xf32>
    %4 = gen.matrix_mad f16 %0, f16 %1, %3 : vector<8xi16>, vector<8xi32>, vector<8xf32>
    %5 = spirv.Bitcast %4 : vector<8xf32> to vector<8xi32>
    gen.block_store_2d %5, %di[%zero, %zero] of %c64, %c8, %c64 bits 32 shape 8, 16 : vector<8xi32>, index
    spirv.Return
  }
  spirv.EntryPoint "Kernel" @f16, @__spirv_BuiltInSubgroupLocalInvocationId
  spirv.ExecutionMode @f16 "SubgroupSize", 16
}

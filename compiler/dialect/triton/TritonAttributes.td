//===- TritonAttributes.td - attributes of the tt dialect -------------------===//
#ifndef PUMICE_TRITON_ATTRIBUTES
#define PUMICE_TRITON_ATTRIBUTES

include "compiler/dialect/triton/TritonDialect.td"
include "compiler/dialect/triton/TritonEnums.td"

def TT_CachePolicy : AttrDef<TritonDialect, "CachePolicy"> {
  let mnemonic = "cache_policy";
  let summary = "the cache policy of an access, as Triton prints it from 3.9 on";
  let description = [{
    ```mlir
    {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>}
    ```
  }];
  let parameters = (ins EnumParameter<TT_CacheModifier>:$cache_modifier,
                        EnumParameter<TT_EvictionPolicy>:$eviction_policy);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif

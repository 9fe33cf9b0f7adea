//===- Descriptors.td - accesses by tensor descriptors ----------------------===//
// Blocks may extend beyond the tensor's edges. Elements there read as padding, and are not written.
//===-------------------------------------------------------------------------===//
include "compiler/dialect/triton/TritonAttributes.td"

include "mlir/Interfaces/SideEffectInterfaces.td"

def TT_MakeTensorDescOp : TT_Op<"make_tensor_descriptor", [Pure, AttrSizedOperandSegments]> {
  let summary = "a tensor in memory: its first element, shape, and strides in elements";
  let description = [{
    The last stride is one. Elements beyond the edges are NaN with `padding = 2`, else zero.
  }];
  let arguments = (ins TT_Pointer:$base, Variadic<I32>:$shape, Variadic<I64>:$strides,
                       DefaultValuedAttr<TT_Padding, "Padding::Zero">:$padding);
  let results = (outs TT_TensorDesc:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict `:` type($base) `,` type($result)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorLoadOp : TT_Op<"descriptor_load", [MemoryEffects<[MemRead]>]> {
  let summary = "loads the block that begins at an element";
  let description = "The result may have another shape with the same number of elements.";
  let arguments = (ins TT_TensorDesc:$descriptor, Variadic<I32>:$indices,
                       DefaultValuedAttr<TT_CacheModifier, "CacheModifier::None">:$cacheModifier,
                       DefaultValuedAttr<TT_EvictionPolicy, "EvictionPolicy::Normal">:$evictionPolicy,
                       OptionalAttr<TT_CachePolicy>:$cachePolicy);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $descriptor `[` $indices `]`
    oilist(`cacheModifier` `=` $cacheModifier | `evictionPolicy` `=` $evictionPolicy)
    attr-dict `:` qualified(type($descriptor)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorStoreOp : TT_Op<"descriptor_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "stores a block that begins at an element";
  let arguments = (ins TT_TensorDesc:$descriptor, TT_Tensor:$value, Variadic<I32>:$indices);
  let assemblyFormat = [{
    $descriptor `[` $indices `]` `,` $value attr-dict `:` qualified(type($descriptor)) `,`
    type($value)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorReduceOp : TT_Op<"descriptor_reduce", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "combines a block with the tensor in memory, atomically for each element";
  let arguments = (ins TT_DescriptorReduceKind:$kind, TT_TensorDesc:$descriptor, TT_Tensor:$value,
                       Variadic<I32>:$indices);
  let assemblyFormat = [{
    $kind `,` $descriptor `[` $indices `]` `,` $value attr-dict `:`
    qualified(type($descriptor)) `,` type($value)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorGatherOp : TT_Op<"descriptor_gather", [MemoryEffects<[MemRead]>]> {
  let summary = "loads parts of rows with given numbers, from one column on";
  let arguments = (ins TT_TensorDesc:$descriptor, TT_TensorOf<[I32]>:$rows, I32:$column);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $descriptor `[` $rows `,` $column `]` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorScatterOp : TT_Op<"descriptor_scatter", [MemoryEffects<[MemWrite]>]> {
  let summary = "stores parts of rows with given numbers, from one column on";
  let arguments = (ins TT_TensorDesc:$descriptor, TT_TensorOf<[I32]>:$rows, I32:$column,
                       TT_Tensor:$value);
  let assemblyFormat = [{
    $descriptor `[` $rows `,` $column `]` `,` $value attr-dict `:` type(operands)
  }];
  let hasVerifier = 1;
}

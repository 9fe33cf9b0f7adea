//===- Products.td - products of matrices -----------------------------------===//
include "compiler/dialect/triton/TritonDialect.td"
include "compiler/dialect/triton/TritonEnums.td"

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TT_DotOp : TT_Op<"dot", [Pure, AllTypesMatch<["c", "result"]>]> {
  let summary = "a product of matrices, or of batches of them, added to a third";
  let description = [{
    `inputPrecision` is for f32 operands. Without it, all bits are used. `maxNumImpreciseAcc` is the
    number of products of f8 after which the sum must be an f32.
  }];
  let arguments = (ins TT_TensorOf<[TT_Number]>:$a, TT_TensorOf<[TT_Number]>:$b,
                       TT_TensorOf<[TT_Number]>:$c,
                       DefaultValuedAttr<TT_InputPrecision, "InputPrecision::IEEE">:$inputPrecision,
                       DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc);
  let results = (outs TT_TensorOf<[TT_Number]>:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` `inputPrecision` `=` $inputPrecision^)? attr-dict `:` type($a) `*`
    type($b) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TT_DotScaledOp : TT_Op<"dot_scaled", [Pure, AttrSizedOperandSegments,
                                          AllTypesMatch<["c", "result"]>]> {
  let summary = "a product of matrices whose operands have a scale for each group of elements";
  let description = [{
    Groups run along K. They have 32 elements if scales are exponents, or 16 if scales are f8. The
    scales of `b` are transposed: N by groups. Two e2m1 share a byte along K, or along the other
    dimension if `lhs_k_pack` or `rhs_k_pack` is false.
  }];
  let arguments = (ins TT_TensorOf<[TT_Number]>:$a, TT_TensorOf<[TT_Number]>:$b,
                       TT_TensorOf<[TT_Float]>:$c,
                       Optional<TT_TensorOf<[I8, F8E4M3FN]>>:$aScale,
                       Optional<TT_TensorOf<[I8, F8E4M3FN]>>:$bScale,
                       TT_ScaledFormat:$aFormat, TT_ScaledFormat:$bFormat, BoolAttr:$fastMath,
                       DefaultValuedAttr<BoolAttr, "true">:$lhs_k_pack,
                       DefaultValuedAttr<BoolAttr, "true">:$rhs_k_pack);
  let results = (outs TT_TensorOf<[TT_Float]>:$result);
  let assemblyFormat = [{
    $a (`scale` $aScale^)? `,` $b (`scale` $bScale^)? `,` $c
    `lhs` `=` $aFormat `rhs` `=` $bFormat attr-dict `:` type($a) (`,` type($aScale)^)? `*`
    type($b) (`,` type($bScale)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

//===- Shapes.td - creates and reshapes tensors, and moves elements ---------===//
include "compiler/dialect/triton/TritonDialect.td"

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TT_ShapeOp<string mnemonic> : TT_Op<mnemonic, [Pure]> {
  let arguments = (ins TT_Tensor:$source);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def TT_MakeRangeOp : TT_Op<"make_range", [Pure]> {
  let summary = "the numbers from `start` to `end`, which is excluded";
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs TT_TensorOf<[I32]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def TT_SplatOp : TT_ShapeOp<"splat"> {
  let summary = "a tensor of one scalar";
  let arguments = (ins TT_Scalar:$source);
}

def TT_UnsplatOp : TT_Op<"unsplat", [Pure, TypesMatchWith<
    "the result is the tensor's element", "source", "result",
    "::llvm::cast<::mlir::RankedTensorType>($_self).getElementType()">]> {
  let summary = "the only element of a tensor";
  let arguments = (ins TT_Tensor:$source);
  let results = (outs TT_Scalar:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
  let hasVerifier = 1;
}

def TT_ExpandDimsOp : TT_ShapeOp<"expand_dims"> {
  let summary = "another dimension of size 1";
  let arguments = (ins TT_Tensor:$source, I32Attr:$axis);
}

def TT_BroadcastOp : TT_ShapeOp<"broadcast"> {
  let summary = "repeats dimensions of size 1";
}

def TT_ReshapeOp : TT_ShapeOp<"reshape"> {
  let summary = "the same elements in another shape";
  let description = [{
    Elements keep their row-major order. `allow_reorder` allows any order. `efficient_layout`
    requests that the result's layout is kept.
  }];
  let arguments = (ins TT_Tensor:$source, UnitAttr:$allow_reorder, UnitAttr:$efficient_layout);
  let assemblyFormat = [{
    $source (`allow_reorder` $allow_reorder^)? (`efficient_layout` $efficient_layout^)?
    attr-dict `:` type($source) `->` type($result)
  }];
}

def TT_TransOp : TT_ShapeOp<"trans"> {
  let summary = "dimensions in another order: the result's dimension i is the source's `order[i]`";
  let arguments = (ins TT_Tensor:$source, DenseI32ArrayAttr:$order);
}

def TT_CatOp : TT_Op<"cat", [Pure, SameTypeOperands]> {
  let summary = "the elements of two tensors, in any order";
  let arguments = (ins TT_Tensor:$first, TT_Tensor:$second);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$first `,` $second attr-dict `:` type($first) `->` type($result)";
  let hasVerifier = 1;
}

def TT_JoinOp : TT_Op<"join", [Pure, SameTypeOperands]> {
  let summary = "two tensors as one, with a last dimension of size 2";
  let arguments = (ins TT_Tensor:$first, TT_Tensor:$second);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$first `,` $second attr-dict `:` type($first) `->` type($result)";
  let hasVerifier = 1;
}

def TT_SplitOp : TT_Op<"split", [Pure, AllTypesMatch<["outLHS", "outRHS"]>]> {
  let summary = "the halves of a tensor whose last dimension has size 2";
  let arguments = (ins TT_Tensor:$source); // the results have the names that the text uses
  let results = (outs TT_Tensor:$outLHS, TT_Tensor:$outRHS);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($outLHS)";
  let hasVerifier = 1;
}

def TT_GatherOp : TT_Op<"gather", [Pure]> {
  let summary = "elements by their indices along one dimension";
  let description = "An index out of range gives an unspecified value.";
  let arguments = (ins TT_Tensor:$source, TT_TensorOf<[TT_Integer]>:$indices, I32Attr:$axis,
                       UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$source `[` $indices `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def TT_HistogramOp : TT_Op<"histogram", [Pure]> {
  let summary = "how often each number from zero on occurs";
  let description = [{
    Elements that are masked off are not counted. If an element is out of range of the result, the
    result is unspecified.
  }];
  let arguments = (ins TT_TensorOf<[TT_Integer]>:$source, Optional<TT_TensorOf<[I1]>>:$mask);
  let results = (outs TT_TensorOf<[I32]>:$result);
  let assemblyFormat = [{
    $source (`,` $mask^)? attr-dict `:` custom<TypeAndMask>(type($source), ref($mask), type($mask))
    `->` type($result)
  }];
  let hasVerifier = 1;
}

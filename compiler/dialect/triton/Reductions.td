//===- Reductions.td - operations that apply a region to elements -----------===//
include "compiler/dialect/triton/TritonDialect.td"

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TT_RegionReturnOp<string mnemonic, string parent> : TT_Op<mnemonic, [
    Pure, HasParent<parent>, ReturnLike, Terminator]> {
  let arguments = (ins Variadic<TT_Values>:$values);
  let assemblyFormat = "attr-dict $values `:` type($values)";
}

def TT_ReduceOp : TT_Op<"reduce", [RecursiveMemoryEffects]> {
  let summary = "combines the elements of one dimension by a region";
  let description = [{
    All operands have the same shape, but may have different element types. The region takes an
    element of each, then another one of each. It must be associative. If the operands have one
    dimension, the results are scalars.

    ```mlir
    %sum = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<16xf32>) -> f32
    ```
  }];
  let arguments = (ins Variadic<TT_Tensor>:$sources, I32Attr:$axis);
  let results = (outs Variadic<TT_Values>:$results);
  let regions = (region AnyRegion:$combine);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TT_ReduceReturnOp : TT_RegionReturnOp<"reduce.return", "ReduceOp"> {
  let summary = "the combination of two elements of a reduction";
}

def TT_ScanOp : TT_Op<"scan", [RecursiveMemoryEffects]> {
  let summary = "combines each element with all before it along one dimension (`reverse`: after it)";
  let arguments = (ins Variadic<TT_Tensor>:$sources, I32Attr:$axis, BoolAttr:$reverse);
  let results = (outs Variadic<TT_Tensor>:$results);
  let regions = (region AnyRegion:$combine);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TT_ScanReturnOp : TT_RegionReturnOp<"scan.return", "ScanOp"> {
  let summary = "the combination of two elements of a scan";
}

def TT_MapElementwiseOp : TT_Op<"map_elementwise", [RecursiveMemoryEffects]> {
  let summary = "computes each element by scalar code, which may branch";
  let description = [{
    The region takes `pack` neighbouring elements of the first operand, then of the second, and so
    on, and yields the same number of each result.
  }];
  let arguments = (ins Variadic<TT_Tensor>:$sources, I32Attr:$pack);
  let results = (outs Variadic<TT_Tensor>:$results);
  let regions = (region AnyRegion:$scalar);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TT_MapElementwiseReturnOp : TT_RegionReturnOp<"map_elementwise.return", "MapElementwiseOp"> {
  let summary = "the results for an element";
}

//===- Reductions.td - what applies a region to elements --------------------===//
include "compiler/dialect/triton/TritonDialect.td"

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TT_RegionReturnOp<string mnemonic, string parent> : TT_Op<mnemonic, [
    Pure, HasParent<parent>, ReturnLike, Terminator]> {
  let arguments = (ins Variadic<TT_Values>:$values);
  let assemblyFormat = "attr-dict $values `:` type($values)";
}

def TT_ReduceOp : TT_Op<"reduce", [RecursiveMemoryEffects]> {
  let summary = "one dimension gone: its elements combined by the region";
  let description = [{
    Each operand is a tensor of its own element type; all have one shape. The region takes an element
    of each, then another of each, and is associative. Of one dimension, the results are scalars.

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
  let summary = "what two of a reduction's elements become";
}

def TT_ScanOp : TT_Op<"scan", [RecursiveMemoryEffects]> {
  let summary = "along one dimension, each element combined with all before it (`reverse`: behind it)";
  let arguments = (ins Variadic<TT_Tensor>:$sources, I32Attr:$axis, BoolAttr:$reverse);
  let results = (outs Variadic<TT_Tensor>:$results);
  let regions = (region AnyRegion:$combine);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TT_ScanReturnOp : TT_RegionReturnOp<"scan.return", "ScanOp"> {
  let summary = "what two of a scan's elements become";
}

def TT_MapElementwiseOp : TT_Op<"map_elementwise", [RecursiveMemoryEffects]> {
  let summary = "each element by code of its own, which may branch";
  let description = [{
    The region takes `pack` neighbouring elements of the first operand, then of the second, and so
    on, and gives as many of each result.
  }];
  let arguments = (ins Variadic<TT_Tensor>:$sources, I32Attr:$pack);
  let results = (outs Variadic<TT_Tensor>:$results);
  let regions = (region AnyRegion:$scalar);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TT_MapElementwiseReturnOp : TT_RegionReturnOp<"map_elementwise.return", "MapElementwiseOp"> {
  let summary = "what an element becomes";
}

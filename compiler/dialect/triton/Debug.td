//===- Debug.td - messages from a kernel to its author ----------------------===//
include "compiler/dialect/triton/TritonDialect.td"

include "mlir/Interfaces/SideEffectInterfaces.td"

def TT_PrintOp : TT_Op<"print", [MemoryEffects<[MemWrite]>]> {
  let summary = "prints text and values, a line for each element";
  let description = "`isSigned` says for each value whether it prints with a sign.";
  let arguments = (ins StrAttr:$prefix, BoolAttr:$hex, Variadic<TT_Values>:$values,
                       DenseI32ArrayAttr:$isSigned);
  let assemblyFormat = "$prefix attr-dict (`:` $values^ `:` type($values))?";
  let hasVerifier = 1;
}

def TT_AssertOp : TT_Op<"assert", [MemoryEffects<[MemWrite]>]> {
  let summary = "reports an error with a message if an element is false";
  let arguments = (ins TT_Booleans:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}

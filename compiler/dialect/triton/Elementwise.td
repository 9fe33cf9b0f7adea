//===- Elementwise.td - element-wise operations -----------------------------===//
// Operations that arith and math lack. All of them also take scalars.
//===-------------------------------------------------------------------------===//
include "compiler/dialect/triton/TritonDialect.td"
include "compiler/dialect/triton/TritonEnums.td"

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TT_CastOp<string mnemonic> : TT_Op<mnemonic, [Pure]> {
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def TT_BitcastOp : TT_CastOp<"bitcast"> {
  let summary = "the same bits as another type, or a pointer to another type";
  let arguments = (ins TT_Values:$source);
  let results = (outs TT_Values:$result);
}

def TT_IntToPtrOp : TT_CastOp<"int_to_ptr"> {
  let summary = "an address, given as a number";
  let arguments = (ins TT_OrTensorOf<I64>:$source);
  let results = (outs TT_Pointers:$result);
}

def TT_PtrToIntOp : TT_CastOp<"ptr_to_int"> {
  let summary = "the number of an address";
  let arguments = (ins TT_Pointers:$source);
  let results = (outs TT_OrTensorOf<I64>:$result);
}

def TT_FpToFpOp : TT_Op<"fp_to_fp", [Pure]> {
  let summary = "a float of another type, for f8 or for a rounding that arith lacks";
  let description = [{
    The rounding is required if the result is narrower, and optional if it has the same width (f16
    to bf16). Values out of range of an f8, including infinity, become its largest number.
  }];
  let arguments = (ins TT_Floats:$source, OptionalAttr<TT_Rounding>:$rounding);
  let results = (outs TT_Floats:$result);
  let assemblyFormat = [{
    $source (`,` `rounding` `=` $rounding^)? attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TT_ClampfOp : TT_Op<"clampf", [Pure, SameOperandsAndResultType]> {
  let summary = "a float between two bounds";
  let description = [{
    `propagateNan = all`: if an operand is NaN, so is the result. `none`: the result is unspecified
    if the first operand is NaN.
  }];
  let arguments = (ins TT_Floats:$value, TT_Floats:$low, TT_Floats:$high,
                       TT_PropagateNaN:$propagateNan);
  let results = (outs TT_Floats:$result);
  let assemblyFormat = [{
    $value `,` $low `,` $high `,` `propagateNan` `=` $propagateNan attr-dict `:` type($result)
  }];
}

def TT_PreciseSqrtOp : TT_Op<"precise_sqrt", [Pure, SameOperandsAndResultType]> {
  let summary = "the square root, correctly rounded";
  let arguments = (ins TT_OrTensorOf<F32>:$value);
  let results = (outs TT_OrTensorOf<F32>:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def TT_PreciseDivFOp : TT_Op<"precise_divf", [Pure, SameOperandsAndResultType]> {
  let summary = "the quotient, correctly rounded";
  let arguments = (ins TT_OrTensorOf<F32>:$dividend, TT_OrTensorOf<F32>:$divisor);
  let results = (outs TT_OrTensorOf<F32>:$result);
  let assemblyFormat = "$dividend `,` $divisor attr-dict `:` type($dividend)";
}

def TT_ApproxDivFOp : TT_Op<"approx_divf", [Pure, SameOperandsAndResultType]> {
  let summary = "the quotient, which may be less exact than arith's; here it is the same";
  let arguments = (ins TT_OrTensorOf<F32>:$dividend, TT_OrTensorOf<F32>:$divisor);
  let results = (outs TT_OrTensorOf<F32>:$result);
  let assemblyFormat = "$dividend `,` $divisor attr-dict `:` type($dividend)";
}

def TT_MulhiUIOp : TT_Op<"mulhiui", [Pure, SameOperandsAndResultType]> {
  let summary = "the upper half of a product of unsigned integers";
  let arguments = (ins TT_Integers:$first, TT_Integers:$second);
  let results = (outs TT_Integers:$result);
  let assemblyFormat = "$first `,` $second attr-dict `:` type($first)";
}

def TT_AddPtrOp : TT_Op<"addptr", [Pure, AllTypesMatch<["pointer", "result"]>]> {
  let summary = "a pointer at an offset in elements from another";
  let description = [{
    The offset is signed and counts elements. An i1 has one byte.
  }];
  let arguments = (ins TT_Pointers:$pointer, TT_Integers:$offset);
  let results = (outs TT_Pointers:$result);
  let assemblyFormat = "$pointer `,` $offset attr-dict `:` type($result) `,` type($offset)";
  let hasVerifier = 1;
}

def TT_ExternElementwiseOp : TT_Op<"extern_elementwise", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a function of a device library, given by its name, such as `__nv_tanhf`";
  let arguments = (ins Variadic<TT_Values>:$values, StrAttr:$libname, StrAttr:$libpath,
                       StrAttr:$symbol, BoolAttr:$pure);
  let results = (outs TT_Values:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}

def TT_ElementwiseInlineAsmOp : TT_Op<"elementwise_inline_asm", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "PTX for one element or several at once, which is translated by its meaning";
  let arguments = (ins StrAttr:$asm_string, StrAttr:$constraints, BoolAttr:$pure,
                       I32Attr:$packed_element, Variadic<TT_Values>:$values);
  let results = (outs Variadic<TT_Values>:$results);
  let assemblyFormat = [{
    $asm_string attr-dict ($values^ `:` type($values))? `->` type($results)
  }];
}

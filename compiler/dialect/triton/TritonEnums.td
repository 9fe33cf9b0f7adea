//===- TritonEnums.td - the words in operations of the tt dialect -----------===//
// The numbers are those of Triton's wheel, since some are printed as numbers.
//===-------------------------------------------------------------------------===//
#ifndef PUMICE_TRITON_ENUMS
#define PUMICE_TRITON_ENUMS

include "mlir/IR/EnumAttr.td"

class TT_Case<string symbol, int value, string word = symbol>
    : I32EnumAttrCase<symbol, value, word>;
class TT_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::pumice::triton";
}

def TT_Axis : TT_Enum<"Axis", "axis of the grid", [
  TT_Case<"X", 0, "x">, TT_Case<"Y", 1, "y">, TT_Case<"Z", 2, "z">]>;

def TT_CacheModifier : TT_Enum<"CacheModifier", "which caches an access uses", [
  TT_Case<"None", 1, "none">,
  TT_Case<"All", 2, "ca">,          // every level
  TT_Case<"Global", 3, "cg">,       // the levels that all processors share
  TT_Case<"WriteBack", 4, "wb">,
  TT_Case<"Streaming", 5, "cs">,    // likely used once
  TT_Case<"WriteThrough", 6, "wt">,
  TT_Case<"Volatile", 7, "cv">      // read again each time
]>;

def TT_EvictionPolicy : TT_Enum<"EvictionPolicy", "how long a cache should keep the line", [
  TT_Case<"Normal", 1, "evict_normal">, TT_Case<"First", 2, "evict_first">,
  TT_Case<"Last", 3, "evict_last">]>;

def TT_Padding : TT_Enum<"Padding", "what lies beyond a tensor's edge", [
  TT_Case<"Zero", 1, "zero">, TT_Case<"NaN", 2, "nan">]>;

def TT_AtomicKind : TT_Enum<"AtomicKind", "what an atomic operation does", [
  TT_Case<"And", 1, "and">, TT_Case<"Or", 2, "or">, TT_Case<"Xor", 3, "xor">,
  TT_Case<"Add", 4, "add">, TT_Case<"FAdd", 5, "fadd">,
  TT_Case<"Max", 6, "max">, TT_Case<"Min", 7, "min">,
  TT_Case<"UMax", 8, "umax">, TT_Case<"UMin", 9, "umin">,
  TT_Case<"Exchange", 10, "exch">]>;

def TT_DescriptorReduceKind : TT_Enum<"DescriptorReduceKind",
  "what a block does to the tensor in memory", [
  TT_Case<"Add", 1, "add">, TT_Case<"Min", 2, "min">, TT_Case<"Max", 3, "max">,
  TT_Case<"Increment", 4, "inc">, TT_Case<"Decrement", 5, "dec">,
  TT_Case<"And", 6, "and">, TT_Case<"Or", 7, "or">, TT_Case<"Xor", 8, "xor">]>;

def TT_MemoryOrder : TT_Enum<"MemoryOrder", "order of an atomic operation", [
  TT_Case<"Relaxed", 1, "relaxed">, TT_Case<"Acquire", 2, "acquire">,
  TT_Case<"Release", 3, "release">, TT_Case<"AcquireRelease", 4, "acq_rel">]>;

def TT_MemoryScope : TT_Enum<"MemoryScope", "among whom an order holds", [
  TT_Case<"Device", 1, "gpu">, TT_Case<"Program", 2, "cta">, TT_Case<"System", 3, "sys">]>;

def TT_Rounding : TT_Enum<"Rounding", "how a float becomes a narrower one", [
  TT_Case<"TowardsZero", 0, "rtz">, TT_Case<"NearestEven", 1, "rtne">]>;

def TT_PropagateNaN : TT_Enum<"PropagateNaN", "which operands' NaNs are results", [
  TT_Case<"None", 0, "none">, TT_Case<"All", 65535, "all">]>;

def TT_InputPrecision : TT_Enum<"InputPrecision", "how f32 operands of a product are taken", [
  TT_Case<"TF32", 0, "tf32">, TT_Case<"TF32x3", 1, "tf32x3">, TT_Case<"IEEE", 2, "ieee">,
  TT_Case<"BF16x3", 3, "bf16x3">, TT_Case<"BF16x6", 4, "bf16x6">]>;

def TT_ScaledFormat : TT_Enum<"ScaledFormat", "format of an operand with scales", [
  TT_Case<"E4M3", 0, "e4m3">, TT_Case<"E5M2", 1, "e5m2">, TT_Case<"E2M3", 2, "e2m3">,
  TT_Case<"E3M2", 3, "e3m2">, TT_Case<"E2M1", 4, "e2m1">, TT_Case<"BF16", 5, "bf16">,
  TT_Case<"FP16", 6, "fp16">]>;

#endif

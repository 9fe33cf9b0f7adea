//===- OperandKinds.cpp - checks an instruction's operands ------------------===//
#include "compiler/import/spirv/OperandKinds.h"
#include "compiler/import/spirv/Instructions.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace pumice::spirv_import;

namespace {

/// One letter for the result, and then one for each value. The letter b is a boolean, and B is a
/// boolean or a vector of them. The letter i is an integer, and I is an integer or a vector of
/// them. F and N are the same for floating-point numbers and for all numbers. A p is a pointer, an
/// s is the type of the result, and * is any type.
struct Signature {
  uint32_t opcode;
  const char *kinds;
};

constexpr Signature signatures[] = {
    {OpCopyMemorySized, "*ppi"},
    {OpArrayLength, "ip"},
    {OpGenericPtrMemSemantics, "ip"},
    {OpQuantizeToF16, "Fs"},
    {OpSatConvertSToU, "II"},
    {OpSatConvertUToS, "II"},
    {OpVectorTimesScalar, "FsF"},
    {OpOuterProduct, "*FF"},
    {OpAny, "bB"},
    {OpAll, "bB"},
    {OpIsNormal, "BF"},
    {OpSignBitSet, "BF"},
    {OpLessOrGreater, "BFF"},
    {OpSelect, "*Bss"},
    {OpAtomicLoad, "Np"},
    {OpAtomicStore, "*pN"},
    {OpGroupAsyncCopy, "*ppii*"},
    {OpGroupAll, "bb"},
    {OpGroupAny, "bb"},
    {OpAtomicFlagTestAndSet, "bp"},
    {OpAtomicFlagClear, "*p"},
    {OpSizeOf, "ip"},
    {OpGroupNonUniformBroadcast, "*si"},
    {OpGroupNonUniformBroadcastFirst, "*s"},
    {OpGroupNonUniformInverseBallot, "bI"},
    {OpGroupNonUniformBallotBitExtract, "bIi"},
    {OpGroupNonUniformQuadBroadcast, "*si"},
    {OpPtrEqual, "bpp"},
    {OpPtrNotEqual, "bpp"},
    {OpPtrDiff, "ipp"},
    {OpSubgroupFirstInvocationKHR, "*s"},
    {OpSubgroupAllKHR, "bb"},
    {OpSubgroupAnyKHR, "bb"},
    {OpSubgroupAllEqualKHR, "b*"},
    {OpSubgroupReadInvocationKHR, "*si"},
    {OpSDot, "iII"},
    {OpUDot, "iII"},
    {OpSUDot, "iII"},
    {OpSDotAccSat, "iIIs"},
    {OpUDotAccSat, "iIIs"},
    {OpSUDotAccSat, "iIIs"},
    {OpGroupNonUniformQuadAllKHR, "bb"},
    {OpGroupNonUniformQuadAnyKHR, "bb"},
    {OpAtomicFMinEXT, "Fps"},
    {OpAtomicFMaxEXT, "Fps"},
    {OpGroupBitwiseAndKHR, "Is"},
    {OpGroupBitwiseOrKHR, "Is"},
    {OpGroupBitwiseXorKHR, "Is"},
    {OpGroupLogicalAndKHR, "Bs"},
    {OpGroupLogicalOrKHR, "Bs"},
    {OpGroupLogicalXorKHR, "Bs"},
};

} // namespace

static bool isBoolean(Type type) { return type.isInteger(1); }
static bool isInteger(Type type) { return isa<IntegerType>(type) && !isBoolean(type); }

static bool isKind(char kind, Type type, Type result) {
  auto vector = dyn_cast<VectorType>(type);
  Type one = vector ? vector.getElementType() : type;
  switch (kind) {
  case 'b':
    return isBoolean(type);
  case 'B':
    return isBoolean(one);
  case 'i':
    return isInteger(type);
  case 'I':
    return isInteger(one);
  case 'F':
    return isa<FloatType>(one);
  case 'N':
    return isInteger(one) || isa<FloatType>(one);
  case 'p':
    return isa<spirv::PointerType>(type);
  case 's':
    return type == result;
  default:
    return true;
  }
}

static llvm::StringRef wordsFor(char kind) {
  switch (kind) {
  case 'b':
    return "a boolean";
  case 'B':
    return "a boolean, or a vector of them";
  case 'i':
    return "an integer";
  case 'I':
    return "an integer, or a vector of them";
  case 'F':
    return "a floating-point number, or a vector of them";
  case 'N':
    return "a number, or a vector of them";
  case 'p':
    return "a pointer";
  default:
    return "of the result's type";
  }
}

/// Describes a type that does not fit. Only value operands are counted, from 0 on. Other operands,
/// such as a scope, are not counted.
static std::string misfit(const llvm::Twine &what, char kind, Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << what << " has the type " << type << "; it should be "
                                 << wordsFor(kind);
  return text;
}

std::string pumice::spirv_import::misfit(uint32_t opcode, Type type, ValueRange operands) {
  const auto *found = llvm::find_if(signatures, [&](auto &one) { return one.opcode == opcode; });
  if (found == std::end(signatures))
    return {};
  llvm::StringRef kinds = found->kinds;
  if (type && !isKind(kinds[0], type, type))
    return ::misfit("the result", kinds[0], type);
  for (auto [i, operand, kind] : llvm::enumerate(operands.getTypes(), kinds.drop_front()))
    if (!isKind(kind, operand, type))
      return ::misfit("value " + llvm::Twine(i), kind, operand);
  auto condition = opcode == OpSelect ? dyn_cast<VectorType>(operands[0].getType()) : VectorType();
  auto vector = dyn_cast_if_present<VectorType>(type);
  if (condition && (!vector || vector.getShape() != condition.getShape()))
    return ::misfit("value 0", 'b', condition);
  return {};
}

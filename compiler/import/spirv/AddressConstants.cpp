//===- AddressConstants.cpp - constants that are addresses of variables -----===//
// The initializers of OpenCL's program-scope variables may contain addresses of other variables. An
// address, even one of integer type, is `@variable`, or a list of steps from another address. Code
// that lays out memory converts the steps to bytes. A list of steps has this form:
//
//   {base = ADDRESS, from = T, indices = array<i64: …>, to = U}
//
// T is the type to which `base` points in the instruction, and U is that of the result. If `whole`
// is present, the first index counts whole elements of T.
//===-------------------------------------------------------------------------===//
#include "compiler/import/spirv/Types.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace pumice::spirv_import;

bool pumice::spirv_import::isAddress(Attribute value) {
  return isa_and_present<FlatSymbolRefAttr, DictionaryAttr>(value);
}

bool pumice::spirv_import::sameButPointees(Type a, Type b) {
  if (a == b)
    return true;
  if (auto from = dyn_cast<spirv::PointerType>(a)) {
    auto to = dyn_cast<spirv::PointerType>(b);
    return to && from.getStorageClass() == to.getStorageClass();
  }
  if (auto from = dyn_cast<spirv::ArrayType>(a)) {
    auto to = dyn_cast<spirv::ArrayType>(b);
    return to && from.getNumElements() == to.getNumElements() &&
           from.getArrayStride() == to.getArrayStride() &&
           sameButPointees(from.getElementType(), to.getElementType());
  }
  auto from = dyn_cast<spirv::StructType>(a);
  auto to = dyn_cast<spirv::StructType>(b);
  if (!from || !to || from.isIdentified() || to.isIdentified() ||
      from.getNumElements() != to.getNumElements() ||
      from.hasDecoration(spirv::Decoration::CPacked) !=
          to.hasDecoration(spirv::Decoration::CPacked))
    return false;
  for (unsigned i = 0; i < from.getNumElements(); ++i)
    if (!sameButPointees(from.getElementType(i), to.getElementType(i)))
      return false;
  return true;
}

/// Returns whether a constant is null. Clang represents a null address as a number.
bool pumice::spirv_import::isNull(const Constant &constant) {
  auto number = dyn_cast_if_present<IntegerAttr>(constant.value);
  return constant.type.isInteger(64) && number && number.getValue().isZero();
}

FailureOr<Constant> Constants::makeVariable(const Instruction &in, Type type) {
  if (!isa<spirv::PointerType>(type))
    return reading.fail(in, "its type is not a pointer");
  FlatSymbolRefAttr symbol = variables.variable(in[1], in);
  if (!symbol)
    return failure();
  return Constant{type, symbol};
}

/// Makes the address that OpSpecConstantOp with a pointer type, or OpConvertPtrToU, computes.
FailureOr<Constant> Constants::makeAddress(const Instruction &in, Type type) {
  uint32_t opcode = in[2];
  FailureOr<Constant> base = get(in[3], in);
  if (failed(base))
    return failure();
  auto from = dyn_cast<spirv::PointerType>(base->type);
  if (!from)
    return reading.fail(in, "cannot compute an address from a value that is not a pointer");
  if (opcode == OpConvertPtrToU) {
    if (!type.isInteger(64))
      return reading.fail(in, "an address has 64 bits");
    bool null = !base->value || isa<UnitAttr>(base->value);
    return Constant{type, null ? zerosOf(type) : base->value};
  }
  bool cast = opcode == OpBitcast || opcode == OpPtrCastToGeneric || opcode == OpGenericCastToPtr;
  if (cast || !base->value || isa<UnitAttr>(base->value)) // null with an offset counts as null
    return Constant{type, base->value ? base->value : zerosOf(type)};
  bool whole = opcode == OpPtrAccessChain || opcode == OpInBoundsPtrAccessChain;
  if (!whole && opcode != OpAccessChain && opcode != OpInBoundsAccessChain)
    return reading.fail(in, "expected a cast or an access chain on an address, got instruction " +
                                Twine(opcode));
  SmallVector<int64_t> indices;
  for (uint32_t id : in.operands.drop_front(4)) {
    FailureOr<Constant> index = get(id, in);
    auto number = failed(index) ? IntegerAttr() : dyn_cast_if_present<IntegerAttr>(index->value);
    if (!number || number.getValue().getBitWidth() > 64)
      return reading.fail(in, "id " + Twine(id) + " is not a constant integer");
    indices.push_back(number.getValue().getSExtValue());
  }
  Builder builder(reading.context);
  SmallVector<NamedAttribute> parts{
      builder.getNamedAttr("base", base->value),
      builder.getNamedAttr("from", TypeAttr::get(from.getPointeeType())),
      builder.getNamedAttr("indices", builder.getDenseI64ArrayAttr(indices)),
      builder.getNamedAttr("to",
                           TypeAttr::get(mlir::cast<spirv::PointerType>(type).getPointeeType()))};
  if (whole)
    parts.push_back(builder.getNamedAttr("whole", builder.getUnitAttr()));
  return Constant{type, builder.getDictionaryAttr(parts)};
}

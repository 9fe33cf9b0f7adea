//===- Constants.cpp - constants of every kind ------------------------------===//
#include "compiler/cpu/from_spirv/SpirvToLanes.h"
#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

/// Integer types have signs in the spirv dialect, but not in the lane dialect.
static FailureOr<Value> constantScalar(Lowering &l, Attribute value, Type type) {
  if (isa<FlatSymbolRefAttr, DictionaryAttr>(value)) {
    FailureOr<Value> address = l.addressConstant(value);
    if (failed(address) || isa<LLVM::LLVMPointerType>(type))
      return address;
    return LLVM::PtrToIntOp::create(l.b, type, *address).getResult();
  }
  if (auto integer = dyn_cast<IntegerAttr>(value); integer && isa<IntegerType>(type))
    return arith::ConstantOp::create(l.b, l.b.getIntegerAttr(type, integer.getValue())).getResult();
  if (auto real = dyn_cast<FloatAttr>(value); real && real.getType() == type)
    return arith::ConstantOp::create(l.b, real).getResult();
  if (isa<UnitAttr>(value)) // OpConstantNull
    return l.zero(type);
  return l.error() << "the constant " << value << " is not supported for the type " << type;
}

LogicalResult Lowering::constantScalars(Attribute value, Type type, Scalars &scalars) {
  SmallVector<Type> list;
  if (!types.scalars(type, list))
    return error() << "a constant of type " << type << " is not supported";
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    for (auto [leaf, element] : llvm::zip(list, dense.getValues<Attribute>())) {
      FailureOr<Value> one = constantScalar(*this, element, leaf);
      if (failed(one))
        return failure();
      scalars.push_back(*one);
    }
    return success();
  }
  if (auto nested = dyn_cast<ArrayAttr>(value)) {
    if (isa<spirv::CooperativeMatrixType>(type) &&
        nested.size() == 1) { // all elements are the same
      for (Type leaf : list)
        if (failed(constantScalars(nested[0], leaf, scalars)))
          return failure();
      return success();
    }
    if (static_cast<int64_t>(nested.size()) != types.elements(type))
      return error() << "a constant of type " << type << " has " << nested.size() << " elements";
    for (auto [i, item] : llvm::enumerate(nested))
      if (failed(constantScalars(item, types.element(type, static_cast<int64_t>(i)), scalars)))
        return failure();
    return success();
  }
  if (isa<UnitAttr>(value)) {
    for (Type leaf : list)
      scalars.push_back(zero(leaf));
    return success();
  }
  if (list.size() != 1)
    return error() << "the constant " << value << " is not supported for the type " << type;
  FailureOr<Value> one = constantScalar(*this, value, list.front());
  if (failed(one))
    return failure();
  scalars.push_back(*one);
  return success();
}

/// Returns the bytes of a constant composite, in the layout that addresses into it assume. If a
/// scalar is not a constant, fails without reporting an error.
FailureOr<Value> Lowering::table(Type type, ArrayRef<Value> scalars) {
  SmallVector<Leaf> leaves;
  types.leaves(type, 0, {}, 0, leaves);
  SmallVector<int8_t> bytes(types.bytes(type), 0);
  for (auto [leaf, scalar] : llvm::zip(leaves, scalars)) {
    Attribute value;
    if (!matchPattern(scalar, m_Constant(&value)))
      return failure();
    APInt bits;
    if (auto integer = dyn_cast<IntegerAttr>(value))
      bits = integer.getValue();
    else if (auto real = dyn_cast<FloatAttr>(value))
      bits = real.getValue().bitcastToAPInt();
    else
      return failure();
    uint64_t word = bits.getZExtValue();
    for (int64_t i = 0; i < scalarBytes(leaf.type); ++i)
      bytes[leaf.offset + i] = static_cast<int8_t>(word >> (8 * i));
  }
  return lane::TableOp::create(b, b.getType<LLVM::LLVMPointerType>(), b.getDenseI8ArrayAttr(bytes))
      .getResult();
}

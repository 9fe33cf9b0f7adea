//===- StorageTypes.cpp - types that a target's memory can hold -------------===//
#include "compiler/lower/types/StorageTypes.h"

#include "compiler/lower/structure/MemorySpace.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower;
using target::Feature;

MemoryKind lower::memoryKindOf(Value memref) {
  MemorySpace space = memorySpaceOf(cast<MemRefType>(memref.getType()));
  if (space == MemorySpace::Workgroup)
    return MemoryKind::Workgroup;
  if (space == MemorySpace::Private)
    return MemoryKind::Private;
  // A stack buffer or a table of constants may have no memory space. Each invocation has its own.
  Operation *root = memref.getDefiningOp();
  bool isPrivate = root && isa<memref::AllocaOp, memref::GetGlobalOp>(root);
  return isPrivate ? MemoryKind::Private : MemoryKind::Buffer;
}

unsigned lower::storageBytes(Type element) {
  if (element.isIndex())
    return 8;
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() > 64)
    return 0;
  return llvm::PowerOf2Ceil(llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
}

bool lower::isNativeInMemory(Type type, MemoryKind kind, const target::TargetEnv &env) {
  bool buffer = kind == MemoryKind::Buffer;
  if (type.isInteger(32) || type.isF32())
    return true;
  if (type.isInteger(8))
    return env.has(buffer ? Feature::storageBuffer8BitAccess : Feature::shaderInt8);
  if (type.isInteger(16))
    return env.has(buffer ? Feature::storageBuffer16BitAccess : Feature::shaderInt16);
  if (type.isF16())
    return env.has(Feature::shaderFloat16) &&
           (!buffer || env.has(Feature::storageBuffer16BitAccess));
  if (type.isInteger(64))
    return env.has(Feature::shaderInt64);
  if (type.isF64())
    return env.has(Feature::shaderFloat64);
  return false;
}

//===-------------------------------------------------------------------------===//
// Atomics
//===-------------------------------------------------------------------------===//

namespace {

/// Describes how VK_EXT_shader_atomic_float and its successor support one type: by exchange and
/// add. MLIR's SPIR-V dialect has no operations for their min and max.
struct FloatAtomics {
  Feature buffer[2], shared[2];
};

/// Returns null for types that no extension updates.
const FloatAtomics *floatAtomicsOf(Type type) {
  static constexpr FloatAtomics f16 = {
      {Feature::shaderBufferFloat16Atomics, Feature::shaderBufferFloat16AtomicAdd},
      {Feature::shaderSharedFloat16Atomics, Feature::shaderSharedFloat16AtomicAdd}};
  static constexpr FloatAtomics f32 = {
      {Feature::shaderBufferFloat32Atomics, Feature::shaderBufferFloat32AtomicAdd},
      {Feature::shaderSharedFloat32Atomics, Feature::shaderSharedFloat32AtomicAdd}};
  static constexpr FloatAtomics f64 = {
      {Feature::shaderBufferFloat64Atomics, Feature::shaderBufferFloat64AtomicAdd},
      {Feature::shaderSharedFloat64Atomics, Feature::shaderSharedFloat64AtomicAdd}};
  return type.isF16() ? &f16 : type.isF32() ? &f32 : type.isF64() ? &f64 : nullptr;
}

} // namespace

bool lower::isNativeAtomic(arith::AtomicRMWKind update, Type element, MemoryKind kind,
                           const target::TargetEnv &env) {
  using Kind = arith::AtomicRMWKind;
  if (kind == MemoryKind::Private)
    return false;
  bool buffer = kind == MemoryKind::Buffer;
  if (const FloatAtomics *known = floatAtomicsOf(element)) {
    const Feature *features = buffer ? known->buffer : known->shared;
    return (update == Kind::assign && env.has(features[0])) ||
           (update == Kind::addf && env.has(features[1]));
  }
  if (element.isInteger(64) &&
      !env.has(buffer ? Feature::shaderBufferInt64Atomics : Feature::shaderSharedInt64Atomics))
    return false;
  if (!element.isInteger(32) && !element.isInteger(64))
    return false;
  switch (update) {
  case Kind::addi:
  case Kind::andi:
  case Kind::assign:
  case Kind::maxs:
  case Kind::maxu:
  case Kind::mins:
  case Kind::minu:
  case Kind::ori:
  case Kind::xori:
    return true;
  default:
    return false;
  }
}

Value lower::emitUpdate(OpBuilder &b, Location loc, arith::AtomicRMWKind update, Value old,
                        Value operand) {
  if (update == arith::AtomicRMWKind::assign)
    return operand;
  if (update == arith::AtomicRMWKind::xori)
    return arith::XOrIOp::create(b, loc, old, operand);
  return arith::getReductionOp(update, b, loc, old, operand);
}

//===-------------------------------------------------------------------------===//
// Values and the cells that hold them
//===-------------------------------------------------------------------------===//

Type lower::withShapeOf(Type like, Type element) {
  if (auto vector = dyn_cast<VectorType>(like))
    return vector.clone(element);
  return element;
}

Value lower::fromCell(OpBuilder &b, Location loc, Value cell, Type element) {
  Type have = getElementTypeOrSelf(cell);
  Type wanted = withShapeOf(cell.getType(), element);
  if (have == element)
    return cell;
  if (element.isIndex())
    return arith::IndexCastOp::create(b, loc, wanted, cell);
  if (element.isInteger(1)) {
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(cell.getType()));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, cell, zero);
  }
  unsigned width = element.getIntOrFloatBitWidth();
  if (have.getIntOrFloatBitWidth() > width)
    cell = arith::TruncIOp::create(b, loc, withShapeOf(wanted, b.getIntegerType(width)), cell);
  if (isa<FloatType>(element))
    cell = arith::BitcastOp::create(b, loc, wanted, cell);
  return cell;
}

Value lower::toCell(OpBuilder &b, Location loc, Value value, Type cell) {
  Type have = getElementTypeOrSelf(value);
  Type wanted = withShapeOf(value.getType(), cell);
  if (have == cell)
    return value;
  if (have.isIndex())
    return arith::IndexCastOp::create(b, loc, wanted, value);
  unsigned width = have.getIntOrFloatBitWidth();
  if (isa<FloatType>(have))
    value = arith::BitcastOp::create(b, loc, withShapeOf(wanted, b.getIntegerType(width)), value);
  if (width < cell.getIntOrFloatBitWidth())
    value = arith::ExtUIOp::create(b, loc, wanted, value);
  return value;
}

/// Returns a location for errors. Constants that folding created or moved have none, so this uses
/// their users' location.
static Location placeOf(Operation *op) {
  if (isa<UnknownLoc>(op->getLoc()))
    for (Operation *user : op->getUsers())
      if (!isa<UnknownLoc>(user->getLoc()))
        return user->getLoc();
  return op->getLoc();
}

LogicalResult lower::refuseFor(Operation *op, const Twine &what, Feature feature,
                               const target::TargetEnv &env) {
  return emitError(placeOf(op)) << what << " " << target::needs(env, feature);
}

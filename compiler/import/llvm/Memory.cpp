//===- Memory.cpp - loads, stores and atomics of kernels in LLVM IR ---------===//
//   before: %v = load <4 x float>, ptr addrspace(1) %p, align 16
//   after:  %m = vk.at_address %p : memref<?xf32>
//           %v = vector.load %m[%c0] {alignment = 16}
// In a region, a position becomes an index of units. A number that is wider than a unit is put
// together from several.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/import/llvm/FunctionImporter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <functional>

using namespace mlir;
using namespace pumice;
using namespace pumice::llvm_import;

static uint64_t bytesOf(Type scalar) {
  return llvm::PowerOf2Ceil(llvm::divideCeil(scalar.getIntOrFloatBitWidth(), 8));
}

Value FunctionImporter::spaceNumber(Value address) {
  return arith::ShRUIOp::create(b, loc, address, constant(b.getI64Type(), spaceShift));
}

Value FunctionImporter::castAddress(Value address, unsigned from, unsigned to) {
  Type i64 = b.getI64Type();
  auto tag = [&](unsigned space) {
    return space == Workgroup ? WorkgroupTag : space == Private ? PrivateTag : AddressTag;
  };
  if (from != Generic && to == Generic && tag(from)) {
    auto bits = static_cast<int64_t>(uint64_t(tag(from)) << spaceShift);
    return arith::OrIOp::create(b, loc, address, constant(i64, bits));
  }
  if (from == Generic && to != Generic && tag(to))
    return arith::AndIOp::create(b, loc, address, constant(i64, (int64_t(1) << spaceShift) - 1));
  return address;
}

Place FunctionImporter::placeIn(const MemoryRegion *region, Value at) {
  auto [memory, unit] = memories.lookup(region);
  return {memory, unit, at, 0};
}

Value FunctionImporter::atPlace(const llvm::Value *pointer, Value at, Type result,
                                llvm::function_ref<Value(const Place &)> access) {
  unsigned space = pointer->getType()->getPointerAddressSpace();
  Place address{Value(), Type(), at, 0};
  SmallVector<std::pair<Tag, const MemoryRegion *>> others;
  if (hasRegion(pointer->getType())) {
    const MemoryRegion *region = plan.regionOf(pointer);
    if (region && region->isMixed) {
      others.push_back({TableTag, region});
      return atTagged(others, at, result, access);
    }
    if (region && !region->isAddress)
      return access(placeIn(region, at));
    if (!region && space != Constant) {
      (void)refuse("accesses memory of the kernel through a pointer that leads to no variable; "
                   "initialize the pointer with the address of one");
      return {};
    }
    return access(address);
  }
  if (space != Generic)
    return access(address);
  // A cast says which memory it is. Otherwise, the pointer itself does.
  const llvm::Value *origin = pointer;
  while (auto *step = dyn_cast<llvm::GEPOperator>(origin))
    origin = step->getPointerOperand();
  if (auto *cast = dyn_cast<llvm::AddrSpaceCastOperator>(origin)) {
    const llvm::Value *source = cast->getPointerOperand();
    unsigned from = source->getType()->getPointerAddressSpace();
    if (from == Global)
      return access(address);
    const MemoryRegion *region = hasRegion(source->getType()) ? plan.regionOf(source) : nullptr;
    if (region && !region->isAddress)
      return access(placeIn(region, castAddress(at, Generic, from)));
  }
  if (const MemoryRegion *region = plan.unknownRegion(Workgroup))
    others.push_back({WorkgroupTag, region});
  if (const MemoryRegion *region = plan.unknownRegion(Private))
    others.push_back({PrivateTag, region});
  return others.empty() ? access(address) : atTagged(others, at, result, access);
}

Value FunctionImporter::atTagged(ArrayRef<std::pair<Tag, const MemoryRegion *>> others, Value at,
                                 Type result, llvm::function_ref<Value(const Place &)> access) {
  Value number = spaceNumber(at);
  Value offset = castAddress(at, Generic, Private);
  SmallVector<Type> types;
  if (result)
    types.push_back(result);
  auto yield = [&](Value value) {
    scf::YieldOp::create(b, loc, value ? ValueRange(value) : ValueRange());
  };
  std::function<Value(size_t)> choose = [&](size_t next) -> Value {
    if (next == others.size())
      return access(Place{Value(), Type(), at, 0});
    auto [tag, region] = others[next];
    Value here = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, number,
                                       constant(b.getI64Type(), tag));
    auto choice = scf::IfOp::create(b, loc, types, here, /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(b);
    for (bool isThen : {true, false}) {
      Block *block = isThen ? choice.thenBlock() : choice.elseBlock();
      block->clear(); // without results, it already has a terminator
      b.setInsertionPointToEnd(block);
      yield(isThen ? access(placeIn(region, offset)) : choose(next + 1));
    }
    return result ? choice.getResult(0) : Value();
  };
  return choose(0);
}

/// Returns the index of the unit `bytes` behind a place.
Value FunctionImporter::indexIn(const Place &place, uint64_t bytes) {
  Type i32 = b.getI32Type();
  Value at = arith::TruncIOp::create(b, loc, i32, place.position);
  if (uint64_t unit = bytesOf(place.unit); unit > 1)
    at = arith::ShRUIOp::create(b, loc, at, constant(i32, llvm::Log2_64(unit)));
  if (uint64_t units = bytes / bytesOf(place.unit))
    at = arith::AddIOp::create(b, loc, at, constant(i32, units));
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), at);
}

static Value toBits(OpBuilder &b, Location loc, Value value) {
  Type type = value.getType();
  if (type.isInteger())
    return value;
  return arith::BitcastOp::create(b, loc, b.getIntegerType(type.getIntOrFloatBitWidth()), value);
}

static Value fromBits(OpBuilder &b, Location loc, Value bits, Type type) {
  return type.isInteger() ? bits : arith::BitcastOp::create(b, loc, type, bits).getResult();
}

/// Loads a scalar of whole bytes from a place whose elements may be smaller.
static Value loadScalar(OpBuilder &b, Location loc, Type type, Type unit,
                        llvm::function_ref<Value(uint64_t)> loadUnit) {
  if (type == unit)
    return loadUnit(0);
  uint64_t bytes = bytesOf(type), step = bytesOf(unit);
  if (bytes == step)
    return fromBits(b, loc, toBits(b, loc, loadUnit(0)), type);
  Type whole = b.getIntegerType(bytes * 8);
  Value all;
  for (uint64_t at = 0; at < bytes; at += step) {
    Value part = arith::ExtUIOp::create(b, loc, whole, toBits(b, loc, loadUnit(at)));
    if (at) {
      Value shift = arith::ConstantOp::create(b, loc, b.getIntegerAttr(whole, at * 8));
      part = arith::ShLIOp::create(b, loc, part, shift);
    }
    all = all ? arith::OrIOp::create(b, loc, all, part).getResult() : part;
  }
  return fromBits(b, loc, all, type);
}

static void storeScalar(OpBuilder &b, Location loc, Value value, Type unit,
                        llvm::function_ref<void(uint64_t, Value)> storeUnit) {
  if (value.getType() == unit)
    return storeUnit(0, value);
  uint64_t bytes = bytesOf(value.getType()), step = bytesOf(unit);
  Value bits = toBits(b, loc, value);
  for (uint64_t at = 0; at < bytes; at += step) {
    Value part = bits;
    if (at) {
      Value shift = arith::ConstantOp::create(b, loc, b.getIntegerAttr(bits.getType(), at * 8));
      part = arith::ShRUIOp::create(b, loc, bits, shift);
    }
    if (bytes != step)
      part = arith::TruncIOp::create(b, loc, b.getIntegerType(step * 8), part);
    storeUnit(at, fromBits(b, loc, part, unit));
  }
}

/// Returns the integer that holds a scalar in memory: i8 for i1, i32 for i24.
static Type storedType(OpBuilder &b, Type scalar) {
  return scalar.isInteger() ? b.getIntegerType(bytesOf(scalar) * 8) : scalar;
}

Value FunctionImporter::load(const llvm::Value *pointer, Value at, Type type, uint64_t alignment) {
  Type scalar = getElementTypeOrSelf(type);
  Type stored = storedType(b, scalar);
  uint64_t bytes = bytesOf(scalar);
  auto vector = dyn_cast<VectorType>(type);
  if (vector && stored != scalar) {
    (void)refuse("loads a vector of " + Twine(scalar.getIntOrFloatBitWidth()) +
                 "-bit integers; kernels for Vulkan load vectors of 8 bits or more");
    return {};
  }
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  return atPlace(pointer, at, type, [&](const Place &place) -> Value {
    bool isAligned = alignment == 0 || alignment >= bytes;
    Value memory = place.memory;
    Type unit = place.unit;
    if (!memory) {
      unit = isAligned ? stored : b.getIntegerType(alignment * 8);
      auto seen = MemRefType::get({ShapedType::kDynamic}, unit);
      memory = vk::AtAddressOp::create(b, loc, seen, place.position);
      if (vector && isAligned) {
        auto wide = vector::LoadOp::create(b, loc, vector, memory, zero);
        wide.setAlignment(std::max<uint64_t>(alignment, bytes));
        return wide;
      }
    }
    auto unitAt = [&](uint64_t offset) -> Value {
      Value index =
          place.memory ? indexIn(place, offset)
                       : arith::ConstantIndexOp::create(b, loc, offset / bytesOf(unit)).getResult();
      return memref::LoadOp::create(b, loc, memory, index);
    };
    SmallVector<Value> parts;
    for (int64_t i = 0; i < (vector ? vector.getNumElements() : 1); ++i)
      parts.push_back(loadScalar(b, loc, stored, unit,
                                 [&](uint64_t offset) { return unitAt(i * bytes + offset); }));
    if (vector)
      return vector::FromElementsOp::create(b, loc, vector, parts);
    return stored == scalar ? parts.front()
                            : arith::TruncIOp::create(b, loc, scalar, parts.front()).getResult();
  });
}

void FunctionImporter::store(const llvm::Value *pointer, Value at, Value value,
                             uint64_t alignment) {
  auto vector = dyn_cast<VectorType>(value.getType());
  Type scalar = getElementTypeOrSelf(value.getType());
  Type stored = storedType(b, scalar);
  uint64_t bytes = bytesOf(scalar);
  if (vector && stored != scalar) {
    (void)refuse("stores a vector of " + Twine(scalar.getIntOrFloatBitWidth()) +
                 "-bit integers; kernels for Vulkan store vectors of 8 bits or more");
    return;
  }
  if (stored != scalar)
    value = arith::ExtUIOp::create(b, loc, stored, value);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  atPlace(pointer, at, Type(), [&](const Place &place) -> Value {
    bool isAligned = alignment == 0 || alignment >= bytes;
    Value memory = place.memory;
    Type unit = place.unit;
    if (!memory) {
      unit = isAligned ? stored : b.getIntegerType(alignment * 8);
      auto seen = MemRefType::get({ShapedType::kDynamic}, unit);
      memory = vk::AtAddressOp::create(b, loc, seen, place.position);
      if (vector && isAligned) {
        auto wide = vector::StoreOp::create(b, loc, value, memory, zero);
        wide.setAlignment(std::max<uint64_t>(alignment, bytes));
        return {};
      }
    }
    auto storeUnit = [&](uint64_t offset, Value part) {
      Value index =
          place.memory ? indexIn(place, offset)
                       : arith::ConstantIndexOp::create(b, loc, offset / bytesOf(unit)).getResult();
      memref::StoreOp::create(b, loc, part, memory, index);
    };
    for (int64_t i = 0; i < (vector ? vector.getNumElements() : 1); ++i) {
      Value part = vector ? vector::ExtractOp::create(b, loc, value, i).getResult() : value;
      storeScalar(b, loc, part, unit,
                  [&](uint64_t offset, Value piece) { storeUnit(i * bytes + offset, piece); });
    }
    return {};
  });
}

/// Returns the memory of one number of `type`, and its index, for an atomic operation.
static std::pair<Value, Value> numberAt(FunctionImporter &f, const Place &place, Type type) {
  Value zero = arith::ConstantIndexOp::create(f.b, f.loc, 0);
  if (!place.memory) {
    auto seen = MemRefType::get({ShapedType::kDynamic}, type);
    return {vk::AtAddressOp::create(f.b, f.loc, seen, place.position), zero};
  }
  if (bytesOf(place.unit) != bytesOf(type)) {
    (void)f.refuse("updates memory of the kernel atomically as " +
                   Twine(type.getIntOrFloatBitWidth()) + " bits, and accesses it elsewhere as " +
                   Twine(place.unit.getIntOrFloatBitWidth()) +
                   " bits; Vulkan needs one type: use separate variables");
    return {};
  }
  Type i32 = f.b.getI32Type();
  Value at = arith::TruncIOp::create(f.b, f.loc, i32, place.position);
  at = arith::ShRUIOp::create(f.b, f.loc, at, f.constant(i32, llvm::Log2_64(bytesOf(type))));
  return {place.memory, arith::IndexCastOp::create(f.b, f.loc, f.b.getIndexType(), at)};
}

Value FunctionImporter::update(const llvm::Value *pointer, arith::AtomicRMWKind kind, Value value,
                               bool relaxed) {
  Type type = value.getType();
  return atPlace(pointer, this->value(pointer), type, [&](const Place &place) -> Value {
    auto [memory, index] = numberAt(*this, place, type);
    if (!memory)
      return {};
    Type unit = cast<MemRefType>(memory.getType()).getElementType();
    Value operand = value;
    if (unit != type && kind != arith::AtomicRMWKind::assign) {
      // Memory that holds bits: integers work as they are, and floats by a loop over their bits.
      (void)refuse("updates memory of the kernel atomically in two types; Vulkan needs one: use "
                   "separate variables");
      return {};
    }
    if (unit != type)
      operand = fromBits(b, loc, toBits(b, loc, value), unit);
    auto made = memref::AtomicRMWOp::create(b, loc, kind, operand, memory, index);
    if (!relaxed)
      made->setAttr("pumice.acquire_release", b.getUnitAttr());
    Value old = made.getResult();
    return unit == type ? old : fromBits(b, loc, toBits(b, loc, old), type);
  });
}

Value FunctionImporter::compareExchange(const llvm::Value *pointer, Value expected, Value desired,
                                        bool relaxed) {
  Type type = expected.getType();
  Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  return atPlace(pointer, value(pointer), type, [&](const Place &place) -> Value {
    auto [memory, index] = numberAt(*this, place, bits);
    if (!memory)
      return {};
    if (cast<MemRefType>(memory.getType()).getElementType() != bits) {
      (void)refuse("compares and exchanges memory of the kernel that it accesses as floats; Vulkan "
                   "needs one type: use separate variables");
      return {};
    }
    if (!relaxed)
      vk::MemoryBarrierOp::create(b, loc);
    Value old = vk::AtomicCmpxchgOp::create(b, loc, bits, toBits(b, loc, expected),
                                            toBits(b, loc, desired), memory, index);
    if (!relaxed)
      vk::MemoryBarrierOp::create(b, loc);
    return fromBits(b, loc, old, type);
  });
}

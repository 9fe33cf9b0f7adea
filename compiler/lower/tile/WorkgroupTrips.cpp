//===- WorkgroupTrips.cpp - sends registers through workgroup memory --------===//
#include "compiler/lower/tile/WorkgroupTrips.h"
#include "compiler/lower/tile/TilePatterns.h"
#include "compiler/lower/tile/WorkgroupMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;
using pumice::tile::MemoryAccess;
using pumice::tile::MemoryTrip;

/// Returns the type that an element has in memory. An i1 is stored as a byte.
static Type storedType(Type type) {
  return type.isInteger(1) ? IntegerType::get(type.getContext(), 8) : type;
}

static Value toStored(LaneCode &code, Value value) {
  Type type = storedType(value.getType());
  return type == value.getType() ? value : arith::ExtUIOp::create(code.b, type, value).getResult();
}

static Value fromStored(LaneCode &code, Value value, Type type) {
  return type == value.getType() ? value : arith::TruncIOp::create(code.b, type, value).getResult();
}

void WorkgroupTrips::barrier() { gpu::BarrierOp::create(code.b); }

Value WorkgroupTrips::memory(Type type, uint64_t elements) {
  auto func = op->getParentOfType<gpu::GPUFuncOp>();
  int64_t count = static_cast<int64_t>(elements);
  auto own = func->getAttrOfType<IntegerAttr>(ownAttributionsAttrName);
  for (BlockArgument known :
       func.getWorkgroupAttributions().drop_front(own ? static_cast<size_t>(own.getInt()) : 0)) {
    auto memory = cast<MemRefType>(known.getType());
    if (memory.getElementType() == type && memory.getDimSize(0) >= count)
      return known;
  }
  // A kernel in generic form may lack this attribute, which upstream's function requires.
  StringRef attributions = gpu::GPUFuncOp::getNumWorkgroupAttributionsAttrName();
  if (!func->hasAttr(attributions))
    func->setAttr(attributions, code.b.getI64IntegerAttr(0));
  auto space = gpu::AddressSpaceAttr::get(func.getContext(), gpu::AddressSpace::Workgroup);
  return func.addWorkgroupAttribution(
      MemRefType::get({count}, type, MemRefLayoutAttrInterface(), space), op->getLoc());
}

Value WorkgroupTrips::index(const MemoryAccess &access, uint64_t reg) {
  Value offset = code.place(access.places, tile::offsetSpace, reg);
  return arith::IndexCastOp::create(code.b, code.b.getIndexType(), offset);
}

/// Returns whether a register's elements are in `piece`. This is the same in all lanes.
static bool isIn(const MemoryAccess &access, uint64_t reg, uint64_t piece) {
  const tile::LinearLayout &places = access.places;
  return places.output(tile::pieceSpace).of(places(places.input(tile::registerSpace).at(reg))) ==
         piece;
}

void WorkgroupTrips::store(const MemoryAccess &access, uint64_t piece, ArrayRef<Value> registers,
                           Value memory) {
  OpBuilder::InsertionGuard guard(code.b);
  Condition original = code.isOriginal(access.laneCopies, access.subgroupCopies);
  if (!original.known) {
    auto guarded = scf::IfOp::create(code.b, original.value, /*withElseRegion=*/false);
    code.b.setInsertionPointToStart(guarded.thenBlock());
  }
  for (uint64_t start : access.starts) {
    if (!isIn(access, start, piece))
      continue;
    Registers elements;
    for (uint64_t i = 0; i < access.length(); ++i)
      elements.push_back(toStored(code, registers[start ^ tile::combine(access.vector, i)]));
    Value at = index(access, start);
    if (elements.size() == 1)
      memref::StoreOp::create(code.b, elements[0], memory, at);
    else
      vector::StoreOp::create(code.b, code.pack(elements), memory, at);
  }
}

void WorkgroupTrips::load(const MemoryAccess &access, uint64_t piece, Value memory,
                          Registers &result) {
  Type type = cast<MemRefType>(memory.getType()).getElementType();
  for (uint64_t start : access.starts) {
    if (!isIn(access, start, piece))
      continue;
    Value at = index(access, start);
    if (access.length() == 1) {
      result[start] = memref::LoadOp::create(code.b, memory, at);
      continue;
    }
    auto vector = VectorType::get({static_cast<int64_t>(access.length())}, type);
    Value loaded = vector::LoadOp::create(code.b, vector, memory, at);
    for (auto [i, value] : llvm::enumerate(code.unpack(loaded)))
      result[start ^ tile::combine(access.vector, i)] = value;
  }
}

Registers WorkgroupTrips::convert(const tile::Conversion &plan, ArrayRef<Value> registers) {
  if (plan.movement != tile::Movement::Memory)
    return code.exchange(plan.exchange(), registers);
  const MemoryTrip &trip = plan.trip();
  Type type = registers[0].getType();
  uint64_t elements = uint64_t(1) << trip.addresses.output(tile::offsetSpace).bits;
  Value memory = this->memory(storedType(type), elements);
  Registers result(size_t(1) << trip.load.original.size());
  for (uint64_t piece = 0; piece < trip.pieces; ++piece) {
    barrier();
    store(trip.store, piece, registers, memory);
    barrier();
    load(trip.load, piece, memory, result);
  }
  for (uint64_t reg = 0; reg < result.size(); ++reg)
    result[reg] = result[tile::combine(trip.load.original, reg)];
  for (Value &value : result)
    value = fromStored(code, value, type);
  return result;
}

Registers WorkgroupTrips::read(const MemoryAccess &access, ArrayRef<Value> registers,
                               ArrayRef<Value> offsets) {
  Type type = registers[0].getType();
  uint64_t elements = uint64_t(1) << access.places.output(tile::offsetSpace).bits;
  Value memory = this->memory(storedType(type), elements);
  barrier();
  store(access, 0, registers, memory);
  barrier();
  Registers result;
  for (Value offset : offsets) {
    Value at = arith::IndexCastOp::create(code.b, code.b.getIndexType(), offset);
    Value loaded = memref::LoadOp::create(code.b, memory, at);
    result.push_back(fromStored(code, loaded, type));
  }
  return result;
}

Registers WorkgroupTrips::count(const MemoryTrip &trip, ArrayRef<Value> values,
                                ArrayRef<Value> conditions) {
  uint64_t elements = uint64_t(1) << trip.addresses.output(tile::offsetSpace).bits;
  Value memory = this->memory(code.b.getI32Type(), elements);
  barrier();
  Registers zeros(size_t(1) << trip.store.original.size(), code.constant(0));
  store(trip.store, 0, zeros, memory);
  barrier();
  tile::Field offset = trip.addresses.output(tile::offsetSpace);
  std::vector<uint64_t> columns;
  for (uint64_t image : trip.addresses.columns())
    columns.push_back(offset.of(image));
  for (auto [i, value] : llvm::enumerate(values)) {
    OpBuilder::InsertionGuard guard(code.b);
    if (!conditions.empty()) {
      auto guarded = scf::IfOp::create(code.b, conditions[i], /*withElseRegion=*/false);
      code.b.setInsertionPointToStart(guarded.thenBlock());
    }
    Value at =
        arith::IndexCastOp::create(code.b, code.b.getIndexType(), code.linear(value, columns));
    memref::AtomicRMWOp::create(code.b, arith::AtomicRMWKind::addi, code.constant(1), memory, at);
  }
  barrier();
  Registers result(zeros.size());
  load(trip.load, 0, memory, result);
  for (uint64_t reg = 0; reg < result.size(); ++reg)
    result[reg] = result[tile::combine(trip.load.original, reg)];
  return result;
}

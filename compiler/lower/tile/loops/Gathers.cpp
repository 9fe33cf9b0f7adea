//===- Gathers.cpp - gathers of large tensors as loops over blocks ----------===//
//   before: %r = tile.gather %s[%i] axis 0 : (tensor<4096xf32, #l>, tensor<4096xi32, #l>) -> …
//   after:  gpu.barrier; loops store %s to workgroup memory; gpu.barrier
//           for each block of %r: computes its part of %i, and loads from there
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/tile/layout/TensorLayout.h"
#include "compiler/lower/tile/TilePatterns.h"
#include "compiler/lower/tile/loops/FragmentLoops.h"
#include "compiler/lower/tile/loops/MemoryPlace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <bit>

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;
using tile::layoutOf;

Type pumice::lower::tiles::typeInMemory(tile::GatherOp op) {
  Type element = op.getSource().getType().getElementType();
  bool isNarrow = element.isIntOrFloat() && element.getIntOrFloatBitWidth() < 16;
  return isNarrow ? IntegerType::get(op.getContext(), 32) : element;
}

static Type integersLike(Value tensor, Type element) {
  Type bits = IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth());
  return cast<RankedTensorType>(tensor.getType()).clone(bits);
}

static Value toMemory(ImplicitLocOpBuilder &b, Value block, Type inMemory) {
  Type element = getElementTypeOrSelf(block.getType());
  if (element == inMemory)
    return block;
  if (isa<FloatType>(element))
    block = arith::BitcastOp::create(b, integersLike(block, element), block);
  return arith::ExtUIOp::create(b, cast<RankedTensorType>(block.getType()).clone(inMemory), block);
}

static Value fromMemory(ImplicitLocOpBuilder &b, Value block, Type element) {
  if (getElementTypeOrSelf(block.getType()) == element)
    return block;
  block = arith::TruncIOp::create(b, integersLike(block, element), block);
  if (isa<FloatType>(element))
    block =
        arith::BitcastOp::create(b, cast<RankedTensorType>(block.getType()).clone(element), block);
  return block;
}

bool pumice::lower::tiles::isLoopedGather(tile::GatherOp op, const LoopLimits &limits) {
  RankedTensorType source = op.getSource().getType();
  Type element = source.getElementType();
  if (!isLarge(op.getSource(), limits) && !isLarge(op.getResult(), limits))
    return false;
  if (!element.isIntOrFloat() || !op.getIndices().getType().getElementType().isInteger(32))
    return false;
  uint64_t bytes =
      static_cast<uint64_t>(source.getNumElements()) * tile::storedBytes(typeInMemory(op));
  // The other half remains for operations that exchange elements through memory of their own.
  return bytes <= limits.workgroupBytes / 2 && blocksOf(op.getSource()) &&
         blocksOf(op.getIndices());
}

void FragmentLoops::emitGather(Emission &e, tile::GatherOp op, size_t item) {
  Location loc = op.getLoc();
  RankedTensorType from = op.getSource().getType(), to = op.getResult().getType();
  Value memory = workgroupMemories[typeInMemory(op)];
  MemoryPlace place = rowMajor(from);
  gpu::BarrierOp::create(e.builder, loc); // other lanes may still read the previous contents
  {
    OpBuilder::InsertionGuard guard(e.builder);
    ImplicitLocOpBuilder b(loc, e.builder);
    Frame frame = loopOver(op.getSource(), b);
    Site site = siteAt(e, b, frame, item);
    Value block = toMemory(b, slice(op.getSource(), frame, site), typeInMemory(op));
    Value places = placesOf(b, layoutOf(block.getType()), place, startOf(b, frame.starts, place));
    tile::StoreOp::create(b, block, memory, places, Value());
  }
  gpu::BarrierOp::create(e.builder, loc);
  Value array = e.targets.lookup(op.getResult());
  if (!array)
    array = newArray(op.getResult());
  ImplicitLocOpBuilder b(loc, e.builder);
  Frame frame = loopOver(op.getIndices(), b);
  Site site = siteAt(e, b, frame, item);
  Value indices = slice(op.getIndices(), frame, site);
  auto all = [&](uint64_t number) -> Value {
    return tile::SplatOp::create(b, indices.getType(), i32(b, number));
  };
  // An index out of range may read any element.
  unsigned axis = op.getAxis();
  auto size = static_cast<uint64_t>(from.getDimSize(axis));
  indices = arith::AndIOp::create(b, indices, all(size - 1));
  indices = arith::MulIOp::create(b, indices, all(place.strides[axis]));
  MemoryPlace others = place;
  SmallVector<Value> starts = frame.starts;
  others.strides[axis] = 0;
  starts[axis] = {};
  Value places = placesOf(b, layoutOf(indices.getType()), others, startOf(b, starts, others));
  places = arith::AddIOp::create(b, places, indices);
  auto block = cast<RankedTensorType>(indices.getType()).clone(typeInMemory(op));
  Value found = tile::LoadOp::create(b, block, memory, places, Value(), Value());
  storeBlock(b, loc, fromMemory(b, found, to.getElementType()), array, to, frame);
  arrays[op.getResult()] = array;
  replaced.push_back(op);
}

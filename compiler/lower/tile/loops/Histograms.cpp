//===- Histograms.cpp - histograms as loops over blocks of tensors ----------===//
//   before: %h = tile.histogram %t : (tensor<65536xi32, #l>) -> tensor<256xi32, #m>
//   after:  gpu.barrier; loops store zeros to workgroup memory; gpu.barrier
//           for each block of %t: an atomic addition of 1 at the place that each element names
//           gpu.barrier; for each block of %h: loads its counts
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/tile/layout/TensorLayout.h"
#include "compiler/lower/tile/loops/FragmentLoops.h"
#include "compiler/lower/tile/loops/MemoryPlace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;
using tile::layoutOf;

bool pumice::lower::tiles::isLoopedHistogram(tile::HistogramOp op, const LoopLimits &limits) {
  if (!isLarge(op.getTensor(), limits) && !isLarge(op.getResult(), limits))
    return false;
  uint64_t bytes = static_cast<uint64_t>(op.getResult().getType().getNumElements()) * 4;
  // The other half remains for operations that exchange elements through memory of their own.
  return bytes <= limits.workgroupBytes / 2 && blocksOf(op.getTensor()) &&
         (!op.getMask() || blocksOf(op.getMask())) && blocksOf(op.getResult());
}

void FragmentLoops::emitHistogram(Emission &e, tile::HistogramOp op, size_t item) {
  Location loc = op.getLoc();
  RankedTensorType type = op.getResult().getType();
  Value memory = workgroupMemories[type.getElementType()];
  MemoryPlace place = rowMajor(type);
  auto all = [](ImplicitLocOpBuilder &b, Type tensor, uint64_t number) -> Value {
    return tile::SplatOp::create(b, tensor, i32(b, number));
  };
  gpu::BarrierOp::create(e.builder, loc); // other lanes may still read the previous contents
  {
    OpBuilder::InsertionGuard guard(e.builder);
    ImplicitLocOpBuilder b(loc, e.builder);
    Frame frame = loopOver(op.getResult(), b);
    Type block = sliceType(type, frame.sizes);
    Value places = placesOf(b, layoutOf(block), place, startOf(b, frame.starts, place));
    tile::StoreOp::create(b, all(b, block, 0), memory, places, Value());
  }
  gpu::BarrierOp::create(e.builder, loc);
  {
    OpBuilder::InsertionGuard guard(e.builder);
    ImplicitLocOpBuilder b(loc, e.builder);
    Frame frame = loopOver(op.getTensor(), b);
    Site site = siteAt(e, b, frame, item);
    Value numbers = slice(op.getTensor(), frame, site);
    Value mask = op.getMask() ? slice(op.getMask(), frame, site) : Value();
    // A number out of range may be counted anywhere.
    auto last = static_cast<uint64_t>(type.getNumElements()) - 1;
    Value places = arith::AndIOp::create(b, numbers, all(b, numbers.getType(), last));
    tile::AtomicRmwOp::create(b, numbers.getType(), b.getStringAttr("add"),
                              b.getStringAttr("relaxed"), all(b, numbers.getType(), 1), memory,
                              places, mask);
  }
  gpu::BarrierOp::create(e.builder, loc);
  Value array = e.targets.lookup(op.getResult());
  if (!array)
    array = newArray(op.getResult());
  OpBuilder::InsertionGuard guard(e.builder);
  ImplicitLocOpBuilder b(loc, e.builder);
  Frame frame = loopOver(op.getResult(), b);
  RankedTensorType block = sliceType(type, frame.sizes);
  Value places = placesOf(b, layoutOf(block), place, startOf(b, frame.starts, place));
  Value counts = tile::LoadOp::create(b, block, memory, places, Value(), Value());
  storeBlock(b, loc, counts, array, type, frame);
  arrays[op.getResult()] = array;
  replaced.push_back(op);
}

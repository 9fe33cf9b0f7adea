//===- Frames.cpp - blocks of a tensor, and loops over them -----------------===//
#include "compiler/lower/tile/loops/Frames.h"

#include "compiler/lower/tile/TilePatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <bit>
#include <map>

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;
using tile::layoutOf;

RankedTensorType pumice::lower::tiles::sliceType(Type type, ArrayRef<uint64_t> sizes) {
  Result<Slice> slice = sliceOf(layoutOf(type), sizes);
  return tile::tensorOf(getElementTypeOrSelf(type), slice.value().layout);
}

Frame pumice::lower::tiles::wholeFrame(Value value) {
  Sizes shape = shapeOf(layoutOf(value.getType()));
  size_t rank = shape.size();
  return {std::move(shape), SmallVector<Value>(rank)};
}

static Value i32(OpBuilder &b, Location loc, uint64_t number) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(number)));
}

Nest pumice::lower::tiles::makeNest(OpBuilder &b, Location loc, ArrayRef<uint64_t> shape,
                                    ArrayRef<uint64_t> sizes, ArrayRef<unsigned> order,
                                    ValueRange carried) {
  Nest nest{{Sizes(sizes), SmallVector<Value>(shape.size())}, {}};
  SmallVector<unsigned> looped(
      llvm::make_filter_range(order, [&](unsigned d) { return sizes[d] < shape[d]; }));
  auto addLoop = [&](uint64_t end, uint64_t step, bool isLast) {
    auto loop = scf::ForOp::create(b, loc, i32(b, loc, 0), i32(b, loc, end), i32(b, loc, step),
                                   isLast ? carried : ValueRange());
    nest.loops.push_back(loop);
    b.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  };
  ArrayRef<unsigned> rest = looped;
  while (!rest.empty()) {
    ArrayRef<unsigned> pairs =
        rest.take_while([&](unsigned d) { return shape[d] == 2 * sizes[d]; });
    if (!carried.empty() && pairs.size() == rest.size())
      pairs = pairs.drop_back(); // the innermost loop carries values along its own dimension
    if (pairs.size() <= 2) {
      unsigned d = rest.front();
      nest.frame.starts[d] = addLoop(shape[d], sizes[d], rest.size() == 1);
      rest = rest.drop_front();
      continue;
    }
    // Loops of two iterations each would cost more than the work in them. One loop over a number
    // replaces them. Each bit of the number selects a half of one dimension.
    rest = rest.drop_front(pairs.size());
    Value number = addLoop(uint64_t(1) << pairs.size(), 1, rest.empty());
    for (auto [bit, d] : llvm::enumerate(llvm::reverse(pairs))) {
      unsigned to = static_cast<unsigned>(std::countr_zero(sizes[d])),
               from = static_cast<unsigned>(bit);
      Value amount = i32(b, loc, std::max(from, to) - std::min(from, to));
      Value moved = from > to   ? arith::ShRUIOp::create(b, loc, number, amount).getResult()
                    : from < to ? arith::ShLIOp::create(b, loc, number, amount).getResult()
                                : number;
      nest.frame.starts[d] = arith::AndIOp::create(b, loc, moved, i32(b, loc, sizes[d]));
    }
  }
  return nest;
}

/// Returns the number of a block's first register. The bits of the block's start determine it.
static Value firstRegister(OpBuilder &b, Location loc, const Slice &slice, const Frame &frame) {
  Value sum;
  for (size_t d = 0; d < frame.sizes.size(); ++d) {
    if (!frame.starts[d])
      continue;
    unsigned low = static_cast<unsigned>(std::countr_zero(frame.sizes[d]));
    std::map<int, uint64_t> byDistance;
    for (auto [bit, reg] : llvm::enumerate(slice.numbers[d]))
      byDistance[static_cast<int>(reg) - static_cast<int>(low + bit)] |= uint64_t(1) << (low + bit);
    for (auto [distance, mask] : byDistance) {
      Value part = frame.starts[d];
      if (byDistance.size() > 1)
        part = arith::AndIOp::create(b, loc, part, i32(b, loc, mask));
      Value amount = i32(b, loc, static_cast<uint64_t>(std::abs(distance)));
      if (distance > 0)
        part = arith::ShLIOp::create(b, loc, part, amount);
      if (distance < 0)
        part = arith::ShRUIOp::create(b, loc, part, amount);
      sum = sum ? arith::AddIOp::create(b, loc, sum, part).getResult() : part;
    }
  }
  return sum ? sum : i32(b, loc, 0);
}

static SmallVector<int32_t> placesOf(const Slice &slice, uint64_t behind = 0) {
  return llvm::map_to_vector(slice.registers,
                             [&](uint64_t reg) { return static_cast<int32_t>(behind + reg); });
}

Value pumice::lower::tiles::loadBlock(OpBuilder &b, Location loc, Value array,
                                      RankedTensorType type, const Frame &frame) {
  Slice slice = sliceOf(layoutOf(type), frame.sizes).value();
  return tile::ArrayLoadOp::create(b, loc, tile::tensorOf(type.getElementType(), slice.layout),
                                   array, firstRegister(b, loc, slice, frame), placesOf(slice));
}

void pumice::lower::tiles::storeBlock(OpBuilder &b, Location loc, Value part, Value array,
                                      RankedTensorType type, const Frame &frame, uint64_t behind) {
  Slice slice = sliceOf(layoutOf(type), frame.sizes).value();
  tile::ArrayStoreOp::create(b, loc, part, array, firstRegister(b, loc, slice, frame),
                             placesOf(slice, behind));
}

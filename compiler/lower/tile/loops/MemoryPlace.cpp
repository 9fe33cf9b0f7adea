//===- MemoryPlace.cpp - places of a block's elements in memory -------------===//
#include "compiler/lower/tile/loops/MemoryPlace.h"

#include "compiler/dialect/tile/layout/TensorLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;
using tile::LinearLayout;

MemoryPlace pumice::lower::tiles::rowMajor(RankedTensorType type) {
  MemoryPlace place{Sizes(static_cast<size_t>(type.getRank())), 0};
  uint64_t stride = 1;
  for (unsigned d = static_cast<unsigned>(type.getRank()); d-- > 0;) {
    place.strides[d] = stride;
    stride *= static_cast<uint64_t>(type.getDimSize(d));
  }
  return place;
}

Value pumice::lower::tiles::i32(ImplicitLocOpBuilder &b, uint64_t number) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(static_cast<int32_t>(number)));
}

Value pumice::lower::tiles::coordinates(ImplicitLocOpBuilder &b, const LinearLayout &layout,
                                        unsigned dimension) {
  RankedTensorType type = tile::tensorOf(b.getI32Type(), layout);
  auto rank = static_cast<unsigned>(type.getRank());
  LinearLayout line = layout;
  for (unsigned other : llvm::reverse(llvm::seq(0u, rank)))
    if (other != dimension)
      line = tile::removeDimension(line, other).value();
  Value numbers = tile::RangeOp::create(b, tile::tensorOf(b.getI32Type(), line), 0,
                                        static_cast<int32_t>(type.getDimSize(dimension)));
  for (unsigned other : llvm::seq(0u, rank))
    if (other != dimension) {
      line = tile::expandDims(line, other).value();
      numbers = tile::ExpandDimsOp::create(b, tile::tensorOf(b.getI32Type(), line), numbers, other);
    }
  return numbers.getType() == type ? numbers
                                   : tile::BroadcastOp::create(b, type, numbers).getResult();
}

Value pumice::lower::tiles::placesOf(ImplicitLocOpBuilder &b, const LinearLayout &layout,
                                     const MemoryPlace &place, Value base) {
  RankedTensorType type = tile::tensorOf(b.getI32Type(), layout);
  Value sum = tile::SplatOp::create(b, type, base);
  for (auto [dimension, stride] : llvm::enumerate(place.strides)) {
    if (type.getDimSize(static_cast<unsigned>(dimension)) == 1 || stride == 0)
      continue;
    Value of = coordinates(b, layout, static_cast<unsigned>(dimension));
    if (stride != 1)
      of = arith::MulIOp::create(b, of, tile::SplatOp::create(b, type, i32(b, stride)));
    sum = arith::AddIOp::create(b, sum, of);
  }
  return sum;
}

Value pumice::lower::tiles::startOf(ImplicitLocOpBuilder &b, ArrayRef<Value> starts,
                                    const MemoryPlace &place) {
  Value sum = i32(b, place.first);
  for (auto [start, stride] : llvm::zip_equal(starts, place.strides)) {
    if (!start)
      continue;
    Value of = stride == 1 ? start : arith::MulIOp::create(b, start, i32(b, stride)).getResult();
    sum = arith::AddIOp::create(b, sum, of);
  }
  return sum;
}

//===- Reshapes.cpp - reshapes and concatenations of large tensors ----------===//
//   before: %r = tile.reshape %t : (tensor<65536xf32, #l>) -> tensor<64x64x16xf32, #k>
//   after:  a block of %r is the reshaped block of %t with the same elements. If these elements
//           are not one block, it is loaded from the array of %t, which has the same registers.
//
//   before: %r = tile.cat %t, %u : tensor<65536xf32, #l> -> tensor<131072xf32, #k>
//   after:  an array. One loop stores %t in its first half, another one stores %u in the second.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/tile/loops/FragmentLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <bit>

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;
using tile::layoutOf;

namespace {

/// Adjacent dimensions of the operand, and the dimensions of the result that hold the same
/// elements.
struct Part {
  unsigned firstFrom, endFrom, firstTo, endTo;
};

/// Returns whether the elements of a block are consecutive in row-major order. Such a block is
/// described by its first element and its number of elements.
bool isInOnePiece(ArrayRef<uint64_t> shape, ArrayRef<uint64_t> sizes) {
  bool isWhole = true; // whether the block covers all inner dimensions
  for (size_t d = shape.size(); d-- > 0;) {
    if (!isWhole && sizes[d] != 1)
      return false;
    isWhole &= sizes[d] == shape[d];
  }
  return true;
}

uint64_t product(ArrayRef<uint64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), uint64_t(1), std::multiplies<>());
}

} // namespace

static SmallVector<Part> partsOf(ArrayRef<uint64_t> from, ArrayRef<uint64_t> to) {
  SmallVector<Part> parts;
  unsigned i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    Part part{i, i, j, j};
    uint64_t left = 1, right = 1;
    do {
      bool takesLeft = i < from.size() && (left <= right || j == to.size());
      if (takesLeft)
        left *= from[i++];
      else
        right *= to[j++];
    } while (left != right);
    part.endFrom = i, part.endTo = j;
    parts.push_back(part);
  }
  return parts;
}

std::optional<Frame> pumice::lower::tiles::beforeReshape(OpBuilder *b, tile::ReshapeOp op,
                                                         const Frame &frame) {
  Sizes to = shapeOf(layoutOf(op->getResult(0).getType())),
        from = shapeOf(layoutOf(op->getOperand(0).getType()));
  Frame before{Sizes(from.size(), 1), SmallVector<Value>(from.size())};
  Location loc = op.getLoc();
  for (const Part &part : partsOf(from, to)) {
    auto shape = ArrayRef(to).slice(part.firstTo, part.endTo - part.firstTo);
    auto sizes = ArrayRef(frame.sizes).slice(part.firstTo, part.endTo - part.firstTo);
    if (!isInOnePiece(shape, sizes))
      return std::nullopt;
    uint64_t left = product(sizes);
    for (unsigned d = part.endFrom; d-- > part.firstFrom;) {
      before.sizes[d] = std::min(left, from[d]);
      left /= before.sizes[d];
    }
    if (!b)
      continue;
    auto number = [&](uint64_t n) -> Value {
      return arith::ConstantOp::create(*b, loc, b->getI32IntegerAttr(static_cast<int32_t>(n)));
    };
    Value start; // the block's first element within the part
    uint64_t stride = 1;
    for (unsigned d = part.endTo; d-- > part.firstTo; stride *= to[d]) {
      if (!frame.starts[d])
        continue;
      Value own = arith::MulIOp::create(*b, loc, frame.starts[d], number(stride));
      start = start ? arith::AddIOp::create(*b, loc, start, own).getResult() : own;
    }
    stride = 1;
    for (unsigned d = part.endFrom; start && d-- > part.firstFrom; stride *= from[d]) {
      if (before.sizes[d] == from[d])
        continue;
      Value own = arith::ShRUIOp::create(*b, loc, start,
                                         number(static_cast<uint64_t>(std::countr_zero(stride))));
      before.starts[d] = arith::AndIOp::create(*b, loc, own, number(from[d] - 1));
    }
  }
  return before;
}

bool FragmentLoops::isRenamed(Operation *def) const {
  if (!isRenaming(def, limits))
    return false;
  Operation *of = def->getOperand(0).getDefiningOp();
  return of && sites.contains(of);
}

Value FragmentLoops::sliceRenamed(tile::ReshapeOp op, const Frame &frame, Site &site) {
  Value from = op->getOperand(0), to = op->getResult(0);
  RepeatBudget budget{32, 0};
  std::optional<Frame> before = beforeReshape(nullptr, op, frame);
  if (before && !arrays.contains(from) &&
      canRepeat(from, before->sizes, /*isTurns=*/false, site, budget)) {
    Value part = slice(from, *beforeReshape(&site.builder, op, frame), site);
    return tile::ReshapeOp::create(site.builder, op.getLoc(), sliceType(to.getType(), frame.sizes),
                                   part);
  }
  return loadBlock(site.builder, op.getLoc(), arrayOf(to), cast<RankedTensorType>(to.getType()),
                   frame);
}

void FragmentLoops::emitRenamed(Emission &e, tile::ReshapeOp op, size_t item) {
  Value array = newArray(op.getResult());
  copy(e, op->getOperand(0), array, item);
  arrays[op.getResult()] = array;
  replaced.push_back(op);
}

void FragmentLoops::emitCat(Emission &e, tile::CatOp op, size_t item) {
  Value array = newArray(op.getResult());
  copy(e, op.getFirst(), array, item);
  copy(e, op.getSecond(), array, item, registersOf(op.getSecond().getType()));
  arrays[op.getResult()] = array;
  replaced.push_back(op);
}

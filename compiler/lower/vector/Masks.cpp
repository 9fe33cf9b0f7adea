//===- Masks.cpp - lowers masks and steps -----------------------------------===//
//   before: %m = vector.create_mask %a, %b : vector<2x4xi1>
//   after:  %rows = arith.cmpi slt, dense<[0, 1]>, (%a in both) : vector<2xindex>
//           %columns = arith.cmpi slt, dense<[0, 1, 2, 3]>, (%b in all four) : vector<4xindex>
//           %m = arith.andi (%rows, each in a whole row), (%columns, in both rows)
//===-------------------------------------------------------------------------===//
#include "compiler/lower/vector/LowerVectors.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pumice::lower;

/// Returns the indices 0, 1, 2, ….
static Value steps(OpBuilder &builder, Location loc, int64_t count) {
  auto type = VectorType::get({count}, builder.getIndexType());
  SmallVector<Attribute> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(builder.getIndexAttr(i));
  return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, values));
}

static Value createMask(OpBuilder &builder, vector::CreateMaskOp op) {
  Location loc = op.getLoc();
  VectorType type = op.getVectorType();
  if (type.getRank() == 0) { // the size itself says whether the mask's only element is set
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value bit =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, op.getOperand(0), zero);
    return vector::BroadcastOp::create(builder, loc, type, bit);
  }
  Value mask;
  for (auto [dim, size] : llvm::enumerate(op.getOperands())) {
    int64_t count = type.getDimSize(dim);
    Value positions = steps(builder, loc, count);
    Value sizes = vector::BroadcastOp::create(builder, loc, positions.getType(), size);
    Value part = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, positions, sizes);
    // Repeats the bits along the dimensions before and after this one.
    SmallVector<int64_t> shape(type.getRank() - dim, 1);
    shape.front() = count;
    if (shape.size() > 1)
      part = vector::ShapeCastOp::create(builder, loc, VectorType::get(shape, builder.getI1Type()),
                                         part);
    if (part.getType() != type)
      part = vector::BroadcastOp::create(builder, loc, type, part);
    mask = both(builder, loc, mask, part);
  }
  return mask;
}

static Value constantMask(OpBuilder &builder, vector::ConstantMaskOp op) {
  VectorType type = op.getVectorType();
  SmallVector<bool> bits;
  forEach(type.getShape(), [&](ArrayRef<int64_t> at) {
    bits.push_back(llvm::all_of(llvm::zip(at, op.getMaskDimSizes()),
                                [](auto pair) { return std::get<0>(pair) < std::get<1>(pair); }));
  });
  if (type.getRank() == 0)
    bits.front() = op.getMaskDimSizes().front() > 0;
  return arith::ConstantOp::create(builder, op.getLoc(), DenseElementsAttr::get(type, bits));
}

LogicalResult pumice::lower::lowerMask(RewriterBase &rewriter, Operation *op) {
  Value mask = TypeSwitch<Operation *, Value>(op)
                   .Case([&](vector::CreateMaskOp op) { return createMask(rewriter, op); })
                   .Case([&](vector::ConstantMaskOp op) { return constantMask(rewriter, op); })
                   .Case([&](vector::StepOp op) {
                     return steps(rewriter, op.getLoc(), op.getType().getNumElements());
                   });
  rewriter.replaceOp(op, mask);
  return success();
}

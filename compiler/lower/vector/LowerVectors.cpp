//===- LowerVectors.cpp - turns vector operations into elementary ones ------===//
//   before: %v = vector.transfer_read %m[%i], %pad : memref<?xf32>, vector<4xf32>
//           %s = vector.reduction <add>, %v, %acc : vector<4xf32> into f32
//   after:  %v = scf.if (all four are in bounds) { vector.load } else { four conditional loads }
//           %0 = vector.extract %v[0] ... %1 = arith.addf %acc, %0 ... (in order)
//
// Needs: inlined calls. Memrefs may have any shape. Leaves: contiguous one-dimensional loads and
// stores, and operations that only move elements, on vectors of any static shape.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/vector/LowerVectors.h"

#include "compiler/lower/Passes.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/TypeSwitch.h"

namespace pumice::lower {
#define GEN_PASS_DEF_LOWERVECTORS
#include "compiler/lower/Passes.h.inc"
} // namespace pumice::lower

using namespace mlir;
using namespace pumice::lower;

//===-------------------------------------------------------------------------===//
// Code shared by the families
//===-------------------------------------------------------------------------===//

void pumice::lower::forEach(ArrayRef<int64_t> shape,
                            llvm::function_ref<void(ArrayRef<int64_t>)> visit) {
  SmallVector<int64_t> strides = computeSuffixProduct(shape);
  for (int64_t i = 0, end = computeProduct(shape); i < end; ++i)
    visit(delinearize(i, strides));
}

Value pumice::lower::extract(OpBuilder &builder, Location loc, Value vector,
                             ArrayRef<int64_t> position) {
  auto type = dyn_cast<VectorType>(vector.getType());
  if (!type || (position.empty() && type.getRank() > 0))
    return vector;
  return builder.createOrFold<vector::ExtractOp>(loc, vector, position);
}

Value pumice::lower::maskBit(OpBuilder &builder, Location loc, Value mask,
                             ArrayRef<int64_t> position) {
  if (!mask)
    return nullptr;
  Value bit = extract(builder, loc, mask, position);
  return matchPattern(bit, m_One()) ? Value() : bit;
}

Value pumice::lower::both(OpBuilder &builder, Location loc, Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return builder.createOrFold<arith::AndIOp>(loc, a, b);
}

Value pumice::lower::valueIf(OpBuilder &builder, Location loc, Value condition,
                             llvm::function_ref<Value(OpBuilder &)> then,
                             llvm::function_ref<Value(OpBuilder &)> otherwise) {
  if (!condition)
    return then(builder);
  if (matchPattern(condition, m_Zero()))
    return otherwise(builder);
  auto yield = [](llvm::function_ref<Value(OpBuilder &)> make) {
    return [make](OpBuilder &builder, Location loc) {
      scf::YieldOp::create(builder, loc, make(builder));
    };
  };
  return scf::IfOp::create(builder, loc, condition, yield(then), yield(otherwise)).getResult(0);
}

void pumice::lower::doIf(OpBuilder &builder, Location loc, Value condition,
                         llvm::function_ref<void(OpBuilder &)> then) {
  if (!condition)
    return then(builder);
  if (matchPattern(condition, m_Zero()))
    return;
  scf::IfOp::create(builder, loc, condition, [&](OpBuilder &builder, Location loc) {
    then(builder);
    scf::YieldOp::create(builder, loc);
  });
}

Value pumice::lower::addConstant(OpBuilder &builder, Location loc, Value index, int64_t offset) {
  if (offset == 0)
    return index;
  Value constant = arith::ConstantIndexOp::create(builder, loc, offset);
  return builder.createOrFold<arith::AddIOp>(loc, index, constant);
}

IntegerAttr pumice::lower::alignmentAfter(IntegerAttr alignment, Type element, int64_t offset) {
  if (!alignment || offset == 0)
    return alignment;
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 32;
  uint64_t bytes = std::max<int64_t>(bits / 8, 1) * offset;
  return IntegerAttr::get(alignment.getType(),
                          static_cast<int64_t>(llvm::MinAlign(alignment.getInt(), bytes)));
}

//===-------------------------------------------------------------------------===//
// The pass
//===-------------------------------------------------------------------------===//

namespace {
/// Returns advice for users of an operation that has no lowering.
StringRef advice(Operation *op) {
  return TypeSwitch<Operation *, StringRef>(op)
      .Case([](vector::PrintOp) { return "print the elements with gpu.printf"; })
      .Case<vector::VectorScaleOp, vector::ScalableInsertOp, vector::ScalableExtractOp>(
          [](Operation *) { return "the length of a vector must be known: use a fixed length"; })
      .Default([](Operation *) { return "use other operations of the vector dialect"; });
}

LogicalResult refuse(Operation *op) {
  return op->emitError() << "'" << op->getName() << "' has no meaning in a kernel: " << advice(op);
}

/// Checks that vectors have a static length, and that only memrefs are read and written.
LogicalResult checkTypes(Operation *op) {
  auto check = [&](Type type) -> LogicalResult {
    if (auto vector = dyn_cast<VectorType>(type); vector && vector.isScalable())
      return op->emitError() << "'" << op->getName() << "' holds a " << type
                             << ", and the length of a vector must be known: use a fixed length";
    if (isa<TensorType>(type))
      return op->emitError() << "'" << op->getName() << "' works on a " << type
                             << ", which a kernel cannot hold: bufferize it to a memref";
    return success();
  };
  for (Type type : op->getOperandTypes())
    if (failed(check(type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(check(type)))
      return failure();
  return success();
}

LogicalResult lowerMasking(RewriterBase &rewriter, vector::MaskOp op);

LogicalResult lowerVectorOp(RewriterBase &rewriter, Operation *op, Value mask) {
  rewriter.setInsertionPoint(op);
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<vector::BitCastOp, vector::BroadcastOp, vector::DeinterleaveOp, vector::ExtractOp,
            vector::ExtractStridedSliceOp, vector::FromElementsOp, vector::InsertOp,
            vector::InsertStridedSliceOp, vector::InterleaveOp, vector::ShapeCastOp,
            vector::ShuffleOp, vector::ToElementsOp, vector::TransposeOp>(
          [](Operation *) { return success(); }) // these operations remain
      .Case<vector::TransferReadOp, vector::TransferWriteOp, vector::LoadOp, vector::StoreOp>(
          [&](Operation *op) { return lowerTransfer(rewriter, op, mask); })
      .Case<vector::MaskedLoadOp, vector::MaskedStoreOp, vector::ExpandLoadOp,
            vector::CompressStoreOp, vector::GatherOp, vector::ScatterOp>(
          [&](Operation *op) { return lowerMaskedAccess(rewriter, op, mask); })
      .Case<vector::ContractionOp, vector::OuterProductOp, vector::ReductionOp,
            vector::MultiDimReductionOp, vector::ScanOp, vector::FMAOp>(
          [&](Operation *op) { return lowerReduction(rewriter, op, mask); })
      .Case<vector::CreateMaskOp, vector::ConstantMaskOp, vector::StepOp>(
          [&](Operation *op) { return lowerMask(rewriter, op); })
      .Case([&](vector::MaskOp op) { return lowerMasking(rewriter, op); })
      .Default([](Operation *op) { return refuse(op); });
}

/// Moves the masked operation out of the region of `op`, and lowers it with the mask.
LogicalResult lowerMasking(RewriterBase &rewriter, vector::MaskOp op) {
  Operation *masked = op.getMaskableOp();
  SmallVector<Value> results(op.getMaskBlock()->getTerminator()->getOperands());
  if (!masked) {
    rewriter.replaceOp(op, results);
    return success();
  }
  if (failed(checkTypes(masked)))
    return failure();
  Value passthru = op.getPassthru();
  auto maskType = cast<VectorType>(op.getMask().getType());
  if (passthru) {
    auto type = dyn_cast<VectorType>(passthru.getType());
    auto read = dyn_cast<vector::TransferReadOp>(masked);
    if (!type || type.getShape() != maskType.getShape() ||
        (read && !read.getPermutationMap().isMinorIdentity()))
      return op.emitError() << "'vector.mask' with a passthru of " << passthru.getType()
                            << " whose elements are not those of the mask: select the elements "
                               "with arith.select instead";
  }
  rewriter.moveOpBefore(masked, op);
  if (passthru) {
    rewriter.setInsertionPoint(op);
    auto select =
        arith::SelectOp::create(rewriter, op.getLoc(), op.getMask(), results.front(), passthru);
    results.front() = select;
  }
  Value mask = op.getMask();
  rewriter.replaceOp(op, results);
  return lowerVectorOp(rewriter, masked, mask);
}

struct LowerVectors final : pumice::lower::impl::LowerVectorsBase<LowerVectors> {
  void runOnOperation() override {
    // In the list, a vector.mask precedes the operation inside it. Lowering the mask also lowers
    // that operation.
    SmallVector<Operation *> ops;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa_and_nonnull<vector::VectorDialect>(op->getDialect()))
        ops.push_back(op);
      return isa<vector::MaskOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
    if (ops.empty())
      return markAllAnalysesPreserved();

    IRRewriter rewriter(&getContext());
    SmallVector<vector::TypeCastOp> casts;
    for (Operation *op : ops) {
      if (auto cast = dyn_cast<vector::TypeCastOp>(op))
        casts.push_back(cast);
      else if (failed(checkTypes(op)) || failed(lowerVectorOp(rewriter, op, nullptr)))
        return signalPassFailure();
    }
    // All accesses through these casts have been lowered to plain ones.
    for (vector::TypeCastOp cast : llvm::reverse(casts)) {
      rewriter.setInsertionPoint(cast);
      if (failed(lowerTypeCast(rewriter, cast)))
        return signalPassFailure();
    }
  }
};
} // namespace

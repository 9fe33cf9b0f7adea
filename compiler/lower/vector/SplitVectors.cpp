//===- SplitVectors.cpp - splits vectors into scalars and small vectors -----===//
//   before: %v = vector.load %m[%i] : memref<?xf32>, vector<6xf32>
//           %w = arith.addf %v, %v : vector<6xf32>
//   after:  %a = vector.load %m[%i] : memref<?xf32>, vector<4xf32>
//           %b = vector.load %m[%i + 4] : memref<?xf32>, vector<2xf32>
//           %c = arith.addf %a, %a : vector<4xf32>
//           %d = arith.addf %b, %b : vector<2xf32>
//
// Needs: pumice-lower-vectors, pumice-flatten-memory. Leaves: vectors of rank 1 with 2, 3 or 4
// elements. The remaining operations of the vector dialect are bitcast, from_elements, load,
// shuffle and store, and broadcast, extract and insert of scalars.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/vector/SplitVectors.h"

#include "compiler/dialect/gen/GenDialect.h"
#include "compiler/lower/Passes.h"
#include "compiler/lower/vector/LowerVectors.h"

#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

namespace pumice::lower {
#define GEN_PASS_DEF_SPLITVECTORS
#include "compiler/lower/Passes.h.inc"
} // namespace pumice::lower

using namespace mlir;
using namespace pumice::lower;

bool pumice::lower::isPiecewise(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) ||
         isa<ub::PoisonOp, gpu::ShuffleOp, gpu::RotateOp, gpu::SubgroupReduceOp,
             gpu::SubgroupBroadcastOp>(op);
}

namespace {
/// Repeats an operation for each piece of its vectors. All pieces use the same scalars.
struct SplitPiecewise final : ConversionPattern {
  SplitPiecewise(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isPiecewise(op))
      return rewriter.notifyMatchFailure(op, "does not treat all elements alike");
    SmallVector<SmallVector<Type>> types;
    size_t count = 1;
    for (Type type : op->getResultTypes())
      count = std::max(count, types.emplace_back(pieceTypes(type)).size());
    for (ValueRange pieces : operands)
      count = std::max(count, pieces.size());

    SmallVector<SmallVector<Value>> results(op->getNumResults());
    for (size_t piece = 0; piece < count; ++piece) {
      OperationState state(op->getLoc(), op->getName());
      for (ValueRange pieces : operands)
        state.operands.push_back(pieces.size() == 1 ? pieces.front() : pieces[piece]);
      for (ArrayRef<Type> pieces : types)
        state.types.push_back(pieces.size() == 1 ? pieces.front() : pieces[piece]);
      state.addAttributes(op->getAttrs());
      Operation *part = rewriter.create(state);
      for (auto [i, result] : llvm::enumerate(part->getResults()))
        if (results[i].size() < types[i].size()) // a scalar result is the same for every piece
          results[i].push_back(result);
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

struct SplitConstant final : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::ConstantOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto values = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!values)
      return rewriter.notifyMatchFailure(op, "no dense elements");
    SmallVector<Value> pieces;
    int64_t first = 0;
    for (Type type : pieceTypes(op.getType())) {
      auto vector = dyn_cast<VectorType>(type);
      int64_t count = vector ? vector.getNumElements() : 1;
      SmallVector<Attribute> elements;
      for (int64_t i = first; i < first + count; ++i)
        elements.push_back(values.isSplat() ? values.getSplatValue<Attribute>()
                                            : values.getValues<Attribute>()[i]);
      TypedAttr value =
          vector ? DenseElementsAttr::get(vector, elements) : cast<TypedAttr>(elements.front());
      pieces.push_back(arith::ConstantOp::create(rewriter, op.getLoc(), value));
      first += count;
    }
    rewriter.replaceOpWithMultiple(op, {pieces});
    return success();
  }
};

/// The index and the alignment of each piece of a contiguous access.
struct PieceAccess {
  SmallVector<Value> indices;
  IntegerAttr alignment;
};

PieceAccess accessAt(OpBuilder &builder, Location loc, ValueRange indices, IntegerAttr alignment,
                     Type element, int64_t offset) {
  PieceAccess access{llvm::to_vector(indices), alignmentAfter(alignment, element, offset)};
  if (offset != 0) {
    Value constant = arith::ConstantIndexOp::create(builder, loc, offset);
    access.indices.back() = builder.createOrFold<arith::AddIOp>(loc, indices.back(), constant);
  }
  return access;
}

struct SplitLoad final : OpConversionPattern<vector::LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(vector::LoadOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type element = op.getVectorType().getElementType();
    SmallVector<Value> pieces;
    int64_t offset = 0;
    for (Type type : pieceTypes(op.getVectorType())) {
      PieceAccess at =
          accessAt(rewriter, op.getLoc(), op.getIndices(), op.getAlignmentAttr(), element, offset);
      if (auto vector = dyn_cast<VectorType>(type)) {
        pieces.push_back(vector::LoadOp::create(rewriter, op.getLoc(), type, op.getBase(),
                                                at.indices, op.getNontemporalAttr(), at.alignment));
        offset += vector.getNumElements();
      } else {
        pieces.push_back(memref::LoadOp::create(rewriter, op.getLoc(), type, op.getBase(),
                                                at.indices, op.getNontemporalAttr(), at.alignment));
        ++offset;
      }
    }
    rewriter.replaceOpWithMultiple(op, {pieces});
    return success();
  }
};

struct SplitStore final : OpConversionPattern<vector::StoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(vector::StoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type element = op.getVectorType().getElementType();
    int64_t offset = 0;
    for (Value piece : adaptor.getValueToStore()) {
      PieceAccess at =
          accessAt(rewriter, op.getLoc(), op.getIndices(), op.getAlignmentAttr(), element, offset);
      if (auto vector = dyn_cast<VectorType>(piece.getType())) {
        vector::StoreOp::create(rewriter, op.getLoc(), piece, op.getBase(), at.indices,
                                op.getNontemporalAttr(), at.alignment);
        offset += vector.getNumElements();
      } else {
        memref::StoreOp::create(rewriter, op.getLoc(), piece, op.getBase(), at.indices,
                                op.getNontemporalAttr(), at.alignment);
        ++offset;
      }
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// Returns whether an operation is structured control flow, through which values pass unchanged.
bool isControlFlow(Operation *op) {
  return isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::IndexSwitchOp, scf::YieldOp,
             scf::ConditionOp>(op);
}

struct SplitIndexSwitch final : OpConversionPattern<scf::IndexSwitchOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(scf::IndexSwitchOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<SmallVector<Type>> types = llvm::map_to_vector(op.getResultTypes(), pieceTypes);
    SmallVector<Type> flat;
    for (ArrayRef<Type> pieces : types)
      llvm::append_range(flat, pieces);
    auto split = scf::IndexSwitchOp::create(rewriter, op.getLoc(), flat, op.getArg(), op.getCases(),
                                            op.getNumCases());
    for (auto [from, to] : llvm::zip_equal(op->getRegions(), split->getRegions()))
      rewriter.inlineRegionBefore(from, to, to.end());
    SmallVector<ValueRange> replacements;
    ValueRange results = split.getResults();
    for (ArrayRef<Type> pieces : types) {
      replacements.push_back(results.take_front(pieces.size()));
      results = results.drop_front(pieces.size());
    }
    rewriter.replaceOpWithMultiple(op, ArrayRef<ValueRange>(replacements));
    return success();
  }
};

bool hasShaderTypes(Operation *op) {
  bool legal = llvm::all_of(op->getOperandTypes(), isShaderType) &&
               llvm::all_of(op->getResultTypes(), isShaderType);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      legal &= llvm::all_of(block.getArgumentTypes(), isShaderType);
  return legal;
}

/// Returns whether an operation is an instruction of gen on long vectors, or puts such a vector
/// together or takes it apart. LowerGen makes these, and OpenCL has vectors of 8 and 16 elements.
bool isGenInstruction(Operation *op) {
  return isa_and_nonnull<pumice::gen::GenDialect>(op->getDialect()) ||
         isa<mlir::spirv::CompositeConstructOp, mlir::spirv::CompositeExtractOp>(op);
}

/// Returns whether an operation may remain. The list is at the top of this file.
bool isShaderOp(Operation *op) {
  if (isGenInstruction(op))
    return true;
  if (!hasShaderTypes(op))
    return false;
  if (!originsOf(op))
    return true;
  // These operations move elements and have their own SPIR-V instruction.
  if (auto shuffle = dyn_cast<vector::ShuffleOp>(op))
    return !llvm::is_contained(shuffle.getMask(), vector::ShuffleOp::kPoisonIndex);
  if (auto extract = dyn_cast<vector::ExtractOp>(op))
    return extract.getNumIndices() == 1 &&
           extract.getStaticPosition()[0] != vector::ExtractOp::kPoisonIndex;
  if (auto insert = dyn_cast<vector::InsertOp>(op))
    return insert.getStaticPosition().size() == 1 &&
           insert.getStaticPosition()[0] != vector::InsertOp::kPoisonIndex;
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op))
    return !isa<VectorType>(broadcast.getSourceType());
  return isa<vector::FromElementsOp>(op);
}

/// Reports operations that no pattern splits.
LogicalResult checkCanSplit(Operation *op) {
  auto refuse = [&](Type type, const Twine &advice) {
    return op->emitError() << "'" << op->getName() << "' holds a " << type << ", " << advice;
  };
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::append_range(types, block.getArgumentTypes());
  for (Type type : types) {
    if (auto vector = dyn_cast<VectorType>(type); vector && vector.isScalable())
      return refuse(type, "and the length of a vector must be known: use a fixed length");
    if (!isShaderType(type) && !canSplit(op) && !isGenInstruction(op))
      return refuse(type, "which a shader cannot hold and this pass cannot split: use scalars, or "
                          "vectors of 2 to 4 elements");
  }
  if (op->getDialect() && isa<vector::VectorDialect>(op->getDialect()) && !canSplit(op))
    return op->emitError() << "'" << op->getName()
                           << "' is not elementary: run pumice-lower-vectors first";
  return success();
}

struct SplitVectors final : pumice::lower::impl::SplitVectorsBase<SplitVectors> {
  void runOnOperation() override {
    bool needed = false;
    WalkResult checked = getOperation().walk([&](Operation *op) {
      needed |= !isShaderOp(op);
      return failed(checkCanSplit(op)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (checked.wasInterrupted())
      return signalPassFailure();
    if (!needed)
      return markAllAnalysesPreserved();

    TypeConverter converter;
    converter.addConversion([](Type type) { return type; });
    converter.addConversion([](VectorType type, SmallVectorImpl<Type> &pieces) -> LogicalResult {
      llvm::append_range(pieces, pieceTypes(type));
      return success();
    });
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal(isShaderOp);
    RewritePatternSet patterns(&getContext());
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns, target);
    target.addDynamicallyLegalOp<scf::YieldOp>(hasShaderTypes);
    patterns.add<SplitPiecewise, SplitConstant, SplitLoad, SplitStore, SplitIndexSwitch>(
        converter, &getContext());
    populateSplitMovePatterns(converter, patterns);
    populateSplitDynamicPatterns(converter, patterns);
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

bool pumice::lower::canSplit(Operation *op) {
  if (auto load = dyn_cast<vector::LoadOp>(op))
    return !isa<VectorType>(load.getMemRefType().getElementType());
  if (auto store = dyn_cast<vector::StoreOp>(op))
    return !isa<VectorType>(store.getMemRefType().getElementType());
  return isPiecewise(op) || isControlFlow(op) || originsOf(op) ||
         isa<arith::ConstantOp, vector::BitCastOp, vector::ExtractOp, vector::InsertOp>(op);
}

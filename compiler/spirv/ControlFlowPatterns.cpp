//===- ControlFlowPatterns.cpp - loops and conditionals ---------------------===//
//   before: %r = scf.for %i = %lo to %hi step %s iter_args(%a = %init) -> f32 { ... yield %b }
//   after:  %r = spirv.mlir.loop -> f32 {
//             spirv.Branch ^header(%lo, %init)
//           ^header(%i, %a): spirv.BranchConditional (%i < %hi), ^body, ^merge
//           ^body:   ...  spirv.Branch ^continue
//           ^continue: spirv.Branch ^header(%i + %s, %b)
//           ^merge:  spirv.mlir.merge %a
// Results stay values. MLIR's own conversion carries the results of a loop through a variable that
// it never initializes. So a loop without iterations yields garbage.
//===-------------------------------------------------------------------------===//
#include "compiler/spirv/KernelConverter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::spirv;

namespace {

/// Replaces the terminator of `block` by a branch to `target`, which passes the yielded values.
void branchFrom(ConversionPatternRewriter &b, Block *block, Block *target, ValueRange values) {
  Operation *yield = block->getTerminator();
  b.setInsertionPointToEnd(block);
  spv::BranchOp::create(b, yield->getLoc(), target, values);
  b.eraseOp(yield);
}

/// Appends the block that ends a structured operation and returns its results.
Block *addMerge(ConversionPatternRewriter &b, Location loc, Region &region, ValueRange results) {
  Block *merge = b.createBlock(&region, region.end());
  spv::MergeOp::create(b, loc, results);
  return merge;
}

template <typename OpTy> struct ControlPattern : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  FailureOr<SmallVector<Type>> convertTypes(TypeRange types) const {
    SmallVector<Type> converted;
    if (failed(this->getTypeConverter()->convertTypes(types, converted)))
      return failure();
    return converted;
  }

  /// Returns the converted values that the terminator of `block` yields.
  LogicalResult yielded(Block *block, ConversionPatternRewriter &b,
                        SmallVectorImpl<Value> &values) const {
    return b.getRemappedValues(block->getTerminator()->getOperands(), values);
  }
};

struct ConvertIf final : ControlPattern<scf::IfOp> {
  using ControlPattern::ControlPattern;
  LogicalResult matchAndRewrite(scf::IfOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    FailureOr<SmallVector<Type>> types = convertTypes(op.getResultTypes());
    if (failed(types))
      return b.notifyMatchFailure(op, "yields a type that SPIR-V does not have");
    auto selection = spv::SelectionOp::create(b, loc, *types, spv::SelectionControl::None);
    Region &body = selection.getBody();
    Block *header = b.createBlock(&body, body.end());
    Block *merge = b.createBlock(&body, body.end());
    SmallVector<Location> locations(types->size(), loc);
    merge->addArguments(*types, locations);
    spv::MergeOp::create(b, loc, merge->getArguments());

    auto addArm = [&](Region &arm) {
      Block *block = &arm.front();
      SmallVector<Value> values;
      if (failed(yielded(block, b, values)))
        return static_cast<Block *>(nullptr);
      branchFrom(b, block, merge, values);
      b.inlineRegionBefore(arm, merge);
      return block;
    };
    Block *then = addArm(op.getThenRegion());
    Block *otherwise = op.elseBlock() ? addArm(op.getElseRegion()) : merge;
    if (!then || !otherwise)
      return b.notifyMatchFailure(op, "a yielded value was not converted");
    b.setInsertionPointToEnd(header);
    spv::BranchConditionalOp::create(b, loc, adaptor.getCondition(), then, ValueRange(), otherwise,
                                     ValueRange());
    b.replaceOp(op, selection.getResults());
    return success();
  }
};

struct ConvertFor final : ControlPattern<scf::ForOp> {
  using ControlPattern::ControlPattern;
  LogicalResult matchAndRewrite(scf::ForOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    FailureOr<SmallVector<Type>> types = convertTypes(op.getResultTypes());
    SmallVector<Value> next;
    if (failed(types) || failed(yielded(op.getBody(), b, next)))
      return b.notifyMatchFailure(op, "carries a type that SPIR-V does not have");
    Value low = adaptor.getLowerBound();
    auto loop = spv::LoopOp::create(b, loc, *types, spv::LoopControl::None);
    Region &region = loop.getBody();
    Block *entry = b.createBlock(&region, region.end());

    // The block of the body keeps its arguments and becomes the header. It is split in front of its
    // first operation.
    SmallVector<Type> carried{low.getType()};
    llvm::append_range(carried, *types);
    SmallVector<Location> locations(carried.size(), loc);
    Block *header = b.createBlock(&region, region.end(), carried, locations);
    Block *body = op.getBody();
    Block *latch = b.createBlock(&region, region.end());
    Block *merge = addMerge(b, loc, region, header->getArguments().drop_front());

    b.setInsertionPointToEnd(entry);
    SmallVector<Value> initial{low};
    llvm::append_range(initial, adaptor.getInitArgs());
    spv::BranchOp::create(b, loc, header, initial);

    branchFrom(b, body, latch, {});
    Block *inner = b.createBlock(&region, Region::iterator(latch));
    b.inlineBlockBefore(body, inner, inner->end(), header->getArguments());

    b.setInsertionPointToEnd(header);
    Value index = header->getArgument(0);
    Value more = op.getUnsignedCmp()
                     ? spv::ULessThanOp::create(b, loc, index, adaptor.getUpperBound()).getResult()
                     : spv::SLessThanOp::create(b, loc, index, adaptor.getUpperBound()).getResult();
    spv::BranchConditionalOp::create(b, loc, more, inner, ValueRange(), merge, ValueRange());

    b.setInsertionPointToEnd(latch);
    SmallVector<Value> again{spv::IAddOp::create(b, loc, index, adaptor.getStep())};
    llvm::append_range(again, next);
    spv::BranchOp::create(b, loc, header, again);
    b.replaceOp(op, loop.getResults());
    return success();
  }
};

//   before: scf.while (%a = %init) { ... scf.condition(%c) %x } do { ^(%x): ... scf.yield %n }
//   after:  ^header(%a): spirv.Branch ^test   ^test: ... BranchConditional %c, ^body, ^merge
struct ConvertWhile final : ControlPattern<scf::WhileOp> {
  using ControlPattern::ControlPattern;
  LogicalResult matchAndRewrite(scf::WhileOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    FailureOr<SmallVector<Type>> results = convertTypes(op.getResultTypes());
    FailureOr<SmallVector<Type>> carried = convertTypes(op.getInits().getTypes());
    scf::ConditionOp condition = op.getConditionOp();
    SmallVector<Value> passed, next;
    if (failed(results) || failed(carried) ||
        failed(b.getRemappedValues(condition.getArgs(), passed)) ||
        failed(yielded(op.getAfterBody(), b, next)))
      return b.notifyMatchFailure(op, "carries a type that SPIR-V does not have");
    Value keepGoing = b.getRemappedValue(condition.getCondition());

    auto loop = spv::LoopOp::create(b, loc, *results, spv::LoopControl::None);
    Region &region = loop.getBody();
    Block *entry = b.createBlock(&region, region.end());
    SmallVector<Location> locations(carried->size(), loc);
    Block *header = b.createBlock(&region, region.end(), *carried, locations);
    Block *body = b.createBlock(&region, region.end());
    Block *latch = b.createBlock(&region, region.end());
    Block *merge = addMerge(b, loc, region, passed);

    b.setInsertionPointToEnd(entry);
    spv::BranchOp::create(b, loc, header, adaptor.getInits());

    Block *before = op.getBeforeBody(), *after = op.getAfterBody();
    branchFrom(b, after, latch, {});
    b.inlineBlockBefore(after, body, body->end(), passed);

    b.setInsertionPoint(condition);
    spv::BranchConditionalOp::create(b, loc, keepGoing, body, ValueRange(), merge, ValueRange());
    b.eraseOp(condition);
    Block *test = b.createBlock(&region, Region::iterator(body));
    b.inlineBlockBefore(before, test, test->end(), header->getArguments());
    b.setInsertionPointToEnd(header);
    spv::BranchOp::create(b, loc, test);

    b.setInsertionPointToEnd(latch);
    spv::BranchOp::create(b, loc, header, next);
    b.replaceOp(op, loop.getResults());
    return success();
  }
};

/// before: %r = arith.select %c, %a, %b : vector<4xf32>          (one condition for all elements)
/// after:  %v = spirv.CompositeConstruct %c, %c, %c, %c
///         %r = spirv.Select %v, %a, %b
/// Before SPIR-V 1.4, OpSelect does not accept a scalar condition for vectors.
struct ConvertVectorSelect final : OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(arith::SelectOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(adaptor.getTrueValue().getType());
    if (!type || !op.getCondition().getType().isInteger(1))
      return rewriter.notifyMatchFailure(op, "not one condition for a vector");
    SmallVector<Value> copies(type.getNumElements(), adaptor.getCondition());
    Value condition = spv::CompositeConstructOp::create(rewriter, op.getLoc(),
                                                        type.clone(rewriter.getI1Type()), copies);
    rewriter.replaceOpWithNewOp<spv::SelectOp>(op, condition, adaptor.getTrueValue(),
                                               adaptor.getFalseValue());
    return success();
  }
};

} // namespace

void pumice::spirv::populateControlFlowPatterns(const KernelTypeConverter &converter,
                                                RewritePatternSet &patterns) {
  patterns.add<ConvertIf, ConvertFor, ConvertWhile>(converter, patterns.getContext());
  // The benefit is higher than that of MLIR's own pattern for arith.select.
  patterns.add<ConvertVectorSelect>(converter, patterns.getContext(), PatternBenefit(10));
}

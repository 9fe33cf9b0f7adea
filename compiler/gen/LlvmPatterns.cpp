//===- LlvmPatterns.cpp - lowers gen to OpenCL's built-in functions ---------===//
// LLVM's SPIR-V backend reads a built-in variable for a query of the grid. If the dimension is not
// constant, the backend extracts a component by it, and then selects the result for dimensions that
// a grid has. Extracting a component that the vector lacks is undefined in SPIR-V, so these
// patterns only pass constants, and select before the backend does.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/gen/GenDialect.h"
#include "compiler/gen/ConversionPatterns.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace pumice::gen;

namespace {

Value constant(OpBuilder &builder, Location loc, Type type, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, value));
}

/// A pattern that calls built-in functions.
template <typename Op> struct CallPattern : ConvertOpToLLVMPattern<Op> {
  CallPattern(const LLVMTypeConverter &converter, const CallStyle &style)
      : ConvertOpToLLVMPattern<Op>(converter), style(style) {}

  CallStyle style;
};

//===-------------------------------------------------------------------------===//
// Positions
//===-------------------------------------------------------------------------===//

template <typename GridOp> constexpr StringLiteral queryOf();
template <> constexpr StringLiteral queryOf<LocalIdOp>() { return "get_local_id"; }
template <> constexpr StringLiteral queryOf<WorkGroupIdOp>() { return "get_group_id"; }
template <> constexpr StringLiteral queryOf<WorkGroupSizeOp>() { return "get_local_size"; }
template <> constexpr StringLiteral queryOf<NumWorkGroupsOp>() { return "get_num_groups"; }

template <typename GridOp> struct QueryGrid final : CallPattern<GridOp> {
  using CallPattern<GridOp>::CallPattern;

  LogicalResult matchAndRewrite(GridOp op, typename GridOp::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    APInt dimension;
    if (!matchPattern(op.getDimension(), m_ConstantInt(&dimension)))
      return selectResult(op, adaptor.getDimension(), rewriter);
    if (dimension.uge(gridDimensions)) {
      rewriter.replaceOp(op,
                         constant(rewriter, op.getLoc(), this->getTypeConverter()->getIndexType(),
                                  beyondGrid<GridOp>()));
      return success();
    }
    Value result = query(op, adaptor.getDimension(), rewriter);
    if (!result)
      return failure();
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  Value query(GridOp op, Value dimension, ConversionPatternRewriter &rewriter) const {
    Builtin builtin = {.name = queryOf<GridOp>(),
                       .parameters = {{"j"}},
                       .result = this->getTypeConverter()->getIndexType()};
    LLVM::CallOp call = callBuiltin(rewriter, op, builtin, dimension, this->style);
    return call ? call.getResult() : Value();
  }

  LogicalResult selectResult(GridOp op, Value dimension,
                             ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    Value result =
        constant(rewriter, loc, this->getTypeConverter()->getIndexType(), beyondGrid<GridOp>());
    for (unsigned number = gridDimensions; number-- > 0;) {
      Value fixed = constant(rewriter, loc, rewriter.getI32Type(), number);
      Value answer = query(op, fixed, rewriter);
      if (!answer)
        return failure();
      Value isThis = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::eq, dimension, fixed);
      result = LLVM::SelectOp::create(rewriter, loc, isThis, answer, result);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

template <typename Op> constexpr StringLiteral subGroupQueryOf();
template <> constexpr StringLiteral subGroupQueryOf<SubGroupLocalIdOp>() {
  return "get_sub_group_local_id";
}
template <> constexpr StringLiteral subGroupQueryOf<SubGroupSizeOp>() {
  return "get_sub_group_size";
}
template <> constexpr StringLiteral subGroupQueryOf<SubGroupIdOp>() { return "get_sub_group_id"; }
template <> constexpr StringLiteral subGroupQueryOf<NumSubGroupsOp>() {
  return "get_num_sub_groups";
}

template <typename Op> struct QuerySubGroup final : CallPattern<Op> {
  using CallPattern<Op>::CallPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builtin builtin = {.name = subGroupQueryOf<Op>(), .result = rewriter.getI32Type()};
    LLVM::CallOp call = callBuiltin(rewriter, op, builtin, {}, this->style);
    if (!call)
      return failure();
    rewriter.replaceOp(op, call);
    return success();
  }
};

//===-------------------------------------------------------------------------===//
// Work-groups and sub-groups together
//===-------------------------------------------------------------------------===//

struct Barrier final : CallPattern<BarrierOp> {
  using CallPattern::CallPattern;

  LogicalResult matchAndRewrite(BarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    // The numbers of the enumeration are those of CLK_LOCAL_MEM_FENCE and CLK_GLOBAL_MEM_FENCE.
    Value flags = constant(rewriter, op.getLoc(), rewriter.getI32Type(),
                           static_cast<int64_t>(op.getMemory()));
    Builtin builtin = {.name = "barrier", .parameters = {{"j"}}, .convergent = true};
    if (!callBuiltin(rewriter, op, builtin, flags, style))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

/// Calls a function of one value, or of a value and the number of a work-item. OpenCL C has no such
/// functions for bf16, so its bits are passed.
template <typename Op>
LogicalResult replaceByExchange(Op op, StringRef name, bool isSigned, ValueRange arguments,
                                const CallStyle &style, ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Type type = op.getType();
  SmallVector<Value> passed(arguments);
  if (type.isBF16())
    passed[0] = LLVM::BitcastOp::create(rewriter, loc, rewriter.getI16Type(), passed[0]);
  Type passedType = passed[0].getType();
  Builtin builtin = {.name = name,
                     .parameters = {{typeCode(passedType, isSigned)}},
                     .result = passedType,
                     .convergent = true};
  if (passed.size() == 2)
    builtin.parameters.push_back({"j"});
  LLVM::CallOp call = callBuiltin(rewriter, op, builtin, passed, style);
  if (!call)
    return failure();
  Value result = call.getResult();
  if (type.isBF16())
    result = LLVM::BitcastOp::create(rewriter, loc, type, result);
  rewriter.replaceOp(op, result);
  return success();
}

struct Shuffle final : CallPattern<SubGroupShuffleOp> {
  using CallPattern::CallPattern;

  LogicalResult matchAndRewrite(SubGroupShuffleOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    std::string name = "sub_group_shuffle";
    if (op.getKind() != ShuffleKind::Idx)
      name += "_" + stringifyShuffleKind(op.getKind()).str();
    return replaceByExchange(op, name, /*isSigned=*/true, adaptor.getOperands(), style, rewriter);
  }
};

struct Broadcast final : CallPattern<SubGroupBroadcastOp> {
  using CallPattern::CallPattern;

  LogicalResult matchAndRewrite(SubGroupBroadcastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    return replaceByExchange(op, "sub_group_broadcast", /*isSigned=*/true, adaptor.getOperands(),
                             style, rewriter);
  }
};

/// Returns the name of a function that combines values, and whether its integers are signed. The
/// functions for uniform control flow promise nothing for NaN.
std::pair<std::string, bool> combination(StringRef operation, Reduction kind, bool uniform) {
  bool isSigned = kind != Reduction::UMin && kind != Reduction::UMax;
  StringRef word = stringifyReduction(kind);
  bool isCore = kind == Reduction::Add;
  if (kind >= Reduction::SMin && kind <= Reduction::UMax) {
    word = word.drop_front(); // the types of the function say which
    isCore = true;
  }
  StringRef start = uniform && isCore ? "sub_group_" : "sub_group_non_uniform_";
  return {(start + operation + "_" + word).str(), isSigned};
}

struct Reduce final : CallPattern<SubGroupReduceOp> {
  using CallPattern::CallPattern;

  LogicalResult matchAndRewrite(SubGroupReduceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto [name, isSigned] = combination("reduce", op.getKind(), op.getUniform());
    return replaceByExchange(op, name, isSigned, adaptor.getValue(), style, rewriter);
  }
};

struct Scan final : CallPattern<SubGroupScanOp> {
  using CallPattern::CallPattern;

  LogicalResult matchAndRewrite(SubGroupScanOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    StringRef operation = op.getExclusive() ? "scan_exclusive" : "scan_inclusive";
    auto [name, isSigned] = combination(operation, op.getKind(), op.getUniform());
    return replaceByExchange(op, name, isSigned, adaptor.getValue(), style, rewriter);
  }
};

struct Ballot final : CallPattern<SubGroupBallotOp> {
  using CallPattern::CallPattern;

  LogicalResult matchAndRewrite(SubGroupBallotOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value predicate =
        LLVM::ZExtOp::create(rewriter, op.getLoc(), rewriter.getI32Type(), adaptor.getPredicate());
    Builtin builtin = {.name = "sub_group_ballot",
                       .parameters = {{"i"}},
                       .result = op.getType(),
                       .convergent = true};
    LLVM::CallOp call = callBuiltin(rewriter, op, builtin, predicate, style);
    if (!call)
      return failure();
    rewriter.replaceOp(op, call);
    return success();
  }
};

} // namespace

void pumice::gen::populateGenToLlvmPatterns(const LLVMTypeConverter &converter,
                                            const CallStyle &style, RewritePatternSet &patterns) {
  patterns.add<QueryGrid<LocalIdOp>, QueryGrid<WorkGroupIdOp>, QueryGrid<WorkGroupSizeOp>,
               QueryGrid<NumWorkGroupsOp>, QuerySubGroup<SubGroupLocalIdOp>,
               QuerySubGroup<SubGroupSizeOp>, QuerySubGroup<SubGroupIdOp>,
               QuerySubGroup<NumSubGroupsOp>, Barrier, Shuffle, Broadcast, Reduce, Scan, Ballot>(
      converter, style);
}

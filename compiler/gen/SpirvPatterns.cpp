//===- SpirvPatterns.cpp - lowers gen to SPIR-V -----------------------------===//
// OpVectorExtractDynamic is undefined for a component that the vector lacks. So a dimension that is
// known only at run time is replaced by 0 if the grid lacks it, and the result is selected.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/gen/GenDialect.h"
#include "compiler/gen/ConversionPatterns.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace pumice::gen;

namespace {

Value constant(OpBuilder &builder, Location loc, Type type, int64_t value) {
  return spirv::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, value));
}

/// Loads a built-in variable, whose name is the one that LLVM's SPIR-V backend gives it.
Value loadBuiltin(Operation *op, spirv::BuiltIn builtin, Type integer, OpBuilder &builder) {
  return spirv::getBuiltinVariableValue(op, builtin, integer, builder, "__spirv_BuiltIn", "");
}

//===-------------------------------------------------------------------------===//
// Positions
//===-------------------------------------------------------------------------===//

template <typename GridOp, spirv::BuiltIn builtin>
struct QueryGrid final : OpConversionPattern<GridOp> {
  using OpConversionPattern<GridOp>::OpConversionPattern;

  LogicalResult matchAndRewrite(GridOp op, typename GridOp::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type index = this->getTypeConverter()->convertType(op.getType());
    APInt number;
    bool isConstant = matchPattern(op.getDimension(), m_ConstantInt(&number));
    if (isConstant && number.uge(gridDimensions)) {
      rewriter.replaceOp(op, constant(rewriter, op.getLoc(), index, beyondGrid<GridOp>()));
      return success();
    }
    Value vector = loadBuiltin(op, builtin, index, rewriter);
    if (!vector)
      return failure();
    Value dimension = adaptor.getDimension();
    if (isConstant)
      rewriter.replaceOpWithNewOp<spirv::VectorExtractDynamicOp>(op, vector, dimension);
    else
      rewriter.replaceOp(op, extract(op.getLoc(), vector, dimension, rewriter));
    return success();
  }

private:
  /// Extracts a component, or takes the result for a dimension that the grid lacks.
  static Value extract(Location loc, Value vector, Value dimension, OpBuilder &builder) {
    Type i32 = builder.getI32Type();
    Value limit = constant(builder, loc, i32, gridDimensions);
    Value exists = spirv::ULessThanOp::create(builder, loc, dimension, limit);
    Value zero = constant(builder, loc, i32, 0);
    Value valid = spirv::SelectOp::create(builder, loc, exists, dimension, zero);
    Value component = spirv::VectorExtractDynamicOp::create(builder, loc, vector, valid);
    Value beyond = constant(builder, loc, component.getType(), beyondGrid<GridOp>());
    return spirv::SelectOp::create(builder, loc, exists, component, beyond);
  }
};

template <typename Op, spirv::BuiltIn builtin>
struct QuerySubGroup final : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value value = loadBuiltin(op, builtin, rewriter.getI32Type(), rewriter);
    if (!value)
      return failure();
    rewriter.replaceOp(op, value);
    return success();
  }
};

//===-------------------------------------------------------------------------===//
// Work-groups and sub-groups together
//===-------------------------------------------------------------------------===//

struct Barrier final : OpConversionPattern<BarrierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(BarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto semantics = spirv::MemorySemantics::SequentiallyConsistent;
    if (op.getMemory() != Memory::Global)
      semantics = semantics | spirv::MemorySemantics::WorkgroupMemory;
    if (op.getMemory() != Memory::Local)
      semantics = semantics | spirv::MemorySemantics::CrossWorkgroupMemory;
    rewriter.replaceOpWithNewOp<spirv::ControlBarrierOp>(op, spirv::Scope::Workgroup,
                                                         spirv::Scope::Workgroup, semantics);
    return success();
  }
};

/// Replaces `op` by an instruction on its value. SPIR-V has no such instructions for bf16, so its
/// bits are passed.
template <typename Op, typename Make>
LogicalResult replaceByExchange(Op op, Value value, ConversionPatternRewriter &rewriter,
                                const Make &make) {
  Location loc = op.getLoc();
  bool isBits = op.getType().isBF16();
  if (isBits)
    value = spirv::BitcastOp::create(rewriter, loc, rewriter.getI16Type(), value);
  Value result = make(value);
  if (isBits)
    result = spirv::BitcastOp::create(rewriter, loc, op.getType(), result);
  rewriter.replaceOp(op, result);
  return success();
}

struct Shuffle final : OpConversionPattern<SubGroupShuffleOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(SubGroupShuffleOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto scope = spirv::ScopeAttr::get(getContext(), spirv::Scope::Subgroup);
    Value lane = adaptor.getLane();
    return replaceByExchange(op, adaptor.getValue(), rewriter, [&](Value value) -> Value {
      auto make = [&]<typename Instruction>(std::in_place_type_t<Instruction>) -> Value {
        return Instruction::create(rewriter, op.getLoc(), value.getType(), scope, value, lane);
      };
      switch (op.getKind()) {
      case ShuffleKind::Xor:
        return make(std::in_place_type<spirv::GroupNonUniformShuffleXorOp>);
      case ShuffleKind::Up:
        return make(std::in_place_type<spirv::GroupNonUniformShuffleUpOp>);
      case ShuffleKind::Down:
        return make(std::in_place_type<spirv::GroupNonUniformShuffleDownOp>);
      case ShuffleKind::Idx:
        return make(std::in_place_type<spirv::GroupNonUniformShuffleOp>);
      }
      llvm_unreachable("four kinds of shuffles");
    });
  }
};

struct Broadcast final : OpConversionPattern<SubGroupBroadcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(SubGroupBroadcastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    return replaceByExchange(op, adaptor.getValue(), rewriter, [&](Value value) -> Value {
      return spirv::GroupBroadcastOp::create(rewriter, op.getLoc(), spirv::Scope::Subgroup, value,
                                             adaptor.getLane());
    });
  }
};

/// Emits the instruction that combines values. One for uniform control flow is `Uniform`; it is
/// void if there is none, or none with a result for NaN.
template <typename Uniform, typename NonUniform>
Value combineBy(OpBuilder &builder, Location loc, Value value, spirv::GroupOperation operation,
                bool uniform) {
  constexpr auto scope = spirv::Scope::Subgroup;
  if constexpr (!std::is_void_v<Uniform>)
    if (uniform)
      return Uniform::create(builder, loc, value.getType(), scope, operation, value);
  return NonUniform::create(builder, loc, value.getType(), scope, operation, value, Value());
}

Value combine(OpBuilder &builder, Location loc, Reduction kind, Value value,
              spirv::GroupOperation operation, bool uniform) {
  using namespace mlir::spirv;
  auto by = [&]<typename Uniform, typename NonUniform>() {
    return combineBy<Uniform, NonUniform>(builder, loc, value, operation, uniform);
  };
  bool isFloat = isa<FloatType>(value.getType());
  switch (kind) {
  case Reduction::Add:
    return isFloat ? by.operator()<GroupFAddOp, GroupNonUniformFAddOp>()
                   : by.operator()<GroupIAddOp, GroupNonUniformIAddOp>();
  case Reduction::Mul:
    return isFloat ? by.operator()<void, GroupNonUniformFMulOp>()
                   : by.operator()<void, GroupNonUniformIMulOp>();
  case Reduction::Min:
    return by.operator()<void, GroupNonUniformFMinOp>();
  case Reduction::Max:
    return by.operator()<void, GroupNonUniformFMaxOp>();
  case Reduction::SMin:
    return by.operator()<GroupSMinOp, GroupNonUniformSMinOp>();
  case Reduction::SMax:
    return by.operator()<GroupSMaxOp, GroupNonUniformSMaxOp>();
  case Reduction::UMin:
    return by.operator()<GroupUMinOp, GroupNonUniformUMinOp>();
  case Reduction::UMax:
    return by.operator()<GroupUMaxOp, GroupNonUniformUMaxOp>();
  case Reduction::And:
    return by.operator()<void, GroupNonUniformBitwiseAndOp>();
  case Reduction::Or:
    return by.operator()<void, GroupNonUniformBitwiseOrOp>();
  case Reduction::Xor:
    return by.operator()<void, GroupNonUniformBitwiseXorOp>();
  }
  llvm_unreachable("all kinds of reductions");
}

struct Reduce final : OpConversionPattern<SubGroupReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(SubGroupReduceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, combine(rewriter, op.getLoc(), op.getKind(), adaptor.getValue(),
                                   spirv::GroupOperation::Reduce, op.getUniform()));
    return success();
  }
};

struct Scan final : OpConversionPattern<SubGroupScanOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(SubGroupScanOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto operation = op.getExclusive() ? spirv::GroupOperation::ExclusiveScan
                                       : spirv::GroupOperation::InclusiveScan;
    rewriter.replaceOp(op, combine(rewriter, op.getLoc(), op.getKind(), adaptor.getValue(),
                                   operation, op.getUniform()));
    return success();
  }
};

struct Ballot final : OpConversionPattern<SubGroupBallotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(SubGroupBallotOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<spirv::GroupNonUniformBallotOp>(
        op, op.getType(), spirv::Scope::Subgroup, adaptor.getPredicate());
    return success();
  }
};

} // namespace

void pumice::gen::populateGenToSpirvPatterns(const SPIRVTypeConverter &converter,
                                             RewritePatternSet &patterns) {
  using spirv::BuiltIn;
  patterns.add<QueryGrid<LocalIdOp, BuiltIn::LocalInvocationId>,
               QueryGrid<WorkGroupIdOp, BuiltIn::WorkgroupId>,
               QueryGrid<WorkGroupSizeOp, BuiltIn::WorkgroupSize>,
               QueryGrid<NumWorkGroupsOp, BuiltIn::NumWorkgroups>,
               QuerySubGroup<SubGroupLocalIdOp, BuiltIn::SubgroupLocalInvocationId>,
               QuerySubGroup<SubGroupSizeOp, BuiltIn::SubgroupSize>,
               QuerySubGroup<SubGroupIdOp, BuiltIn::SubgroupId>,
               QuerySubGroup<NumSubGroupsOp, BuiltIn::NumSubgroups>, Barrier, Shuffle, Broadcast,
               Reduce, Scan, Ballot>(converter, patterns.getContext());
}

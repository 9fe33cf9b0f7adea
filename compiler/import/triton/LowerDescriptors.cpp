//===- LowerDescriptors.cpp - descriptors as pointers and masks -------------===//
//   before: %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %one] : <f32>, <tensor<4x16xf32>>
//           %v = tt.descriptor_load %d[%i, %j] : …
//   after:  %first = tt.addptr %p, (%i * %s + %j)
//           %v = tt.load (%first + rows * %s + columns), (inside [0, %m) and [0, %n)), 0.0
// A descriptor is replaced by its pointer, its shape, all strides except the last, and a flag that
// says whether it pads with NaN. Descriptors that loops and conditions carry are split in the same
// way. Offsets along the last dimension remain consecutive i32 values, so that later analysis finds
// contiguous accesses.
//
// Needs: InlineTritonCalls. Leaves: no descriptors.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/triton/TritonDialect.h"
#include "compiler/import/triton/Passes.h"

#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"

namespace pumice::triton {
#define GEN_PASS_DEF_LOWERDESCRIPTORS
#include "compiler/import/triton/Passes.h.inc"
} // namespace pumice::triton

using namespace mlir;
using namespace pumice::triton;
using pumice::triton::PointerType;

namespace {

/// Returns the element type of a block's values. A descriptor's integers may have a sign, but
/// values have none.
Type elementOf(TensorDescType type) {
  Type element = type.getBlock().getElementType();
  return element.isInteger() ? IntegerType::get(type.getContext(), element.getIntOrFloatBitWidth())
                             : element;
}

/// The parts of a descriptor. The last stride is always one, so it is not stored.
struct Parts {
  Value base;
  ValueRange shape, strides;
  Value padsWithNaN;

  explicit Parts(ValueRange values) {
    size_t rank = (values.size() - 1) / 2;
    base = values.front();
    shape = values.slice(1, rank);
    strides = values.slice(1 + rank, rank - 1);
    padsWithNaN = values.back();
  }

  static LogicalResult addTypes(TensorDescType type, SmallVectorImpl<Type> &types) {
    Builder builder(type.getContext());
    int64_t rank = type.getBlock().getRank();
    types.push_back(PointerType::get(type.getContext(), elementOf(type), 1));
    types.append(rank, builder.getI32Type());
    types.append(rank - 1, builder.getI64Type());
    types.push_back(builder.getI1Type());
    return success();
  }
};

//===-------------------------------------------------------------------------===//
// Addresses
//===-------------------------------------------------------------------------===//

/// Computes the pointers to the elements of one block, and a mask of the elements inside the
/// tensor.
class Access {
public:
  Access(OpBuilder &builder, Location loc, const Parts &parts, ArrayRef<int64_t> shape)
      : b(builder), loc(loc), parts(parts), shape(shape), first(parts.base) {}

  /// Adds a dimension in which the block begins at `index`.
  void addBlock(unsigned dimension, Value index) {
    if (!matchPattern(index, m_Zero()))
      first = AddPtrOp::create(b, loc, first.getType(), first, scaled(widened(index), dimension));
    int64_t length = shape[dimension];
    Value range;
    if (length > 1) {
      auto type = RankedTensorType::get({length}, b.getI32Type());
      range = MakeRangeOp::create(b, loc, type, 0, static_cast<uint32_t>(length));
      addOffsets(range, dimension);
    }
    Value at = spread(index, length);
    addBounds(range ? arith::AddIOp::create(b, loc, at, range).getResult() : at, dimension);
  }

  /// Adds a dimension in which the block has the given indices.
  void addIndices(unsigned dimension, Value indices) {
    addOffsets(indices, dimension);
    addBounds(indices, dimension);
  }

  Value pointers() {
    auto type = RankedTensorType::get(shape, first.getType());
    Value result = SplatOp::create(b, loc, type, first);
    for (Value each : offsets)
      result = AddPtrOp::create(b, loc, type, result, each);
    return result;
  }
  Value mask() const { return inside; }

  /// Returns the values that are read outside the tensor.
  Value padding(Type element) {
    auto type = RankedTensorType::get(shape, element);
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    auto real = dyn_cast<FloatType>(element);
    if (!real || matchPattern(parts.padsWithNaN, m_Zero()))
      return zero;
    APFloat number = APFloat::getNaN(real.getFloatSemantics());
    Value nan = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, number));
    if (matchPattern(parts.padsWithNaN, m_One()))
      return nan;
    return arith::SelectOp::create(b, loc, parts.padsWithNaN, nan, zero);
  }

private:
  Value widened(Value value) {
    return arith::ExtSIOp::create(b, loc, withScalar(value.getType(), b.getI64Type()), value);
  }

  Value spread(Value scalar, int64_t length) {
    return SplatOp::create(b, loc, RankedTensorType::get({length}, scalar.getType()), scalar);
  }

  /// Multiplies an i64 by the stride of a dimension.
  Value scaled(Value value, unsigned dimension) {
    if (dimension + 1 == shape.size())
      return value;
    Value stride = parts.strides[dimension];
    if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
      stride = spread(stride, tensor.getNumElements());
    return arith::MulIOp::create(b, loc, value, stride);
  }

  /// Extends a one-dimensional tensor, which varies along `dimension`, to the shape of the block.
  Value wholeBlock(Value line, unsigned dimension) {
    auto type = cast<RankedTensorType>(line.getType());
    SmallVector<int64_t> expanded(shape.size(), 1);
    expanded[dimension] = type.getNumElements();
    auto lineType = RankedTensorType::get(expanded, type.getElementType());
    if (lineType != type)
      line = ReshapeOp::create(b, loc, lineType, line);
    auto wholeType = RankedTensorType::get(shape, type.getElementType());
    return lineType == wholeType ? line : BroadcastOp::create(b, loc, wholeType, line).getResult();
  }

  void addOffsets(Value indices, unsigned dimension) {
    if (dimension + 1 != shape.size()) // offsets along the last dimension stay i32
      indices = scaled(widened(indices), dimension);
    offsets.push_back(wholeBlock(indices, dimension));
  }

  void addBounds(Value indices, unsigned dimension) {
    Type type = indices.getType();
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    Value length = spread(parts.shape[dimension], cast<RankedTensorType>(type).getNumElements());
    Value lower = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, indices, zero);
    Value upper = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, indices, length);
    Value both = wholeBlock(arith::AndIOp::create(b, loc, lower, upper), dimension);
    inside = inside ? arith::AndIOp::create(b, loc, inside, both).getResult() : both;
  }

  OpBuilder &b;
  Location loc;
  const Parts &parts;
  SmallVector<int64_t> shape;
  Value first;                // points to the first element of the block
  SmallVector<Value> offsets; // relative to `first`, in the shape of the block
  Value inside;
};

Access blockOf(OpBuilder &builder, Location loc, const Parts &parts, TensorDescType type,
               ArrayRef<ValueRange> indices) {
  Access access(builder, loc, parts, type.getBlock().getShape());
  for (auto [dimension, index] : llvm::enumerate(indices))
    access.addBlock(static_cast<unsigned>(dimension), index.front());
  return access;
}

Access rowsOf(OpBuilder &builder, Location loc, const Parts &parts, RankedTensorType values,
              Value rows, Value column) {
  Access access(builder, loc, parts, values.getShape());
  access.addIndices(0, rows);
  access.addBlock(1, column);
  return access;
}

/// Reshapes a block. The blocks that kernels load and store may have another shape than the
/// descriptor's.
Value reshaped(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, scalarOf(value.getType()));
  return value.getType() == type ? value : ReshapeOp::create(builder, loc, type, value).getResult();
}

//===-------------------------------------------------------------------------===//
// Patterns
//===-------------------------------------------------------------------------===//

struct LowerMake final : OpConversionPattern<MakeTensorDescOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(MakeTensorDescOp op, OpAdaptor in,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts{in.getBase()};
    llvm::append_range(parts, in.getShape());
    llvm::append_range(parts, in.getStrides().drop_back());
    parts.push_back(arith::ConstantOp::create(
        rewriter, op.getLoc(), rewriter.getBoolAttr(op.getPadding() == Padding::NaN)));
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

struct LowerLoad final : OpConversionPattern<DescriptorLoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorLoadOp op, OneToNOpAdaptor in,
                                ConversionPatternRewriter &rewriter) const override {
    Parts parts(in.getDescriptor());
    TensorDescType type = op.getDescriptor().getType();
    Access access = blockOf(rewriter, op.getLoc(), parts, type, in.getIndices());
    Value pointers = access.pointers(), padding = access.padding(elementOf(type));
    CachePolicyAttr caching = cachePolicyOf(op);
    auto block = LoadOp::create(rewriter, op.getLoc(), padding.getType(), pointers, access.mask(),
                                padding, caching.getCacheModifier(), caching.getEvictionPolicy(),
                                /*isVolatile=*/false, CachePolicyAttr());
    if (Attribute number = op->getAttr(pumice::tile::loadAttrName))
      block->setAttr(pumice::tile::loadAttrName, number);
    auto result = cast<RankedTensorType>(op.getType());
    rewriter.replaceOp(op, reshaped(rewriter, op.getLoc(), block, result.getShape()));
    return success();
  }
};

struct LowerStore final : OpConversionPattern<DescriptorStoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorStoreOp op, OneToNOpAdaptor in,
                                ConversionPatternRewriter &rewriter) const override {
    Parts parts(in.getDescriptor());
    TensorDescType type = op.getDescriptor().getType();
    Access access = blockOf(rewriter, op.getLoc(), parts, type, in.getIndices());
    Value block =
        reshaped(rewriter, op.getLoc(), in.getValue().front(), type.getBlock().getShape());
    Value pointers = access.pointers();
    rewriter.replaceOpWithNewOp<StoreOp>(op, pointers, block, access.mask(), CacheModifier::None,
                                         EvictionPolicy::Normal, CachePolicyAttr());
    return success();
  }
};

/// Returns the atomic operation of a reduction, or nullopt if these elements have none.
std::optional<AtomicKind> atomicOf(DescriptorReduceKind kind, Type element) {
  bool isFloat = isa<FloatType>(element), isUnsigned = element.isUnsignedInteger();
  switch (kind) {
  case DescriptorReduceKind::Add:
    return isFloat ? AtomicKind::FAdd : AtomicKind::Add;
  case DescriptorReduceKind::Min:
    return isFloat ? std::nullopt : std::optional(isUnsigned ? AtomicKind::UMin : AtomicKind::Min);
  case DescriptorReduceKind::Max:
    return isFloat ? std::nullopt : std::optional(isUnsigned ? AtomicKind::UMax : AtomicKind::Max);
  case DescriptorReduceKind::And:
    return AtomicKind::And;
  case DescriptorReduceKind::Or:
    return AtomicKind::Or;
  case DescriptorReduceKind::Xor:
    return AtomicKind::Xor;
  case DescriptorReduceKind::Increment:
  case DescriptorReduceKind::Decrement:
    return std::nullopt;
  }
  return std::nullopt;
}

struct LowerReduce final : OpConversionPattern<DescriptorReduceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorReduceOp op, OneToNOpAdaptor in,
                                ConversionPatternRewriter &rewriter) const override {
    Parts parts(in.getDescriptor());
    TensorDescType type = op.getDescriptor().getType();
    Type element = type.getBlock().getElementType();
    std::optional<AtomicKind> kind = atomicOf(op.getKind(), element);
    if (!kind) // checkReductions has reported it
      return failure();
    Access access = blockOf(rewriter, op.getLoc(), parts, type, in.getIndices());
    Value block =
        reshaped(rewriter, op.getLoc(), in.getValue().front(), type.getBlock().getShape());
    Value pointers = access.pointers();
    AtomicRMWOp::create(rewriter, op.getLoc(), block.getType(), *kind, pointers, block,
                        access.mask(), MemoryOrder::Relaxed, MemoryScope::Device);
    rewriter.eraseOp(op);
    return success();
  }
};

LogicalResult checkReductions(ModuleOp module) {
  WalkResult result = module.walk([](DescriptorReduceOp op) -> WalkResult {
    Type element = op.getDescriptor().getType().getBlock().getElementType();
    StringRef kind = stringifyDescriptorReduceKind(op.getKind());
    if (atomicOf(op.getKind(), element))
      return success();
    return op.emitError("unsupported ")
           << kind << " of " << element
           << " by a descriptor; load, combine and store the block, or use tl.atomic_" << kind;
  });
  return failure(result.wasInterrupted());
}

struct LowerGather final : OpConversionPattern<DescriptorGatherOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorGatherOp op, OneToNOpAdaptor in,
                                ConversionPatternRewriter &rewriter) const override {
    Parts parts(in.getDescriptor());
    Access access = rowsOf(rewriter, op.getLoc(), parts, cast<RankedTensorType>(op.getType()),
                           in.getRows().front(), in.getColumn().front());
    Value pointers = access.pointers(),
          padding = access.padding(elementOf(op.getDescriptor().getType()));
    Attribute number = op->getAttr(pumice::tile::loadAttrName);
    auto rows = rewriter.replaceOpWithNewOp<LoadOp>(
        op, op.getType(), pointers, access.mask(), padding, CacheModifier::None,
        EvictionPolicy::Normal, false, CachePolicyAttr());
    if (number)
      rows->setAttr(pumice::tile::loadAttrName, number);
    return success();
  }
};

struct LowerScatter final : OpConversionPattern<DescriptorScatterOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorScatterOp op, OneToNOpAdaptor in,
                                ConversionPatternRewriter &rewriter) const override {
    Parts parts(in.getDescriptor());
    Access access =
        rowsOf(rewriter, op.getLoc(), parts, cast<RankedTensorType>(op.getValue().getType()),
               in.getRows().front(), in.getColumn().front());
    Value pointers = access.pointers();
    rewriter.replaceOpWithNewOp<StoreOp>(op, pointers, in.getValue().front(), access.mask(),
                                         CacheModifier::None, EvictionPolicy::Normal,
                                         CachePolicyAttr());
    return success();
  }
};

struct LowerSelect final : OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor in,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts;
    for (auto [a, b] : llvm::zip(in.getTrueValue(), in.getFalseValue()))
      parts.push_back(
          a == b ? a
                 : arith::SelectOp::create(rewriter, op.getLoc(), in.getCondition().front(), a, b)
                       .getResult());
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

struct LowerPoison final : OpConversionPattern<ub::PoisonOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(ub::PoisonOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertType(op.getType(), types)))
      return failure();
    SmallVector<Value> parts;
    for (Type type : types)
      parts.push_back(ub::PoisonOp::create(rewriter, op.getLoc(), type));
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

//===-------------------------------------------------------------------------===//
// Arguments of kernels
//===-------------------------------------------------------------------------===//

/// The host passes a descriptor as a pointer, a flag whether it pads with NaN (only for floats),
/// its shape, and its strides. Properties that the host checks become attributes of these
/// arguments.
LogicalResult makeFromArguments(FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    BlockArgument argument = function.getArgument(i);
    auto type = dyn_cast<TensorDescType>(argument.getType());
    if (!type)
      continue;
    auto rank = static_cast<unsigned>(type.getBlock().getRank());
    Builder attributes(function.getContext());
    SmallVector<Type> numbers(rank, attributes.getI32Type());
    numbers.append(rank, attributes.getI64Type());
    TypeRange following = TypeRange(function.getArgumentTypes()).drop_front(i + 1);
    if (following.size() < numbers.size() ||
        following.take_front(numbers.size()) != TypeRange(numbers))
      return function.emitError("argument ")
             << i << " is a descriptor of " << rank
             << " dimensions, and its shape and strides do not follow it: "
             << ArrayRef<Type>(numbers);
    auto divisor = [&](unsigned number, int64_t by) {
      function.setArgAttr(number, "tt.divisibility",
                          attributes.getI32IntegerAttr(static_cast<int32_t>(by)));
    };
    argument.setType(PointerType::get(function.getContext(), elementOf(type), 1));
    SmallVector<Type> types(function.getArgumentTypes());
    types[i] = argument.getType();
    function.setType(attributes.getFunctionType(types, function.getResultTypes()));
    divisor(i, 16);
    bool pads = isa<FloatType>(elementOf(type));
    if (pads &&
        failed(function.insertArgument(i + 1, attributes.getI1Type(),
                                       attributes.getDictionaryAttr(attributes.getNamedAttr(
                                           "pumice.pads_with_nan", attributes.getUnitAttr())),
                                       argument.getLoc())))
      return failure();
    unsigned shape = i + 1 + pads, strides = shape + rank;
    int64_t bytes = std::max<int64_t>(elementOf(type).getIntOrFloatBitWidth() / 8, 1);
    for (unsigned d = 0; d + 1 < rank; ++d)
      divisor(strides + d, std::max<int64_t>(16 / bytes, 1));
    OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
    auto make = [&](Padding padding) -> Operation * {
      return MakeTensorDescOp::create(builder, argument.getLoc(), type, argument,
                                      function.getArguments().slice(shape, rank),
                                      function.getArguments().slice(strides, rank), padding);
    };
    SmallPtrSet<Operation *, 2> makers{make(Padding::Zero)};
    Value made = (*makers.begin())->getResult(0);
    if (pads) {
      Operation *other = make(Padding::NaN);
      makers.insert(other);
      made = arith::SelectOp::create(builder, argument.getLoc(), function.getArgument(i + 1),
                                     other->getResult(0), made);
    }
    argument.replaceAllUsesExcept(made, makers);
  }
  return success();
}

struct LowerDescriptors final : pumice::triton::impl::LowerDescriptorsBase<LowerDescriptors> {
  void runOnOperation() override {
    if (failed(checkReductions(getOperation())))
      return signalPassFailure();
    for (FuncOp function : getOperation().getOps<FuncOp>())
      if (!function.isExternal() && failed(makeFromArguments(function)))
        return signalPassFailure();
    TypeConverter types;
    types.addConversion([](Type type) { return type; });
    types.addConversion([](TensorDescType type, SmallVectorImpl<Type> &parts) {
      return Parts::addTypes(type, parts);
    });
    RewritePatternSet patterns(&getContext());
    patterns.add<LowerGather, LowerLoad, LowerMake, LowerPoison, LowerReduce, LowerScatter,
                 LowerSelect, LowerStore>(types, &getContext());
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([&](Operation *op) {
      return types.isLegal(op->getOperandTypes()) && types.isLegal(op->getResultTypes());
    });
    scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns, target);
    if (failed(applyFullConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

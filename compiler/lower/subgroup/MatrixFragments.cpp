//===- MatrixFragments.cpp - matrix operations on a lane's elements ---------===//
#include "compiler/lower/subgroup/MatrixFragments.h"
#include "compiler/lower/subgroup/Subgroups.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower;

Type lower::signless(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerType::get(type.getContext(), integer.getWidth());
  return type;
}

VectorType lower::fragmentType(gpu::MMAMatrixType type, uint32_t lanes) {
  int64_t components = fragmentLayout(type, lanes).components();
  return VectorType::get(components, signless(type.getElementType()));
}

static SmallVector<Value> components(OpBuilder &b, Location loc, Value fragment) {
  SmallVector<Value> values;
  for (int64_t i = 0, n = cast<VectorType>(fragment.getType()).getNumElements(); i < n; ++i)
    values.push_back(vector::ExtractOp::create(b, loc, fragment, i));
  return values;
}

static LogicalResult replaceWith(Operation *op, Value value) {
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
  return success();
}

//===-------------------------------------------------------------------------===//
// Loads and stores
//===-------------------------------------------------------------------------===//

namespace {

/// The memory of one matrix, and the position in it of each component of this lane.
class MatrixMemory {
public:
  MatrixMemory(Operation *op, Value memref, ValueRange indices, int64_t leadDimension,
               bool transposed, FragmentLayout layout)
      : op(op), memref(memref), origin(indices), lead(leadDimension), transposed(transposed),
        layout(layout) {}

  LogicalResult check(Type element);
  SmallVector<Value> indices(OpBuilder &b, uint32_t component);

private:
  Operation *op;
  Value memref;
  SmallVector<Value> origin;
  int64_t lead;
  bool transposed;
  FragmentLayout layout;
  /// Says whether the last two indices address rows and columns. Otherwise, the last index
  /// addresses both.
  bool twoDimensional = false;
  Value laneRow, laneCol;
};

} // namespace

LogicalResult MatrixMemory::check(Type element) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (origin.empty() || failed(type.getStridesAndOffset(strides, offset)) || strides.back() != 1)
    return op->emitError() << "'" << op->getName()
                           << "' needs a memref whose last dimension is contiguous, not " << type;
  twoDimensional = strides.size() >= 2 && strides[strides.size() - 2] == lead;
  return success();
}

SmallVector<Value> MatrixMemory::indices(OpBuilder &b, uint32_t component) {
  Location loc = op->getLoc();
  auto constant = [&](int64_t v) { return arith::ConstantIndexOp::create(b, loc, v); };
  if (!laneCol) {
    Value lane = gpu::LaneIdOp::create(b, loc, /*upper_bound=*/nullptr);
    laneCol = lane;
    if (layout.lanes > layout.cols) {
      laneCol = arith::AndIOp::create(b, loc, lane, constant(layout.cols - 1));
      laneRow = arith::ShRUIOp::create(b, loc, lane, constant(std::countr_zero(layout.cols)));
    }
  }
  Value row = constant(layout.rowOf(component)), col = laneCol;
  if (laneRow)
    row = arith::AddIOp::create(b, loc, laneRow, row);
  if (uint32_t first = layout.colOf(component))
    col = arith::AddIOp::create(b, loc, laneCol, constant(first));
  if (transposed)
    std::swap(row, col);
  SmallVector<Value> result(origin);
  if (twoDimensional) {
    Value &outer = result[result.size() - 2];
    outer = arith::AddIOp::create(b, loc, outer, row);
  } else {
    Value skipped = arith::MulIOp::create(b, loc, row, constant(lead));
    col = arith::AddIOp::create(b, loc, skipped, col);
  }
  result.back() = arith::AddIOp::create(b, loc, result.back(), col);
  return result;
}

static LogicalResult emulate(gpu::SubgroupMmaLoadMatrixOp op, const MatrixOp &types,
                             uint32_t lanes) {
  OpBuilder b(op);
  FragmentLayout layout = fragmentLayout(types.result, lanes);
  MatrixMemory memory(op, op.getSrcMemref(), op.getIndices(), op.getLeadDimension().getSExtValue(),
                      op.getTranspose().has_value(), layout);
  if (failed(memory.check(types.result.getElementType())))
    return failure();
  SmallVector<Value> values;
  for (uint32_t c = 0; c < layout.components(); ++c)
    values.push_back(
        memref::LoadOp::create(b, op.getLoc(), op.getSrcMemref(), memory.indices(b, c)));
  return replaceWith(op, vector::FromElementsOp::create(b, op.getLoc(),
                                                        fragmentType(types.result, lanes), values));
}

static LogicalResult emulate(gpu::SubgroupMmaStoreMatrixOp op, const MatrixOp &types,
                             uint32_t lanes) {
  OpBuilder b(op);
  FragmentLayout layout = fragmentLayout(types.operands[0], lanes);
  MatrixMemory memory(op, op.getDstMemref(), op.getIndices(), op.getLeadDimension().getSExtValue(),
                      op.getTranspose().has_value(), layout);
  if (failed(memory.check(types.operands[0].getElementType())))
    return failure();
  for (auto [c, value] : llvm::enumerate(components(b, op.getLoc(), op->getOperand(0))))
    memref::StoreOp::create(b, op.getLoc(), value, op.getDstMemref(), memory.indices(b, c));
  op.erase();
  return success();
}

//===-------------------------------------------------------------------------===//
// Multiplication
//===-------------------------------------------------------------------------===//

namespace {

/// One product. Each element of a factor is fetched once, and then reused.
class Product {
public:
  Product(OpBuilder &b, Location loc, ProductPlan plan) : b(b), loc(loc), plan(plan) {}

  Value run(Value a, Type aElement, Value bMatrix, Type bElement, Value sum);

private:
  SmallVector<Value> widened(Value fragment, Type element, Type to);
  Value fromLane(Value value, Value lane);
  Value fetchA(uint32_t element);
  Value fetchB(uint32_t component, uint32_t step);

  OpBuilder &b;
  Location loc;
  ProductPlan plan;
  SmallVector<Value> aValues, bValues;
  Value lane, group, laneInRow, width;
};

} // namespace

/// Converts factors to the accumulator's type, in which products of narrower factors are exact.
SmallVector<Value> Product::widened(Value fragment, Type element, Type to) {
  SmallVector<Value> values = components(b, loc, fragment);
  for (Value &value : values) {
    if (value.getType() == to)
      continue;
    if (isa<FloatType>(to))
      value = arith::ExtFOp::create(b, loc, to, value);
    else if (element.isUnsignedInteger())
      value = arith::ExtUIOp::create(b, loc, to, value);
    else
      value = arith::ExtSIOp::create(b, loc, to, value);
  }
  return values;
}

Value Product::fromLane(Value value, Value source) {
  if (getConstantIntValue(source))
    return gpu::SubgroupBroadcastOp::create(b, loc, value.getType(), value, source,
                                            gpu::BroadcastType::specific_lane);
  return gpu::ShuffleOp::create(b, loc, value, source, width, gpu::ShuffleMode::IDX)
      .getShuffleResult();
}

/// Returns the element of A that each row group needs. The element is a component of one lane. If
/// groups need different components, each group selects its own.
Value Product::fetchA(uint32_t element) {
  Value source = constantI32(b, loc, plan.aLane(element, 0));
  // If rows of A fill the subgroup, every group reads from the same lane.
  if (group && plan.k % plan.lanes != 0) {
    Value step = constantI32(b, loc, plan.k), mask = constantI32(b, loc, plan.lanes - 1);
    source = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, group, step), source);
    source = arith::AndIOp::create(b, loc, source, mask);
  }
  Value result;
  uint32_t last = 0;
  for (uint32_t g = 0; g < plan.groups(); ++g) {
    uint32_t component = plan.aComponent(element, g);
    if (result && component == last)
      continue;
    Value candidate = fromLane(aValues[component], source);
    if (result) {
      Value here =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, group, constantI32(b, loc, g));
      candidate = arith::SelectOp::create(b, loc, here, candidate, result);
    }
    result = candidate;
    last = component;
  }
  return result;
}

Value Product::fetchB(uint32_t component, uint32_t step) {
  if (!plan.exchangesB())
    return bValues[component];
  uint32_t first = plan.bLane(step, 0);
  Value source = arith::AddIOp::create(b, loc, laneInRow, constantI32(b, loc, first));
  return fromLane(bValues[component], source);
}

static Value multiplyAdd(OpBuilder &b, Location loc, Value x, Value y, Value sum) {
  if (isa<FloatType>(sum.getType()))
    return math::FmaOp::create(b, loc, x, y, sum);
  return arith::AddIOp::create(b, loc, sum, arith::MulIOp::create(b, loc, x, y));
}

Value Product::run(Value a, Type aElement, Value bMatrix, Type bElement, Value sum) {
  auto type = cast<VectorType>(sum.getType());
  aValues = widened(a, aElement, type.getElementType());
  bValues = widened(bMatrix, bElement, type.getElementType());
  SmallVector<Value> sums = components(b, loc, sum);
  if (plan.exchangesB()) {
    lane = laneId(b, loc);
    width = constantI32(b, loc, plan.lanes);
    laneInRow = arith::AndIOp::create(b, loc, lane, constantI32(b, loc, plan.n - 1));
    group = arith::ShRUIOp::create(b, loc, lane, constantI32(b, loc, std::countr_zero(plan.n)));
  }
  for (uint32_t step = 0; step < plan.k; ++step) {
    DenseMap<uint32_t, Value> fromA, fromB;
    for (auto [c, value] : llvm::enumerate(sums)) {
      Value &x = fromA[plan.aElement(c, step)];
      if (!x)
        x = fetchA(plan.aElement(c, step));
      Value &y = fromB[plan.bComponent(c, step)];
      if (!y)
        y = fetchB(plan.bComponent(c, step), step);
      value = multiplyAdd(b, loc, x, y, value);
    }
  }
  return vector::FromElementsOp::create(b, loc, type, sums);
}

static ProductPlan planOf(const MatrixOp &product, uint32_t lanes) {
  return {static_cast<uint32_t>(product.result.getShape()[0]),
          static_cast<uint32_t>(product.result.getShape()[1]),
          static_cast<uint32_t>(product.operands[0].getShape()[1]), lanes};
}

/// Checks that the target can exchange factors. If the source lane is known, the factor is
/// broadcast, for which ballots suffice. Other exchanges need shuffles.
static LogicalResult checkExchanges(gpu::SubgroupMmaComputeOp op, const ProductPlan &plan,
                                    const target::TargetEnv &env) {
  if (env.hasSubgroup(target::SubgroupShuffle) ||
      (!plan.exchangesB() && env.hasSubgroup(target::SubgroupBallot)))
    return success();
  return missingSubgroupOperation(op, env, target::SubgroupShuffle)
         << "; without cooperative matrices of these shapes, lanes exchange the factors";
}

static LogicalResult emulate(gpu::SubgroupMmaComputeOp op, const MatrixOp &types, uint32_t lanes) {
  Type a = types.operands[0].getElementType(), b = types.operands[1].getElementType();
  Type sum = types.result.getElementType();
  for (Type factor : {a, b})
    if (isa<FloatType>(factor) != isa<FloatType>(sum) ||
        factor.getIntOrFloatBitWidth() > sum.getIntOrFloatBitWidth())
      return op.emitError("factors of type ")
             << factor << " cannot be added up in " << sum << ": use a wider accumulator";
  OpBuilder builder(op);
  // The operands have become vectors, which the typed accessors do not support.
  Product product(builder, op.getLoc(), planOf(types, lanes));
  return replaceWith(op,
                     product.run(op->getOperand(0), a, op->getOperand(1), b, op->getOperand(2)));
}

//===-------------------------------------------------------------------------===//
// Single elements
//===-------------------------------------------------------------------------===//

static Value elementwise(gpu::SubgroupMmaElementwiseOp op, OpBuilder &b, VectorType type) {
  Location loc = op.getLoc();
  Value x = op.getArgs()[0], y = op.getArgs().size() > 1 ? op.getArgs()[1] : Value();
  switch (op.getOpType()) {
  case gpu::MMAElementwiseOp::ADDF:
    return arith::AddFOp::create(b, loc, x, y);
  case gpu::MMAElementwiseOp::MULF:
    return arith::MulFOp::create(b, loc, x, y);
  case gpu::MMAElementwiseOp::SUBF:
    return arith::SubFOp::create(b, loc, x, y);
  case gpu::MMAElementwiseOp::MAXF:
    return arith::MaximumFOp::create(b, loc, x, y);
  case gpu::MMAElementwiseOp::MINF:
    return arith::MinimumFOp::create(b, loc, x, y);
  case gpu::MMAElementwiseOp::DIVF:
    return arith::DivFOp::create(b, loc, x, y);
  case gpu::MMAElementwiseOp::ADDI:
    return arith::AddIOp::create(b, loc, x, y);
  case gpu::MMAElementwiseOp::MULI:
    return arith::MulIOp::create(b, loc, x, y);
  case gpu::MMAElementwiseOp::SUBI:
    return arith::SubIOp::create(b, loc, x, y);
  case gpu::MMAElementwiseOp::DIVS:
    return arith::DivSIOp::create(b, loc, x, y);
  case gpu::MMAElementwiseOp::DIVU:
    return arith::DivUIOp::create(b, loc, x, y);
  case gpu::MMAElementwiseOp::NEGATEF:
    return arith::NegFOp::create(b, loc, x);
  case gpu::MMAElementwiseOp::NEGATES:
    return arith::SubIOp::create(b, loc, arith::ConstantOp::create(b, loc, b.getZeroAttr(type)), x);
  case gpu::MMAElementwiseOp::EXTF:
    return arith::ExtFOp::create(b, loc, type, x);
  }
  llvm_unreachable("fourteen elementwise operations");
}

static LogicalResult emulate(gpu::SubgroupMmaElementwiseOp op, const MatrixOp &types,
                             uint32_t lanes) {
  OpBuilder b(op);
  return replaceWith(op, elementwise(op, b, fragmentType(types.result, lanes)));
}

static LogicalResult emulate(gpu::SubgroupMmaConstantMatrixOp op, const MatrixOp &types,
                             uint32_t lanes) {
  if (isa<IntegerType>(op.getValue().getType()) && !op.getValue().getType().isSignlessInteger())
    return op.emitError("a matrix of equal elements of type ")
           << op.getValue().getType()
           << " cannot be emulated: arith has no values of that type; load the matrix";
  OpBuilder b(op);
  return replaceWith(op, vector::BroadcastOp::create(
                             b, op.getLoc(), fragmentType(types.result, lanes), op.getValue()));
}

static LogicalResult checkIndex(Operation *op, ValueRange indices, VectorType type) {
  if (indices.size() != 1)
    return op->emitError() << "'" << op->getName() << "' takes one index into the lane's "
                           << type.getNumElements() << " elements, not " << indices.size();
  std::optional<int64_t> constant = getConstantIntValue(indices[0]);
  if (constant && (*constant < 0 || *constant >= type.getNumElements()))
    return op->emitError() << "index " << *constant << " is outside of the "
                           << type.getNumElements() << " elements that a lane holds";
  return success();
}

static LogicalResult emulate(gpu::SubgroupMmaExtractThreadLocalOp op, const MatrixOp &types,
                             uint32_t lanes) {
  VectorType type = fragmentType(types.operands[0], lanes);
  if (failed(checkIndex(op, op.getIndices(), type)))
    return failure();
  OpBuilder b(op);
  Location loc = op.getLoc();
  if (std::optional<int64_t> constant = getConstantIntValue(op.getIndices()[0]))
    return replaceWith(op, vector::ExtractOp::create(b, loc, op->getOperand(0), *constant));
  SmallVector<Value> values = components(b, loc, op->getOperand(0));
  Value result = values[0];
  for (size_t i = 1; i < values.size(); ++i) {
    Value here = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, op.getIndices()[0],
                                       arith::ConstantIndexOp::create(b, loc, i));
    result = arith::SelectOp::create(b, loc, here, values[i], result);
  }
  return replaceWith(op, result);
}

static LogicalResult emulate(gpu::SubgroupMmaInsertThreadLocalOp op, const MatrixOp &types,
                             uint32_t lanes) {
  VectorType type = fragmentType(types.result, lanes);
  if (failed(checkIndex(op, op.getIndices(), type)))
    return failure();
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<Value> values = components(b, loc, op->getOperand(1));
  std::optional<int64_t> constant = getConstantIntValue(op.getIndices()[0]);
  for (auto [i, value] : llvm::enumerate(values)) {
    if (constant) {
      if (static_cast<int64_t>(i) == *constant)
        value = op.getValue();
      continue;
    }
    Value here = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, op.getIndices()[0],
                                       arith::ConstantIndexOp::create(b, loc, i));
    value = arith::SelectOp::create(b, loc, here, op.getValue(), value);
  }
  return replaceWith(op, vector::FromElementsOp::create(b, loc, type, values));
}

LogicalResult lower::emulateMatrixOp(const MatrixOp &types, uint32_t lanes,
                                     const target::TargetEnv &env) {
  if (auto product = dyn_cast<gpu::SubgroupMmaComputeOp>(types.op))
    if (failed(checkExchanges(product, planOf(types, lanes), env)))
      return failure();
  return llvm::TypeSwitch<Operation *, LogicalResult>(types.op)
      .Case<gpu::SubgroupMmaLoadMatrixOp, gpu::SubgroupMmaStoreMatrixOp, gpu::SubgroupMmaComputeOp,
            gpu::SubgroupMmaElementwiseOp, gpu::SubgroupMmaConstantMatrixOp,
            gpu::SubgroupMmaExtractThreadLocalOp, gpu::SubgroupMmaInsertThreadLocalOp>(
          [&](auto op) { return emulate(op, types, lanes); })
      .Default([](Operation *op) {
        return op->emitError() << "'" << op->getName() << "' on matrices cannot be emulated";
      });
}

//===- FirstLane.cpp - what the first lane of a subgroup computes -----------===//
//   before: %q = arith.divsi %lanes, %c784 : vector<4xi32>, where register 2 is needed
//   after:  %first = the first lane's register 2 of %lanes, in the same way
//           %r = arith.divsi %first, 784 : i32
//===-------------------------------------------------------------------------===//
#include "compiler/lower/tile/FirstLane.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace pumice::lower::tiles;

/// Returns whether an operation computes one integer from integers, without effects.
static bool isIntegerArithmetic(Operation *op) {
  auto isInteger = [](Type type) { return getElementTypeOrSelf(type).isIntOrIndex(); };
  return isa<arith::ArithDialect>(op->getDialect()) && op->getNumResults() == 1 &&
         op->getNumOperands() > 0 && isInteger(op->getResult(0).getType()) &&
         llvm::all_of(op->getOperandTypes(), isInteger);
}

/// Repeats an operation for one register, or for a scalar.
Value FirstLane::repeat(Operation *op, std::optional<size_t> number) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isa<VectorType>(operand.getType()) ? of(operand, *number)
                                                          : ofScalar(operand));
  OperationState state(code.b.getLoc(), op->getName(), operands,
                       {getElementTypeOrSelf(op->getResult(0).getType())});
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return code.b.create(state)->getResult(0);
}

/// Returns the first lane's value. Lanes exchange integers of 32 and 64 bits.
static Value broadcast(LaneCode &code, Value value) {
  Type type = value.getType();
  if (type.isIndex()) {
    value = arith::IndexCastOp::create(code.b, code.b.getI64Type(), value);
    return arith::IndexCastOp::create(code.b, type, code.shuffleFrom(value, code.constant(0)));
  }
  if (type.getIntOrFloatBitWidth() >= 32)
    return code.shuffleFrom(value, code.constant(0));
  value = arith::ExtUIOp::create(code.b, code.b.getI32Type(), value);
  return arith::TruncIOp::create(code.b, type, code.shuffleFrom(value, code.constant(0)));
}

Value FirstLane::of(Value registers, size_t number) {
  auto [at, isNew] = known.try_emplace({registers, number});
  if (!isNew)
    return at->second;
  Operation *op = registers.getDefiningOp();
  Value made;
  DenseElementsAttr numbers;
  if (!op) {
    made = broadcast(code, code.unpack(registers)[number]);
  } else if (matchPattern(registers, m_Constant(&numbers))) {
    made =
        arith::ConstantOp::create(code.b, cast<TypedAttr>(numbers.getValues<Attribute>()[number]));
  } else if (auto elements = dyn_cast<vector::FromElementsOp>(op)) {
    made = ofScalar(elements.getElements()[number]);
  } else if (auto splat = dyn_cast<vector::BroadcastOp>(op);
             splat && !isa<VectorType>(splat.getSource().getType())) {
    made = ofScalar(splat.getSource());
  } else if (isIntegerArithmetic(op)) {
    made = repeat(op, number);
  } else {
    made = broadcast(code, code.unpack(registers)[number]);
  }
  return known[{registers, number}] = made;
}

Value FirstLane::ofScalar(Value value) {
  auto [at, isNew] = known.try_emplace({value, 0});
  if (!isNew)
    return at->second;
  Operation *op = value.getDefiningOp();
  Value made;
  if (op && isa<gpu::LaneIdOp>(op))
    made = arith::ConstantIndexOp::create(code.b, 0);
  else if (op && (isa<gpu::BlockIdOp, gpu::GridDimOp>(op) || op->hasTrait<OpTrait::ConstantLike>()))
    made = value;
  else if (auto elements = value.getDefiningOp<vector::ToElementsOp>())
    made = of(elements.getSource(), cast<OpResult>(value).getResultNumber());
  else if (op && isIntegerArithmetic(op))
    made = repeat(op, std::nullopt);
  else
    made = broadcast(code, value);
  return known[{value, 0}] = made;
}

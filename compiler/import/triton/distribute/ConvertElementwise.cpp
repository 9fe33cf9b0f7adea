//===- ConvertElementwise.cpp - element-wise operations ---------------------===//
//   before: %c = tt.clampf %x, %l, %h, propagateNan = none : tensor<64xf32>
//   after:  %a = arith.maxnumf %x, %l : tensor<64xf32, #l>
//           %c = arith.minnumf %a, %h : tensor<64xf32, #l>
// Operations of arith and math stay the same, but their operands are tiles.
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/distribute/Checks.h"
#include "compiler/import/triton/distribute/Converters.h"
#include "compiler/import/triton/distribute/LibraryFunctions.h"
#include "compiler/import/triton/distribute/LibraryRounding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::distribute;

using Like = llvm::function_ref<Type(Type)>;

static Value clamp(OpBuilder &b, ClampfOp op, ValueRange v) {
  Location loc = op.getLoc();
  if (op.getPropagateNan() == PropagateNaN::All)
    return arith::MinimumFOp::create(b, loc, arith::MaximumFOp::create(b, loc, v[0], v[1]), v[2]);
  return arith::MinNumFOp::create(b, loc, arith::MaxNumFOp::create(b, loc, v[0], v[1]), v[2]);
}

/// Clamps numbers and infinities to the range of an 8-bit type, as GPUs with such types do. So
/// scaled numbers that are rounded beyond the range do not become infinities.
static Value withinRange(OpBuilder &builder, Location loc, Value v, FloatType type) {
  ImplicitLocOpBuilder b(loc, builder);
  double most = APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
  library::Number x{&b, v};
  x = (x > most).choose(x.number(most), x); // false for NaN, which stays
  return (x < -most).choose(x.number(-most), x).value;
}

/// Converts between floats of the same width through f32, which can represent both. arith has no
/// direct conversion.
static Value convertFloat(OpBuilder &b, FpToFpOp op, Value v, Like like) {
  Location loc = op.getLoc();
  Type from = scalarOf(op.getSource().getType()), to = scalarOf(op.getResult().getType());
  unsigned fromBits = from.getIntOrFloatBitWidth(), toBits = to.getIntOrFloatBitWidth();
  if (fromBits == toBits && from != to)
    v = arith::ExtFOp::create(b, loc, like(b.getF32Type()), v);
  if (fromBits < toBits)
    return arith::ExtFOp::create(b, loc, like(to), v);
  if (from == to)
    return v;
  if (toBits == 8)
    v = withinRange(b, loc, v, cast<FloatType>(to));
  auto mode =
      arith::RoundingModeAttr::get(b.getContext(), op.getRounding() == Rounding::TowardsZero
                                                       ? arith::RoundingMode::toward_zero
                                                       : arith::RoundingMode::to_nearest_even);
  auto narrow = arith::TruncFOp::create(b, loc, like(to), v);
  narrow.setRoundingmodeAttr(mode);
  return narrow;
}

/// Returns an 8-bit float without its sign bit, by integer operations, because these types have no
/// arithmetic. In types without negative zero, the sign bit alone means NaN.
static Value magnitude(OpBuilder &builder, Location loc, Value v, Like like) {
  ImplicitLocOpBuilder b(loc, builder);
  Type type = v.getType();
  bool hasNegativeZero =
      APFloat::getZero(cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics(), true)
          .isNegative();
  library::Number bits{&b, arith::BitcastOp::create(b, like(b.getI8Type()), v)};
  library::Number result = bits & 0x7f;
  if (!hasNegativeZero)
    result = (bits == -128.0).choose(bits, result);
  return result.asFloat(type).value;
}

/// Returns whether a root needs additional code for correct rounding. GPUs do not round roots
/// correctly.
static bool needsRoundedRoot(Operation *op, const std::optional<target::TargetEnv> &target) {
  if (!target || target->isCpu())
    return false;
  auto call = dyn_cast<ExternElementwiseOp>(op);
  return call ? call.getSymbol() == "__nv_fsqrt_rn"
              : isa<PreciseSqrtOp>(op) && scalarOf(op->getResult(0).getType()).isF32();
}

static SmallVector<Value> make(OpBuilder &b, Operation *op, ValueRange v, Like like) {
  Location loc = op->getLoc();
  if (isa<math::AbsFOp>(op) && getElementTypeOrSelf(v[0]).getIntOrFloatBitWidth() == 8)
    return {magnitude(b, loc, v[0], like)};
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case([&](ClampfOp op) { return SmallVector<Value>{clamp(b, op, v)}; })
      .Case([&](FpToFpOp op) { return SmallVector<Value>{convertFloat(b, op, v[0], like)}; })
      .Case([&](MulhiUIOp) {
        return SmallVector<Value>{arith::MulUIExtendedOp::create(b, loc, v[0], v[1]).getHigh()};
      })
      .Case([&](PreciseSqrtOp) { return SmallVector<Value>{math::SqrtOp::create(b, loc, v[0])}; })
      .Case<PreciseDivFOp, ApproxDivFOp>([&](Operation *) {
        return SmallVector<Value>{arith::DivFOp::create(b, loc, v[0], v[1])};
      })
      .Case([&](triton::BitcastOp op) {
        Type type = like(scalarOf(op.getResult().getType()));
        return SmallVector<Value>{
            type == v[0].getType() ? v[0] : arith::BitcastOp::create(b, loc, type, v[0])};
      })
      .Case([&](ExternElementwiseOp op) {
        Type type = like(scalarOf(op.getResult().getType()));
        return SmallVector<Value>{libraryFunction(b, loc, op.getSymbol(), v, type)};
      })
      .Default([&](Operation *op) {
        SmallVector<Type> types;
        for (Type type : op->getResultTypes())
          types.push_back(like(scalarOf(type)));
        return SmallVector<Value>(mlir::clone(b, op, types, v)->getResults());
      });
}

FailureOr<Distributed> triton::distribute::bitcast(Distribution &d, Location loc,
                                                   const Distributed &value, Type element) {
  auto results = d.elementwise(
      loc, value, element, /*isCheap=*/true, [loc, element](OpBuilder &b, ValueRange v, Like like) {
        return SmallVector<Value>{arith::BitcastOp::create(b, loc, like(element), v[0])};
      });
  return failed(results) ? FailureOr<Distributed>() : results->front();
}

LogicalResult triton::distribute::convertElementwise(Distribution &d, Operation *op) {
  if (auto call = dyn_cast<ExternElementwiseOp>(op); call && !isLibraryFunction(call.getSymbol()))
    return op->emitError("unsupported function '")
           << call.getSymbol() << "' of a device library; docs/triton-distribution.md lists "
           << "the supported ones, and triton.language has more";
  if (d.checks && failed(d.checks->checkDivision(d, op)))
    return failure();
  SmallVector<Distributed> operands;
  for (Value operand : op->getOperands())
    operands.push_back(d[operand]);
  SmallVector<Type> elements = llvm::map_to_vector(op->getResultTypes(), scalarOf);
  // Random numbers are computed by mulhiui and arith. They are computed again in the layout of each
  // user.
  bool isCheap =
      isa<arith::ArithDialect>(op->getDialect()) || isa<triton::BitcastOp, MulhiUIOp>(op);
  bool isRoot = needsRoundedRoot(op, d.target);
  auto results =
      d.elementwise(op->getLoc(), operands, elements, isCheap,
                    [op, isRoot](OpBuilder &b, ValueRange v, Like like) {
                      if (!isRoot)
                        return make(b, op, v, like);
                      ImplicitLocOpBuilder builder(op->getLoc(), b);
                      return SmallVector<Value>{library::roundedRoot({&builder, v[0]}).value};
                    });
  if (failed(results))
    return failure();
  for (auto [value, result] : llvm::zip_equal(op->getResults(), *results))
    d.set(value, result);
  return success();
}

/// Also converts ub.poison. A tensor becomes zero, and a pointer becomes one that can merge with
/// any other.
LogicalResult triton::distribute::convertConstant(Distribution &d, Operation *op) {
  Value result = op->getResult(0);
  auto type = dyn_cast<RankedTensorType>(result.getType());
  Type element = scalarOf(result.getType());
  if (auto pointer = dyn_cast<triton::PointerType>(element)) {
    Pointer poison{.pointee = pointer.getPointee(), .isPoison = true};
    if (type)
      poison.shape = shapeOf(type);
    d.set(result, poison);
    return success();
  }
  if (!type) {
    d.set(result, d.b.clone(*op)->getResult(0));
    return success();
  }
  Attribute value = d.b.getZeroAttr(element);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (!splat)
      return op->emitError("unsupported constant tensor with different elements; compute it from "
                           "tl.arange, or load it");
    value = splat.getSplatValue<Attribute>();
  }
  Value scalar = arith::ConstantOp::create(d.b, op->getLoc(), cast<TypedAttr>(value));
  d.set(result, d.splat(op->getLoc(), shapeOf(type), scalar));
  return success();
}

//===- Reduction.cpp - reductions as a few kinds on 32 and 64 bits ----------===//
#include "compiler/lower/subgroup/Reduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pumice::lower;
using Kind = gpu::AllReduceOperation;

static bool isFloatMinMax(Kind kind) {
  return kind == Kind::MINNUMF || kind == Kind::MAXNUMF || kind == Kind::MINIMUMF ||
         kind == Kind::MAXIMUMF;
}

static bool isSigned(Kind kind) { return kind == Kind::MINSI || kind == Kind::MAXSI; }

/// Returns the equivalent kind on i1. An unsigned i1 is a number modulo 2. A signed i1 is 0 or -1.
static Kind onBits(Kind kind) {
  switch (kind) {
  case Kind::ADD:
    return Kind::XOR;
  case Kind::MUL:
  case Kind::MINUI:
  case Kind::MAXSI:
    return Kind::AND;
  case Kind::MAXUI:
  case Kind::MINSI:
    return Kind::OR;
  default:
    return kind;
  }
}

FailureOr<Reduction> Reduction::get(Operation *op, Kind kind, Type type) {
  Reduction result;
  result.source = type;
  result.sourceKind = result.encodedKind = kind;
  MLIRContext *context = type.getContext();
  unsigned width = type.getIntOrFloatBitWidth();
  bool isFloat = isa<FloatType>(type);
  bool known = isFloat ? width <= 32 || type.isF64() : width <= 64;
  if (!known) {
    op->emitError("cannot reduce values of type ")
        << type << " across lanes: convert them to " << (isFloat ? "f64" : "i64") << " or narrower";
    return failure();
  }
  unsigned encodedWidth = width <= 32 ? 32 : 64;
  if (isFloat && !isFloatMinMax(kind)) {
    result.encoded = encodedWidth == 32 ? Type(Float32Type::get(context)) : type;
    return result;
  }
  result.encoded = IntegerType::get(context, encodedWidth);
  if (isFloat)
    result.encodedKind =
        kind == Kind::MINNUMF || kind == Kind::MINIMUMF ? Kind::MINSI : Kind::MAXSI;
  else if (width == 1)
    result.encodedKind = onBits(kind);
  return result;
}

static Value constantInt(OpBuilder &b, Location loc, Type type, APInt value) {
  return arith::ConstantOp::create(b, loc, type, IntegerAttr::get(type, value));
}

/// Flips all bits of negative floats except the sign, since these bits order negative floats
/// backwards. The function is its own inverse.
static Value flipNegative(OpBuilder &b, Location loc, Value bits) {
  Type type = bits.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Value shift = constantInt(b, loc, type, APInt(width, width - 1));
  Value magnitude = constantInt(b, loc, type, APInt::getSignedMaxValue(width));
  Value sign = arith::ShRSIOp::create(b, loc, bits, shift);
  Value mask = arith::AndIOp::create(b, loc, sign, magnitude);
  return arith::XOrIOp::create(b, loc, bits, mask);
}

/// Returns the key of NaN, at one end of the order. At that end it always wins (minimumf, maximumf)
/// or always loses (minnumf, maxnumf). Decoding turns both ends into NaN again.
static APInt nanKey(Kind kind, unsigned width) {
  bool least = kind == Kind::MINIMUMF || kind == Kind::MAXNUMF;
  return least ? APInt::getSignedMinValue(width) : APInt::getSignedMaxValue(width);
}

static Value encodeKey(OpBuilder &b, Location loc, Value value, Kind kind, Type keyType) {
  auto floatType = cast<FloatType>(value.getType());
  unsigned width = floatType.getWidth();
  Value bits = arith::BitcastOp::create(b, loc, keyType, value);
  Value magnitude = arith::AndIOp::create(
      b, loc, bits, constantInt(b, loc, keyType, APInt::getSignedMaxValue(width)));
  APInt infinity = APFloat::getInf(floatType.getFloatSemantics()).bitcastToAPInt();
  // Tests the bits instead of x != x, since drivers may assume that float arithmetic has no NaN.
  Value isNan = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, magnitude,
                                      constantInt(b, loc, keyType, infinity));
  return arith::SelectOp::create(b, loc, isNan, constantInt(b, loc, keyType, nanKey(kind, width)),
                                 flipNegative(b, loc, bits));
}

Value Reduction::encode(OpBuilder &b, Location loc, Value value) const {
  unsigned width = source.getIntOrFloatBitWidth();
  unsigned encodedWidth = encoded.getIntOrFloatBitWidth();
  if (auto type = dyn_cast<FloatType>(source)) {
    if (width < encodedWidth)
      value = arith::ExtFOp::create(b, loc, Float32Type::get(b.getContext()), value);
    return isFloatMinMax(sourceKind) ? encodeKey(b, loc, value, sourceKind, encoded) : value;
  }
  if (width == encodedWidth)
    return value;
  if (isSigned(sourceKind) && width > 1)
    return arith::ExtSIOp::create(b, loc, encoded, value);
  return arith::ExtUIOp::create(b, loc, encoded, value);
}

Value Reduction::decode(OpBuilder &b, Location loc, Value value) const {
  if (auto type = dyn_cast<FloatType>(source)) {
    Type wide = type.getWidth() < 32 ? Float32Type::get(b.getContext()) : type;
    if (isFloatMinMax(sourceKind))
      value = arith::BitcastOp::create(b, loc, wide, flipNegative(b, loc, value));
    return wide == type ? value : Value(arith::TruncFOp::create(b, loc, type, value));
  }
  return source == encoded ? value : Value(arith::TruncIOp::create(b, loc, source, value));
}

Value Reduction::combine(OpBuilder &b, Location loc, Value lhs, Value rhs) const {
  bool isFloat = isa<FloatType>(encoded);
  switch (encodedKind) {
  case Kind::ADD:
    return isFloat ? Value(arith::AddFOp::create(b, loc, lhs, rhs))
                   : Value(arith::AddIOp::create(b, loc, lhs, rhs));
  case Kind::MUL:
    return isFloat ? Value(arith::MulFOp::create(b, loc, lhs, rhs))
                   : Value(arith::MulIOp::create(b, loc, lhs, rhs));
  case Kind::MINUI:
    return arith::MinUIOp::create(b, loc, lhs, rhs);
  case Kind::MAXUI:
    return arith::MaxUIOp::create(b, loc, lhs, rhs);
  case Kind::MINSI:
    return arith::MinSIOp::create(b, loc, lhs, rhs);
  case Kind::MAXSI:
    return arith::MaxSIOp::create(b, loc, lhs, rhs);
  case Kind::AND:
    return arith::AndIOp::create(b, loc, lhs, rhs);
  case Kind::OR:
    return arith::OrIOp::create(b, loc, lhs, rhs);
  case Kind::XOR:
    return arith::XOrIOp::create(b, loc, lhs, rhs);
  default:
    llvm_unreachable("min and max of floats are encoded as integers");
  }
}

Value Reduction::identity(OpBuilder &b, Location loc) const {
  if (auto type = dyn_cast<FloatType>(encoded)) {
    double value = encodedKind == Kind::ADD ? -0.0 : 1.0;
    return arith::ConstantOp::create(b, loc, type, b.getFloatAttr(type, value));
  }
  unsigned width = encoded.getIntOrFloatBitWidth();
  switch (encodedKind) {
  case Kind::MUL:
    return constantInt(b, loc, encoded, APInt(width, 1));
  case Kind::MINUI:
  case Kind::AND:
    return constantInt(b, loc, encoded, APInt::getAllOnes(width));
  case Kind::MINSI:
    return constantInt(b, loc, encoded, APInt::getSignedMaxValue(width));
  case Kind::MAXSI:
    return constantInt(b, loc, encoded, APInt::getSignedMinValue(width));
  default:
    return constantInt(b, loc, encoded, APInt::getZero(width));
  }
}

std::optional<Kind> pumice::lower::matchReductionRegion(Region &region) {
  if (!region.hasOneBlock() || region.getNumArguments() != 2)
    return std::nullopt;
  Block &block = region.front();
  if (block.getOperations().size() != 2)
    return std::nullopt;
  Operation &op = block.front();
  if (op.getNumOperands() != 2 || op.getNumResults() != 1 ||
      block.getTerminator()->getOperands() != ValueRange(op.getResults()))
    return std::nullopt;
  auto uses = [&](unsigned a, unsigned b) {
    return op.getOperand(0) == block.getArgument(a) && op.getOperand(1) == block.getArgument(b);
  };
  if (!uses(0, 1) && !uses(1, 0))
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<Kind>>(&op)
      .Case<arith::AddIOp, arith::AddFOp>([](auto) { return Kind::ADD; })
      .Case<arith::MulIOp, arith::MulFOp>([](auto) { return Kind::MUL; })
      .Case<arith::AndIOp>([](auto) { return Kind::AND; })
      .Case<arith::OrIOp>([](auto) { return Kind::OR; })
      .Case<arith::XOrIOp>([](auto) { return Kind::XOR; })
      .Case<arith::MinUIOp>([](auto) { return Kind::MINUI; })
      .Case<arith::MaxUIOp>([](auto) { return Kind::MAXUI; })
      .Case<arith::MinSIOp>([](auto) { return Kind::MINSI; })
      .Case<arith::MaxSIOp>([](auto) { return Kind::MAXSI; })
      .Case<arith::MinNumFOp>([](auto) { return Kind::MINNUMF; })
      .Case<arith::MaxNumFOp>([](auto) { return Kind::MAXNUMF; })
      .Case<arith::MinimumFOp>([](auto) { return Kind::MINIMUMF; })
      .Case<arith::MaximumFOp>([](auto) { return Kind::MAXIMUMF; })
      .Default(std::nullopt);
}

//===- FloatControls.cpp - float arithmetic in the modes of an entry point --===//
//   RoundingModeRTZ 32:     s = x + y, to nearest; one step back if its error has the other sign
//   DenormFlushToZero 32:   |r| < 2^-126 ? copysign(0, r) : r
// Both modes are emulated in arithmetic, instead of setting a mode of the processor, for three
// reasons. Each width may need a different mode. Our polynomials and divisions rely on rounding to
// nearest. LLVM folds and moves instructions as if rounding to nearest were the only mode.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/from_spirv/OpenCl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;
using arith::FastMathFlags;

//===-------------------------------------------------------------------------===//
// Modes and decorations
//===-------------------------------------------------------------------------===//

// The bits of SPIR-V's FPFastMathMode (section 3.15). NotNaN and NotInf are not used, because LLVM
// makes poison of values that break these promises.
static constexpr uint32_t noSignedZeros = 0x4, allowReciprocal = 0x8, fast = 0x10,
                          allowContract = 0x10000, allowReassociation = 0x20000;

static unsigned indexOf(Type type) { return llvm::Log2_32(type.getIntOrFloatBitWidth()) - 4; }

bool FloatRules::contains(uint32_t widths, Type type) {
  return isa<Float16Type, Float32Type, Float64Type>(type) &&
         (widths & type.getIntOrFloatBitWidth()) != 0;
}

static DenseI32ArrayAttr numbersOf(Operation *op, StringRef dictionary, StringRef name) {
  auto all = op->getAttrOfType<DictionaryAttr>(dictionary);
  return all ? all.getAs<DenseI32ArrayAttr>(name) : DenseI32ArrayAttr();
}

void FloatRules::setModes(Operation *entryPoint) {
  auto widths = [&](StringRef mode) {
    uint32_t set = 0;
    if (DenseI32ArrayAttr numbers = numbersOf(entryPoint, "spvx.modes", mode))
      for (int32_t width : numbers.asArrayRef())
        set |= static_cast<uint32_t>(width);
    return set;
  };
  flush = widths("DenormFlushToZero");
  towardZero = widths("RoundingModeRTZ");
  auto modes = entryPoint->getAttrOfType<DictionaryAttr>("spvx.modes");
  contractionOff = modes && modes.contains("ContractionOff");
  // Reads pairs: a width, and the modes that are allowed for it.
  if (DenseI32ArrayAttr pairs = numbersOf(entryPoint, "spvx.modes", "FPFastMathDefault"))
    for (int64_t i = 0; i + 1 < pairs.size(); i += 2)
      if (pairs[i] == 16 || pairs[i] == 32 || pairs[i] == 64) {
        hasDefault |= static_cast<uint32_t>(pairs[i]);
        defaults[llvm::Log2_32(static_cast<uint32_t>(pairs[i])) - 4] =
            static_cast<uint32_t>(pairs[i + 1]);
      }
  constexpr int32_t floatControls2 = 6029;
  auto module = entryPoint->getParentOfType<ModuleOp>();
  auto capabilities =
      module ? module->getAttrOfType<DenseI32ArrayAttr>("spvx.capabilities") : DenseI32ArrayAttr();
  isListed = capabilities && llvm::is_contained(capabilities.asArrayRef(), floatControls2);
}

void FloatRules::setInstruction(Operation *instruction) {
  noContraction = isDecorated(instruction, "NoContraction");
  DenseI32ArrayAttr stated = numbersOf(instruction, "spvx.decorations", "FPFastMathMode");
  mode = stated && !stated.empty() ? std::optional(static_cast<uint32_t>(stated[0])) : std::nullopt;
}

uint32_t FloatRules::flags(Type type) const {
  if (roundsTowardZero(type))
    return 0;
  std::optional<uint32_t> allowed = mode;
  if (!allowed && contains(hasDefault, type))
    allowed = defaults[indexOf(type)];
  auto result = FastMathFlags::none;
  bool contracts = !contractionOff && !noContraction;
  if (isListed && allowed)
    contracts &= (*allowed & (allowContract | fast)) != 0;
  if (contracts)
    result = result | FastMathFlags::contract;
  if (allowed && (*allowed & (noSignedZeros | fast)))
    result = result | FastMathFlags::nsz;
  if (allowed && (*allowed & (allowReciprocal | fast)))
    result = result | FastMathFlags::arcp;
  if (allowed && (*allowed & (allowReassociation | fast)))
    result = result | FastMathFlags::reassoc;
  return static_cast<uint32_t>(result);
}

bool pumice::cpu::computesFloats(StringRef name) {
  if (name.consume_front("OpenCL.std/"))
    return llvm::none_of(ArrayRef<StringRef>{"load", "store", "select", "shuffle", "printf", "nan"},
                         [&](StringRef bits) { return name.contains(bits); });
  return llvm::any_of(ArrayRef<StringRef>{"F", "Dot", "MatrixTimes", "VectorTimes", "OuterProduct",
                                          "GroupF", "GroupNonUniformF", "LessOrGreater",
                                          "QuantizeToF16", "GLSL.std.450/", "ConvertF",
                                          "CooperativeMatrixMulAdd"},
                      [&](StringRef family) { return name.starts_with(family); });
}

//===-------------------------------------------------------------------------===//
// Toward zero
//===-------------------------------------------------------------------------===//

static constexpr int32_t toEven = 0, towardZero = 1; // SPIR-V's rounding modes

static Value widened(Lowering &l, Type type, Value x) {
  return arith::ExtFOp::create(l.b, type, x);
}

static Value isInfinite(Lowering &l, Value x) {
  auto type = cast<FloatType>(x.getType());
  Value infinity = arith::ConstantOp::create(
      l.b, l.b.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics())));
  return arith::CmpFOp::create(l.b, arith::CmpFPredicate::OEQ, math::AbsFOp::create(l.b, x),
                               infinity);
}

/// If `wrong` is true, returns the next float towards zero. Otherwise returns x.
static Value stepBack(Lowering &l, Value wrong, Value x) {
  unsigned width = x.getType().getIntOrFloatBitWidth();
  Value bits = arith::BitcastOp::create(l.b, l.b.getIntegerType(width), x);
  Value less = arith::AddIOp::create(l.b, bits, l.integer(-1, width));
  Value moved = arith::BitcastOp::create(l.b, x.getType(), less);
  return arith::SelectOp::create(l.b, wrong, moved, x);
}

/// Corrects a rounded result. result + error is the exact value. If the magnitude of the result
/// exceeds that of the exact value, the result moves one float towards zero.
static Value withoutExcess(Lowering &l, Value result, Value error) {
  unsigned width = result.getType().getIntOrFloatBitWidth();
  Type integer = l.b.getIntegerType(width);
  Value signs = arith::XOrIOp::create(l.b, arith::BitcastOp::create(l.b, integer, result),
                                      arith::BitcastOp::create(l.b, integer, error));
  Value differ = arith::CmpIOp::create(l.b, arith::CmpIPredicate::slt, signs, l.integer(0, width));
  Value inexact =
      arith::CmpFOp::create(l.b, arith::CmpFPredicate::ONE, error, l.zero(result.getType()));
  return stepBack(l, arith::AndIOp::create(l.b, differ, inexact), result);
}

/// Adds. Knuth's two-sum computes the rounding error of a sum, which is always a float. A sum that
/// overflows becomes the largest float, unless an operand is infinite.
static Value addTowardZero(Lowering &l, Value x, Value y) {
  auto plus = [&](Value a, Value b) -> Value { return arith::AddFOp::create(l.b, a, b); };
  auto minus = [&](Value a, Value b) -> Value { return arith::SubFOp::create(l.b, a, b); };
  Value sum = plus(x, y), ofY = minus(sum, x);
  Value error = plus(minus(x, minus(sum, ofY)), minus(y, ofY));
  Value finite = arith::OrIOp::create(l.b, isInfinite(l, x), isInfinite(l, y));
  finite = arith::XOrIOp::create(l.b, finite, l.integer(1, 1));
  Value overflow = arith::AndIOp::create(l.b, isInfinite(l, sum), finite);
  return stepBack(l, overflow, withoutExcess(l, sum, error));
}

/// The rounding error of a product is a float, unless the product is close to the smallest floats.
/// So both factors of small products are scaled up before the error is computed.
static Value multiplyDoublesTowardZero(Lowering &l, Value x, Value y) {
  Type type = x.getType();
  Value product = arith::MulFOp::create(l.b, x, y);
  Value small = arith::CmpFOp::create(l.b, arith::CmpFPredicate::OLT,
                                      math::AbsFOp::create(l.b, product), l.real(type, 0x1p-900));
  Value factor = arith::SelectOp::create(l.b, small, l.real(type, 0x1p225), l.real(type, 1));
  auto scaled = [&](Value v) -> Value { return arith::MulFOp::create(l.b, v, factor); };
  Value error = math::FmaOp::create(l.b, scaled(x), scaled(y),
                                    arith::NegFOp::create(l.b, scaled(scaled(product))));
  Value finite = arith::OrIOp::create(l.b, isInfinite(l, x), isInfinite(l, y));
  finite = arith::XOrIOp::create(l.b, finite, l.integer(1, 1));
  Value overflow = arith::AndIOp::create(l.b, isInfinite(l, product), finite);
  // If the product overflows, its error is NaN or an infinity of the other sign.
  Value none = arith::SelectOp::create(l.b, isInfinite(l, product), l.zero(type), error);
  return stepBack(l, overflow, withoutExcess(l, product, none));
}

/// Computes in a wider type, in which the result is exact or rounding it twice is harmless.
template <typename Op> static Value throughWider(Lowering &l, Value x, Value y) {
  Type type = x.getType(), wide = type.isF16() ? l.b.getF32Type() : l.b.getF64Type();
  Value result = Op::create(l.b, widened(l, wide, x), widened(l, wide, y));
  return roundFloat(l, type, result, towardZero);
}

template <typename Op> static Value computeTowardZero(Lowering &l, Value x, Value y) {
  Type type = x.getType();
  if constexpr (std::is_same_v<Op, arith::SubFOp>)
    return computeTowardZero<arith::AddFOp>(l, x, arith::NegFOp::create(l.b, y));
  if constexpr (std::is_same_v<Op, arith::AddFOp>) {
    if (!type.isF16())
      return addTowardZero(l, x, y);
    Type wide = l.b.getF32Type(); // truncating twice equals truncating once
    return roundFloat(l, type, addTowardZero(l, widened(l, wide, x), widened(l, wide, y)),
                      towardZero);
  }
  if (!type.isF64())
    return throughWider<Op>(l, x, y);
  if constexpr (std::is_same_v<Op, arith::MulFOp>)
    return multiplyDoublesTowardZero(l, x, y);
  return Op::create(l.b, x, y); // SPIR-V does not require exact rounding here
}

//===-------------------------------------------------------------------------===//
// Operations
//===-------------------------------------------------------------------------===//

Value floats::flushed(Lowering &l, Value x) {
  auto type = dyn_cast<FloatType>(x.getType());
  if (!type || !l.floats.flushes(type) || l.withoutDenormals.contains(x))
    return x;
  Value smallest = arith::ConstantOp::create(
      l.b, l.b.getFloatAttr(type, APFloat::getSmallestNormalized(type.getFloatSemantics())));
  Value isSmall =
      arith::CmpFOp::create(l.b, arith::CmpFPredicate::OLT, math::AbsFOp::create(l.b, x), smallest);
  Value zero = math::CopySignOp::create(l.b, l.zero(type), x);
  Value result = arith::SelectOp::create(l.b, isSmall, zero, x);
  l.withoutDenormals.insert(result);
  return result;
}

template <typename Op> static Value compute(Lowering &l, Value x, Value y) {
  Type type = x.getType();
  Value result = l.floats.roundsTowardZero(type)
                     ? computeTowardZero<Op>(l, x, y)
                     : Op::create(l.b, x, y, static_cast<FastMathFlags>(l.floats.flags(type)));
  return floats::flushed(l, result);
}

Value floats::add(Lowering &l, Value x, Value y) { return compute<arith::AddFOp>(l, x, y); }
Value floats::sub(Lowering &l, Value x, Value y) { return compute<arith::SubFOp>(l, x, y); }
Value floats::mul(Lowering &l, Value x, Value y) { return compute<arith::MulFOp>(l, x, y); }
Value floats::div(Lowering &l, Value x, Value y) { return compute<arith::DivFOp>(l, x, y); }

Value floats::dot(Lowering &l, ArrayRef<Value> x, ArrayRef<Value> y) {
  Value sum = mul(l, x[0], y[0]);
  for (size_t i = 1; i < x.size(); ++i)
    sum = add(l, sum, mul(l, x[i], y[i]));
  return sum;
}

Value floats::multiplyAdd(Lowering &l, Value x, Value y, Value z) {
  if (l.floats.roundsTowardZero(x.getType()))
    return add(l, mul(l, x, y), z);
  return math::FmaOp::create(l.b, x, y, z);
}

Value floats::convert(Lowering &l, Type type, Value x) {
  return flushed(l, roundFloat(l, type, x, l.floats.roundsTowardZero(type) ? towardZero : toEven));
}

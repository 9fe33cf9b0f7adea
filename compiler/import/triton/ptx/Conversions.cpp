//===- Conversions.cpp - cvt ------------------------------------------------===//
//   before: cvt.rni.s8.f32 d, a;
//   after:  %r = math.roundeven %a, as an integer within the bounds of s8
// As in PTX, a number that is out of range of the integer type becomes the nearest bound, and NaN
// becomes zero. In conversions to 64 bits, and from f64, NaN becomes the highest bit, as on
// NVIDIA's GPUs.
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/ptx/Translation.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::ptx;

using Kind = PtxType::Kind;

static bool isOf8Bits(PtxType type) { return type.kind == Kind::E4M3 || type.kind == Kind::E5M2; }

static FloatType anyFloat(Translation &t, PtxType type) {
  if (type.kind == Kind::E4M3)
    return t.b.getType<Float8E4M3FNType>();
  if (type.kind == Kind::E5M2)
    return t.b.getType<Float8E5M2Type>();
  return t.floatType(type);
}

namespace {
struct Manner {
  StringRef rounding; // to floats: rn, rz, rm, rp, rna; to integers: rni, rzi, rmi, rpi
  bool isSaturated, isFinite, isRelu;
};
} // namespace

//===-------------------------------------------------------------------------===//
// Integers
//===-------------------------------------------------------------------------===//

/// Clamps x to the range of the type `to`. `isSigned` says whether x is signed.
static Number bounded(Translation &t, Number x, bool isSigned, PtxType to) {
  unsigned bits = x.bits();
  bool hasLeast = isSigned && (!to.isSigned() || to.bits < bits);
  bool hasMost = to.isSigned() && !isSigned ? to.bits <= bits : to.bits < bits;
  int64_t least = to.isSigned() ? INT64_MIN >> (64 - to.bits) : 0;
  uint64_t most = ~uint64_t(0) >> (to.isSigned() ? 65 - to.bits : 64 - to.bits);
  if (hasLeast)
    x = x.apply<arith::MaxSIOp>(t.constant(bits, static_cast<uint64_t>(least)));
  if (!hasMost)
    return x;
  Number edge = t.constant(bits, most);
  return isSigned ? x.apply<arith::MinSIOp>(edge) : x.apply<arith::MinUIOp>(edge);
}

static LogicalResult integerToInteger(Call &call, PtxType to, PtxType from, Manner manner) {
  FailureOr<Number> x = call.t.read(call, call[1], from.bits, /*relaxed=*/true);
  if (failed(x))
    return failure();
  Number value = manner.isSaturated ? bounded(call.t, *x, from.isSigned(), to) : *x;
  value = resize(value, to.bits, from.isSigned());
  return call.t.write(call, call[0], value, to.isSigned(), /*relaxed=*/true);
}

static std::string libraryName(StringRef from, StringRef to, StringRef rounding) {
  return ("__nv_" + from + "2" + to + "_" + rounding).str();
}

static StringRef roundingName(StringRef rounding) {
  return rounding.starts_with("rz")   ? "rz"
         : rounding.starts_with("rm") ? "rd"
         : rounding.starts_with("rp") ? "ru"
                                      : "rn";
}

static Number widened(Number x) {
  return x.bits() < 32 ? x.to<arith::ExtFOp>(x.with(x.b->getF32Type())) : x;
}

static LogicalResult floatToInteger(Call &call, PtxType to, PtxType from, Manner manner) {
  if (!manner.rounding.ends_with("i"))
    return call.error("expected .rni, .rzi, .rmi or .rpi, got '" + call.instruction.opcode + "'");
  FailureOr<Number> x = call.t.readFloat(call, call[1], from);
  if (failed(x))
    return failure();
  Number value = widened(*x);
  bool isWide = to.bits == 64;
  std::string name =
      libraryName(value.isDouble() ? "double" : "float",
                  to.isSigned() ? (isWide ? "ll" : "int") : (isWide ? "ull" : "uint"),
                  roundingName(manner.rounding));
  Number whole = library(name, value, call.t.integers(isWide ? 64 : 32));
  if (to.bits < 32)
    whole = resize(bounded(call.t, whole, to.isSigned(), to), to.bits);
  return call.t.write(call, call[0], whole, to.isSigned(), /*relaxed=*/true);
}

//===-------------------------------------------------------------------------===//
// Floats
//===-------------------------------------------------------------------------===//

static Number saturated(Number x, const Manner &manner) {
  if (manner.isSaturated)
    x = x.apply<arith::MaxNumFOp>(x.number(0)).apply<arith::MinNumFOp>(x.number(1));
  return manner.isRelu ? x.apply<arith::MaxNumFOp>(x.number(0)) : x;
}

/// Converts to a narrower float, which may have 8 bits.
static Number narrowed(Translation &t, Number x, FloatType type, StringRef rounding) {
  if (x.isDouble() && type.isF32() && !rounding.empty() && rounding != "rn")
    return library(libraryName("double", "float", roundingName(rounding)), x, t.typeOf(type));
  auto mode = RoundingAttr::get(t.b.getContext(),
                                rounding == "rz" ? Rounding::TowardsZero : Rounding::NearestEven);
  return t.number(FpToFpOp::create(t.b, t.typeOf(type), x.value, mode));
}

static Number rounded(Number x, StringRef rounding) {
  return rounding == "rni"   ? x.apply<math::RoundEvenOp>()
         : rounding == "rzi" ? x.apply<math::TruncOp>()
         : rounding == "rmi" ? x.apply<math::FloorOp>()
                             : x.apply<math::CeilOp>();
}

/// Rounds to 10 bits of fraction. A tie is rounded away from zero (rna), or to the even number
/// (rn).
static LogicalResult toTf32(Call &call, Manner manner) {
  FailureOr<Number> x = call.t.read(call, call[1], 32);
  if (failed(x))
    return failure();
  Translation &t = call.t;
  Number half = t.constant(32, 0x1000);
  if (manner.rounding == "rn")
    half = t.constant(32, 0xfff) + (x->apply<arith::ShRUIOp>(t.constant(32, 13)) & 1);
  else if (manner.rounding == "rz")
    half = t.constant(32, 0);
  Number result = (*x + half) & t.constant(32, 0xffffe000);
  Number magnitude = *x & t.constant(32, 0x7fffffff);
  Number isNumber = compare(magnitude, Predicate::ult, t.constant(32, 0x7f800000));
  return t.write(call, call[0], isNumber.choose(result, *x));
}

static FailureOr<Number> convertFloat(Call &call, Number x, PtxType to, PtxType from,
                                      Manner manner) {
  Translation &t = call.t;
  FloatType type = anyFloat(t, to);
  bool isDirected = manner.rounding == "rm" || manner.rounding == "rp";
  if (isDirected && !(x.isDouble() && type.isF32()))
    return call.error("expected a conversion from f64 to f32 for '." + manner.rounding +
                      "', got '" + call.instruction.opcode + "'");
  if (to.kind == from.kind && to.bits == from.bits) {
    if (manner.rounding.ends_with("i"))
      x = rounded(x, manner.rounding);
    return saturated(x, manner);
  }
  if (manner.rounding.ends_with("i"))
    return call.error("expected the same type on both sides for '." + manner.rounding + "', got '" +
                      call.instruction.opcode + "'");
  if (isOf8Bits(from)) { // exact in f32, through f16
    x = t.number(FpToFpOp::create(t.b, t.typeOf(t.b.getF16Type()), x.value, RoundingAttr()));
    if (to.bits == 16 && to.kind == Kind::Float)
      return saturated(x, manner);
  }
  // Numbers are clamped before rounding, because rounding does not change any bound.
  if (manner.isSaturated || manner.isRelu)
    x = saturated(widened(x), manner);
  if (type.getWidth() > x.bits())
    return x.to<arith::ExtFOp>(t.typeOf(type));
  if (type == x.element())
    return x;
  if (type.getWidth() == x.bits())
    x = widened(x);
  if (manner.isFinite && to.bits == 16) {
    double most = APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
    Number kept = (x > most).choose(x.number(most), x);
    x = (x < -most).choose(x.number(-most), kept);
  }
  return narrowed(t, x, type, manner.rounding);
}

/// Translates, for example, cvt.rn.f16x2.f32 d, a, b. The operand a becomes the upper half.
static LogicalResult packFloats(Call &call, PtxType to, PtxType from, Manner manner) {
  if (failed(call.finish(3)))
    return failure();
  SmallVector<Number> parts;
  for (size_t i : {2, 1}) {
    FailureOr<Number> x = call.t.readFloat(call, call[i], from);
    FailureOr<Number> part = failed(x) ? x : convertFloat(call, *x, to.element(), from, manner);
    if (failed(part))
      return failure();
    parts.push_back(bitsOf(*part));
  }
  return call.t.write(call, call[0], join(parts));
}

/// Translates, for example, cvt.rn.f16x2.e4m3x2 d, a, and the reverse.
static LogicalResult convertPairs(Call &call, PtxType to, PtxType from, Manner manner) {
  if (failed(call.finish(2)))
    return failure();
  FailureOr<Number> word = call.t.read(call, call[1], from.width());
  if (failed(word))
    return failure();
  SmallVector<Number> parts;
  for (Number part : split(*word, from.bits)) {
    FailureOr<Number> x = convertFloat(call, asFloat(part, anyFloat(call.t, from)), to.element(),
                                       from.element(), manner);
    if (failed(x))
      return failure();
    parts.push_back(bitsOf(*x));
  }
  return call.t.write(call, call[0], join(parts));
}

static LogicalResult floatToFloat(Call &call, PtxType to, PtxType from, Manner manner) {
  if (to.lanes == 2 && from.lanes == 1 && from.bits == 32)
    return packFloats(call, to, from, manner);
  if (to.lanes == 2 && from.lanes == 2)
    return convertPairs(call, to, from, manner);
  if (to.lanes > 1 || from.lanes > 1 || isOf8Bits(to) || isOf8Bits(from))
    return call.error("expected types between which PTX converts, got '" + call.instruction.opcode +
                      "'");
  FailureOr<Number> x = call.t.readFloat(call, call[1], from);
  FailureOr<Number> result = failed(x) ? x : convertFloat(call, *x, to, from, manner);
  return failed(result) ? failure() : call.t.write(call, call[0], *result, false, /*relaxed=*/true);
}

static LogicalResult integerToFloat(Call &call, PtxType to, PtxType from, Manner manner) {
  FailureOr<Number> x = call.t.read(call, call[1], from.bits, /*relaxed=*/true);
  if (failed(x))
    return failure();
  Translation &t = call.t;
  FloatType type = t.floatType(to);
  StringRef rounding = manner.rounding;
  Number value = *x;
  if (to.bits >= 32 && !rounding.empty() && rounding != "rn") {
    bool isWide = from.bits == 64;
    value = resize(value, isWide ? 64 : 32, from.isSigned());
    std::string name =
        libraryName(from.isSigned() ? (isWide ? "ll" : "int") : (isWide ? "ull" : "uint"),
                    to.bits == 64 ? "double" : "float", roundingName(rounding));
    value = library(name, value, t.typeOf(type));
  } else if (!rounding.empty() && rounding != "rn") {
    return call.error("expected a conversion to f32 or f64 for '." + rounding + "', got '" +
                      call.instruction.opcode + "'");
  } else {
    value = from.isSigned() ? value.to<arith::SIToFPOp>(t.typeOf(type))
                            : value.to<arith::UIToFPOp>(t.typeOf(type));
  }
  return t.write(call, call[0], saturated(value, manner), false, /*relaxed=*/true);
}

//===-------------------------------------------------------------------------===//
// The opcode
//===-------------------------------------------------------------------------===//

static LogicalResult convert(Call &call) {
  FailureOr<PtxType> from = call.takeType();
  FailureOr<PtxType> to = failed(from) ? from : call.takeType();
  if (failed(to))
    return failure();
  call.take("ftz");
  Manner manner;
  manner.rounding = call.takeAny({"rni", "rzi", "rmi", "rpi", "rna", "rn", "rz", "rm", "rp"});
  manner.isSaturated = call.take("sat");
  manner.isFinite = call.take("satfinite");
  manner.isRelu = call.take("relu");
  if (failed(call.finish(2, 3)))
    return failure();
  bool isPair = to->lanes == 2 && from->lanes == 1;
  if (call.count() != (isPair ? 3u : 2u))
    return call.error("'" + call.instruction.opcode + "' takes " + Twine(isPair ? 3 : 2) +
                      " operands, got " + Twine(call.count()));
  auto isTiny = [](PtxType type) { return type.kind == Kind::E2M1 || type.kind == Kind::UE8M0; };
  if (isTiny(*to) || isTiny(*from))
    return convertTinyFloats(call, *to, *from, manner.rounding);
  auto isPlain = [](PtxType type) { return type.kind != Kind::Bits && !type.isPredicate(); };
  if (!isPlain(*to) || !isPlain(*from) || from->kind == Kind::Tf32 ||
      (!(to->isFloat() && from->isFloat()) && to->lanes + from->lanes > 2))
    return call.error("expected types between which PTX converts, got '" + call.instruction.opcode +
                      "'");
  if (to->kind == Kind::Tf32)
    return from->kind == Kind::Float && from->bits == 32
               ? toTf32(call, manner)
               : call.error("expected f32 to convert to tf32, got '" + call.instruction.opcode +
                            "'");
  if (manner.rounding == "rna")
    return call.error("expected a conversion to tf32 for '.rna', got '" + call.instruction.opcode +
                      "'");
  if (to->isFloat() && from->isFloat())
    return floatToFloat(call, *to, *from, manner);
  if (isOf8Bits(*to) || isOf8Bits(*from))
    return call.error("expected types between which PTX converts, got '" + call.instruction.opcode +
                      "'");
  if (to->isFloat())
    return integerToFloat(call, *to, *from, manner);
  return from->isFloat() ? floatToInteger(call, *to, *from, manner)
                         : integerToInteger(call, *to, *from, manner);
}

static constexpr Rule rules[] = {{"cvt", convert}};

ArrayRef<Rule> ptx::convertRules() { return rules; }

//===- Floats.cpp - arithmetic on floats ------------------------------------===//
//   before: tanh.approx.f32 d, a;
//   after:  %d = math.tanh %a
// Approximations are as accurate as Pumice's libdevice functions, which is more than PTX requires.
// `.ftz` is ignored, so subnormal numbers are kept. Packed halves are computed one by one.
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/ptx/Translation.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::ptx;

using Kind = PtxType::Kind;
using Numbers = ArrayRef<Number>;

namespace {

/// The parts of an opcode, other than its name and type.
struct Style {
  StringRef rounding; // rn, rz, rm, rp; empty: to nearest, or approximate
  bool isSaturated, isRelu, propagatesNan;
};

} // namespace

static bool isComputed(PtxType type) {
  return (type.kind == Kind::Float || type.kind == Kind::BFloat) && type.width() <= 64 &&
         type.lanes <= 2;
}

static Style takeStyle(Call &call) {
  for (StringRef hint : {"ftz", "noftz", "approx", "full"})
    call.take(hint);
  Style style;
  style.rounding = call.takeAny({"rn", "rz", "rm", "rp"});
  style.isSaturated = call.take("sat");
  style.isRelu = call.take("relu");
  style.propagatesNan = call.take("NaN");
  return style;
}

static Number withStyle(Number x, const Style &style) {
  if (style.isSaturated) // turns NaN into zero
    x = x.apply<arith::MaxNumFOp>(x.number(0)).apply<arith::MinNumFOp>(x.number(1));
  return style.isRelu ? x.apply<arith::MaximumFOp>(x.number(0)) : x;
}

/// Computes one result from `operands` floats, lane by lane.
static LogicalResult eachLane(Call &call, PtxType type, size_t operands, const Style &style,
                              llvm::function_ref<Number(Numbers)> make) {
  if (!isComputed(type))
    return call.error("expected a type that '" + call.name + "' takes, got '" +
                      call.instruction.opcode + "'");
  if (failed(call.finish(operands + 1)))
    return failure();
  FloatType element = call.t.floatType(type);
  SmallVector<SmallVector<Number>> parts;
  for (size_t i = 1; i <= operands; ++i) {
    const Operand &operand = call[i];
    if (failed(call.checkNumber(operand, type)))
      return failure();
    FailureOr<Number> word = call.t.read(call, operand, type.width());
    if (failed(word))
      return failure();
    parts.emplace_back();
    for (Number part : type.lanes == 1 ? SmallVector<Number>{*word} : split(*word, type.bits))
      parts.back().push_back(asFloat(part, element));
  }
  SmallVector<Number> results;
  for (unsigned lane = 0; lane < type.lanes; ++lane) {
    SmallVector<Number> v =
        llvm::map_to_vector(parts, [&](const SmallVector<Number> &part) { return part[lane]; });
    results.push_back(bitsOf(withStyle(make(v), style)));
  }
  return call.t.write(call, call[0], type.lanes == 1 ? results[0] : join(results));
}

/// Computes in f32 what is defined on 16-bit floats.
static Number inSingle(Number x, llvm::function_ref<Number(Number)> make) {
  if (x.bits() >= 32)
    return make(x);
  Number wide = x.to<arith::ExtFOp>(x.with(x.b->getF32Type()));
  return make(wide).to<arith::TruncFOp>(x.type());
}

//===-------------------------------------------------------------------------===//
// Operations that integers also have, and fma
//===-------------------------------------------------------------------------===//

/// Returns the name of libdevice's function that rounds in a direction, for f32 or f64: fadd_rz,
/// drcp_ru.
static std::string directed(StringRef name, StringRef rounding, bool isDouble) {
  StringRef ending = rounding == "rz" ? "_rz" : rounding == "rm" ? "_rd" : "_ru";
  if (name == "fma")
    return ("__nv_fma" + Twine(isDouble ? "" : "f") + ending).str();
  return ("__nv_" + Twine(isDouble ? "d" : "f") + name + ending).str();
}

static bool isDirected(const Style &style) {
  return !style.rounding.empty() && style.rounding != "rn";
}

static LogicalResult refuseRounding(Call &call, const Style &style) {
  return call.error("expected f32 or f64 for '." + style.rounding + "', got '" +
                    call.instruction.opcode + "'");
}

static Number dividedExactly(Number x, Number y) {
  if (!x.element().isF32())
    return x / y;
  return {x.b, PreciseDivFOp::create(*x.b, x.type(), x.value, y.value)};
}

static Number computed(Call &call, const Style &style, bool isExact, Numbers v) {
  StringRef name = call.name;
  if (isDirected(style))
    return library(directed(name == "mad" ? "fma" : name, style.rounding, v[0].isDouble()), v,
                   v[0].type());
  if (name == "add")
    return v[0] + v[1];
  if (name == "sub")
    return v[0] - v[1];
  if (name == "mul")
    return v[0] * v[1];
  if (name == "div")
    return isExact ? dividedExactly(v[0], v[1]) : v[0] / v[1];
  if (name == "neg")
    return -v[0];
  if (name == "abs")
    return v[0].abs();
  if (name == "max")
    return style.propagatesNan ? v[0].apply<arith::MaximumFOp>(v[1])
                               : v[0].apply<arith::MaxNumFOp>(v[1]);
  if (name == "min")
    return style.propagatesNan ? v[0].apply<arith::MinimumFOp>(v[1])
                               : v[0].apply<arith::MinNumFOp>(v[1]);
  return fma(v[0], v[1], v[2]); // fma and mad
}

LogicalResult ptx::floatArithmetic(Call &call, PtxType type) {
  Style style = takeStyle(call);
  if (isDirected(style) && (type.bits < 32 || type.lanes > 1))
    return refuseRounding(call, style);
  bool isUnary = call.name == "neg" || call.name == "abs";
  bool isBound = call.name == "min" || call.name == "max";
  if ((isUnary || isBound) && !style.rounding.empty())
    return call.error("expected no rounding of '" + call.name + "', which is exact, got '" +
                      call.instruction.opcode + "'");
  bool hasThree = call.name == "fma" || call.name == "mad";
  bool isExact = call.name == "div" && style.rounding == "rn";
  return eachLane(call, type,
                  isUnary    ? 1
                  : hasThree ? 3
                             : 2,
                  style, [&](Numbers v) { return computed(call, style, isExact, v); });
}

static LogicalResult multiplyAdd(Call &call) {
  FailureOr<PtxType> type = call.takeType();
  return failed(type) ? failure() : floatArithmetic(call, *type);
}

/// Combines the sign of the first operand with the magnitude of the second.
static LogicalResult copySign(Call &call) {
  FailureOr<PtxType> type = call.takeType();
  if (failed(type))
    return failure();
  return eachLane(call, *type, 2, {}, [](Numbers v) { return v[1].apply<math::CopySignOp>(v[0]); });
}

//===-------------------------------------------------------------------------===//
// Functions
//===-------------------------------------------------------------------------===//

template <typename Op> static LogicalResult function(Call &call) {
  FailureOr<PtxType> type = call.takeType();
  if (failed(type))
    return failure();
  if (!call.take("approx"))
    return call.error("expected .approx, got '" + call.instruction.opcode + "'");
  Style style = takeStyle(call);
  if (!style.rounding.empty())
    return call.error("expected no rounding of '" + call.name + "', which is approximate, got '" +
                      call.instruction.opcode + "'");
  if (type->bits == 64 && call.name != "rsqrt")
    return call.error("expected f32 or floats of 16 bits, got '" + call.instruction.opcode + "'");
  return eachLane(call, *type, 1, style,
                  [](Numbers v) { return inSingle(v[0], [](Number x) { return x.apply<Op>(); }); });
}

/// Translates rcp and sqrt. They are approximate, or round in a direction.
static LogicalResult rootOrInverse(Call &call) {
  FailureOr<PtxType> type = call.takeType();
  if (failed(type))
    return failure();
  Style style = takeStyle(call);
  bool isRoot = call.name == "sqrt";
  if (type->bits < 32)
    return call.error("expected f32 or f64, got '" + call.instruction.opcode + "'");
  return eachLane(call, *type, 1, style, [&](Numbers v) {
    Number x = v[0];
    if (isDirected(style))
      return library(directed(call.name, style.rounding, x.isDouble()), v, x.type());
    bool isExact = style.rounding == "rn";
    if (!isRoot)
      return isExact ? dividedExactly(x.number(1), x) : 1.0 / x;
    if (isExact && x.element().isF32())
      return Number{x.b, PreciseSqrtOp::create(*x.b, x.type(), x.value)};
    return x.apply<math::SqrtOp>();
  });
}

static constexpr Rule rules[] = {
    {"copysign", copySign},
    {"cos", function<math::CosOp>},
    {"ex2", function<math::Exp2Op>},
    {"fma", multiplyAdd},
    {"lg2", function<math::Log2Op>},
    {"rcp", rootOrInverse},
    {"rsqrt", function<math::RsqrtOp>},
    {"sin", function<math::SinOp>},
    {"sqrt", rootOrInverse},
    {"tanh", function<math::TanhOp>},
};

ArrayRef<Rule> ptx::floatRules() { return rules; }

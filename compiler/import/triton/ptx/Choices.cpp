//===- Choices.cpp - comparisons and selections -----------------------------===//
//   before: setp.lt.f32 p, a, b;   selp.f32 d, a, b, p;
//   after:  %p = arith.cmpf olt, %a, %b   %d = arith.select %p, %a, %b
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/ptx/Translation.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::ptx;

using Kind = PtxType::Kind;
using Order = arith::CmpFPredicate;

namespace {
struct Comparison {
  StringLiteral name;
  std::optional<Predicate> isSigned, isUnsigned;
  std::optional<Order> ofFloats;
};
} // namespace

static constexpr std::nullopt_t none = std::nullopt;
static const Comparison comparisons[] = {
    {"eq", Predicate::eq, Predicate::eq, Order::OEQ},
    {"ne", Predicate::ne, Predicate::ne, Order::ONE},
    {"lt", Predicate::slt, Predicate::ult, Order::OLT},
    {"le", Predicate::sle, Predicate::ule, Order::OLE},
    {"gt", Predicate::sgt, Predicate::ugt, Order::OGT},
    {"ge", Predicate::sge, Predicate::uge, Order::OGE},
    {"lo", none, Predicate::ult, none},
    {"ls", none, Predicate::ule, none},
    {"hi", none, Predicate::ugt, none},
    {"hs", none, Predicate::uge, none},
    {"equ", none, none, Order::UEQ},
    {"neu", none, none, Order::UNE},
    {"ltu", none, none, Order::ULT},
    {"leu", none, none, Order::ULE},
    {"gtu", none, none, Order::UGT},
    {"geu", none, none, Order::UGE},
    {"num", none, none, Order::ORD},
    {"nan", none, none, Order::UNO},
};

static const Comparison *takeComparison(Call &call) {
  for (const Comparison &comparison : comparisons)
    if (call.take(comparison.name))
      return &comparison;
  return nullptr;
}

/// Compares two operands, and returns an i1 for each lane of the type.
static FailureOr<SmallVector<Number>> compareOperands(Call &call, const Comparison *comparison,
                                                      PtxType type) {
  if (!comparison)
    return call.error("expected a comparison such as .eq or .lt, got '" + call.instruction.opcode +
                      "'");
  bool isFloat = type.isFloat();
  std::optional<Predicate> integers =
      type.isSigned() ? comparison->isSigned : comparison->isUnsigned;
  bool isSound = isFloat ? comparison->ofFloats.has_value() : integers.has_value();
  if (type.kind == Kind::Bits && comparison->name != "eq" && comparison->name != "ne")
    isSound = false;
  if (!isSound || type.isPredicate() || (isFloat && type.bits < 16) || type.bits < 16)
    return call.error("expected a type that '." + comparison->name + "' compares, got '" +
                      call.instruction.opcode + "'");
  SmallVector<SmallVector<Number>> parts;
  for (size_t i = 1; i <= 2; ++i) {
    if (failed(call.checkNumber(call[i], type)))
      return failure();
    FailureOr<Number> word = call.t.read(call, call[i], type.width());
    if (failed(word))
      return failure();
    parts.push_back(type.lanes == 1 ? SmallVector<Number>{*word} : split(*word, type.bits));
  }
  SmallVector<Number> truths;
  for (auto [x, y] : llvm::zip_equal(parts[0], parts[1])) {
    if (!isFloat) {
      truths.push_back(compare(x, *integers, y));
      continue;
    }
    Number a = asFloat(x, call.t.floatType(type)), b = asFloat(y, call.t.floatType(type));
    truths.push_back({x.b, arith::CmpFOp::create(*x.b, *comparison->ofFloats, a.value, b.value)});
  }
  return truths;
}

static Number combined(StringRef how, Number x, Number y) {
  return how == "and" ? x & y : how == "or" ? x | y : x ^ y;
}

/// Translates, for example, setp.lt.and.s32 p|q, a, b, c: p is (a < b) and c, and q is !(a < b) and
/// c. For packed halves, p and q are the results of the two halves.
static LogicalResult setPredicate(Call &call) {
  FailureOr<PtxType> type = call.takeType();
  if (failed(type))
    return failure();
  call.take("ftz");
  const Comparison *comparison = takeComparison(call);
  StringRef how = call.takeAny({"and", "or", "xor"});
  if (failed(call.finish(how.empty() ? 3 : 4)))
    return failure();
  FailureOr<SmallVector<Number>> truths = compareOperands(call, comparison, *type);
  if (failed(truths))
    return failure();
  bool isPair = call[0].kind == Operand::Kind::Pair;
  if (truths->size() == 1)
    truths->push_back(inverted(truths->front()));
  else if (!isPair)
    return call.error("expected two predicates p|q for the result of '" + call.instruction.opcode +
                      "', got one");
  if (!how.empty()) {
    FailureOr<Number> third = call.t.readPredicate(call, call[3]);
    if (failed(third))
      return failure();
    for (Number &truth : *truths)
      truth = combined(how, truth, *third);
  }
  if (!isPair)
    return call.t.write(call, call[0], truths->front());
  for (size_t i = 0; i < 2; ++i)
    if (failed(call.t.write(call, call[0].parts[i], (*truths)[i])))
      return failure();
  return success();
}

/// Translates, for example, set.lt.u32.f32. All bits of the result are set or clear, or it is the
/// float 1 or 0.
static LogicalResult set(Call &call) {
  FailureOr<PtxType> source = call.takeType();
  FailureOr<PtxType> result = failed(source) ? source : call.takeType();
  if (failed(result))
    return failure();
  call.take("ftz");
  const Comparison *comparison = takeComparison(call);
  StringRef how = call.takeAny({"and", "or", "xor"});
  if (failed(call.finish(how.empty() ? 3 : 4)))
    return failure();
  FailureOr<SmallVector<Number>> truths = compareOperands(call, comparison, *source);
  if (failed(truths))
    return failure();
  if (result->lanes != truths->size() || result->bits < 16)
    return call.error("expected a result type that holds " + Twine(truths->size()) +
                      " booleans, got '" + call.instruction.opcode + "'");
  if (!how.empty()) {
    FailureOr<Number> third = call.t.readPredicate(call, call[3]);
    if (failed(third))
      return failure();
    for (Number &truth : *truths)
      truth = combined(how, truth, *third);
  }
  Translation &t = call.t;
  SmallVector<Number> parts;
  for (Number truth : *truths) {
    Number yes = result->isFloat() ? bitsOf(t.zeroFloat(t.floatType(*result), 1))
                                   : t.constant(result->bits, ~uint64_t(0));
    parts.push_back(truth.choose(yes, t.constant(result->bits, 0)));
  }
  return t.write(call, call[0], join(parts));
}

static LogicalResult selectByPredicate(Call &call) {
  FailureOr<PtxType> type = call.takeType();
  if (failed(type) || failed(call.finish(4)))
    return failure();
  FailureOr<SmallVector<Number>> v = call.t.readAll(call, 1, 2, type->width());
  FailureOr<Number> truth = failed(v) ? FailureOr<Number>() : call.t.readPredicate(call, call[3]);
  if (failed(truth))
    return failure();
  return call.t.write(call, call[0], truth->choose((*v)[0], (*v)[1]));
}

/// Translates, for example, slct.b32.s32 d, a, b, c, which selects a if c is not negative. NaN
/// selects b.
static LogicalResult selectBySign(Call &call) {
  FailureOr<PtxType> sign = call.takeType();
  FailureOr<PtxType> type = failed(sign) ? sign : call.takeType();
  if (failed(type))
    return failure();
  call.take("ftz");
  if (failed(call.finish(4)))
    return failure();
  FailureOr<SmallVector<Number>> v = call.t.readAll(call, 1, 2, type->width());
  FailureOr<Number> c = failed(v) ? FailureOr<Number>() : call.t.read(call, call[3], 32);
  if (failed(c))
    return failure();
  if (sign->width() != 32 || (sign->isFloat() ? sign->kind != Kind::Float : !sign->isSigned()))
    return call.error("expected s32 or f32 as the last type of 'slct', got '" +
                      call.instruction.opcode + "'");
  Number truth = sign->isFloat() ? asFloat(*c, call.t.b.getF32Type()) >=
                                       call.t.zeroFloat(call.t.b.getF32Type(), 0)
                                 : compare(*c, Predicate::sge, call.t.constant(32, 0));
  return call.t.write(call, call[0], truth.choose((*v)[0], (*v)[1]));
}

static LogicalResult testProperty(Call &call) {
  FailureOr<PtxType> type = call.takeType();
  if (failed(type))
    return failure();
  StringRef what =
      call.takeAny({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  if (what.empty() || type->kind != Kind::Float || type->lanes > 1 || type->bits < 32)
    return call.error("expected .finite, .infinite, .number, .notanumber, .normal or .subnormal of "
                      "f32 or f64, got '" +
                      call.instruction.opcode + "'");
  if (failed(call.finish(2)))
    return failure();
  FailureOr<Number> x = call.t.read(call, call[1], type->bits);
  if (failed(x))
    return failure();
  Translation &t = call.t;
  unsigned bits = type->bits, fraction = bits == 32 ? 23 : 52;
  uint64_t infinity = (bits == 32 ? uint64_t(0xff) : uint64_t(0x7ff)) << fraction;
  Number magnitude = *x & t.constant(bits, ~(uint64_t(1) << (bits - 1)));
  auto is = [&](Predicate predicate, uint64_t bound) {
    return compare(magnitude, predicate, t.constant(bits, bound));
  };
  uint64_t least = uint64_t(1) << fraction;
  Number truth = what == "finite"       ? is(Predicate::ult, infinity)
                 : what == "infinite"   ? is(Predicate::eq, infinity)
                 : what == "number"     ? is(Predicate::ule, infinity)
                 : what == "notanumber" ? is(Predicate::ugt, infinity)
                 : what == "normal"     ? is(Predicate::ult, infinity) & is(Predicate::uge, least)
                                        : is(Predicate::ult, least) & is(Predicate::ne, 0);
  return t.write(call, call[0], truth);
}

static constexpr Rule rules[] = {
    {"selp", selectByPredicate}, {"set", set}, {"setp", setPredicate}, {"slct", selectBySign},
    {"testp", testProperty},
};

ArrayRef<Rule> ptx::choiceRules() { return rules; }

//===- Exchange.cpp - lets lanes of a subgroup use each other's values ------===//
// A subgroup is one vector. A ballot is the bits of its mask, and a shuffle with a known pattern is
// one instruction. A reduction is an intrinsic of LLVM, and a scan needs log2(lanes) shuffles.
// Inactive lanes contribute the neutral element of the operation.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/simd/Exchange.h"
#include "compiler/cpu/simd/Emitter.h"
#include "compiler/cpu/simd/Memory.h"
#include "compiler/cpu/simd/Rules.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

//===-------------------------------------------------------------------------===//
// Shuffles
//===-------------------------------------------------------------------------===//

/// Returns the value in `lane`, if it depends only on the lane.
static std::optional<uint64_t> evaluate(Value value, unsigned lane, unsigned depth = 0) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getZExtValue();
  Operation *op = value.getDefiningOp();
  if (auto builtin = dyn_cast<lane::BuiltinOp>(op))
    return builtin.getWhich() == "subgroup_lane" ? std::optional<uint64_t>(lane) : std::nullopt;
  if (depth > 8 || op->getNumOperands() != 2)
    return std::nullopt;
  auto a = evaluate(op->getOperand(0), lane, depth + 1);
  auto c = evaluate(op->getOperand(1), lane, depth + 1);
  if (!a || !c)
    return std::nullopt;
  using Result = std::optional<uint64_t>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddIOp) { return Result(*a + *c); })
      .Case([&](arith::SubIOp) { return Result(*a - *c); })
      .Case([&](arith::MulIOp) { return Result(*a * *c); })
      .Case([&](arith::XOrIOp) { return Result(*a ^ *c); })
      .Case([&](arith::AndIOp) { return Result(*a & *c); })
      .Case([&](arith::OrIOp) { return Result(*a | *c); })
      .Case([&](arith::ShLIOp) { return *c < 32 ? Result(*a << *c) : Result(); })
      .Case([&](arith::ShRUIOp) { return *c < 32 ? Result(uint32_t(*a) >> *c) : Result(); })
      .Default([](Operation *) { return Result(); });
}

static void emitShuffle(SimdEmitter &e, lane::ShuffleOp op) {
  Value from = op.getFrom();
  if (e.analysis.shape(op.getValue()).uniform())
    return e.values.define(op, e.values.scalar(op.getValue()));
  Value value = e.values.vector(op.getValue());
  if (e.control.mask) // a branch must not depend on poison in inactive lanes
    value = LLVM::FreezeOp::create(e.b, value);
  if (e.analysis.shape(from).uniform()) {
    Value lane = LLVM::AndOp::create(e.b, e.values.scalar(from), e.b.i32(e.b.lanes - 1));
    return e.values.define(op, e.b.extract(value, lane));
  }
  SmallVector<int32_t> pattern;
  for (unsigned lane = 0; lane < e.b.lanes; ++lane)
    if (auto other = evaluate(from, lane))
      pattern.push_back(uint32_t(*other) < e.b.lanes ? uint32_t(*other) : lane);
  if (pattern.size() == e.b.lanes)
    return e.values.define(op, e.b.shuffle(value, pattern));
  // Goes through memory, because LLVM has no shuffle by a vector of indices.
  Type element = e.b.memoryType(op.getType());
  Value memory = e.b.stackOf(e.b.vectorOf(element), 1, 64);
  e.b.storeTo(e.b.toMemory(value), memory);
  Value limited = LLVM::AndOp::create(e.b, e.values.vector(from),
                                      e.b.integer(e.b.vectorOf(e.b.getI32Type()), e.b.lanes - 1));
  LaneAddress address{memory, limited, static_cast<unsigned>(bytesOf(element))};
  e.values.define(op,
                  e.b.fromMemory(gather(e, address, 0, element, bytesOf(element), e.control.mask),
                                 op.getType()));
}

static void emitBallot(SimdEmitter &e, lane::BallotOp op) {
  Value holds = e.b.both(e.control.mask, e.values.vector(op.getCondition()));
  Value bits = e.b.maskBits(holds);
  e.values.define(op, e.b.lanes == 64 ? bits
                                      : LLVM::ZExtOp::create(e.b, e.b.getI64Type(), bits).getRes());
}

//===-------------------------------------------------------------------------===//
// Reductions and scans
//===-------------------------------------------------------------------------===//

Value cpu::combine(LaneBuilder &b, StringRef kind, Value a, Value c) {
  auto make = [&]<typename Op>(std::type_identity<Op>) -> Value { return Op::create(b, a, c); };
  if (kind == "exchange")
    return c;
  if (kind == "inc_wrap" || kind == "dec_wrap") {
    Type type = a.getType();
    bool up = kind == "inc_wrap";
    Value zero = b.integer(type, 0), one = b.integer(type, 1);
    Value wraps =
        arith::CmpIOp::create(b, up ? arith::CmpIPredicate::uge : arith::CmpIPredicate::ugt, a, c);
    if (up)
      return b.select(wraps, zero, arith::AddIOp::create(b, a, one));
    Value isZero = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, a, zero);
    return b.select(b.either(wraps, isZero), c, arith::SubIOp::create(b, a, one));
  }
  using Maker = Value (*)(decltype(make) &);
#define MAKE(Name) [](decltype(make) &m) { return m(std::type_identity<arith::Name>()); }
  Maker maker = llvm::StringSwitch<Maker>(kind)
                    .Case("add", MAKE(AddIOp))
                    .Case("sub", MAKE(SubIOp))
                    .Case("mul", MAKE(MulIOp))
                    .Case("and", MAKE(AndIOp))
                    .Case("or", MAKE(OrIOp))
                    .Case("xor", MAKE(XOrIOp))
                    .Case("smin", MAKE(MinSIOp))
                    .Case("smax", MAKE(MaxSIOp))
                    .Case("umin", MAKE(MinUIOp))
                    .Case("umax", MAKE(MaxUIOp))
                    .Case("fadd", MAKE(AddFOp))
                    .Case("fmul", MAKE(MulFOp))
                    .Case("fmin", MAKE(MinNumFOp))
                    .Case("fmax", MAKE(MaxNumFOp))
                    .Default(nullptr);
#undef MAKE
  return maker(make);
}

Value cpu::identity(LaneBuilder &b, StringRef kind, Type type) {
  if (auto real = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = real.getFloatSemantics();
    APFloat value = kind == "fadd"   ? APFloat::getZero(semantics)
                    : kind == "fmul" ? APFloat::getOne(semantics)
                                     : APFloat::getInf(semantics, /*Negative=*/kind == "fmax");
    return LLVM::ConstantOp::create(b, type, b.getFloatAttr(type, value));
  }
  unsigned width = type.getIntOrFloatBitWidth();
  APInt value = llvm::StringSwitch<APInt>(kind)
                    .Case("mul", APInt(width, 1))
                    .Cases({"and", "umin"}, APInt::getAllOnes(width))
                    .Case("smin", APInt::getSignedMaxValue(width))
                    .Case("smax", APInt::getSignedMinValue(width))
                    .Default(APInt(width, 0));
  return LLVM::ConstantOp::create(b, type, b.getIntegerAttr(type, value));
}

Value cpu::reduceAll(LaneBuilder &b, StringRef kind, Value vector) {
  Type type = cast<VectorType>(vector.getType()).getElementType();
  auto anyOrder = LLVM::FastmathFlags::reassoc;
  if (kind == "fadd")
    return LLVM::vector_reduce_fadd::create(b, type, identity(b, kind, type), vector, anyOrder);
  if (kind == "fmul")
    return LLVM::vector_reduce_fmul::create(b, type, identity(b, kind, type), vector, anyOrder);
  if (kind == "fmin")
    return LLVM::vector_reduce_fmin::create(b, type, vector);
  if (kind == "fmax")
    return LLVM::vector_reduce_fmax::create(b, type, vector);
  using Maker = Value (*)(LaneBuilder &, Type, Value);
#define MAKE(Name)                                                                                 \
  [](LaneBuilder &b, Type type, Value vector) -> Value {                                           \
    return LLVM::vector_reduce_##Name::create(b, type, vector);                                    \
  }
  Maker maker = llvm::StringSwitch<Maker>(kind)
                    .Case("add", MAKE(add))
                    .Case("mul", MAKE(mul))
                    .Case("and", MAKE(and))
                    .Case("or", MAKE(or))
                    .Case("xor", MAKE(xor))
                    .Case("smin", MAKE(smin))
                    .Case("smax", MAKE(smax))
                    .Case("umin", MAKE(umin))
                    .Default(MAKE(umax));
#undef MAKE
  return maker(b, type, vector);
}

Value cpu::scanLanes(LaneBuilder &b, StringRef kind, Value vector, unsigned cluster,
                     bool exclusive) {
  Type type = cast<VectorType>(vector.getType()).getElementType();
  Value none = b.splat(identity(b, kind, type));
  auto before = [&](Value of, unsigned distance) {
    SmallVector<int32_t> from;
    for (unsigned lane = 0; lane < b.lanes; ++lane)
      from.push_back(lane % cluster >= distance ? lane - distance : b.lanes + lane);
    return b.shuffle(of, none, from);
  };
  Value result = exclusive ? before(vector, 1) : vector;
  for (unsigned distance = 1; distance < cluster; distance *= 2)
    result = combine(b, kind, result, before(result, distance));
  return result;
}

Value cpu::activeOr(SimdEmitter &e, Value vector, Value otherwise) {
  return e.control.mask ? e.b.select(e.control.mask, vector, otherwise) : vector;
}

static void emitReduce(SimdEmitter &e, lane::ReduceOp op) {
  StringRef kind = op.getKind();
  Type type = op.getType();
  unsigned cluster = op.getCluster() ? std::min(op.getCluster(), e.b.lanes) : e.b.lanes;
  Value held = activeOr(e, e.values.vector(op.getValue()), e.b.splat(identity(e.b, kind, type)));
  if (op.getScan() != "none")
    return e.values.define(op, scanLanes(e.b, kind, held, cluster, op.getScan() == "exclusive"));
  if (cluster == e.b.lanes)
    return e.values.define(op, reduceAll(e.b, kind, held));
  for (unsigned distance = 1; distance < cluster; distance *= 2) {
    SmallVector<int32_t> from;
    for (unsigned lane = 0; lane < e.b.lanes; ++lane)
      from.push_back(lane ^ distance);
    held = combine(e.b, kind, held, e.b.shuffle(held, from));
  }
  e.values.define(op, held);
}

ArrayRef<simd::Rule> simd::exchangeRules() {
  static const Rule rules[] = {rule<emitBallot>(), rule<emitReduce>(), rule<emitShuffle>()};
  return rules;
}

//===- Atomics.cpp - atomic instructions ------------------------------------===//
// Only one thread accesses memory of a workgroup or of an invocation. Accesses to such memory are
// marked `exclusive`.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/from_spirv/SpirvToLanes.h"
#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

namespace {
struct Atomic {
  Value address;
  bool exclusive = false;
  StringRef order;
};
} // namespace

static FailureOr<Atomic> atomicOf(Lowering &l, Operation *op,
                                  StringRef semanticsName = "semantics") {
  FailureOr<Pointer> pointer = l.pointer(op->getOperand(0));
  auto numbers = l.numbers(op, {"memory_scope", semanticsName});
  if (failed(pointer) || failed(numbers))
    return failure();
  FailureOr<Value> address = l.address(*pointer);
  if (failed(address))
    return failure();
  return Atomic{*address, pointer->exclusive, memoryOrder((*numbers)[1])};
}

static Value update(Lowering &l, const Atomic &atomic, StringRef kind, Value value) {
  return lane::AtomicOp::create(l.b, value.getType(), kind, atomic.order, atomic.address, value,
                                atomic.exclusive);
}

static LogicalResult lowerUpdate(Lowering &l, Operation *op) {
  std::string name = instructionName(op);
  StringRef kind = llvm::StringSwitch<StringRef>(name)
                       .Case("AtomicAnd", "and")
                       .Case("AtomicExchange", "exchange")
                       .Case("AtomicFAddEXT", "fadd")
                       .Case("AtomicFMaxEXT", "fmax")
                       .Case("AtomicFMinEXT", "fmin")
                       .Case("AtomicIAdd", "add")
                       .Case("AtomicISub", "sub")
                       .Case("AtomicOr", "or")
                       .Case("AtomicSMax", "smax")
                       .Case("AtomicSMin", "smin")
                       .Case("AtomicUMax", "umax")
                       .Case("AtomicUMin", "umin")
                       .Default("xor");
  FailureOr<Atomic> atomic = atomicOf(l, op);
  if (failed(atomic))
    return failure();
  return l.finish(op, {update(l, *atomic, kind, l.scalar(op->getOperand(1)))});
}

template <bool up> static LogicalResult lowerCount(Lowering &l, Operation *op) {
  FailureOr<Atomic> atomic = atomicOf(l, op);
  if (failed(atomic))
    return failure();
  Type type = l.types.scalar(op->getResult(0).getType());
  Value one = l.integer(1, type.getIntOrFloatBitWidth());
  return l.finish(op, {update(l, *atomic, up ? "add" : "sub", one)});
}

/// Operands: pointer, value, comparator.
static LogicalResult lowerCompareExchange(Lowering &l, Operation *op) {
  FailureOr<Atomic> atomic = atomicOf(l, op, "equal_semantics");
  if (failed(atomic))
    return failure();
  Value value = l.scalar(op->getOperand(1)), compare = l.scalar(op->getOperand(2));
  return l.finish(
      op, {lane::CompareExchangeOp::create(l.b, value.getType(), atomic->order, atomic->address,
                                           compare, value, atomic->exclusive)});
}

static void markOrder(Lowering &l, Operation *op, const Atomic &atomic, StringRef weaker) {
  StringRef order = atomic.order == "acq_rel" ? weaker : atomic.order;
  if (!atomic.exclusive)
    op->setAttr("atomic_order", l.b.getStringAttr(order));
}

static LogicalResult lowerLoad(Lowering &l, Operation *op) {
  FailureOr<Atomic> atomic = atomicOf(l, op);
  if (failed(atomic))
    return failure();
  Type type = l.types.scalar(op->getResult(0).getType());
  auto load = lane::LoadOp::create(l.b, TypeRange(type), atomic->address, scalarBytes(type));
  markOrder(l, load, *atomic, "acquire");
  return l.finish(op, {load.getValues()[0]});
}

static LogicalResult lowerStore(Lowering &l, Operation *op) {
  FailureOr<Atomic> atomic = atomicOf(l, op);
  if (failed(atomic))
    return failure();
  Value value = l.scalar(op->getOperand(1));
  auto store =
      lane::StoreOp::create(l.b, ValueRange(value), atomic->address, scalarBytes(value.getType()));
  markOrder(l, store, *atomic, "release");
  return success();
}

/// A flag is stored as a 32-bit number.
static LogicalResult lowerTestAndSet(Lowering &l, Operation *op) {
  FailureOr<Atomic> atomic = atomicOf(l, op);
  if (failed(atomic))
    return failure();
  Value old = update(l, *atomic, "exchange", l.integer(1));
  return l.finish(op, {arith::CmpIOp::create(l.b, arith::CmpIPredicate::ne, old, l.integer(0))});
}

static LogicalResult lowerClear(Lowering &l, Operation *op) {
  FailureOr<Atomic> atomic = atomicOf(l, op);
  if (failed(atomic))
    return failure();
  auto store = lane::StoreOp::create(l.b, ValueRange(l.integer(0)), atomic->address, 4);
  markOrder(l, store, *atomic, "release");
  return success();
}

static constexpr Rule rulesOfAtomics[] = {
    {"AtomicAnd", lowerUpdate},
    {"AtomicCompareExchange", lowerCompareExchange},
    {"AtomicCompareExchangeWeak", lowerCompareExchange},
    {"AtomicExchange", lowerUpdate},
    {"AtomicFAddEXT", lowerUpdate},
    {"AtomicFMaxEXT", lowerUpdate},
    {"AtomicFMinEXT", lowerUpdate},
    {"AtomicFlagClear", lowerClear},
    {"AtomicFlagTestAndSet", lowerTestAndSet},
    {"AtomicIAdd", lowerUpdate},
    {"AtomicIDecrement", lowerCount<false>},
    {"AtomicIIncrement", lowerCount<true>},
    {"AtomicISub", lowerUpdate},
    {"AtomicLoad", lowerLoad},
    {"AtomicOr", lowerUpdate},
    {"AtomicSMax", lowerUpdate},
    {"AtomicSMin", lowerUpdate},
    {"AtomicStore", lowerStore},
    {"AtomicUMax", lowerUpdate},
    {"AtomicUMin", lowerUpdate},
    {"AtomicXor", lowerUpdate},
};

ArrayRef<Rule> pumice::cpu::atomicRules() { return rulesOfAtomics; }

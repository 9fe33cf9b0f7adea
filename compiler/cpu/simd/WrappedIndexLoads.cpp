//===- WrappedIndexLoads.cpp - loads by an index that seldom wraps ----------===//
//   before: %i = arith.andi (%lane + 1), 255;  lane.load %base[4 * %i]
//   after:  if the first lane's i ≤ 255 - 15: a vector from there, else a gather
//   before: %i = arith.remsi (%lane + 1), %n;  lane.load %base[4 * %i]
//   after:  if each lane's i is the first lane's plus the lane: a vector from there, else a gather
// The remainder of a strided value is strided, except in the few subgroups where it wraps. The
// lanes of each register are tested separately, because a comparison costs far less than a gather.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/simd/Elementwise.h"
#include "compiler/cpu/simd/Emitter.h"
#include "compiler/cpu/simd/Memory.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

static std::optional<int64_t> constantOperand(Operation *op) {
  APInt value;
  if (op->getNumOperands() == 2 && matchPattern(op->getOperand(1), m_ConstantInt(&value)) &&
      value.abs().ult(uint64_t(1) << 31))
    return value.getSExtValue();
  return std::nullopt;
}

/// Returns the divisor of a remainder by a constant. Returns 0 for other operations, and if the
/// dividend itself may wrap.
static int64_t divisorOf(Operation *op, const Shape &dividend) {
  int64_t by = constantOperand(op).value_or(0);
  if (isa<arith::AndIOp>(op))
    by = by > 0 ? by + 1 : 0;
  else if (!isa<arith::RemUIOp, arith::RemSIOp>(op))
    return 0;
  if (by <= 0 || (isa<arith::RemSIOp>(op) && !dividend.bounded()))
    return 0;
  return llvm::isPowerOf2_64(by) || (dividend.bounded() && !isa<arith::AndIOp>(op)) ? by : 0;
}

/// The largest number of operations that are examined for an index. Without a limit, repeated sums
/// of a value with itself would take exponential time.
static constexpr unsigned mostSteps = 64;

/// Returns the stride in a group of `count` lanes, assuming that no remainder wraps among them.
/// Returns nothing if the stride is unknown.
static std::optional<int64_t> strideUnlessWrapped(Value value, unsigned count,
                                                  const LaneAnalysis &analysis, unsigned &steps) {
  if (steps++ >= mostSteps)
    return std::nullopt;
  Shape shape = analysis.shape(value);
  if (shape.scalar())
    return shape.stride;
  Operation *op = value.getDefiningOp();
  if (op->getNumOperands() == 0)
    return std::nullopt;
  Shape first = analysis.shape(op->getOperand(0));
  if (int64_t by = divisorOf(op, first)) {
    bool fits = first.kind == Shape::Strided && first.stride > 0 && first.stride < by &&
                first.stride * int64_t(count - 1) < by;
    return fits ? std::optional<int64_t>(first.stride) : std::nullopt;
  }
  auto ofOperand = [&](unsigned i) {
    return strideUnlessWrapped(op->getOperand(i), count, analysis, steps);
  };
  if (isa<arith::AddIOp, arith::SubIOp, lane::OffsetOp>(op)) {
    auto a = ofOperand(0), b = ofOperand(1);
    if (!a || !b)
      return std::nullopt;
    return isa<arith::SubIOp>(op) ? *a - *b : *a + *b;
  }
  if (isa<arith::ExtSIOp, arith::ExtUIOp>(op))
    return first.bounded() ? ofOperand(0) : std::nullopt;
  auto by = constantOperand(op);
  auto stride = isa<arith::MulIOp, arith::ShLIOp>(op) && by ? ofOperand(0) : std::nullopt;
  if (!stride || (isa<arith::ShLIOp>(op) && (*by < 0 || *by > 30)))
    return std::nullopt;
  return *stride * (isa<arith::ShLIOp>(op) ? int64_t(1) << *by : *by);
}

/// Returns the scalar in `lane` of a value that has such a stride. Sets `straight` to the condition
/// that no remainder wraps in the `count` lanes that start there.
static Value firstUnlessWrapped(SimdEmitter &e, Value value, unsigned lane, unsigned count,
                                Value &straight) {
  if (e.analysis.shape(value).scalar())
    return e.values.laneOf(value, lane);
  Operation *op = value.getDefiningOp();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(firstUnlessWrapped(e, operand, lane, count, straight));
  Value first = emitScalarCopy(e.b, op, operands);
  Shape dividend = e.analysis.shape(op->getOperand(0));
  if (int64_t by = divisorOf(op, dividend)) {
    Value last = e.b.integer(first.getType(), by - 1 - dividend.stride * int64_t(count - 1));
    Value fits = LLVM::ICmpOp::create(e.b, LLVM::ICmpPredicate::ule, first, last);
    straight = straight ? LLVM::AndOp::create(e.b, straight, fits).getRes() : fits;
  }
  return first;
}

/// Returns whether a value may be strided in most subgroups. It must contain a remainder by a
/// variable or by at least `count`, or be read from an array of the lane.
static bool mayBeStrided(Value value, unsigned count, const LaneAnalysis &analysis,
                         unsigned &steps) {
  Operation *op = value.getDefiningOp();
  if (!op || analysis.shape(value).scalar() || steps++ >= mostSteps)
    return false;
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return constantOperand(op).value_or(count) >= int64_t{count};
  if (isa<lane::ArrayGetOp>(op))
    return true;
  // Signed remainders are computed from unsigned ones by exclusive ors or selects.
  bool isStep = isa<arith::AddIOp, arith::SubIOp, arith::XOrIOp, arith::SelectOp, arith::ExtSIOp,
                    arith::ExtUIOp, arith::TruncIOp, lane::OffsetOp>(op) ||
                (isa<arith::MulIOp, arith::ShLIOp>(op) && constantOperand(op));
  return isStep && llvm::any_of(op->getOperands(), [&](Value part) {
           return mayBeStrided(part, count, analysis, steps);
         });
}

/// Loads `count` lanes that start at `lane`. If `straight` is true, one vector is loaded, and
/// otherwise each lane from its own address.
static Value loadEither(SimdEmitter &e, Value straight, Value first, LaneAddress address, Type type,
                        int64_t alignment, Value there) {
  Value result = e.b.stackOf(type);
  Block *together = e.b.newBlock(), *apart = e.b.newBlock(), *done = e.b.newBlock();
  e.b.branch(straight, together, apart);
  e.b.startBlock(together);
  e.b.storeTo(loadWhere(e, type, first, alignment, there), result);
  e.b.branch(done);
  e.b.startBlock(apart);
  Type element = cast<VectorType>(type).getElementType();
  e.b.storeTo(gather(e, address, 0, element, alignment, there), result);
  e.b.branch(done);
  e.b.startBlock(done);
  return e.b.loadFrom(type, result);
}

/// Returns the lanes of one register from a vector of all lanes.
static Value registerPart(LaneBuilder &b, Value vector, unsigned lane, unsigned count) {
  if (!vector || count == b.lanes)
    return vector;
  SmallVector<int32_t> own(count);
  std::iota(own.begin(), own.end(), lane);
  return b.shuffle(vector, own);
}

bool cpu::loadIfStraight(SimdEmitter &e, lane::LoadOp op) {
  unsigned count = std::min(e.analysis.workgroup().registerLanes, e.b.lanes);
  Type resultType = op.getResult(0).getType(), element = e.b.memoryType(resultType);
  int64_t size = bytesOf(element);
  unsigned steps = 0;
  if (op.getNumResults() != 1 || count < 4 ||
      !mayBeStrided(op.getAddress(), count, e.analysis, steps))
    return false;
  LaneAddress address = addressOf(e, op.getAddress());
  if (!address.base || size % address.scale)
    return false;
  SmallVector<Value> parts;
  for (unsigned lane = 0; lane < e.b.lanes; lane += count) {
    LaneAddress own = address;
    own.index = registerPart(e.b, address.index, lane, count);
    // Inactive lanes may hold any value, even an undefined one, so no branch may depend on them.
    Value there = registerPart(e.b, e.control.mask, lane, count);
    if (there)
      own.index = e.b.select(there, own.index, LLVM::ZeroOp::create(e.b, own.index.getType()));
    Type number = cast<VectorType>(own.index.getType()).getElementType();
    Value first = e.b.extract(own.index, e.b.i32(0));
    Value wanted = LLVM::AddOp::create(
        e.b, e.b.splat(first, count),
        registerPart(e.b, e.b.laneNumbers(number, size / static_cast<int64_t>(own.scale)), 0,
                     count));
    Value equal = LLVM::ICmpOp::create(e.b, LLVM::ICmpPredicate::eq, own.index, wanted);
    Value straight = LLVM::vector_reduce_and::create(e.b, e.b.getI1Type(), equal);
    Value wide =
        number.isInteger(64) ? first : LLVM::SExtOp::create(e.b, e.b.getI64Type(), first).getRes();
    Value place = e.b.offset(own.base, LLVM::MulOp::create(e.b, wide, e.b.i64(own.scale)));
    parts.push_back(loadEither(e, straight, place, own, e.b.vectorOf(element, count),
                               op.getAlignment(), there));
  }
  e.values.define(op.getResult(0), e.b.fromMemory(e.b.concatenate(parts), resultType));
  return true;
}

bool cpu::loadUnlessWrapped(SimdEmitter &e, lane::LoadOp op) {
  unsigned count = std::min(e.analysis.workgroup().registerLanes, e.b.lanes);
  Type resultType = op.getResult(0).getType(), element = e.b.memoryType(resultType);
  int64_t size = bytesOf(element);
  unsigned steps = 0;
  if (op.getNumResults() != 1 || strideUnlessWrapped(op.getAddress(), count, e.analysis, steps) !=
                                     std::optional<int64_t>(size))
    return false;
  SmallVector<Value> parts;
  for (unsigned lane = 0; lane < e.b.lanes; lane += count) {
    Value straight;
    Value first = firstUnlessWrapped(e, op.getAddress(), lane, count, straight);
    LaneAddress address = addressOf(e, op.getAddress());
    address.index = registerPart(e.b, address.index, lane, count);
    parts.push_back(loadEither(e, straight, first, address, e.b.vectorOf(element, count),
                               op.getAlignment(), registerPart(e.b, e.control.mask, lane, count)));
  }
  e.values.define(op.getResult(0), e.b.fromMemory(e.b.concatenate(parts), resultType));
  return true;
}

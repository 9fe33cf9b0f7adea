//===- WrappedIndexLoads.cpp - loads by an index that seldom wraps ----------===//
//   before: %i = arith.andi (%lane + 1), 255;  lane.load %base[4 * %i]
//   after:  if the first lane's i ≤ 255 - 15: a vector from there, else a gather
//   before: %i = arith.remsi (%lane + 1), %n;  lane.load %base[4 * %i]
//   after:  if each lane's i is the first lane's plus the lane: a vector from there, else a gather
//   before: %i = arith.divsi %x, 1024;  lane.load %base[4 * %i]
//   after:  if each lane's i is the first lane's: one element from there, else a gather
// The remainder of a strided value is strided, except in the few subgroups where it wraps. In most
// subgroups, all lanes have the same quotient. The lanes of each register are tested separately,
// because a comparison costs far less than a gather.
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

/// Returns whether all lanes of most subgroups may have the same value. It must contain a quotient
/// by a variable or by at least `count`.
static bool mayBeShared(Value value, unsigned count, const LaneAnalysis &analysis,
                        unsigned &steps) {
  Operation *op = value.getDefiningOp();
  if (!op || analysis.shape(value).scalar() || steps++ >= mostSteps)
    return false;
  int64_t by = constantOperand(op).value_or(count);
  if (isa<arith::DivSIOp, arith::DivUIOp>(op) && by >= int64_t{count})
    return true;
  if (isa<arith::ShRSIOp, arith::ShRUIOp>(op) && by < 31 && (int64_t(1) << by) >= int64_t{count})
    return true;
  bool isStep = isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp, arith::XOrIOp,
                    arith::AndIOp, arith::RemSIOp, arith::RemUIOp, arith::SelectOp, arith::ExtSIOp,
                    arith::ExtUIOp, arith::TruncIOp, lane::OffsetOp>(op);
  // A number that differs among the lanes makes the sum differ, too.
  bool addsLanes =
      isa<arith::AddIOp, lane::OffsetOp>(op) && llvm::any_of(op->getOperands(), [&](Value part) {
        return analysis.shape(part).kind == Shape::Strided;
      });
  return isStep && !addsLanes && llvm::any_of(op->getOperands(), [&](Value part) {
           return mayBeShared(part, count, analysis, steps);
         });
}

/// A way to load several lanes, if a condition holds at run time.
struct TestedLoad {
  function_ref<Value()> condition, load;
};

/// Loads by the first way whose condition holds, and otherwise by `otherwise`.
static Value loadByFirst(SimdEmitter &e, Type type, ArrayRef<TestedLoad> ways,
                         function_ref<Value()> otherwise) {
  Value result = e.b.stackOf(type);
  Block *done = e.b.newBlock();
  for (const TestedLoad &way : ways) {
    Block *holds = e.b.newBlock(), *fails = e.b.newBlock();
    e.b.branch(way.condition(), holds, fails);
    e.b.startBlock(holds);
    e.b.storeTo(way.load(), result);
    e.b.branch(done);
    e.b.startBlock(fails);
  }
  e.b.storeTo(otherwise(), result);
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

/// Returns whether two vectors are equal.
static Value areEqual(LaneBuilder &b, Value one, Value other) {
  Value equal = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, one, other);
  return LLVM::vector_reduce_and::create(b, b.getI1Type(), equal);
}

/// The addresses that are worth a test at run time.
struct Guess {
  bool shared, straight;
};

/// Loads the lanes of one register. Inactive lanes have the index 0.
static Value loadAsGuessed(SimdEmitter &e, lane::LoadOp op, Guess guess, LaneAddress address,
                           Type type, Value there) {
  Type element = cast<VectorType>(type).getElementType(),
       number = cast<VectorType>(address.index.getType()).getElementType();
  unsigned count = cast<VectorType>(type).getNumElements();
  Value first = e.b.extract(address.index, e.b.i32(0));
  Value wide =
      number.isInteger(64) ? first : LLVM::SExtOp::create(e.b, e.b.getI64Type(), first).getRes();
  Value place = e.b.offset(address.base, LLVM::MulOp::create(e.b, wide, e.b.i64(address.scale)));
  auto isShared = [&]() -> Value {
    Value same = areEqual(e.b, address.index, e.b.splat(first, count));
    // The first lane must be active, since nothing may be loaded if no lane is.
    return there ? LLVM::AndOp::create(e.b, same, e.b.extract(there, e.b.i32(0))).getRes() : same;
  };
  auto loadShared = [&]() -> Value {
    auto loaded = LLVM::LoadOp::create(e.b, element, place, op.getAlignment());
    markAccess(e, loaded);
    return e.b.splat(loaded, count);
  };
  auto isStraight = [&] {
    int64_t stride = bytesOf(element) / static_cast<int64_t>(address.scale);
    Value steps = registerPart(e.b, e.b.laneNumbers(number, stride), 0, count);
    return areEqual(e.b, address.index, LLVM::AddOp::create(e.b, e.b.splat(first, count), steps));
  };
  auto loadStraight = [&] { return loadWhere(e, type, place, op.getAlignment(), there); };
  SmallVector<TestedLoad, 2> ways;
  if (guess.shared)
    ways.push_back({isShared, loadShared});
  if (guess.straight)
    ways.push_back({isStraight, loadStraight});
  return loadByFirst(e, type, ways,
                     [&] { return gather(e, address, 0, element, op.getAlignment(), there); });
}

bool cpu::loadIfTogether(SimdEmitter &e, lane::LoadOp op) {
  unsigned count = std::min(e.analysis.workgroup().registerLanes, e.b.lanes);
  Type resultType = op.getResult(0).getType(), element = e.b.memoryType(resultType);
  unsigned steps = 0, quotientSteps = 0;
  if (op.getNumResults() != 1 || count < 4)
    return false;
  Guess guess{mayBeShared(op.getAddress(), count, e.analysis, quotientSteps),
              mayBeStrided(op.getAddress(), count, e.analysis, steps)};
  if (!guess.shared && !guess.straight)
    return false;
  LaneAddress address = addressOf(e, op.getAddress());
  guess.straight &= bytesOf(element) % address.scale == 0;
  if (!address.base || !address.index || (!guess.shared && !guess.straight))
    return false;
  SmallVector<Value> parts;
  for (unsigned lane = 0; lane < e.b.lanes; lane += count) {
    LaneAddress own = address;
    own.index = registerPart(e.b, address.index, lane, count);
    // Inactive lanes may hold any value, even an undefined one, so no branch may depend on them.
    Value there = registerPart(e.b, e.control.mask, lane, count);
    if (there)
      own.index = e.b.select(there, own.index, LLVM::ZeroOp::create(e.b, own.index.getType()));
    parts.push_back(loadAsGuessed(e, op, guess, own, e.b.vectorOf(element, count), there));
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
    Type type = e.b.vectorOf(element, count);
    Value there = registerPart(e.b, e.control.mask, lane, count);
    auto isStraight = [&] { return straight; };
    auto loadStraight = [&] { return loadWhere(e, type, first, op.getAlignment(), there); };
    parts.push_back(loadByFirst(e, type, TestedLoad{isStraight, loadStraight}, [&] {
      return gather(e, address, 0, element, op.getAlignment(), there);
    }));
  }
  e.values.define(op.getResult(0), e.b.fromMemory(e.b.concatenate(parts), resultType));
  return true;
}

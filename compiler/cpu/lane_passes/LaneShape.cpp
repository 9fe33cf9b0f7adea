//===- LaneShape.cpp - how a value differs among a subgroup's lanes ---------===//
// Strides survive addition, multiplication and shifts by constants. An aligned group of lanes never
// crosses a multiple of a power of two that is at least as large as the group. For example, if x
// runs through 16 lanes from a multiple of 16, x / 16 is uniform and x % 16 is strided.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/lane_passes/LaneShape.h"

#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

static constexpr uint64_t unbounded = Shape::unbounded;

static uint64_t alignmentOf(uint64_t value) {
  return value ? std::min(value & -value, Shape::anyAlignment) : Shape::anyAlignment;
}

uint64_t Shape::alignOfEach(unsigned lanes) const {
  return lanes >= block ? align : std::min(align, alignmentOf(uint64_t(stride) * lanes));
}

Shape cpu::join(const Shape &a, const Shape &b) {
  if (!a.known())
    return b;
  if (!b.known())
    return a;
  uint64_t max = a.max == b.max ? a.max : unbounded; // the bound of a counter would grow forever
  if (a.stride != b.stride)
    return Shape::varying(max);
  unsigned block = std::min(a.block, b.block);
  if (!a.scalar() || !b.scalar())
    return Shape::varying(max, block, a.stride,
                          std::min(a.alignOfEach(block), b.alignOfEach(block)));
  return Shape::stridedBy(a.stride, std::min(a.align, b.align), max);
}

//===-------------------------------------------------------------------------===//
// Bounds and alignments
//===-------------------------------------------------------------------------===//

static uint64_t limited(unsigned __int128 value) {
  return value < (uint64_t(1) << 32) ? static_cast<uint64_t>(value) : unbounded;
}

static uint64_t sum(uint64_t a, uint64_t b) {
  if (a == unbounded || b == unbounded)
    return unbounded;
  return limited(static_cast<unsigned __int128>(a) + b);
}

static uint64_t product(uint64_t a, uint64_t b) {
  if (a == unbounded || b == unbounded)
    return unbounded;
  return limited(static_cast<unsigned __int128>(a) * b);
}

static std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) && constant.getBitWidth() <= 64)
    return constant.getSExtValue();
  return std::nullopt;
}

static Shape shapeOfConstant(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)) || constant.getBitWidth() > 64)
    return Shape::uniformOf();
  return Shape::uniformOf(alignmentOf(constant.getZExtValue()), limited(constant.getZExtValue()));
}

//===-------------------------------------------------------------------------===//
// Rules
//===-------------------------------------------------------------------------===//

namespace {
struct Rules {
  Operation *op;
  unsigned lanes;
  bool addressOnly;
  function_ref<Shape(Value)> shapeOf;

  Shape operand(unsigned i) const { return shapeOf(op->getOperand(i)); }
  std::optional<int64_t> constant(unsigned i) const { return constantOf(op->getOperand(i)); }

  Shape add(bool subtract) const;
  Shape scale(const Shape &x, std::optional<int64_t> by, const Shape &other) const;
  Shape multiply() const;
  Shape shiftLeft() const;
  Shape bitOr() const;
  Shape quotient(uint64_t divisor, bool isSigned) const;
  Shape remainder(uint64_t divisor, bool isSigned) const;
  Shape extend(bool isSigned) const;
  Shape select() const;
  Shape otherwise(uint64_t max = unbounded) const;
};
} // namespace

/// Returns the shape of a result that no other rule covers.
Shape Rules::otherwise(uint64_t max) const {
  unsigned block = 64; // lanes with equal operands have equal results
  for (Value operand : op->getOperands())
    block = std::min(block, shapeOf(operand).stride ? 1 : shapeOf(operand).block);
  return block == 64 ? Shape::uniformOf(1, max) : Shape::varying(max, block);
}

static bool keepsStrides(Type type) {
  return !type.isInteger() || type.getIntOrFloatBitWidth() >= 32;
}

/// Wraps the stride to the width of the type, because arithmetic of this width wraps.
static int64_t strideIn(Type type, int64_t stride) {
  return type.isInteger(32) ? static_cast<int32_t>(stride) : stride;
}

Shape Rules::add(bool subtract) const {
  Shape a = operand(0), b = operand(1);
  uint64_t max = subtract ? unbounded : sum(a.max, b.max);
  if (op->hasAttr("lane.invocation"))
    max = std::min<uint64_t>(max, INT32_MAX);
  if (!keepsStrides(op->getResult(0).getType()))
    return otherwise(max);
  int64_t stride =
      strideIn(op->getResult(0).getType(), subtract ? a.stride - b.stride : a.stride + b.stride);
  if (!a.scalar() || !b.scalar()) {
    unsigned block = std::min(a.block, b.block);
    uint64_t align = std::min(a.alignOfEach(block), b.alignOfEach(block));
    return Shape::varying(max, block, stride, align);
  }
  return Shape::stridedBy(stride, std::min(a.align, b.align), max);
}

Shape Rules::scale(const Shape &x, std::optional<int64_t> by, const Shape &other) const {
  uint64_t max = product(x.max, other.max);
  if (x.stride && by && keepsStrides(op->getResult(0).getType()) &&
      std::abs(*by) < (int64_t(1) << 31) && std::abs(x.stride) < (int64_t(1) << 31)) {
    uint64_t align = std::min(x.align * alignmentOf(*by), Shape::anyAlignment);
    int64_t stride = strideIn(op->getResult(0).getType(), x.stride * *by);
    if (!x.scalar())
      return Shape::varying(max, x.block, stride, align);
    return Shape::stridedBy(stride, align, max);
  }
  Shape result = otherwise(max);
  if (result.kind == Shape::Uniform)
    result.align = std::min(x.align * other.align, Shape::anyAlignment);
  return result;
}

Shape Rules::multiply() const {
  Shape a = operand(0), b = operand(1);
  return constant(1) ? scale(a, constant(1), b) : scale(b, constant(0), a);
}

Shape Rules::shiftLeft() const {
  std::optional<int64_t> by = constant(1);
  if (!by || *by < 0 || *by > 30)
    return otherwise();
  int64_t factor = int64_t(1) << *by;
  return scale(operand(0), factor, Shape::uniformOf(factor, factor));
}

/// Handles (x << 2) | 1, which is an addition.
Shape Rules::bitOr() const {
  Shape a = operand(0);
  std::optional<int64_t> bits = constant(1);
  if (!bits || *bits < 0 || !a.scalar())
    return otherwise();
  uint64_t low = std::min(a.align, a.kind == Shape::Strided ? alignmentOf(a.stride) : a.align);
  if (uint64_t(*bits) >= low)
    return otherwise();
  return Shape::stridedBy(a.stride, std::min(a.align, alignmentOf(*bits)), sum(a.max, *bits));
}

/// Returns the size of the largest aligned groups of lanes whose values are between two
/// neighbouring multiples of `divisor`. Returns 1 if there are no such groups.
static unsigned lanesWithinMultiples(const Shape &x, uint64_t divisor, unsigned lanes) {
  if (x.stride <= 0)
    return 1;
  unsigned group = std::min(x.block, lanes);
  for (; group > 1; group /= 2) {
    uint64_t span = llvm::PowerOf2Ceil(uint64_t(x.stride) * group);
    if (x.alignOfEach(group) >= span && divisor % span == 0)
      break;
  }
  return group;
}

Shape Rules::quotient(uint64_t divisor, bool isSigned) const {
  Shape x = operand(0);
  if (divisor == 0 || (isSigned && !x.bounded()))
    return otherwise();
  uint64_t max = x.bounded() ? x.max / divisor : unbounded;
  bool power = llvm::isPowerOf2_64(divisor);
  unsigned group = lanesWithinMultiples(x, divisor, lanes);
  if (group > 1) {
    uint64_t align = power ? std::max<uint64_t>(x.alignOfEach(group) / divisor, 1) : 1;
    return group == lanes ? Shape::uniformOf(align, max) : Shape::varying(max, group, 0, align);
  }
  Shape result = otherwise(max);
  if (result.kind == Shape::Uniform && power)
    result.align = std::max<uint64_t>(x.align / divisor, 1);
  return result;
}

Shape Rules::remainder(uint64_t divisor, bool isSigned) const {
  Shape x = operand(0);
  if (divisor == 0 || (isSigned && !x.bounded()))
    return otherwise();
  uint64_t max = limited(divisor - 1);
  unsigned group = lanesWithinMultiples(x, divisor, lanes);
  if (group > 1) {
    uint64_t align = std::min(x.alignOfEach(group), alignmentOf(divisor));
    return group == lanes ? Shape::stridedBy(x.stride, align, max)
                          : Shape::varying(max, group, x.stride, align);
  }
  Shape result = otherwise(max);
  if (result.kind == Shape::Uniform)
    result.align = std::min(x.align, alignmentOf(divisor));
  return result;
}

Shape Rules::extend(bool isSigned) const {
  Shape x = operand(0);
  bool same = isSigned ? x.bounded() : x.max != unbounded;
  // Addresses of neighbouring lanes cannot wrap, because memory is too small for that.
  bool isNear = std::abs(x.stride) * lanes < (int64_t(1) << 31);
  if (x.stride && (same || (isSigned && addressOnly && isNear)))
    return x;
  Shape result = otherwise(same ? x.max : unbounded);
  if (result.kind == Shape::Uniform)
    result.align = x.align;
  return result;
}

Shape Rules::select() const {
  Shape condition = operand(0), a = operand(1), b = operand(2);
  Shape either = join(a, b);
  uint64_t max = a.bounded() && b.bounded() ? std::max(a.max, b.max) : unbounded;
  either.max = max;
  return condition.uniform() ? either : Shape::varying(max);
}

Shape cpu::shapeOfElementwise(Operation *op, unsigned lanes, bool addressOnly,
                              function_ref<Shape(Value)> shapeOf) {
  if (op->hasTrait<OpTrait::ConstantLike>())
    return shapeOfConstant(op->getResult(0));
  for (Value operand : op->getOperands())
    if (!shapeOf(operand).known())
      return Shape();
  Rules rules{op, lanes, addressOnly, shapeOf};
  auto unsignedConstant = [&]() -> uint64_t {
    std::optional<int64_t> c = rules.constant(1);
    return c && *c > 0 ? *c : 0;
  };
  return llvm::TypeSwitch<Operation *, Shape>(op)
      .Case<arith::AddIOp, lane::OffsetOp>([&](auto) { return rules.add(false); })
      .Case([&](arith::SubIOp) { return rules.add(true); })
      .Case([&](arith::MulIOp) { return rules.multiply(); })
      .Case([&](arith::ShLIOp) { return rules.shiftLeft(); })
      .Case([&](arith::OrIOp) { return rules.bitOr(); })
      .Case([&](arith::DivUIOp) { return rules.quotient(unsignedConstant(), false); })
      .Case([&](arith::DivSIOp) { return rules.quotient(unsignedConstant(), true); })
      .Case([&](arith::RemUIOp) { return rules.remainder(unsignedConstant(), false); })
      .Case([&](arith::RemSIOp) { return rules.remainder(unsignedConstant(), true); })
      .Case([&](arith::ShRUIOp) {
        std::optional<int64_t> by = rules.constant(1);
        return rules.quotient(by && *by >= 0 && *by < 31 ? uint64_t(1) << *by : 0, false);
      })
      .Case([&](arith::ShRSIOp) {
        std::optional<int64_t> by = rules.constant(1);
        return rules.quotient(by && *by >= 0 && *by < 31 ? uint64_t(1) << *by : 0, true);
      })
      .Case([&](arith::AndIOp) {
        uint64_t mask = unsignedConstant();
        if (llvm::isPowerOf2_64(mask + 1) && mask)
          return rules.remainder(mask + 1, false);
        return rules.otherwise(limited(mask ? mask : unbounded));
      })
      .Case([&](arith::ExtSIOp) { return rules.extend(true); })
      .Case([&](arith::ExtUIOp) { return rules.extend(false); })
      .Case([&](arith::TruncIOp) {
        Shape x = rules.operand(0);
        Type type = op->getResult(0).getType();
        if (!x.stride || !keepsStrides(type))
          return rules.otherwise();
        int64_t stride = strideIn(type, x.stride);
        return x.scalar() ? Shape::stridedBy(stride, x.align, x.max)
                          : Shape::varying(x.max, x.block, stride, x.align);
      })
      .Case([&](arith::SelectOp) { return rules.select(); })
      .Default([&](Operation *) { return rules.otherwise(); });
}

//===- CheckArithmetic.cpp - offsets that overflow, and zero divisors -------===//
//   before: %p = tt.addptr %x, %i : !tt.ptr<f32>, i32      (%i = arith.muli %row, %stride)
//           tt.load %p
//   after:  %exact = arith.muli (arith.extsi %row), (arith.extsi %stride) : i64
//           %wrapped = arith.cmpi ne, %exact, (arith.extsi %i)
//           …
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/distribute/CheckMath.h"
#include "compiler/import/triton/distribute/Checks.h"
#include "compiler/import/triton/distribute/Converters.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::distribute;

//===-------------------------------------------------------------------------===//
// Offsets that overflow
//===-------------------------------------------------------------------------===//

using Like = llvm::function_ref<Type(Type)>;
using Found = std::optional<Distributed>; // i1 values; nullopt: cannot fail

static FailureOr<Found> only(FailureOr<SmallVector<Distributed>> results) {
  return failed(results) ? FailureOr<Found>() : FailureOr<Found>(Found(results->front()));
}

/// Applies the view or splat `op` to another value that has the shape of its operand.
static FailureOr<Found> sameView(Distribution &d, Operation *op, FailureOr<Found> source) {
  if (failed(source) || !*source)
    return source;
  if (const auto *scalar = std::get_if<Value>(&**source))
    return Found(d.splat(op->getLoc(), shapeOf(op->getResult(0).getType()), *scalar));
  FailureOr<TensorRef> view = viewOf(d, op, std::get<TensorRef>(**source));
  return failed(view) ? FailureOr<Found>() : FailureOr<Found>(Found(*view));
}

/// Joins two results of one shape with `Join`. If one of them is nullopt, returns the other.
template <typename Join>
static FailureOr<Found> joined(Distribution &d, Location loc, FailureOr<Found> a,
                               FailureOr<Found> b) {
  if (failed(a) || failed(b))
    return failure();
  if (!*a || !*b)
    return *a ? a : b;
  return only(d.elementwise(loc, {**a, **b}, d.b.getI1Type(), /*isCheap=*/true,
                            [loc](OpBuilder &b, ValueRange v, Like) {
                              return SmallVector<Value>{Join::create(b, loc, v[0], v[1])};
                            }));
}

static FailureOr<Found> eitherOf(Distribution &d, Location loc, FailureOr<Found> a,
                                 FailureOr<Found> b) {
  return joined<arith::OrIOp>(d, loc, a, b);
}

/// Returns the end of a `make_range` that begins at 0, or 0 for any other value.
static int64_t countedUpTo(Value value) {
  auto range = value.getDefiningOp<MakeRangeOp>();
  return range && range.getStart() == 0 ? static_cast<int64_t>(range.getEnd()) : 0;
}

/// Returns whether the sum, difference or product of two i32 numbers overflows.
static Value leaves32(OpBuilder &b, Operation *op, Value x, Value y, Value result, Like like) {
  Location loc = op->getLoc();
  if (isa<arith::MulIOp>(op)) {
    auto wide = [&](Value v) {
      return arith::ExtSIOp::create(b, loc, like(b.getI64Type()), v).getResult();
    };
    Value exact = arith::MulIOp::create(b, loc, wide(x), wide(y));
    return arith::CmpIOp::create(b, loc, Predicate::ne, exact, wide(result));
  }
  // A sum overflows if its sign differs from the signs of both operands. A difference overflows if
  // the operands have different signs and the sign of the result differs from that of the first
  // operand.
  Value first = arith::XOrIOp::create(b, loc, result, x);
  Value second = arith::XOrIOp::create(b, loc, isa<arith::AddIOp>(op) ? result : x, y);
  Value sign = arith::AndIOp::create(b, loc, first, second);
  Value zero = arith::XOrIOp::create(b, loc, sign, sign);
  return arith::CmpIOp::create(b, loc, Predicate::slt, sign, zero);
}

/// Returns whether this single operation overflows.
static FailureOr<Found> leavesHere(Distribution &d, Location loc, Operation *op) {
  for (unsigned i : {0u, 1u}) {
    // If a scalar is added to a range, it suffices to test the last element.
    int64_t count = countedUpTo(op->getOperand(i));
    auto splat = op->getOperand(1 - i).getDefiningOp<SplatOp>();
    if (!isa<arith::AddIOp>(op) || !count || !splat)
      continue;
    Value limit = d.constant(loc, d.b.getI32Type(), (int64_t{1} << 31) - count);
    Value wraps =
        arith::CmpIOp::create(d.b, loc, Predicate::sgt, d.scalar(splat.getSource()), limit);
    return Found(d.splat(loc, shapeOf(op->getResult(0).getType()), wraps));
  }
  return only(d.elementwise(loc, {d[op->getOperand(0)], d[op->getOperand(1)], d[op->getResult(0)]},
                            d.b.getI1Type(),
                            /*isCheap=*/true, [op](OpBuilder &b, ValueRange v, Like like) {
                              return SmallVector<Value>{leaves32(b, op, v[0], v[1], v[2], like)};
                            }));
}

/// Returns whether any operation overflows in the arithmetic that computes an i32 value.
static FailureOr<Found> leaves(Distribution &d, Location loc, Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !scalarOf(value.getType()).isInteger(32))
    return Found();
  if (isView(op) || isa<SplatOp>(op))
    return sameView(d, op, leaves(d, loc, op->getOperand(0)));
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return Found();
  return eitherOf(
      d, loc, leavesHere(d, loc, op),
      eitherOf(d, loc, leaves(d, loc, op->getOperand(0)), leaves(d, loc, op->getOperand(1))));
}

/// Returns the elements of a pointer whose offsets overflowed.
static FailureOr<Found> wrappedOffsets(Distribution &d, Location loc, Value pointer) {
  Operation *op = pointer.getDefiningOp();
  if (!op)
    return Found();
  if (isView(op) || isa<SplatOp>(op))
    return sameView(d, op, wrappedOffsets(d, loc, op->getOperand(0)));
  if (isa<triton::BitcastOp>(op))
    return wrappedOffsets(d, loc, op->getOperand(0));
  auto step = dyn_cast<AddPtrOp>(op);
  if (!step)
    return Found();
  return eitherOf(d, loc, wrappedOffsets(d, loc, step.getPointer()),
                  leaves(d, loc, step.getOffset()));
}

LogicalResult Checks::checkOverflow(Distribution &d, const CheckedAccess &access) const {
  Location loc = access.op->getLoc();
  FailureOr<Found> found = wrappedOffsets(d, loc, access.pointer);
  if (failed(found) || !*found)
    return found;
  TileMath tiles{d, loc, access.layout};
  Value uniform, wrapped;
  if (const auto *scalar = std::get_if<Value>(&**found)) {
    uniform = *scalar;
    wrapped = tiles.splat(uniform);
  } else {
    auto tensor = std::get<TensorRef>(**found);
    uniform = tensor->uniform;
    FailureOr<Value> mask = d.in(tensor, access.layout);
    if (failed(mask))
      return failure();
    wrapped = *mask;
  }
  wrapped = tiles.both(wrapped, access.mask);
  Value any = uniform ? uniform : tiles.any(wrapped);
  auto place = [&d, loc, layout = access.layout, offsets = access.offsets] {
    return TileMath{d, loc, layout}.wide(offsets);
  };
  d.reports.push_back({access.op, "overflow", "", access.layout, any, wrapped, place});
  return success();
}

//===-------------------------------------------------------------------------===//
// Zero divisors
//===-------------------------------------------------------------------------===//

/// Returns whether a number depends on a masked load. Elements outside the mask are arbitrary, and
/// may be zero.
static bool isMasked(Value value, DenseSet<Value> &seen) {
  Operation *op = value.getDefiningOp();
  if (!seen.insert(value).second || !op)
    return false;
  if (auto load = dyn_cast<LoadOp>(op))
    return static_cast<bool>(load.getMask());
  return llvm::any_of(op->getOperands(), [&](Value operand) { return isMasked(operand, seen); });
}

namespace {
/// Finds the elements of a number whose masked loads have all read memory.
struct LoadMasks {
  Distribution &d;
  Location loc;
  /// True if only views and element-wise operations are between masked loads and the number, so
  /// that the masks apply to its own elements.
  bool areKnown = true;
  DenseMap<Value, Found> known;

  LoadMasks(Distribution &d, Location loc) : d(d), loc(loc) {}

  FailureOr<Found> of(Value value) {
    if (auto it = known.find(value); it != known.end())
      return it->second;
    FailureOr<Found> found = find(value);
    if (succeeded(found))
      known[value] = *found;
    return found;
  }

private:
  FailureOr<Found> find(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return Found();
    if (auto load = dyn_cast<LoadOp>(op))
      return load.getMask() ? Found(d[load.getMask()]) : Found();
    if (isView(op) || isa<SplatOp>(op))
      return sameView(d, op, of(op->getOperand(0)));
    auto shape = [](Type type) {
      return isa<RankedTensorType>(type) ? shapeOf(type) : SmallVector<uint64_t, 4>();
    };
    bool isElementwise =
        op->hasTrait<OpTrait::Elementwise>() && llvm::all_of(op->getOperandTypes(), [&](Type type) {
          return shape(type) == shape(value.getType());
        });
    if (!isElementwise) {
      DenseSet<Value> seen;
      areKnown &= !isMasked(value, seen);
      return Found();
    }
    FailureOr<Found> all = Found();
    for (Value operand : op->getOperands())
      all = joined<arith::AndIOp>(d, loc, all, of(operand));
    return all;
  }
};
} // namespace

/// Returns whether a number is used only by selections. Their conditions may exclude zero divisors,
/// as in `tl.where(y != 0, x // y, 0)`.
static bool mayBeDropped(Value value) {
  return !value.use_empty() && llvm::all_of(value.getUses(), [](OpOperand &use) {
    return isa<arith::SelectOp>(use.getOwner()) && use.getOperandNumber() != 0;
  });
}

LogicalResult Checks::checkDivision(Distribution &d, Operation *op) const {
  bool isDivision = isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op);
  if (!looksFor(Check::Division) || !isDivision ||
      isa<ReduceOp, ScanOp, MapElementwiseOp>(op->getParentOp()))
    return success();
  Value divisor = op->getOperand(1);
  if (matchPattern(divisor, m_Constant()) || mayBeDropped(op->getResult(0)))
    return success();
  Location loc = op->getLoc();
  LoadMasks masks(d, loc);
  FailureOr<Found> loaded = masks.of(divisor);
  if (failed(loaded) || !masks.areKnown)
    return success(succeeded(loaded));
  Distributed is = d[divisor];
  const auto *scalar = std::get_if<Value>(&is);
  TensorRef tensor = scalar ? d.splat(loc, {1}, *scalar) : std::get<TensorRef>(is);
  FailureOr<Layout> layout = scalar ? d.take(loc, oneElement(d.workgroup)) : d.homeOf(tensor);
  FailureOr<Value> tile = failed(layout) ? FailureOr<Value>() : d.in(tensor, *layout);
  if (failed(tile))
    return failure();
  TileMath tiles{d, loc, *layout};
  Type element = cast<RankedTensorType>(tile->getType()).getElementType();
  Value isZero = tiles.compare(Predicate::eq, *tile, d.constant(loc, element, 0));
  if (*loaded) {
    const auto *one = std::get_if<Value>(&**loaded);
    FailureOr<Value> mask =
        one ? FailureOr<Value>(tiles.splat(*one)) : d.in(std::get<TensorRef>(**loaded), *layout);
    if (failed(mask))
      return failure();
    isZero = tiles.both(isZero, *mask);
  }
  Value any = tiles.any(isZero);
  auto nothing = [&d, loc, layout = *layout] {
    return TileMath{d, loc, layout}.splat(d.constant(loc, d.b.getI64Type(), 0));
  };
  d.reports.push_back({op, "division", "", *layout, any, isZero, nothing});
  return success();
}

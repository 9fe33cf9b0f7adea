//===- DistributeProducts.cpp - products that each lane computes by itself --===//
//   before: %d = tile.dot %a, %b, %c : … -> tensor<4x4xf32, #l>
//   after:  for each element (m, n) that a lane holds: fma(a[m, k], b[k, n], …) for all k
//
// The factors are converted to layouts in which each lane holds the rows of a and the columns of b
// that its results need. All multiplications are unrolled. This method is for small products, and
// for products that no faster method supports.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/tile/layout/TensorLayout.h"
#include "compiler/lower/tile/TilePatterns.h"
#include "compiler/lower/tile/WorkgroupTrips.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;
using tile::layoutOf;
using tile::LinearLayout;

/// The most multiplications that are unrolled. More would make the code too large.
static constexpr uint64_t mostMultiplications = 16384;

Result<LinearLayout> pumice::lower::tiles::factorLayout(tile::DotOp op, unsigned which) {
  const LinearLayout &layout = layoutOf(op.getResult().getType());
  unsigned rank = static_cast<unsigned>(layout.outputs().size());
  uint64_t depth = static_cast<uint64_t>(op.getA().getType().getDimSize(rank - 1));
  unsigned axis =
      rank - 1 - which; // the dimension of the depth, whose elements are all in registers
  PUMICE_TRY(LinearLayout rest, tile::removeDimension(layout, axis));
  PUMICE_TRY(LinearLayout lifted, tile::expandDims(rest, axis));
  return tile::broadcast(lifted, axis, depth);
}

namespace {

/// A factor in a lane's registers.
struct Factor {
  LinearLayout layout;
  Registers registers;
  tile::BitSpan held;

  /// Returns the register that holds the element at these coordinates, without the part of the
  /// coordinates that depends on the lane.
  Value at(ArrayRef<uint64_t> coordinates) const {
    uint64_t element = tile::pointOf(layout.outputs(), {coordinates.data(), coordinates.size()});
    return registers[held.express(element).value_or(0)];
  }
};

struct DistributeProduct final : MovementPattern<tile::DotOp> {
  using MovementPattern::MovementPattern;

  LogicalResult matchAndRewrite(tile::DotOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    const LinearLayout &layout = layoutOf(op.getResult().getType());
    unsigned rank = static_cast<unsigned>(layout.outputs().size());
    uint64_t depth = static_cast<uint64_t>(op.getA().getType().getDimSize(rank - 1));
    if (registerCount(layout) * depth > mostMultiplications)
      return op.emitOpError() << "takes " << registerCount(layout) * depth
                              << " multiplications in each lane, all unrolled; the limit is "
                              << mostMultiplications << ": use smaller blocks";
    LaneCode code = laneCode(rewriter, op, layout);
    FailureOr<Factor> a =
        factor(code, op, op.getA().getType(), adaptor.getA(), factorLayout(op, 0));
    FailureOr<Factor> b =
        factor(code, op, op.getB().getType(), adaptor.getB(), factorLayout(op, 1));
    if (failed(a) || failed(b))
      return failure();
    Registers sums = code.unpack(adaptor.getAccumulator());
    for (uint64_t reg = 0; reg < sums.size(); ++reg) {
      std::vector<uint64_t> ofA = tile::coordinatesOf(
          layout.outputs(), tile::combine(layout.columns(tile::registerSpace), reg));
      std::vector<uint64_t> ofB = ofA;
      for (uint64_t k = 0; k < depth; ++k) {
        ofA[rank - 1] = k;
        ofB[rank - 2] = k;
        sums[reg] = multiplyAdd(code, a->at(ofA), b->at(ofB), sums[reg]);
      }
    }
    rewriter.replaceOp(op, code.pack(sums));
    return success();
  }

  FailureOr<Factor> factor(LaneCode &code, tile::DotOp op, RankedTensorType type, Value vector,
                           const Result<LinearLayout> &wanted) const {
    if (!wanted.isOk())
      return refuse(op, wanted.status());
    auto plan = tile::planConversion(layoutOf(type), *wanted,
                                     tile::storedBytes(type.getElementType()), memory);
    if (!plan.isOk())
      return refuse(op, plan.status());
    WorkgroupTrips trips(code, op);
    Registers registers = trips.convert(*plan, code.unpack(vector));
    Type sum = op.getResult().getType().getElementType();
    for (Value &value :
         registers) // widened only once, since each value takes part in many products
      value = widened(code, value, sum);
    return Factor{*wanted, std::move(registers),
                  tile::BitSpan(wanted->columns(tile::registerSpace))};
  }

  static Value widened(LaneCode &code, Value value, Type type) {
    if (value.getType() == type)
      return value;
    if (isa<FloatType>(type))
      return arith::ExtFOp::create(code.b, type, value);
    return arith::ExtSIOp::create(code.b, type, value);
  }

  static Value multiplyAdd(LaneCode &code, Value a, Value b, Value sum) {
    if (isa<FloatType>(sum.getType()))
      return math::FmaOp::create(code.b, a, b, sum);
    return arith::AddIOp::create(code.b, arith::MulIOp::create(code.b, a, b), sum);
  }
};

} // namespace

void pumice::lower::tiles::addProductPatterns(const TypeConverter &types,
                                              RewritePatternSet &patterns,
                                              const tile::WorkgroupMemory &memory) {
  patterns.add<DistributeProduct>(types, patterns.getContext(), memory);
}

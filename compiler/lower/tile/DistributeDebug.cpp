//===- DistributeDebug.cpp - prints elements of tensors from their lanes ----===//
//   before: tile.print "x = %f\n"(%t) mask %m : (tensor<16xf32, #l>, tensor<16xi1, #l>)
//   after:  for each register: scf.if %m0 { gpu.printf "x = %f\n", %t0 : f32 }
//
// If several lanes hold an element, one of them prints it. In a combining region, each lane prints
// its own combinations, except for lanes that hold copies of other lanes' elements.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/tile/layout/LayoutAlgebra.h"
#include "compiler/lower/tile/TilePatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;
using tile::layoutOf;
using tile::LinearLayout;

namespace {

/// Attribute of a print in a region that runs for each element. It is set before patterns replace
/// the region. It holds the bits of lanes and subgroups that distinguish copies of elements: only
/// one holder of each element prints.
constexpr char copiesAttrName[] = "copies";

struct DistributePrint final : OpConversionPattern<tile::PrintOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::PrintOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type tensor = *llvm::find_if(op.getOperandTypes(), tile::isDistributed);
    const LinearLayout &layout = layoutOf(tensor);
    LaneCode code = laneCode(rewriter, op, layout);
    std::vector<uint64_t> copies = tile::freeBits(layout);
    if (auto told = op->getAttrOfType<DenseI64ArrayAttr>(copiesAttrName))
      copies = {copies[0], uint64_t(told[0]), uint64_t(told[1])};
    Condition original = code.isOriginal(copies[1], copies[2]);
    SmallVector<Registers> values;
    for (auto [value, whole] : llvm::zip_equal(adaptor.getValues(), op.getValues()))
      values.push_back(tile::isDistributed(whole.getType()) ? code.unpack(value)
                                                            : Registers{value});
    Registers masks = adaptor.getMask() ? code.unpack(adaptor.getMask()) : Registers{};
    for (uint64_t reg = 0; reg < registerCount(layout); ++reg) {
      if (reg & copies[0])
        continue;
      OpBuilder::InsertionGuard guard(code.b);
      if (Value mask = code.onceWhere(original, masks, reg)) {
        auto guarded = scf::IfOp::create(code.b, mask, /*withElseRegion=*/false);
        code.b.setInsertionPointToStart(guarded.thenBlock());
      }
      gpu::PrintfOp::create(code.b, op.getFormat(),
                            llvm::map_to_vector(values, [&](const Registers &one) {
                              return one.size() == 1 ? one[0] : one[reg];
                            }));
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void pumice::lower::tiles::markEachLanesPrints(Operation *root) {
  root->walk([](Operation *op) {
    if (!isa<tile::ReduceOp, tile::ScanOp, tile::MapOp>(op))
      return;
    std::vector<uint64_t> copies = tile::freeBits(layoutOf(op->getOperand(0).getType()));
    auto told = DenseI64ArrayAttr::get(op->getContext(), {int64_t(copies[1]), int64_t(copies[2])});
    op->walk([&](tile::PrintOp line) { line->setAttr(copiesAttrName, told); });
  });
}

void pumice::lower::tiles::addDebugPatterns(const TypeConverter &types,
                                            RewritePatternSet &patterns) {
  patterns.add<DistributePrint>(types, patterns.getContext());
}

//===- PrintTilePlans.cpp - says how elements move --------------------------===//
//   before: %b = tile.convert_layout %a : tensor<8xf32, #l> -> tensor<8xf32, #m>
//   after:  the same; remark: shuffles: 1 round, 2 selects
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/tile/Passes.h"
#include "compiler/dialect/tile/layout/LayoutText.h"
#include "compiler/dialect/tile/plan/Gather.h"
#include "compiler/dialect/tile/plan/Scan.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace pumice;

namespace pumice::tile {
#define GEN_PASS_DEF_PRINTTILEPLANS
#include "compiler/dialect/tile/Passes.h.inc"
} // namespace pumice::tile

using namespace pumice::tile;

namespace {

struct PrintTilePlans final : tile::impl::PrintTilePlansBase<PrintTilePlans> {
  using PrintTilePlansBase::PrintTilePlansBase;

  void runOnOperation() override {
    WorkgroupMemory memory{.bytes = workgroupBytes};
    WalkResult result = getOperation()->walk([&](Operation *op) {
      return llvm::TypeSwitch<Operation *, WalkResult>(op)
          .Case([&](ConvertLayoutOp convert) {
            RankedTensorType from = convert.getTensor().getType();
            return remark(op,
                          planConversion(layoutOf(from), layoutOf(convert.getResult().getType()),
                                         storedBytes(from.getElementType()), memory));
          })
          .Case([&](ReduceOp reduce) {
            return remark(op, planReduction(layoutOf(op->getOperand(0).getType()), reduce.getAxis(),
                                            widest(op), memory));
          })
          .Case([&](ScanOp scan) {
            return remark(op, planScan(layoutOf(op->getOperand(0).getType()), scan.getAxis(),
                                       scan.getReverse(), widest(op), memory));
          })
          .Case([&](GatherOp gather) {
            RankedTensorType source = gather.getSource().getType();
            return remark(op, planGather(layoutOf(source), layoutOf(gather.getResult().getType()),
                                         gather.getAxis(), storedBytes(source.getElementType()),
                                         memory));
          })
          .Default([](Operation *) { return WalkResult::advance(); });
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    if (draw)
      drawLayouts();
    markAllAnalysesPreserved();
  }

  template <typename Plan> static WalkResult remark(Operation *op, const Result<Plan> &plan) {
    if (!plan.isOk())
      return op->emitOpError() << plan.status().message(), WalkResult::interrupt();
    op->emitRemark() << describe(*plan);
    return WalkResult::advance();
  }

  /// Returns the bytes of the largest element that moves.
  static unsigned widest(Operation *op) {
    unsigned bytes = 1;
    for (Type type : op->getOperandTypes())
      bytes = std::max(bytes, storedBytes(getElementTypeOrSelf(type)));
    return bytes;
  }

  void drawLayouts() {
    llvm::SetVector<LayoutAttr> layouts;
    AttrTypeWalker walker;
    walker.addWalk([&](LayoutAttr layout) { layouts.insert(layout); });
    getOperation()->walk([&](Operation *op) {
      for (Type type : op->getResultTypes())
        walker.walk(type);
    });
    const char *between = "";
    for (LayoutAttr layout : layouts)
      if (Result<std::string> table = drawTable(layout.getLayout()); table.isOk()) {
        llvm::outs() << between << print(layout.getLayout()) << "\n" << *table;
        between = "\n";
      }
  }
};

} // namespace

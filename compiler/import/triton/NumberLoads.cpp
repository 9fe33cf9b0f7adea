//===- NumberLoads.cpp - gives loads numbers for statistics -----------------===//
//   before: %v = tt.load %p : tensor<64x!tt.ptr<f32>>
//   after:  %v = tt.load %p {pumice.load = {form = "pointers", number = 0 : i32,
//                                           type = tensor<64xf32>}} : tensor<64x!tt.ptr<f32>>
// Every operation that replaces a load keeps the attribute, until tiles are split into lanes.
// PlaceLoads reads it.
// Needs: InlineTritonCalls, because a load in a callee counts once for each caller. Leaves: the
// same operations.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/triton/TritonDialect.h"
#include "compiler/import/triton/Passes.h"

namespace pumice::triton {
#define GEN_PASS_DEF_NUMBERLOADS
#include "compiler/import/triton/Passes.h.inc"
} // namespace pumice::triton

using namespace mlir;
using namespace pumice;

/// Returns the form in which the kernel gives the address of a load, or an empty text if `op` is
/// not a load.
static StringRef formOf(Operation *op) {
  if (auto load = dyn_cast<triton::LoadOp>(op))
    return isa<RankedTensorType>(load.getType()) ? "pointers" : "pointer";
  if (isa<triton::DescriptorLoadOp>(op))
    return "descriptor";
  return isa<triton::DescriptorGatherOp>(op) ? "rows of a descriptor" : "";
}

namespace {

struct NumberLoads final : triton::impl::NumberLoadsBase<NumberLoads> {
  void runOnOperation() override {
    Builder b(&getContext());
    int32_t number = 0;
    getOperation().walk([&](Operation *op) {
      StringRef form = formOf(op);
      if (!form.empty())
        op->setAttr(tile::loadAttrName,
                    b.getDictionaryAttr(
                        {b.getNamedAttr("form", b.getStringAttr(form)),
                         b.getNamedAttr("number", b.getI32IntegerAttr(number++)),
                         b.getNamedAttr("type", TypeAttr::get(op->getResult(0).getType()))}));
    });
  }
};

} // namespace

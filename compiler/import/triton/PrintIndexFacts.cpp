//===- PrintIndexFacts.cpp - prints facts about integers and pointers -------===//
//   before and after: %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
//   remark: contiguity [16], constancy [1], divisibility […], steps [1 2 4 8] from 0
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/triton/TritonDialect.h"
#include "compiler/import/triton/Passes.h"
#include "compiler/import/triton/facts/IndexFacts.h"
#include "compiler/import/triton/facts/TransferFacts.h"

namespace pumice::triton {
#define GEN_PASS_DEF_PRINTINDEXFACTS
#include "compiler/import/triton/Passes.h.inc"
} // namespace pumice::triton

using namespace mlir;
using namespace pumice::triton;

namespace {

struct PrintIndexFacts final : pumice::triton::impl::PrintIndexFactsBase<PrintIndexFacts> {
  void runOnOperation() override {
    FailureOr<IndexFacts> facts = IndexFacts::of(getOperation());
    if (failed(facts))
      return signalPassFailure();
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            say(argument, *facts, op, "variable " + std::to_string(argument.getArgNumber()) + ": ");
      for (OpResult result : op->getResults())
        say(result, *facts, op,
            op->getNumResults() > 1 ? std::to_string(result.getResultNumber()) + ": " : "");
    });
    markAllAnalysesPreserved();
  }

private:
  static void say(Value value, const IndexFacts &facts, Operation *where, const std::string &what) {
    Type scalar = scalarOf(value.getType());
    if (isa<IntegerType, pumice::triton::PointerType>(scalar))
      where->emitRemark(what) << facts[value].text(unitOf(value.getType()));
  }
};

} // namespace

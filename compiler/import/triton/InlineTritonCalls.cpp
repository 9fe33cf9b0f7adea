//===- InlineTritonCalls.cpp - one function for every kernel ----------------===//
//   before: %r = tt.call @twice(%x) : (f32) -> f32
//   after:  %r = arith.addf %x, %x : f32
// Callees are inlined into first, so that each body is copied whole.
// Needs: StructureTriton. Leaves: no tt.call, and public functions only.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/triton/TritonDialect.h"
#include "compiler/import/triton/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

namespace pumice::triton {
#define GEN_PASS_DEF_INLINETRITONCALLS
#include "compiler/import/triton/Passes.h.inc"
} // namespace pumice::triton

using namespace mlir;
using pumice::triton::CallOp;
using pumice::triton::FuncOp;

namespace {

constexpr uint64_t mostOperations = 1 << 20; // of one function, calls expanded
constexpr size_t deepest = 256;

struct Inlined {
  enum { New, Open, Done } state = New;
  uint64_t operations = 0; // with all calls expanded
};

class Inliner {
public:
  explicit Inliner(ModuleOp module) : symbols(module) {}

  /// Inlines every call in `function`, those of the callees first.
  LogicalResult visit(FuncOp function) {
    if (known[function].state == Inlined::Done)
      return success();
    known[function].state = Inlined::Open;
    ++depth;
    SmallVector<CallOp> calls;
    uint64_t operations = 0;
    function.walk([&](Operation *op) {
      ++operations;
      if (auto call = dyn_cast<CallOp>(op))
        calls.push_back(call);
    });
    for (CallOp call : calls) {
      FailureOr<FuncOp> callee = prepare(call);
      if (failed(callee))
        return failure();
      operations += known[*callee].operations;
      if (operations > mostOperations)
        return call.emitError("calls in '")
               << function.getName() << "' make more than " << mostOperations
               << " operations of it; call fewer functions, or smaller ones";
      inlineCall(call, *callee);
    }
    --depth;
    known[function] = {Inlined::Done, operations};
    return success();
  }

private:
  FailureOr<FuncOp> prepare(CallOp call) {
    auto callee = symbols.lookup<FuncOp>(call.getCallee());
    if (callee.isExternal())
      return call.emitError("calls '") << call.getCallee() << "', which has no body";
    if (!callee.getBody().hasOneBlock())
      return call.emitError("calls '") << call.getCallee()
                                       << "', which has branches; pumice-structure-triton comes "
                                          "before";
    if (known[callee].state == Inlined::Open)
      return call.emitError("calls '") << call.getCallee()
                                       << "', which is being called already; kernels have no "
                                          "recursion: write a loop";
    if (depth == deepest)
      return call.emitError("calls nest more than ") << deepest << " deep; write a loop";
    if (failed(visit(callee)))
      return failure();
    return callee;
  }

  /// Copies name both places: the callee's line, called at the caller's.
  static void inlineCall(CallOp call, FuncOp callee) {
    OpBuilder builder(call);
    IRMapping values;
    values.map(callee.getArguments(), call.getArguments());
    Block &body = callee.getBody().front();
    for (Operation &op : body.without_terminator()) {
      Operation *copy = builder.clone(op, values);
      copy->walk([&](Operation *inner) {
        inner->setLoc(CallSiteLoc::get(inner->getLoc(), call.getLoc()));
      });
    }
    for (auto [result, value] : llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(values.lookupOrDefault(value));
    call.erase();
  }

  SymbolTable symbols;
  DenseMap<Operation *, Inlined> known;
  size_t depth = 0;
};

struct InlineTritonCalls final : pumice::triton::impl::InlineTritonCallsBase<InlineTritonCalls> {
  void runOnOperation() override {
    Inliner inliner(getOperation());
    for (FuncOp function : getOperation().getOps<FuncOp>())
      if (function.isPublic() && failed(inliner.visit(function)))
        return signalPassFailure();
    for (FuncOp function : llvm::make_early_inc_range(getOperation().getOps<FuncOp>()))
      if (!function.isPublic())
        function.erase();
  }
};

} // namespace

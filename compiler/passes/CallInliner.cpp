//===- CallInliner.cpp - makes each kernel one function ---------------------===//
#include "compiler/passes/CallInliner.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace pumice;

static constexpr uint64_t mostOperations =
    1 << 20; // operations of a function, with all calls expanded
static constexpr size_t deepest = 256;

LogicalResult CallInliner::inlineInto(FunctionOpInterface function) {
  if (done.contains(function))
    return success();
  enter(function);
  path.push_back(function);
  SmallVector<Operation *> calls;
  uint64_t operations = 0;
  WalkResult walked = function.walk([&](Operation *op) {
    if (failed(checkOperation(op)))
      return WalkResult::interrupt();
    ++operations;
    if (!calleeName(op).empty())
      calls.push_back(op);
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  for (Operation *call : calls) {
    FailureOr<FunctionOpInterface> callee = prepareCallee(call);
    if (failed(callee))
      return failure();
    operations += done.lookup(*callee);
    if (operations > mostOperations)
      return call->emitError("the calls in '")
             << function.getName() << "' expand to more than " << mostOperations
             << " operations; call fewer functions, or smaller ones";
    expand(call, *callee);
  }
  path.pop_back();
  done[function] = operations;
  return success();
}

FailureOr<FunctionOpInterface> CallInliner::prepareCallee(Operation *call) {
  StringRef name = calleeName(call);
  auto callee = symbols.lookup<FunctionOpInterface>(name);
  if (!callee)
    return call->emitError("'") << name << "' is not a function of the kernel's module";
  if (callee.isExternal())
    return call->emitError("'") << name << "' has no body; define it in the kernel's module";
  if (failed(checkCallee(call, callee)))
    return failure();
  if (llvm::is_contained(path, callee))
    return reportRecursion(call, callee);
  if (path.size() >= deepest)
    return call->emitError("calls are nested more than ") << deepest << " deep; use a loop";
  if (failed(inlineInto(callee)))
    return failure();
  return callee;
}

LogicalResult CallInliner::reportRecursion(Operation *call, FunctionOpInterface callee) {
  InFlightDiagnostic error = call->emitError("kernels cannot recurse: ");
  for (FunctionOpInterface open : llvm::make_range(llvm::find(path, callee), path.end()))
    error << "'" << open.getName() << "' calls ";
  return error << "'" << callee.getName() << "'; use a loop";
}

LogicalResult CallInliner::checkCallee(Operation *call, FunctionOpInterface callee) const {
  if (callee.getFunctionBody().hasOneBlock())
    return success();
  return call->emitError("'") << callee.getName()
                              << "' has several blocks; structure its control flow first";
}

void CallInliner::nameBothPlaces(Operation *copy, Operation *call) {
  copy->walk(
      [&](Operation *inner) { inner->setLoc(CallSiteLoc::get(inner->getLoc(), call->getLoc())); });
}

void CallInliner::expand(Operation *call, FunctionOpInterface callee) {
  OpBuilder builder(call);
  IRMapping values;
  Block &body = callee.getFunctionBody().front();
  values.map(body.getArguments(), call->getOperands());
  for (Operation &op : body.without_terminator())
    nameBothPlaces(builder.clone(op, values), call);
  for (auto [result, returned] :
       llvm::zip_equal(call->getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(values.lookupOrDefault(returned));
  call->erase();
}

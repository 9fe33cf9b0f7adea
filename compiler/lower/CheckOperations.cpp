//===- CheckOperations.cpp - refuse early what no kernel can execute --------===//
//   before: %p = memref.alloc() : memref<8xf32>
//   after:  error: 'memref.alloc' cannot be compiled: a kernel cannot allocate device memory; use
//   ...
// Leaves: operations that Operations.def knows as native, emulated or structure, and SPIR-V's own.
//===-------------------------------------------------------------------------===//
#include "compiler/Operations.h"
#include "compiler/lower/Passes.h"

namespace pumice::lower {
#define GEN_PASS_DEF_CHECKOPERATIONS
#include "compiler/lower/Passes.h.inc"
} // namespace pumice::lower

using namespace mlir;
using namespace pumice;

namespace {

LogicalResult check(Operation *op) {
  StringRef name = op->getName().getStringRef();
  StringRef dialect = op->getName().getDialectNamespace();
  // Subgroup operations, conversions and the like may be written in SPIR-V's own dialect.
  if (dialect == "spirv" || dialect == "vk")
    return success();
  const OperationInfo *info = findOperation(name);
  if (!info)
    return op->emitError() << "'" << name
                           << "' is not an operation that a kernel may hold; lower it "
                           << "to gpu, arith, math, memref, scf, cf, vector, index or func first";
  if (info->state == pumice::OperationState::Refused)
    return op->emitError() << "'" << name << "' cannot be compiled: " << info->note;
  if (info->state == pumice::OperationState::Host)
    return op->emitError() << "'" << name << "' cannot stand in a kernel: it is " << info->note;
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (isa<UnrankedMemRefType>(type))
      return op->emitError() << "'" << name << "' uses a memref of unknown rank; give it a rank";
  return success();
}

struct CheckOperations final : lower::impl::CheckOperationsBase<CheckOperations> {
  void runOnOperation() override {
    // An operation before its parts: the error stands at the outermost one.
    WalkResult walked = getOperation()->walk<WalkOrder::PreOrder>([](Operation *op) {
      return failed(check(op)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (walked.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace

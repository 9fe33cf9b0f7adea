//===- EmittedKernel.h - an emitter for tests of its parts ------------------===//
// A test may emit the whole kernel, or let one part emit code into the open function.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/simd/Emitter.h"
#include "compiler/cpu/testing/LoadKernels.h"

#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

namespace pumice::cpu::testing {

/// The emitter of the first kernel of a text, for subgroups of eight lanes.
class EmittedKernel {
public:
  explicit EmittedKernel(const std::string &text) : module(loadKernels(text, context)) {
    kernel = *module->getOps<mlir::func::FuncOp>().begin();
    WorkgroupShape shape;
    auto size = kernel->getAttrOfType<mlir::DenseI32ArrayAttr>("lane.workgroup_size");
    llvm::copy(size.asArrayRef(), shape.size.begin());
    shape.lanes = shape.registerLanes = 8;
    analysis.emplace(kernel, shape);
    e.emplace(kernel, *analysis, SimdTarget{.lanes = 8});
  }

  /// Emits the whole kernel, and checks that it is valid.
  mlir::LLVM::LLVMFuncOp emit() {
    EXPECT_TRUE(succeeded(e->emit()));
    kernel.erase();
    EXPECT_TRUE(succeeded(mlir::verify(*module)));
    return function();
  }

  /// Creates the function, and opens a block for the code of one part.
  SimdEmitter &open() {
    e->frame.create();
    e->b.startBlock(e->b.entry);
    mlir::Block *first = e->b.newBlock();
    e->b.branch(first);
    e->b.startBlock(first);
    return *e;
  }

  mlir::LLVM::LLVMFuncOp function() { return *module->getOps<mlir::LLVM::LLVMFuncOp>().begin(); }
  template <typename Op> std::vector<Op> all() {
    std::vector<Op> found;
    function().walk([&](Op op) { found.push_back(op); });
    return found;
  }
  /// Returns the result of the kernel's operation with this number.
  mlir::Value result(unsigned number) {
    return std::next(kernel.getBody().front().begin(), number)->getResult(0);
  }
  /// Returns the number of tests whether the launch was cancelled.
  size_t cancelTests() {
    return llvm::count_if(all<mlir::LLVM::LoadOp>(),
                          [](mlir::LLVM::LoadOp load) { return load.getVolatile_(); });
  }

private:
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp kernel;
  std::optional<LaneAnalysis> analysis;

public:
  std::optional<SimdEmitter> e;
};

} // namespace pumice::cpu::testing

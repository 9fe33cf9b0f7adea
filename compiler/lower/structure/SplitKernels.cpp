//===- SplitKernels.cpp - a gpu.module for every kernel ---------------------===//
//   before: gpu.module @m { gpu.func @a() kernel  gpu.func @b() kernel }
//   after:  gpu.module @m_a attributes {pumice.module = "m"} { gpu.func @a() kernel }
//           gpu.module @m_b attributes {pumice.module = "m"} { gpu.func @b() kernel }
//
// Needs: InlineCalls, so that kernels call no functions.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/Passes.h"
#include "compiler/lower/structure/KernelInterface.h"
#include "compiler/lower/structure/MemorySpace.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/SymbolTable.h"

namespace pumice::lower {
#define GEN_PASS_DEF_SPLITKERNELS
#include "compiler/lower/Passes.h.inc"
} // namespace pumice::lower

using namespace mlir;
using namespace pumice;

namespace {

struct SplitKernels final : lower::impl::SplitKernelsBase<SplitKernels> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto module : llvm::to_vector(getOperation().getOps<gpu::GPUModuleOp>())) {
      SmallVector<gpu::GPUFuncOp> kernels(
          llvm::make_filter_range(module.getOps<gpu::GPUFuncOp>(),
                                  [](gpu::GPUFuncOp function) { return function.isKernel(); }));
      if (kernels.size() > 1)
        split(module, kernels, symbols);
      else if (kernels.empty()) // its functions have been inlined into kernels elsewhere
        symbols.erase(module);
      else
        lower::eraseUnusedMemory(module);
    }
  }

  void split(gpu::GPUModuleOp module, ArrayRef<gpu::GPUFuncOp> kernels, SymbolTable &symbols) {
    OpBuilder builder(module);
    for (gpu::GPUFuncOp kernel : kernels) {
      auto part = cast<gpu::GPUModuleOp>(module->cloneWithoutRegions());
      part.setName((module.getName() + "_" + kernel.getName()).str());
      part->setAttr(lower::originalModuleAttrName, module.getNameAttr());
      OpBuilder inside = OpBuilder::atBlockBegin(&part.getBodyRegion().emplaceBlock());
      for (Operation &op : *module.getBody())
        if (!isa<gpu::GPUFuncOp>(op) || &op == kernel.getOperation())
          inside.clone(op);
      symbols.insert(part, Block::iterator(module));
      lower::eraseUnusedMemory(part);
    }
    symbols.erase(module);
  }
};

} // namespace

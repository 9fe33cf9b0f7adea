//===- OptimizeNative.cpp - LLVM's passes over a kernel's IR ----------------===//
// LLVM's own -O2 pipeline would take half of a kernel's compile time, because it assumes nothing
// about the code. Kernels already consist of vectors in structured loops, without calls, and their
// variables are promoted to values. So each optimization runs once, or twice if loops change.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/native/OptimizeNative.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace pumice;

/// The largest number of operations in a loop that is unrolled without a hint. Two iterations of a
/// larger loop would exceed 150 operations, which is the limit of LLVM's -O2 for all iterations.
static constexpr size_t mostInLoop = 75;

namespace {
/// Keeps large loops from being unrolled. Otherwise LLVM computes the cost of every instruction
/// before it finds that the loop is too large. Loops with a hint are unrolled at any cost.
struct KeepLargeLoops : llvm::PassInfoMixin<KeepLargeLoops> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
    for (llvm::Loop *loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
      if (llvm::hasUnrollTransformation(loop) == llvm::TM_ForcedByUser)
        continue;
      size_t size = 0;
      for (llvm::BasicBlock *block : loop->blocks())
        size += block->size();
      if (size > mostInLoop)
        loop->setLoopAlreadyUnrolled();
    }
    return llvm::PreservedAnalyses::all();
  }
};
} // namespace

/// Passes before unrolling. They replace memory by values and move invariant code out of loops.
static const char *const beforeUnrolling =
    "sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
    "loop-mssa(loop-simplifycfg,licm<allowspeculation>,loop-rotate,licm<allowspeculation>),"
    "simplifycfg";
static const char *const wholeLoops = "loop(loop-deletion,loop-unroll-full)";
/// Simplifies arrays whose indices are constant after unrolling, and merges code that iterations
/// share.
static const char *const betweenUnrolling = "sroa,gvn,dse";
static const char *const afterUnrolling =
    "loop-unroll<O2>,instcombine<no-verify-fixpoint>,loop-mssa(licm<allowspeculation>),"
    "div-rem-pairs,"
    "simplifycfg<bonus-inst-threshold=1;switch-range-to-icmp;switch-to-lookup;no-keep-loops;"
    "hoist-common-insts;sink-common-insts>";
static llvm::FunctionPassManager functionPasses(llvm::PassBuilder &builder) {
  llvm::FunctionPassManager passes;
  auto add = [&](llvm::StringRef text) { llvm::cantFail(builder.parsePassPipeline(passes, text)); };
  add(beforeUnrolling);
  passes.addPass(KeepLargeLoops());
  add(wholeLoops);
  add(betweenUnrolling);
  passes.addPass(KeepLargeLoops());
  add(afterUnrolling);
  return passes;
}

void cpu::optimizeNative(llvm::Module &module, llvm::TargetMachine &machine, unsigned level) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::ModulePassManager passes;
  if (level == 0)
    passes = builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0);
  else
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(functionPasses(builder),
                                                           /*EagerlyInvalidate=*/true));
  passes.run(module, modules);
}

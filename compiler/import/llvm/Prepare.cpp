//===- Prepare.cpp - makes one function of each kernel ----------------------===//
//   before: define spir_kernel void @k(ptr byval(%pair) %p) { %x = call float @f(…) … }
//   after:  define spir_kernel void @k(float %p.0, i32 %p.1) { … the code of @f … }
//===-------------------------------------------------------------------------===//
#include "compiler/import/llvm/Prepare.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::llvm_import;

namespace {

constexpr unsigned genericSpace = 4;

bool isKernel(const llvm::Function &function) {
  return function.getCallingConv() == llvm::CallingConv::SPIR_KERNEL && !function.isDeclaration();
}

/// Searches calls depth first for a function that is being visited already.
struct RecursionSearch {
  RecursionSearch(MLIRContext *context, StringRef file) : context(context), file(file) {}

  MLIRContext *context;
  StringRef file;
  llvm::DenseMap<const llvm::Function *, bool> visited; // whether it is being visited

  LogicalResult visit(const llvm::Function &function) {
    visited[&function] = true;
    for (const llvm::BasicBlock &block : function)
      for (const llvm::Instruction &instruction : block) {
        auto *call = dyn_cast<llvm::CallBase>(&instruction);
        if (!call || call->isInlineAsm())
          continue;
        const llvm::Function *callee = call->getCalledFunction();
        if (!callee)
          return emitError(locationOf(context, instruction, file))
                 << "calls a function through a pointer; Vulkan has no function pointers: call the "
                    "function by name";
        if (callee->isDeclaration())
          continue;
        auto known = visited.find(callee);
        if (known == visited.end() ? failed(visit(*callee)) : false)
          return failure();
        if (known != visited.end() && known->second)
          return emitError(locationOf(context, instruction, file))
                 << "'" << function.getName() << "' calls '" << callee->getName()
                 << "', which calls it again; Vulkan has no recursion: use a loop";
      }
    visited[&function] = false;
    return success();
  }
};

/// Lists the scalars, small vectors and pointers in a type, with their places.
void listLeaves(llvm::Type *type, uint64_t offset, const llvm::DataLayout &layout,
                SmallVectorImpl<std::pair<llvm::Type *, uint64_t>> &leaves) {
  if (auto *structure = dyn_cast<llvm::StructType>(type)) {
    const llvm::StructLayout *places = layout.getStructLayout(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      listLeaves(structure->getElementType(i), offset + places->getElementOffset(i), layout,
                 leaves);
    return;
  }
  llvm::Type *element = nullptr;
  uint64_t count = 0;
  constexpr unsigned widestArgument = 4; // an executable's vectors have no more elements
  if (auto *array = dyn_cast<llvm::ArrayType>(type)) {
    element = array->getElementType();
    count = array->getNumElements();
  } else if (auto *vector = dyn_cast<llvm::FixedVectorType>(type);
             vector && vector->getNumElements() > widestArgument) {
    element = vector->getElementType();
    count = vector->getNumElements();
  }
  for (uint64_t i = 0; i < count; ++i)
    listLeaves(element, offset + i * layout.getTypeAllocSize(element), layout, leaves);
  if (!element)
    leaves.push_back({type, offset});
}

/// Replaces a kernel by one whose parameters are numbers and pointers. Structures and long vectors
/// are put together in a variable, which SROA splits again.
void flattenParameters(llvm::Function &kernel) {
  const llvm::DataLayout &layout = kernel.getDataLayout();
  using Leaves = SmallVector<std::pair<llvm::Type *, uint64_t>>;
  SmallVector<Leaves> all;
  SmallVector<llvm::Type *> types;
  bool changes = false;
  for (llvm::Argument &argument : kernel.args()) {
    llvm::Type *type = argument.hasByValAttr() ? argument.getParamByValType() : argument.getType();
    Leaves &leaves = all.emplace_back();
    listLeaves(type, 0, layout, leaves);
    changes |= argument.hasByValAttr() || leaves.size() != 1;
    for (auto &[leaf, offset] : leaves)
      types.push_back(leaf);
  }
  if (!changes)
    return;
  auto *made = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(kernel.getContext()), types, false),
      kernel.getLinkage(), "", kernel.getParent());
  made->takeName(&kernel);
  made->setCallingConv(kernel.getCallingConv());
  made->copyMetadata(&kernel, 0);
  made->splice(made->begin(), &kernel);
  llvm::IRBuilder<> builder(&made->getEntryBlock(), made->getEntryBlock().begin());
  auto *next = made->arg_begin();
  for (auto [argument, leaves] : llvm::zip(kernel.args(), all)) {
    llvm::Type *type = argument.hasByValAttr() ? argument.getParamByValType() : argument.getType();
    if (!argument.hasByValAttr() && leaves.size() == 1) {
      next->setName(argument.getName());
      argument.replaceAllUsesWith(&*next++);
      continue;
    }
    llvm::AllocaInst *whole = builder.CreateAlloca(type);
    for (auto &[leaf, offset] : leaves)
      builder.CreateStore(&*next++, builder.CreateConstGEP1_64(builder.getInt8Ty(), whole, offset));
    if (argument.hasByValAttr())
      argument.replaceAllUsesWith(whole);
    else
      argument.replaceAllUsesWith(builder.CreateLoad(type, whole));
  }
  kernel.eraseFromParent();
}

void runPasses(llvm::Module &module) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass());
  passes.addPass(llvm::GlobalDCEPass());
  llvm::FunctionPassManager each;
  each.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  each.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  each.addPass(llvm::InferAddressSpacesPass(genericSpace));
  each.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG)); // sees more variables now
  each.addPass(llvm::ADCEPass());
  each.addPass(llvm::SimplifyCFGPass()); // removes blocks that no path reaches
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(each)));
  passes.run(module, modules);
}

} // namespace

Location llvm_import::locationOf(MLIRContext *context, const llvm::Function &function,
                                 StringRef file) {
  if (const llvm::DISubprogram *program = function.getSubprogram())
    return FileLineColLoc::get(context, program->getFilename(), program->getLine(), 1);
  return NameLoc::get(StringAttr::get(context, function.getName()),
                      FileLineColLoc::get(context, file, 0, 0));
}

Location llvm_import::locationOf(MLIRContext *context, const llvm::Instruction &instruction,
                                 StringRef file) {
  const llvm::DILocation *place = instruction.getDebugLoc().get();
  if (!place || place->getLine() == 0)
    return locationOf(context, *instruction.getFunction(), file);
  return FileLineColLoc::get(context, place->getFilename(), place->getLine(), place->getColumn());
}

LogicalResult llvm_import::prepareKernels(MLIRContext *context, llvm::Module &module,
                                          StringRef file) {
  RecursionSearch search(context, file);
  SmallVector<llvm::Function *> kernels;
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    if (!search.visited.contains(&function) && failed(search.visit(function)))
      return failure();
    function.removeFnAttr(llvm::Attribute::NoInline);
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    if (isKernel(function)) {
      kernels.push_back(&function);
    } else {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    }
  }
  for (llvm::Function *kernel : kernels)
    flattenParameters(*kernel);
  runPasses(module);
  return success();
}

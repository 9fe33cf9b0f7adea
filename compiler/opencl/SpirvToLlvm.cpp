//===- SpirvToLlvm.cpp - the other route to SPIR-V: through LLVM IR ---------===//
//   before: spirv.func @k(%x: !spirv.ptr<f32, CrossWorkgroup>) {
//             %v = spirv.Load "Input" %GlobalInvocationId   %e = spirv.CL.exp %y : f32
//   after:  llvm.func spir_kernelcc @k(%x: !llvm.ptr<1>) {
//             %i = llvm.call @_Z13get_global_idj(%c0)       %e = llvm.call @_Z3expf(%y)
//===-------------------------------------------------------------------------===//
#include "compiler/opencl/SpirvToLlvm.h"

#include "compiler/opencl/LlvmPatterns.h"
#include "compiler/opencl/LlvmToSpirv.h"
#include "compiler/spirv/Serialize.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/SPIRVToLLVM/SPIRVToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"

#include <cstring>

using namespace mlir;
using namespace pumice;
namespace spv = mlir::spirv;

namespace {

//===-------------------------------------------------------------------------===//
// Built-in variables
//===-------------------------------------------------------------------------===//

/// Returns the built-in variable that `pointer` is the address of, or nothing.
std::optional<spv::BuiltIn> builtInOf(Value pointer) {
  auto address = pointer.getDefiningOp<spv::AddressOfOp>();
  auto variable = address ? SymbolTable::lookupNearestSymbolFrom<spv::GlobalVariableOp>(
                                address, address.getVariableAttr())
                          : nullptr;
  return variable && variable.getBuiltIn() ? spv::symbolizeBuiltIn(*variable.getBuiltIn())
                                           : std::nullopt;
}

/// Returns OpenCL C's name of the function, or an empty text.
StringRef functionOf(spv::BuiltIn builtIn) {
  switch (builtIn) {
  case spv::BuiltIn::GlobalInvocationId:
    return "get_global_id";
  case spv::BuiltIn::LocalInvocationId:
    return "get_local_id";
  case spv::BuiltIn::WorkgroupId:
    return "get_group_id";
  case spv::BuiltIn::NumWorkgroups:
    return "get_num_groups";
  case spv::BuiltIn::WorkgroupSize:
    return "get_local_size";
  case spv::BuiltIn::SubgroupId:
    return "get_sub_group_id";
  case spv::BuiltIn::SubgroupLocalInvocationId:
    return "get_sub_group_local_id";
  case spv::BuiltIn::SubgroupSize:
    return "get_sub_group_size";
  case spv::BuiltIn::SubgroupMaxSize:
    return "get_max_sub_group_size";
  case spv::BuiltIn::NumSubgroups:
    return "get_num_sub_groups";
  default:
    return "";
  }
}

/// Replaces reads of built-in variables by values that stand for them, before the conversion, so
/// that no variables are left.
LogicalResult replaceBuiltIns(spv::ModuleOp module) {
  SmallVector<std::pair<spv::LoadOp, spv::BuiltIn>> loads;
  module.walk([&](spv::LoadOp load) {
    if (std::optional<spv::BuiltIn> builtIn = builtInOf(load.getPtr()))
      loads.emplace_back(load, *builtIn);
  });
  for (auto [load, builtIn] : loads) {
    if (functionOf(builtIn).empty())
      return load.emitError() << "reads the built-in variable " << spv::stringifyBuiltIn(builtIn)
                              << ", which has no function in OpenCL C; use --via spirv";
    OpBuilder b(load);
    // Most kernels use one component. Reading all three makes the code larger and slower.
    for (Operation *user : llvm::make_early_inc_range(load->getUsers())) {
      auto extract = dyn_cast<spv::CompositeExtractOp>(user);
      if (!extract || extract.getIndices().size() != 1)
        continue;
      auto component = spv::UndefOp::create(b, load.getLoc(), extract.getType());
      component->setAttr(opencl::builtInName, b.getStringAttr(functionOf(builtIn)));
      component->setAttr(opencl::dimensionName, extract.getIndices()[0]);
      extract.replaceAllUsesWith(component.getResult());
      extract.erase();
    }
    if (load.use_empty()) {
      load.erase();
      continue;
    }
    auto value = spv::UndefOp::create(b, load.getLoc(), load.getType());
    value->setAttr(opencl::builtInName, b.getStringAttr(functionOf(builtIn)));
    load.replaceAllUsesWith(value.getResult());
    load.erase();
  }
  module.walk([](spv::AddressOfOp address) {
    if (address.use_empty())
      address.erase();
  });
  for (auto variable : llvm::make_early_inc_range(module.getOps<spv::GlobalVariableOp>()))
    if (variable.getBuiltIn())
      variable.erase();
  return success();
}

/// Replaces readings of clocks by values that stand for them. In the spirv dialect, a reading is a
/// conversion of a constant that names the scope.
void replaceClocks(spv::ModuleOp module) {
  SmallVector<std::pair<spv::ReferenceOfOp, StringRef>> readings;
  for (auto scope : llvm::make_early_inc_range(module.getOps<spv::SpecConstantOp>())) {
    if (!scope.getSymName().starts_with(pumice::spirv::clockScopeName))
      continue;
    constexpr int64_t device = 1;
    bool isDevice = cast<IntegerAttr>(scope.getDefaultValue()).getInt() == device;
    module.walk([&](spv::ReferenceOfOp reference) {
      if (reference.getSpecConst() == scope.getSymName())
        readings.emplace_back(reference, isDevice ? "clock_read_device" : "clock_read_sub_group");
    });
    scope.erase();
  }
  for (auto [reference, function] : readings) {
    for (Operation *reading : llvm::make_early_inc_range(reference->getUsers())) {
      OpBuilder b(reading);
      Type type = reading->getResult(0).getType();
      auto value = spv::UndefOp::create(b, reading->getLoc(), type);
      value->setAttr(opencl::builtInName, b.getStringAttr(function));
      reading->getResult(0).replaceAllUsesWith(value.getResult());
      reading->erase();
    }
    reference.erase();
  }
}

/// Replaces structured control flow by branches. Upstream's patterns only convert the simplest of
/// it.
void flatten(Operation *structure) {
  Region &body = structure->getRegion(0);
  Block *before = structure->getBlock();
  Block *after = before->splitBlock(structure->getNextNode());
  for (Value result : structure->getResults())
    result.replaceAllUsesWith(after->addArgument(result.getType(), structure->getLoc()));
  Block *entry = &body.front();
  for (Block &block : body)
    if (auto merge = dyn_cast<spv::MergeOp>(block.getTerminator())) {
      OpBuilder b(merge);
      spv::BranchOp::create(b, merge.getLoc(), after, merge.getOperands());
      merge.erase();
      break;
    }
  before->getParent()->getBlocks().splice(after->getIterator(), body.getBlocks());
  OpBuilder b(structure);
  spv::BranchOp::create(b, structure->getLoc(), entry, ValueRange());
  structure->erase();
}

void flattenControl(spv::ModuleOp module) {
  SmallVector<Operation *> structures; // the inner ones first
  module.walk([&](Operation *op) {
    if (isa<spv::SelectionOp, spv::LoopOp>(op))
      structures.push_back(op);
  });
  llvm::for_each(structures, flatten);
}

/// Properties of a kernel. SPIR-V has them in the entry point and its execution modes, LLVM has
/// them in the function.
struct KernelFacts {
  std::string name;
  SmallVector<int32_t> workgroup;
  int32_t subgroup = 0;
};

SmallVector<KernelFacts> factsOf(spv::ModuleOp module) {
  SmallVector<KernelFacts> kernels;
  for (auto entry : module.getOps<spv::EntryPointOp>()) {
    KernelFacts &kernel = kernels.emplace_back();
    kernel.name = entry.getFn().str();
    for (auto mode : module.getOps<spv::ExecutionModeOp>()) {
      if (mode.getFn() != entry.getFn())
        continue;
      SmallVector<int32_t> values;
      for (auto value : mode.getValues().getAsRange<IntegerAttr>())
        values.push_back(static_cast<int32_t>(value.getInt()));
      if (mode.getExecutionMode() == spv::ExecutionMode::LocalSize)
        kernel.workgroup = values;
      if (mode.getExecutionMode() == spv::ExecutionMode::SubgroupSize)
        kernel.subgroup = values.front();
    }
  }
  return kernels;
}

void finishKernels(ModuleOp module, ArrayRef<KernelFacts> kernels) {
  OpBuilder b(module.getContext());
  for (const KernelFacts &kernel : kernels) {
    auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(kernel.name);
    if (!function)
      continue;
    function.setCConv(LLVM::CConv::SPIR_KERNEL);
    function.setLinkage(LLVM::Linkage::External);
    if (!kernel.workgroup.empty())
      function.setReqdWorkGroupSizeAttr(b.getDenseI32ArrayAttr(kernel.workgroup));
    if (kernel.subgroup)
      function.setIntelReqdSubGroupSizeAttr(b.getI32IntegerAttr(kernel.subgroup));
  }
}

} // namespace

FailureOr<OwningOpRef<ModuleOp>> opencl::toLlvmDialect(spv::ModuleOp original) {
  MLIRContext *context = original.getContext();
  context->loadDialect<LLVM::LLVMDialect>();
  OwningOpRef<ModuleOp> result = ModuleOp::create(original.getLoc());
  OpBuilder b = OpBuilder::atBlockBegin(result->getBody());
  auto module = cast<spv::ModuleOp>(b.clone(*original));
  SmallVector<KernelFacts> kernels = factsOf(module);
  if (failed(replaceBuiltIns(module)))
    return failure();
  replaceClocks(module);
  flattenControl(module);
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (isa<spv::EntryPointOp, spv::ExecutionModeOp>(op))
      op.erase();

  LowerToLLVMOptions options(context);
  LLVMTypeConverter converter(context, options);
  populateSPIRVToLLVMTypeConversion(converter, spv::ClientAPI::OpenCL);
  RewritePatternSet patterns(context);
  populateSPIRVToLLVMConversionPatterns(converter, patterns, spv::ClientAPI::OpenCL);
  populateSPIRVToLLVMFunctionConversionPatterns(converter, patterns);
  populateSPIRVToLLVMModuleConversionPatterns(converter, patterns);
  populateLlvmPatterns(converter, patterns);
  ConversionTarget target(*context);
  target.addIllegalDialect<spv::SPIRVDialect>();
  target.addLegalDialect<LLVM::LLVMDialect>();
  target.addLegalOp<ModuleOp>();
  if (failed(applyFullConversion(*result, target, std::move(patterns))))
    return failure();
  // The spirv.module became a module inside. LLVM's IR has one level.
  for (auto inner : llvm::make_early_inc_range(result->getOps<ModuleOp>())) {
    result->getBody()->getOperations().splice(result->getBody()->end(),
                                              inner.getBody()->getOperations());
    inner.erase();
  }
  finishKernels(*result, kernels);
  return result;
}

FailureOr<std::vector<uint32_t>> opencl::serializeViaLlvm(spv::ModuleOp module,
                                                          const target::TargetEnv &target) {
  FailureOr<OwningOpRef<ModuleOp>> lowered = toLlvmDialect(module);
  if (failed(lowered))
    return failure();
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated = translateModuleToLLVMIR(**lowered, context);
  if (!translated)
    return failure();
  Result<std::vector<uint8_t>> bytes = llvmToSpirv(*translated, target);
  if (!bytes.isOk())
    return module.emitError() << bytes.status().message();
  std::vector<uint32_t> words(bytes->size() / sizeof(uint32_t));
  std::memcpy(words.data(), bytes->data(), words.size() * sizeof(uint32_t));
  return words;
}

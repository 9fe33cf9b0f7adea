//===- FinalizeSpirv.cpp - declares entry points and capabilities -----------===//
//   before: spirv.module @m Logical GLSL450 { spirv.func @k() ... }
//   after:  spirv.module @m Logical GLSL450 requires #spirv.vce<v1.5, [Shader], []> {
//             spirv.func @k() ...   spirv.EntryPoint "GLCompute" @k, ...
//             spirv.ExecutionMode @k "LocalSize", 64, 1, 1 }
//           (for OpenCL: Kernel and Addresses instead of Shader, and the entry point "Kernel")
// Needs: ConvertToSpirv. Leaves: modules that can be serialized. Otherwise, reports what the target
// lacks.
//===-------------------------------------------------------------------------===//
#include "compiler/spirv/Passes.h"

#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/lower/structure/KernelInterface.h"
#include "compiler/spirv/Requirements.h"
#include "compiler/spirv/Serialize.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

namespace pumice::spirv {
#define GEN_PASS_DEF_FINALIZESPIRV
#include "compiler/spirv/Passes.h.inc"
} // namespace pumice::spirv

using namespace mlir;
using namespace pumice;
using namespace pumice::spirv;
using target::Feature;

namespace {

struct Finalizer {
  spv::ModuleOp module;
  const target::TargetEnv &env;
  Requirements requirements;
  OpBuilder builder;

  Finalizer(spv::ModuleOp module, const target::TargetEnv &env)
      : module(module), env(env), requirements(env), builder(module.getContext()) {}

  LogicalResult addModels();
  LogicalResult addEntryPoint(spv::FuncOp kernel);
  LogicalResult addFloatControls(spv::FuncOp kernel);
  LogicalResult addOpenClModes(spv::FuncOp kernel);
  LogicalResult checkLimits(spv::FuncOp kernel);
  LogicalResult checkWorkgroupMemory();
  Value nameAgain(Value value, Location loc);
  void nameCarriedResults();
  void spreadConditions();
  void cutConstants();
  LogicalResult run();
};

LogicalResult Finalizer::addModels() {
  if (env.isOpenCl())
    return success(succeeded(requirements.addCapability(module, spv::Capability::Kernel)) &&
                   succeeded(requirements.addCapability(module, spv::Capability::Addresses)));
  if (failed(requirements.addCapability(module, spv::Capability::Shader)))
    return failure();
  if (module.getAddressingModel() == spv::AddressingModel::PhysicalStorageBuffer64 &&
      failed(requirements.addCapability(module, spv::Capability::PhysicalStorageBufferAddresses)))
    return failure();
  if (module.getMemoryModel() == spv::MemoryModel::Vulkan &&
      failed(requirements.addCapability(module, spv::Capability::VulkanMemoryModel)))
    return failure();
  return success();
}

/// Adds the entry point. In SPIR-V 1.4, its interface must list every variable that the kernel
/// uses; before, only inputs.
LogicalResult Finalizer::addEntryPoint(spv::FuncOp kernel) {
  llvm::SetVector<Attribute> interface;
  kernel.walk([&](spv::AddressOfOp address) {
    auto storage = cast<spv::PointerType>(address.getType()).getStorageClass();
    if (env.spirvMinorVersion() >= 4 || storage == spv::StorageClass::Input)
      interface.insert(address.getVariableAttr());
  });
  builder.setInsertionPointToEnd(module.getBody());
  spv::EntryPointOp::create(builder, kernel.getLoc(),
                            env.isOpenCl() ? spv::ExecutionModel::Kernel
                                           : spv::ExecutionModel::GLCompute,
                            kernel, interface.getArrayRef());
  SmallVector<int32_t> size{1, 1, 1};
  auto known = kernel->getAttrOfType<DenseI32ArrayAttr>("known_block_size");
  if (known)
    size = llvm::to_vector(known.asArrayRef());
  if (known || !env.isOpenCl()) // otherwise, a launch for OpenCL chooses
    spv::ExecutionModeOp::create(builder, kernel.getLoc(), kernel, spv::ExecutionMode::LocalSize,
                                 size);
  if (failed(checkLimits(kernel)))
    return failure();
  return env.isOpenCl() ? addOpenClModes(kernel) : addFloatControls(kernel);
}

/// Returns whether an operation that must not be contracted is a part of a multiplication and an
/// addition.
static bool mayBeContracted(Operation *op) {
  if (!op->hasAttr("no_contraction"))
    return false;
  if (isa<spv::FMulOp>(op))
    return llvm::any_of(op->getUsers(), llvm::IsaPred<spv::FAddOp, spv::FSubOp>);
  return llvm::any_of(op->getOperands(), [](Value operand) {
    return isa_and_nonnull<spv::FMulOp>(operand.getDefiningOp());
  });
}

/// Adds the execution modes of an OpenCL kernel. Floats keep NaNs, infinities and signed zeros
/// there, and round to nearest even. Only contraction is forbidden for the whole kernel, or not at
/// all. The size of subgroups is part of the code, while Vulkan's pipelines have it.
LogicalResult Finalizer::addOpenClModes(spv::FuncOp kernel) {
  bool contracted = false;
  kernel.walk([&](Operation *op) { contracted |= mayBeContracted(op); });
  kernel.walk([](Operation *op) { op->removeAttr("no_contraction"); }); // a decoration of shaders
  if (contracted)
    spv::ExecutionModeOp::create(builder, kernel.getLoc(), kernel,
                                 spv::ExecutionMode::ContractionOff, ArrayRef<int32_t>());
  auto size = kernel->getAttrOfType<IntegerAttr>(lower::requiredSubgroupSizeAttrName);
  if (!size || !env.has(Feature::subgroupSizeControl))
    return success();
  spv::ExecutionModeOp::create(builder, kernel.getLoc(), kernel, spv::ExecutionMode::SubgroupSize,
                               ArrayRef<int32_t>{static_cast<int32_t>(size.getInt())});
  return success(succeeded(requirements.addCapability(kernel, spv::Capability::SubgroupDispatch)) &&
                 succeeded(requirements.addFeature(kernel, Feature::subgroupSizeControl)));
}

/// Adds float controls. Floats of arith keep NaNs, infinities and signed zeros, and round to
/// nearest even. The module requests this if the target supports it. Otherwise, the device decides.
LogicalResult Finalizer::addFloatControls(spv::FuncOp kernel) {
  bool used[3] = {false, false, false};
  auto note = [&](Type type) {
    Type scalar = getElementTypeOrSelf(type);
    if (isa<Float16Type, Float32Type, Float64Type>(scalar))
      used[llvm::Log2_32(scalar.getIntOrFloatBitWidth()) - 4] = true;
  };
  kernel.walk([&](Operation *op) { llvm::for_each(op->getResultTypes(), note); });
  struct Control {
    Feature features[3];
    spv::ExecutionMode mode;
    spv::Capability capability;
  };
  const Control controls[] = {
      {{Feature::shaderSignedZeroInfNanPreserveFloat16,
        Feature::shaderSignedZeroInfNanPreserveFloat32,
        Feature::shaderSignedZeroInfNanPreserveFloat64},
       spv::ExecutionMode::SignedZeroInfNanPreserve,
       spv::Capability::SignedZeroInfNanPreserve},
      {{Feature::shaderRoundingModeRTEFloat16, Feature::shaderRoundingModeRTEFloat32,
        Feature::shaderRoundingModeRTEFloat64},
       spv::ExecutionMode::RoundingModeRTE,
       spv::Capability::RoundingModeRTE}};
  for (const Control &control : controls)
    for (int width = 0; width < 3; ++width) {
      Feature feature = control.features[width];
      if (!used[width] || !env.has(feature))
        continue;
      spv::ExecutionModeOp::create(builder, kernel.getLoc(), kernel, control.mode,
                                   ArrayRef<int32_t>{16 << width});
      if (failed(requirements.addCapability(kernel, control.capability)) ||
          failed(requirements.addFeature(kernel, feature)))
        return failure();
    }
  return success();
}

LogicalResult Finalizer::checkLimits(spv::FuncOp kernel) {
  auto size = kernel->getAttrOfType<DenseI32ArrayAttr>("known_block_size");
  if (size) {
    uint64_t invocations = 1;
    for (int i = 0; i < 3; ++i) {
      if (size[i] < 1)
        return kernel.emitError() << "has workgroups of " << size[i] << " along " << "xyz"[i]
                                  << ": known_block_size must be at least 1, or left out";
      invocations *= size[i];
      uint32_t limit = env.limits.maxComputeWorkGroupSize[i];
      if (static_cast<uint32_t>(size[i]) > limit)
        return kernel.emitError() << "has workgroups of " << size[i] << " along " << "xyz"[i]
                                  << ", but " << target::describe(env) << " allows " << limit
                                  << " (maxComputeWorkGroupSize)";
    }
    if (invocations > env.limits.maxComputeWorkGroupInvocations)
      return kernel.emitError() << "has workgroups of " << invocations << " invocations, but "
                                << target::describe(env) << " allows "
                                << env.limits.maxComputeWorkGroupInvocations
                                << " (maxComputeWorkGroupInvocations)";
  }
  auto interface = kernel->getAttrOfType<DictionaryAttr>(lower::interfaceAttrName);
  auto bindings = interface ? interface.getAs<ArrayAttr>("bindings") : ArrayAttr();
  if (bindings && bindings.size() > env.limits.maxPerStageDescriptorStorageBuffers)
    return kernel.emitError() << "binds " << bindings.size() << " storage buffers, but "
                              << target::describe(env) << " allows "
                              << env.limits.maxPerStageDescriptorStorageBuffers
                              << " (maxPerStageDescriptorStorageBuffers)";
  return success();
}

LogicalResult Finalizer::checkWorkgroupMemory() {
  uint64_t bytes = 0;
  for (auto variable : module.getOps<spv::GlobalVariableOp>()) {
    auto pointer = cast<spv::PointerType>(variable.getType());
    auto array = dyn_cast<spv::ArrayType>(pointer.getPointeeType());
    if (pointer.getStorageClass() != spv::StorageClass::Workgroup || !array ||
        variable.getSymName() == dynamicMemoryName)
      continue;
    Type type = array.getElementType();
    uint64_t element = getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8;
    if (auto vector = dyn_cast<VectorType>(type))
      element *= static_cast<uint64_t>(vector.getNumElements());
    bytes = llvm::alignTo(bytes, element) + element * array.getNumElements();
    if (bytes > env.limits.maxComputeSharedMemorySize)
      return variable.emitError() << "brings workgroup memory to " << bytes << " bytes, but "
                                  << target::describe(env) << " has "
                                  << env.limits.maxComputeSharedMemorySize
                                  << " (maxComputeSharedMemorySize)";
  }
  module->setAttr(workgroupBytesAttrName, builder.getI64IntegerAttr(bytes));
  return success();
}

/// Gives a carried value an id early enough. The phi of a loop needs the id of the value for the
/// next iteration. If that value is the result of a selection or loop in the body, MLIR's
/// serializer assigns the id too late, and writes id 0. So this inserts a select between the value
/// and itself. Matrices pass through a variable instead. Drivers fold both.
Value Finalizer::nameAgain(Value value, Location loc) {
  if (isa<spv::CooperativeMatrixType>(value.getType())) {
    auto func = builder.getInsertionBlock()->getParentOp()->getParentOfType<spv::FuncOp>();
    Value variable;
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&func.front());
      auto type = spv::PointerType::get(value.getType(), spv::StorageClass::Function);
      variable = spv::VariableOp::create(builder, loc, type, spv::StorageClass::Function, Value());
    }
    spv::StoreOp::create(builder, loc, variable, value);
    return spv::LoadOp::create(builder, loc, variable);
  }
  Type condition = builder.getI1Type();
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    condition = VectorType::get(vector.getShape(), condition);
  Value always = spv::ConstantOp::getOne(condition, loc, builder);
  return spv::SelectOp::create(builder, loc, always, value, value);
}

void Finalizer::nameCarriedResults() {
  module.walk([&](spv::LoopOp loop) {
    Block *header = loop.getHeaderBlock();
    for (Block *latch : header->getPredecessors()) {
      auto branch = dyn_cast<spv::BranchOp>(latch->getTerminator());
      if (!branch || latch == &loop.getBody().front())
        continue;
      for (OpOperand &operand : branch->getOpOperands()) {
        Value value = operand.get();
        if (!value.getDefiningOp<spv::SelectionOp>() && !value.getDefiningOp<spv::LoopOp>())
          continue;
        builder.setInsertionPoint(branch);
        operand.set(nameAgain(value, branch.getLoc()));
      }
    }
  });
}

/// Replaces scalar conditions by vectors. Before SPIR-V 1.4, a selection between vectors needs a
/// condition for each component.
void Finalizer::spreadConditions() {
  if (env.spirvMinorVersion() >= 4)
    return;
  module.walk([&](spv::SelectOp op) {
    auto vector = dyn_cast<VectorType>(op.getType());
    if (!vector || isa<VectorType>(op.getCondition().getType()))
      return;
    builder.setInsertionPoint(op);
    SmallVector<Value> conditions(vector.getNumElements(), op.getCondition());
    auto type = VectorType::get(vector.getShape(), builder.getI1Type());
    op.getConditionMutable().assign(
        spv::CompositeConstructOp::create(builder, op.getLoc(), type, conditions));
  });
}

/// Replaces narrow constants by truncated words. If a type may only be stored, it has no constants,
/// but folding a truncation may have created one.
void Finalizer::cutConstants() {
  module.walk([&](spv::ConstantOp op) {
    auto type = dyn_cast<IntegerType>(op.getType());
    if (!type || !((type.getWidth() == 8 && !env.has(Feature::shaderInt8)) ||
                   (type.getWidth() == 16 && !env.has(Feature::shaderInt16))))
      return;
    builder.setInsertionPoint(op);
    APInt bits = cast<IntegerAttr>(op.getValue()).getValue().zext(32);
    Value word = spv::ConstantOp::create(builder, op.getLoc(), builder.getI32Type(),
                                         builder.getIntegerAttr(builder.getI32Type(), bits));
    Value cut = spv::UConvertOp::create(builder, op.getLoc(), type, word);
    op.getResult().replaceAllUsesWith(cut);
    op.erase();
  });
}

LogicalResult Finalizer::run() {
  nameCarriedResults();
  spreadConditions();
  cutConstants();
  if (failed(addModels()) || failed(checkWorkgroupMemory()))
    return failure();
  for (auto kernel : llvm::to_vector(module.getOps<spv::FuncOp>()))
    if (!kernel.isExternal() && failed(addEntryPoint(kernel)))
      return failure();
  WalkResult walked = module.walk([&](Operation *op) {
    if (op == module)
      return WalkResult::advance();
    return failed(requirements.addOperation(op)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (walked.wasInterrupted() || failed(requirements.finish()))
    return failure();
  module.setVceTripleAttr(requirements.triple(module.getContext()));
  module->setAttr(requirementsAttrName, requirements.attribute(module.getContext()));
  return success();
}

struct FinalizeSpirv final : pumice::spirv::impl::FinalizeSpirvBase<FinalizeSpirv> {
  void runOnOperation() override {
    FailureOr<target::TargetEnv> env = vk::lookupTarget(getOperation());
    if (failed(env) || failed(Finalizer(getOperation(), *env).run()))
      signalPassFailure();
  }
};

} // namespace

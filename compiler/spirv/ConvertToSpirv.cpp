//===- ConvertToSpirv.cpp - converts kernels to the SPIR-V dialect ----------===//
//   before: gpu.module @m { gpu.func @k() kernel { ... memref.load %x[%i] ... } }
//   after:  spirv.module @m PhysicalStorageBuffer64 GLSL450 { spirv.func @k() { ... } }
//           (for OpenCL: spirv.module @m Physical64 OpenCL { spirv.func @k(%x: ...) { ... } })
// Needs: all passes before it in Pipeline.cpp. Leaves: spirv.modules, still without entry points.
//===-------------------------------------------------------------------------===//
#include "compiler/spirv/Passes.h"

#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/gen/ConversionPatterns.h"
#include "compiler/lower/structure/KernelInterface.h"
#include "compiler/lower/structure/MemorySpace.h"
#include "compiler/lower/types/StorageTypes.h"
#include "compiler/spirv/KernelConverter.h"
#include "compiler/spirv/Serialize.h"

#include "mlir/Conversion/ArithToSPIRV/ArithToSPIRV.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRV.h"
#include "mlir/Conversion/UBToSPIRV/UBToSPIRV.h"
#include "mlir/Conversion/VectorToSPIRV/VectorToSPIRV.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

namespace pumice::spirv {
#define GEN_PASS_DEF_CONVERTTOSPIRV
#include "compiler/spirv/Passes.h.inc"
} // namespace pumice::spirv

using namespace mlir;
using namespace pumice;
using namespace pumice::spirv;

namespace {

/// The block stores a pointer to narrow elements as a pointer to words, or as an address. The
/// pointer is cast after it is read. The reason is that the rules for narrow types in push
/// constants also apply to pointees. If a target supports neither form, it must have the feature
/// for narrow types in push constants.
Type typeInBlock(Type type, const MemoryStyle &style) {
  auto pointer = dyn_cast<spv::PointerType>(type);
  auto buffer = pointer ? dyn_cast<spv::StructType>(pointer.getPointeeType()) : spv::StructType();
  auto elements =
      buffer ? dyn_cast<spv::RuntimeArrayType>(buffer.getElementType(0)) : spv::RuntimeArrayType();
  if (!elements || getElementTypeOrSelf(elements.getElementType()).getIntOrFloatBitWidth() >= 32)
    return type;
  if (!style.canCastPointersTo(elements.getElementType()))
    return style.int64 ? IntegerType::get(type.getContext(), 64) : type;
  Type word = IntegerType::get(type.getContext(), 32);
  return spv::PointerType::get(runtimeArrayOf(word), pointer.getStorageClass());
}

/// Lays out the parameters that a kernel reads as one struct, at their offsets.
LogicalResult describeParameters(gpu::GPUFuncOp kernel, const KernelTypeConverter &converter,
                                 ModuleInterface::Kernel &result) {
  std::map<uint32_t, Type> members;
  WalkResult walked = kernel.walk([&](vk::ParameterOp op) {
    Type type = converter.convertType(op.getType());
    if (!type) {
      op.emitError() << "reads a parameter of type " << op.getType()
                     << ", which a parameter block cannot hold";
      return WalkResult::interrupt();
    }
    Type &member = members.try_emplace(op.getOffset(), type).first->second;
    if (member != type) {
      op.emitError() << "reads the parameter at offset " << op.getOffset()
                     << " as another type than before";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  SmallVector<Type> types;
  SmallVector<spv::StructType::OffsetInfo> offsets;
  for (auto [offset, type] : members) {
    result.block.memberAt[{offset, type}] = types.size();
    types.push_back(typeInBlock(type, converter.style()));
    offsets.push_back(offset);
  }
  if (!types.empty())
    result.block.type =
        spv::StructType::get(types, offsets, {},
                             {spv::StructType::StructDecorationInfo(
                                 spv::Decoration::Block, UnitAttr::get(kernel.getContext()))});
  return success();
}

/// Returns the unit in which an OpenCL kernel takes the bytes of a field: numbers of 8 or 4 bytes.
uint32_t wordBytes(gpu::GPUFuncOp kernel, DictionaryAttr field) {
  auto number = [&](StringRef key) { return field.getAs<IntegerAttr>(key).getInt(); };
  auto interface = kernel->getAttrOfType<DictionaryAttr>(lower::interfaceAttrName);
  if (field.getAs<StringAttr>("source") == "scalar") {
    auto argument =
        cast<DictionaryAttr>(interface.getAs<ArrayAttr>("arguments")[number("argument")]);
    if (auto vector = dyn_cast<VectorType>(argument.getAs<TypeAttr>("type").getValue()))
      return lower::storageBytes(vector.getElementType()) == 8 ? 8 : 4;
  }
  return number("size") == 8 ? 8 : 4;
}

/// Lists the parameters of an OpenCL kernel: one for each number that a launch passes, in the order
/// of the block. The block has the layout in which OpenCL kernels take their parameters, so that a
/// driver may pass it as it is. A parameter that the kernel does not read exists all the same.
LogicalResult listParameters(gpu::GPUFuncOp kernel, const KernelTypeConverter &converter,
                             ModuleInterface::Kernel &result) {
  auto interface = kernel->getAttrOfType<DictionaryAttr>(lower::interfaceAttrName);
  if (!interface)
    return success();
  std::map<uint32_t, Type> read;
  kernel.walk([&](vk::ParameterOp op) {
    read.try_emplace(op.getOffset(), converter.convertType(op.getType()));
  });
  OpBuilder b(kernel);
  // If a buffer is not used, any element will do. All devices have this one.
  auto unused = spv::PointerType::get(b.getI32Type(), spv::StorageClass::CrossWorkgroup);
  for (auto field : interface.getAs<ArrayAttr>("fields").getAsRange<DictionaryAttr>()) {
    StringRef source = field.getAs<StringAttr>("source").getValue();
    uint32_t offset = field.getAs<IntegerAttr>("offset").getInt();
    uint32_t end = offset + field.getAs<IntegerAttr>("size").getInt();
    bool isAddress = source.ends_with("_address");
    for (uint32_t size = isAddress ? 8 : wordBytes(kernel, field); offset < end; offset += size) {
      Type type = read.contains(offset) ? read[offset] : Type();
      if (isAddress ? !isa_and_nonnull<spv::PointerType>(type)
                    : !type || !type.isIntOrFloat() || type.getIntOrFloatBitWidth() != 8 * size)
        type = isAddress ? Type(unused) : b.getIntegerType(8 * size);
      result.parameters.push_back({offset, type});
    }
  }
  if (interface.contains("workgroup_memory"))
    result.dynamicMemory =
        spv::PointerType::get(spv::ArrayType::get(b.getI32Type(), 1), spv::StorageClass::Workgroup);
  kernel.walk([&](Operation *op) {
    if (isa<gpu::DynamicSharedMemoryOp, vk::DynamicWorkgroupMemoryOp>(op))
      result.dynamicMemory = converter.convertType(op->getResult(0).getType());
  });
  return success();
}

/// Describes where the block is. LowerKernelArguments decided this.
void describePlace(gpu::GPUFuncOp kernel, ModuleInterface::Kernel &result) {
  auto attr = kernel->getAttrOfType<DictionaryAttr>(lower::interfaceAttrName);
  auto place = attr ? attr.getAs<StringAttr>("place") : StringAttr();
  if (!place)
    return;
  if (place == "addressed_buffer")
    result.place = ModuleInterface::Place::AddressedBuffer;
  if (place != "described_buffer")
    return;
  result.place = ModuleInterface::Place::DescribedBuffer;
  for (auto binding : attr.getAs<ArrayAttr>("bindings").getAsRange<DictionaryAttr>())
    if (binding.getAs<StringAttr>("source") == "parameters") {
      result.set = binding.getAs<IntegerAttr>("set").getInt();
      result.binding = binding.getAs<IntegerAttr>("binding").getInt();
    }
}

/// Declares an unknown workgroup size as the specialization constants 0, 1 and 2.
void declareWorkgroupSize(gpu::GPUModuleOp module) {
  bool open = llvm::any_of(module.getOps<gpu::GPUFuncOp>(), [](gpu::GPUFuncOp kernel) {
    return kernel.isKernel() && !kernel.getKnownBlockSize();
  });
  if (!open)
    return;
  auto b = OpBuilder::atBlockBegin(module.getBody());
  SmallVector<Attribute> parts;
  for (int i = 0; i < 3; ++i) {
    std::string name = std::string("workgroup_size_") + "xyz"[i];
    auto constant = spv::SpecConstantOp::create(b, module.getLoc(), name, b.getI32IntegerAttr(1));
    constant->setAttr("spec_id", b.getI32IntegerAttr(i));
    parts.push_back(SymbolRefAttr::get(constant));
  }
  spv::SpecConstantCompositeOp::create(b, module.getLoc(),
                                       TypeAttr::get(VectorType::get({3}, b.getI32Type())),
                                       b.getStringAttr("workgroup_size"), b.getArrayAttr(parts));
}

/// Declares clocks. MLIR has no instruction that reads a clock. So each reading is represented by a
/// conversion of a separate constant, which keeps readings apart. Serialize turns the conversion
/// into the instruction.
void declareClocks(gpu::GPUModuleOp module) {
  constexpr int32_t device = 1, subgroup = 3; // numbers of SPIR-V's scopes
  int count = 0;
  module.walk([&](vk::ReadClockOp op) {
    auto b = OpBuilder::atBlockBegin(module.getBody());
    std::string name = (clockScopeName + "_" + Twine(count++)).str();
    spv::SpecConstantOp::create(b, op.getLoc(), name,
                                b.getI32IntegerAttr(op.getSubgroup() ? subgroup : device));
    op->setAttr(clockScopeName, b.getStringAttr(name));
  });
}

/// Returns whether an operation may be in a module for this API. MLIR also has patterns that make
/// instructions of the other one: OpenCL's, such as spirv.CL.exp and spirv.Unordered, or those of
/// GLSL.std.450. Their results do not count as converted, so the order of patterns does not matter.
bool hasFlavour(Operation *op, bool openCl) {
  auto query = dyn_cast<spv::QueryCapabilityInterface>(op);
  if (!query)
    return true;
  return llvm::all_of(query.getCapabilities(), [&](ArrayRef<spv::Capability> choices) {
    return llvm::any_of(choices,
                        [&](spv::Capability choice) { return !isForeign(choice, openCl); });
  });
}

/// Rejects operations of the other API in kernels, before anything is converted.
LogicalResult checkFlavour(gpu::GPUModuleOp module, bool openCl) {
  WalkResult walked = module.walk([&](Operation *op) {
    if (!isa_and_nonnull<spv::SPIRVDialect>(op->getDialect()) || hasFlavour(op, openCl))
      return WalkResult::advance();
    op->emitError() << "'" << op->getName() << "' is "
                    << (openCl ? "a Vulkan instruction, which modules for OpenCL cannot contain"
                               : "an OpenCL instruction, which modules for Vulkan cannot contain")
                    << "; use the equivalent in arith, math or gpu";
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

struct ConvertToSpirv final : pumice::spirv::impl::ConvertToSpirvBase<ConvertToSpirv> {
  using ConvertToSpirvBase::ConvertToSpirvBase;

  void runOnOperation() override {
    SmallVector<gpu::GPUModuleOp> modules(getOperation().getOps<gpu::GPUModuleOp>());
    for (gpu::GPUModuleOp module : modules)
      if (failed(convert(module)))
        return signalPassFailure();
  }

  static MemoryStyle styleOf(gpu::GPUModuleOp module) {
    MemoryStyle style;
    // A module without a target is converted as if its target supported everything.
    target::TargetEnv env;
    if (auto attr = module->getAttrOfType<vk::TargetEnvAttr>(vk::targetEnvAttrName))
      env = vk::toTargetEnv(attr);
    else
      env.features.set();
    style.openCl = env.isOpenCl();
    style.castsPointers = !env.needs(target::Workaround::noPointerCasts);
    style.int8 = env.has(target::Feature::shaderInt8);
    style.int16 = env.has(target::Feature::shaderInt16);
    style.float16 = env.has(target::Feature::shaderFloat16);
    style.int64 = env.has(target::Feature::shaderInt64);
    module.walk([&](Operation *op) {
      if (auto interface = op->getAttrOfType<DictionaryAttr>(lower::interfaceAttrName))
        style.physical |= interface.getAs<StringAttr>("addressing") == "physical";
      style.coherent |= op->hasAttr(lower::coherentMemoryAttrName) && !env.isCpu();
      // Without the Vulkan memory model, an acquiring operation does not prevent a device from
      // reading stale caches.
      style.vulkanModel |= style.coherent && env.has(target::Feature::vulkanMemoryModel);
      // KHR cooperative matrices are valid only under the Vulkan memory model.
      style.vulkanModel |=
          !style.openCl && llvm::any_of(op->getResultTypes(), llvm::IsaPred<gpu::MMAMatrixType>);
    });
    return style;
  }

  LogicalResult convert(gpu::GPUModuleOp module) {
    MLIRContext *context = &getContext();
    lower::eraseUnusedMemory(module);
    const MemoryStyle style = styleOf(module);
    const bool openCl = style.openCl;
    if (failed(checkFlavour(module, openCl)))
      return failure();
    KernelTypeConverter converter(context, style, indexBits);
    ModuleInterface interface;
    for (auto kernel : module.getOps<gpu::GPUFuncOp>()) {
      ModuleInterface::Kernel described;
      if (failed(openCl ? listParameters(kernel, converter, described)
                        : describeParameters(kernel, converter, described)))
        return failure();
      describePlace(kernel, described);
      interface.kernels[kernel.getName()] = described;
    }
    if (!openCl) // a built-in variable has it there
      declareWorkgroupSize(module);
    declareClocks(module);

    RewritePatternSet patterns(context);
    arith::populateArithToSPIRVPatterns(converter, patterns);
    populateMathToSPIRVPatterns(converter, patterns);
    populateVectorToSPIRVPatterns(converter, patterns);
    ub::populateUBToSPIRVConversionPatterns(converter, patterns);
    populateInterfacePatterns(converter, interface, patterns);
    populateControlFlowPatterns(converter, patterns);
    populateMemoryPatterns(converter, patterns);
    populateAtomicPatterns(converter, patterns);
    populateMatrixPatterns(converter, patterns);
    populateFloatPatterns(converter, patterns);
    populateMathPatterns(converter, patterns);
    populateGpuPatterns(converter, interface, patterns);
    gen::populateGenToSpirvPatterns(converter, patterns);
    gen::populateGenBlocksToSpirvPatterns(converter, patterns);

    ConversionTarget target(*context);
    target.addDynamicallyLegalDialect<spv::SPIRVDialect>(
        [=](Operation *op) { return hasFlavour(op, openCl); });
    target.addIllegalDialect<gpu::GPUDialect>();
    target.addDynamicallyLegalOp<gpu::GPUModuleOp>(
        [&](gpu::GPUModuleOp op) { return op != module; });
    return applyFullConversion(module, target, std::move(patterns));
  }
};

} // namespace

//===- GpuPatterns.cpp - functions, ids and barriers ------------------------===//
//   before: %i = gpu.thread_id x                    gpu.barrier
//   after:  %v = spirv.Load "Input" %LocalInvocationId   spirv.ControlBarrier <Workgroup>,
//           %i = spirv.CompositeExtract %v[0]            <Workgroup>, <AcquireRelease|
//                                                        UniformMemory|WorkgroupMemory>
//===-------------------------------------------------------------------------===//
#include "compiler/spirv/KernelConverter.h"
#include "compiler/spirv/Serialize.h"

#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/lower/structure/KernelInterface.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::spirv;

namespace {

/// Converts a built-in to the type of index, which may be wider. OpenCL's positions and sizes have
/// 64 bits, and index may be narrower than these.
Value toIndex(ConversionPatternRewriter &b, Location loc, Value word, Type index) {
  if (word.getType() == index)
    return word;
  return spv::UConvertOp::create(b, loc, index, word);
}

struct ConvertModule final : OpConversionPattern<gpu::GPUModuleOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(gpu::GPUModuleOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    MemoryStyle style = getTypeConverter<KernelTypeConverter>()->style();
    auto module =
        spv::ModuleOp::create(rewriter, op.getLoc(),
                              style.openCl     ? spv::AddressingModel::Physical64
                              : style.physical ? spv::AddressingModel::PhysicalStorageBuffer64
                                               : spv::AddressingModel::Logical,
                              style.openCl        ? spv::MemoryModel::OpenCL
                              : style.vulkanModel ? spv::MemoryModel::Vulkan
                                                  : spv::MemoryModel::GLSL450,
                              /*vce_triple=*/std::nullopt, op.getName());
    module->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.eraseBlock(&module.getRegion().front());
    rewriter.inlineRegionBefore(op.getBodyRegion(), module.getRegion(), module.getRegion().end());
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertFunction final : OpConversionPattern<gpu::GPUFuncOp> {
  const ModuleInterface &interface;
  ConvertFunction(const KernelTypeConverter &converter, MLIRContext *context,
                  const ModuleInterface &interface, PatternBenefit benefit)
      : OpConversionPattern(converter, context, benefit), interface(interface) {}

  /// Returns the parameters of an OpenCL kernel. Kernels for Vulkan have none.
  SmallVector<Type> parametersOf(gpu::GPUFuncOp op) const {
    SmallVector<Type> types;
    auto kernel = interface.kernels.find(op.getName());
    if (kernel == interface.kernels.end())
      return types;
    for (const ModuleInterface::Parameter &parameter : kernel->second.parameters)
      types.push_back(parameter.type);
    if (getTypeConverter<KernelTypeConverter>()->style().openCl && kernel->second.dynamicMemory)
      types.push_back(kernel->second.dynamicMemory);
    return types;
  }

  LogicalResult matchAndRewrite(gpu::GPUFuncOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.isKernel() || op.getBody().getNumArguments() != 0)
      return rewriter.notifyMatchFailure(op, "not a kernel whose arguments were lowered");
    SmallVector<Type> parameters = parametersOf(op);
    auto function = spv::FuncOp::create(rewriter, op.getLoc(), op.getName(),
                                        rewriter.getFunctionType(parameters, {}));
    // Copies the workgroup size, and all attributes with a dialect's prefix, such as those of the
    // interface.
    for (NamedAttribute attr : op->getAttrs())
      if (attr.getName().strref().contains('.') || attr.getName() == op.getKnownBlockSizeAttrName())
        function->setAttr(attr.getName(), attr.getValue());
    rewriter.inlineRegionBefore(op.getBody(), function.getBody(), function.end());
    function.getBody().front().addArguments(parameters,
                                            SmallVector<Location>(parameters.size(), op.getLoc()));
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertReturn final : OpConversionPattern<gpu::ReturnOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(gpu::ReturnOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<spv::ReturnOp>(op);
    return success();
  }
};

/// Returns the type of the numbers in built-in positions and sizes: OpenCL's size_t, or 32 bits.
Type positionType(Builder &b, const TypeConverter &converter) {
  bool openCl = static_cast<const KernelTypeConverter &>(converter).style().openCl;
  return openCl ? b.getI64Type() : b.getI32Type();
}

/// Converts the position of an invocation in one dimension.
template <typename IdOp, spv::BuiltIn builtIn> struct ConvertId final : OpConversionPattern<IdOp> {
  using OpConversionPattern<IdOp>::OpConversionPattern;
  LogicalResult matchAndRewrite(IdOp op, typename IdOp::Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type word = positionType(rewriter, *this->getTypeConverter());
    Value all = spv::getBuiltinVariableValue(op, builtIn, word, rewriter);
    Value one = spv::CompositeExtractOp::create(
        rewriter, op.getLoc(), all, ArrayRef<int32_t>{static_cast<int32_t>(op.getDimension())});
    Type index = this->getTypeConverter()->convertType(op.getType());
    rewriter.replaceOp(op, toIndex(rewriter, op.getLoc(), one, index));
    return success();
  }
};

/// Converts the number of an invocation in its subgroup, or the number of the subgroup.
template <typename IdOp, spv::BuiltIn builtIn>
struct ConvertSubgroupId final : OpConversionPattern<IdOp> {
  using OpConversionPattern<IdOp>::OpConversionPattern;
  LogicalResult matchAndRewrite(IdOp op, typename IdOp::Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value word = spv::getBuiltinVariableValue(op, builtIn, rewriter.getI32Type(), rewriter);
    Type index = this->getTypeConverter()->convertType(op.getType());
    rewriter.replaceOp(op, toIndex(rewriter, op.getLoc(), word, index));
    return success();
  }
};

/// Converts the size of subgroups. In OpenCL, SubgroupSize is smaller in a subgroup that is not
/// full.
struct ConvertSubgroupSize final : OpConversionPattern<gpu::SubgroupSizeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(gpu::SubgroupSizeOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    bool openCl = getTypeConverter<KernelTypeConverter>()->style().openCl;
    Value word = openCl ? mostLanes(rewriter, op)
                        : spv::getBuiltinVariableValue(op, spv::BuiltIn::SubgroupSize,
                                                       rewriter.getI32Type(), rewriter);
    Type index = getTypeConverter()->convertType(op.getType());
    rewriter.replaceOp(op, toIndex(rewriter, op.getLoc(), word, index));
    return success();
  }

private:
  /// Reads SubgroupMaxSize, which upstream's function for built-in variables does not know.
  static Value mostLanes(ConversionPatternRewriter &b, gpu::SubgroupSizeOp op) {
    constexpr StringLiteral name = "__builtin__SubgroupMaxSize__";
    Operation *module = SymbolTable::getNearestSymbolTable(op);
    auto variable =
        dyn_cast_or_null<spv::GlobalVariableOp>(SymbolTable::lookupSymbolIn(module, name));
    if (!variable) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&module->getRegion(0).front());
      auto pointer = spv::PointerType::get(b.getI32Type(), spv::StorageClass::Input);
      variable = spv::GlobalVariableOp::create(b, op.getLoc(), pointer, name,
                                               spv::BuiltIn::SubgroupMaxSize);
    }
    Value address = spv::AddressOfOp::create(b, op.getLoc(), variable);
    return spv::LoadOp::create(b, op.getLoc(), address);
  }
};

/// Returns a constant if the kernel's workgroup size is known. Otherwise returns a specialization
/// constant, or OpenCL's built-in variable.
struct ConvertBlockDim final : OpConversionPattern<gpu::BlockDimOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(gpu::BlockDimOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto function = op->getParentOfType<FunctionOpInterface>();
    auto size = function->getAttrOfType<DenseI32ArrayAttr>("known_block_size");
    auto dimension = static_cast<size_t>(op.getDimension());
    Type index = getTypeConverter()->convertType(op.getType());
    Value value;
    if (size)
      value = spv::ConstantOp::create(rewriter, op.getLoc(), rewriter.getI32Type(),
                                      rewriter.getI32IntegerAttr(size[dimension]));
    else if (getTypeConverter<KernelTypeConverter>()->style().openCl)
      value = spv::CompositeExtractOp::create(
          rewriter, op.getLoc(),
          spv::getBuiltinVariableValue(op, spv::BuiltIn::WorkgroupSize, rewriter.getI64Type(),
                                       rewriter),
          ArrayRef<int32_t>{static_cast<int32_t>(dimension)});
    else
      value = spv::ReferenceOfOp::create(rewriter, op.getLoc(), rewriter.getI32Type(),
                                         ("workgroup_size_" + Twine("xyz"[dimension])).str());
    rewriter.replaceOp(op, toIndex(rewriter, op.getLoc(), value, index));
    return success();
  }
};

/// Emits the form that Serialize recognizes as a reading (see declareClocks).
struct ConvertReadClock final : OpConversionPattern<vk::ReadClockOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(vk::ReadClockOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto name = op->getAttrOfType<StringAttr>(clockScopeName);
    Value scope =
        spv::ReferenceOfOp::create(rewriter, op.getLoc(), rewriter.getI32Type(), name.getValue());
    rewriter.replaceOpWithNewOp<spv::UConvertOp>(op, rewriter.getI64Type(), scope);
    return success();
  }
};

/// Orders all accesses of the invocations in a workgroup, including accesses to buffers.
struct ConvertBarrier final : OpConversionPattern<gpu::BarrierOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(gpu::BarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    using Semantics = spv::MemorySemantics;
    const MemoryStyle style = getTypeConverter<KernelTypeConverter>()->style();
    Semantics semantics = Semantics::AcquireRelease | Semantics::WorkgroupMemory;
    if (style.coherent || !op->hasAttr("vk.workgroup_only"))
      semantics = semantics | style.bufferSemantics();
    if (style.vulkanModel)
      semantics = semantics | Semantics::MakeAvailable | Semantics::MakeVisible;
    // If memory is coherent, memory barriers before and after the control barrier order the
    // accesses of all workgroups. If one invocation exchanges data with other workgroups, the data
    // is then also visible to the rest of its workgroup. These are separate operations, because
    // llvmpipe of Mesa 22 ignores a control barrier whose memory scope exceeds the workgroup.
    auto orderForAll = [&] {
      if (style.coherent)
        spv::MemoryBarrierOp::create(
            rewriter, op.getLoc(), style.vulkanModel ? spv::Scope::QueueFamily : spv::Scope::Device,
            semantics);
    };
    orderForAll();
    rewriter.replaceOpWithNewOp<spv::ControlBarrierOp>(op, spv::Scope::Workgroup,
                                                       spv::Scope::Workgroup, semantics);
    orderForAll();
    return success();
  }
};

} // namespace

void pumice::spirv::populateGpuPatterns(const KernelTypeConverter &converter,
                                        const ModuleInterface &interface,
                                        RewritePatternSet &patterns) {
  using spv::BuiltIn;
  patterns.add<ConvertFunction>(converter, patterns.getContext(), interface, PatternBenefit(10));
  patterns.add<ConvertModule, ConvertReturn, ConvertBlockDim, ConvertBarrier, ConvertReadClock,
               ConvertId<gpu::ThreadIdOp, BuiltIn::LocalInvocationId>,
               ConvertId<gpu::BlockIdOp, BuiltIn::WorkgroupId>,
               ConvertId<gpu::GridDimOp, BuiltIn::NumWorkgroups>,
               ConvertId<gpu::GlobalIdOp, BuiltIn::GlobalInvocationId>,
               ConvertSubgroupId<gpu::LaneIdOp, BuiltIn::SubgroupLocalInvocationId>,
               ConvertSubgroupId<gpu::SubgroupIdOp, BuiltIn::SubgroupId>,
               ConvertSubgroupId<gpu::NumSubgroupsOp, BuiltIn::NumSubgroups>, ConvertSubgroupSize>(
      converter, patterns.getContext(), PatternBenefit(10));
}

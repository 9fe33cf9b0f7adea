//===- InterfacePatterns.cpp - parameters and buffers as SPIR-V variables ---===//
//   before: %n = vk.parameter 8 : i32
//           %x = vk.binding set(0) binding(1) : memref<?xf32>
//   after:  spirv.GlobalVariable @k_parameters : !spirv.ptr<struct<(..., i32 [8])>, PushConstant>
//           spirv.GlobalVariable @binding_0_1 bind(0, 1)
//           %p = spirv.AccessChain %parameters[%c1]
//           %n = spirv.Load "PushConstant" %p
//           %x = spirv.mlir.addressof @binding_0_1
// For OpenCL, the parameters are those of the function, one for each number:
//   after:  spirv.func @k(..., %n: i32)
// If a block exceeds the limit of push constants, it is read from a buffer, by its address or its
// binding.
//===-------------------------------------------------------------------------===//
#include "compiler/spirv/KernelConverter.h"

#include "compiler/dialect/vk/VkDialect.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::spirv;

namespace {

/// Returns the module-level variable `name`. If it does not exist, creates it at the top of the
/// module.
spv::GlobalVariableOp globalVariable(OpBuilder &builder, Operation *user, StringRef name,
                                     Type pointer, std::optional<std::pair<int, int>> binding) {
  Operation *module = SymbolTable::getNearestSymbolTable(user);
  if (auto known =
          dyn_cast_or_null<spv::GlobalVariableOp>(SymbolTable::lookupSymbolIn(module, name)))
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&module->getRegion(0).front());
  if (!binding)
    return spv::GlobalVariableOp::create(builder, user->getLoc(), pointer, name);
  auto variable = spv::GlobalVariableOp::create(builder, user->getLoc(), pointer, name,
                                                binding->first, binding->second);
  // Two arguments may be the same buffer. SPIR-V requires a decoration for that.
  variable->setAttr("aliased", builder.getUnitAttr());
  return variable;
}

struct ConvertParameter final : OpConversionPattern<vk::ParameterOp> {
  const ModuleInterface &interface;
  ConvertParameter(const KernelTypeConverter &converter, MLIRContext *context,
                   const ModuleInterface &interface)
      : OpConversionPattern(converter, context), interface(interface) {}

  /// Returns a pointer to the block, in the block's storage class.
  Value blockPointer(const ModuleInterface::Kernel &kernel, StringRef name, Operation *op,
                     OpBuilder &b) const {
    Location loc = op->getLoc();
    using Place = ModuleInterface::Place;
    if (kernel.place == Place::DescribedBuffer) {
      auto pointer = spv::PointerType::get(kernel.block.type, spv::StorageClass::StorageBuffer);
      auto variable = globalVariable(b, op, (name + "_parameters").str(), pointer,
                                     std::pair<int, int>(kernel.set, kernel.binding));
      return spv::AddressOfOp::create(b, loc, variable);
    }
    Type pushed = kernel.block.type;
    if (kernel.place == Place::AddressedBuffer) {
      pushed = spv::PointerType::get(pushed, spv::StorageClass::PhysicalStorageBuffer);
      pushed = spv::StructType::get(
          {pushed}, {0}, {},
          {spv::StructType::StructDecorationInfo(spv::Decoration::Block, b.getUnitAttr())});
    }
    auto pointer = spv::PointerType::get(pushed, spv::StorageClass::PushConstant);
    auto variable = globalVariable(b, op, (name + "_parameters").str(), pointer, std::nullopt);
    Value address = spv::AddressOfOp::create(b, loc, variable);
    if (kernel.place == Place::PushConstants)
      return address;
    Value zero = spv::ConstantOp::getZero(b.getI32Type(), loc, b);
    Value field = spv::AccessChainOp::create(b, loc, address, zero);
    return spv::LoadOp::create(b, loc, field);
  }

  /// Replaces the read of a parameter of an OpenCL kernel.
  LogicalResult readArgument(vk::ParameterOp op, FunctionOpInterface function,
                             const ModuleInterface::Kernel &kernel, Type type,
                             ConversionPatternRewriter &b) const {
    auto found = llvm::find_if(kernel.parameters, [&](const ModuleInterface::Parameter &parameter) {
      return parameter.offset == op.getOffset();
    });
    if (!type || found == kernel.parameters.end())
      return b.notifyMatchFailure(op, "no parameter has this offset");
    Value value = function.getFunctionBody().front().getArgument(found - kernel.parameters.begin());
    if (value.getType() == type)
      b.replaceOp(op, value);
    else if (isa<spv::PointerType>(value.getType()) && type.isInteger(64))
      b.replaceOpWithNewOp<spv::ConvertPtrToUOp>(op, type, value);
    else
      b.replaceOpWithNewOp<spv::BitcastOp>(op, type, value);
    return success();
  }

  LogicalResult matchAndRewrite(vk::ParameterOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto function = op->getParentOfType<FunctionOpInterface>();
    StringRef name = cast<SymbolOpInterface>(function.getOperation()).getName();
    auto kernel = interface.kernels.find(name);
    if (kernel == interface.kernels.end())
      return rewriter.notifyMatchFailure(op, "the kernel has no parameter block");
    Type type = getTypeConverter()->convertType(op.getType());
    if (getTypeConverter<KernelTypeConverter>()->style().openCl)
      return readArgument(op, function, kernel->second, type, rewriter);
    auto member = kernel->second.block.memberAt.find({op.getOffset(), type});
    if (!type || member == kernel->second.block.memberAt.end())
      return rewriter.notifyMatchFailure(op, "no member of the block has this offset and type");
    Value block = blockPointer(kernel->second, name, op, rewriter);
    Value index = spv::ConstantOp::create(rewriter, op.getLoc(), rewriter.getI32Type(),
                                          rewriter.getI32IntegerAttr(member->second));
    Value pointer = spv::AccessChainOp::create(rewriter, op.getLoc(), block, index);
    auto *converter = getTypeConverter<KernelTypeConverter>();
    uint64_t bytes = isa<spv::PointerType>(type) ? 8 : type.getIntOrFloatBitWidth() / 8;
    AccessFlags access = accessFlags(rewriter, converter->style(), pointer, bytes, false);
    Type held = cast<spv::PointerType>(pointer.getType()).getPointeeType();
    Value read =
        spv::LoadOp::create(rewriter, op.getLoc(), held, pointer, access.flags, access.alignment);
    if (held.isInteger() && isa<spv::PointerType>(type))
      read = spv::ConvertUToPtrOp::create(rewriter, op.getLoc(), type, read);
    else if (held != type)
      read = spv::BitcastOp::create(rewriter, op.getLoc(), type, read);
    rewriter.replaceOp(op, read);
    return success();
  }
};

struct ConvertAtAddress final : OpConversionPattern<vk::AtAddressOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(vk::AtAddressOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type pointer = getTypeConverter()->convertType(op.getType());
    if (!pointer)
      return rewriter.notifyMatchFailure(op, "not a flattened buffer");
    rewriter.replaceOpWithNewOp<spv::ConvertUToPtrOp>(op, pointer, adaptor.getAddress());
    return success();
  }
};

struct ConvertBinding final : OpConversionPattern<vk::BindingOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(vk::BindingOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type pointer = getTypeConverter()->convertType(op.getType());
    if (!pointer)
      return rewriter.notifyMatchFailure(op, "not a flattened buffer");
    std::string name = ("binding_" + Twine(op.getSet()) + "_" + Twine(op.getBinding())).str();
    auto variable = globalVariable(rewriter, op, name, pointer,
                                   std::pair<int, int>(op.getSet(), op.getBinding()));
    rewriter.replaceOpWithNewOp<spv::AddressOfOp>(op, variable);
    return success();
  }
};

} // namespace

void pumice::spirv::populateInterfacePatterns(const KernelTypeConverter &converter,
                                              const ModuleInterface &interface,
                                              RewritePatternSet &patterns) {
  patterns.add<ConvertParameter>(converter, patterns.getContext(), interface);
  patterns.add<ConvertAtAddress, ConvertBinding>(converter, patterns.getContext());
}

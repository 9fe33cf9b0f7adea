//===- MemoryPatterns.cpp - loads, stores and variables ---------------------===//
//   before: %v = memref.load %x[%i] : memref<?xf32>
//   after:  %p = spirv.AccessChain %x[%c0, %i]
//           %v = spirv.Load "PhysicalStorageBuffer" %p ["Aligned", 4] : f32
// A vector is accessed as a whole if pointers can be cast (physical buffers), or if its alignment
// is known (a second variable of vectors with the same binding). Otherwise, it is accessed element
// by element.
//===-------------------------------------------------------------------------===//
#include "compiler/spirv/KernelConverter.h"

#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/spirv/Serialize.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::spirv;

namespace {

Value plusConstant(OpBuilder &b, Location loc, Value index, int64_t amount) {
  if (amount == 0)
    return index;
  Value step =
      spv::ConstantOp::create(b, loc, index.getType(), b.getIntegerAttr(index.getType(), amount));
  return spv::IAddOp::create(b, loc, index, step);
}

uint64_t bytesOf(Type scalar) { return scalar.getIntOrFloatBitWidth() / 8; }

/// Returns a pointer through which a whole value of `type` at element `index` can be accessed, or
/// null if this is not possible.
Value widePointer(OpBuilder &b, Location loc, const MemoryStyle &style, Value buffer, Value index,
                  VectorType type, uint64_t alignment) {
  auto pointer = cast<spv::PointerType>(buffer.getType());
  spv::StorageClass storage = pointer.getStorageClass();
  if (storage == spv::StorageClass::PhysicalStorageBuffer ||
      storage == spv::StorageClass::CrossWorkgroup) {
    if (!style.canCastPointersTo(type))
      return {};
    Value first = elementPointer(b, loc, buffer, index);
    return spv::BitcastOp::create(b, loc, spv::PointerType::get(type, storage), first);
  }
  auto address = buffer.getDefiningOp<spv::AddressOfOp>();
  bool power = llvm::isPowerOf2_64(type.getNumElements());
  if (!address || pointer.getStorageClass() != spv::StorageClass::StorageBuffer || !power ||
      alignment < type.getNumElements() * bytesOf(type.getElementType()))
    return {};
  Operation *module = SymbolTable::getNearestSymbolTable(address);
  auto scalars = dyn_cast_or_null<spv::GlobalVariableOp>(
      SymbolTable::lookupSymbolIn(module, address.getVariable()));
  if (!scalars || !scalars.getBinding())
    return {};
  std::string name = (scalars.getSymName() + "_v" + Twine(type.getNumElements())).str();
  auto vectors = dyn_cast_or_null<spv::GlobalVariableOp>(SymbolTable::lookupSymbolIn(module, name));
  if (!vectors) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfter(scalars);
    auto view = spv::PointerType::get(runtimeArrayOf(type), spv::StorageClass::StorageBuffer);
    vectors = spv::GlobalVariableOp::create(b, scalars.getLoc(), view, name,
                                            *scalars.getDescriptorSet(), *scalars.getBinding());
    vectors->setAttr("aliased", b.getUnitAttr());
  }
  Value base = spv::AddressOfOp::create(b, loc, vectors);
  Value width = spv::ConstantOp::create(b, loc, index.getType(),
                                        b.getIntegerAttr(index.getType(), type.getNumElements()));
  return elementPointer(b, loc, base, spv::UDivOp::create(b, loc, index, width));
}

template <typename OpTy> struct AccessPattern : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  MemoryStyle style() const {
    return this->template getTypeConverter<KernelTypeConverter>()->style();
  }
  Value load(OpBuilder &b, Location loc, Value pointer, uint64_t alignment,
             bool nontemporal) const {
    AccessFlags access = accessFlags(b, style(), pointer, alignment, nontemporal);
    return spv::LoadOp::create(b, loc, pointer, access.flags, access.alignment);
  }
  void store(OpBuilder &b, Location loc, Value pointer, Value value, uint64_t alignment,
             bool nontemporal) const {
    AccessFlags access = accessFlags(b, style(), pointer, alignment, nontemporal);
    spv::StoreOp::create(b, loc, pointer, value, access.flags, access.alignment);
  }
};

struct ConvertLoad final : AccessPattern<memref::LoadOp> {
  using AccessPattern::AccessPattern;
  LogicalResult matchAndRewrite(memref::LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isa<spv::PointerType>(adaptor.getMemref().getType()))
      return rewriter.notifyMatchFailure(op, "the memref is not flattened");
    Value pointer =
        elementPointer(rewriter, op.getLoc(), adaptor.getMemref(), adaptor.getIndices().front());
    uint64_t alignment = std::max<uint64_t>(bytesOf(op.getType()), op.getAlignment().value_or(1));
    rewriter.replaceOp(op, load(rewriter, op.getLoc(), pointer, alignment, op.getNontemporal()));
    return success();
  }
};

struct ConvertStore final : AccessPattern<memref::StoreOp> {
  using AccessPattern::AccessPattern;
  LogicalResult matchAndRewrite(memref::StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isa<spv::PointerType>(adaptor.getMemref().getType()))
      return rewriter.notifyMatchFailure(op, "the memref is not flattened");
    Value pointer =
        elementPointer(rewriter, op.getLoc(), adaptor.getMemref(), adaptor.getIndices().front());
    uint64_t alignment =
        std::max<uint64_t>(bytesOf(adaptor.getValue().getType()), op.getAlignment().value_or(1));
    store(rewriter, op.getLoc(), pointer, adaptor.getValue(), alignment, op.getNontemporal());
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertVectorLoad final : AccessPattern<vector::LoadOp> {
  using AccessPattern::AccessPattern;
  LogicalResult matchAndRewrite(vector::LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast_or_null<VectorType>(getTypeConverter()->convertType(op.getType()));
    if (!type || adaptor.getIndices().size() != 1)
      return rewriter.notifyMatchFailure(op, "not a vector of 2 to 4 elements in a flat buffer");
    Location loc = op.getLoc();
    Value buffer = adaptor.getBase(), index = adaptor.getIndices().front();
    uint64_t scalar = bytesOf(type.getElementType());
    uint64_t alignment = std::max<uint64_t>(scalar, op.getAlignment().value_or(1));
    if (Value pointer = widePointer(rewriter, loc, style(), buffer, index, type, alignment)) {
      rewriter.replaceOp(op, load(rewriter, loc, pointer, alignment, op.getNontemporal()));
      return success();
    }
    SmallVector<Value> elements;
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      Value pointer = elementPointer(rewriter, loc, buffer, plusConstant(rewriter, loc, index, i));
      elements.push_back(load(rewriter, loc, pointer, scalar, op.getNontemporal()));
    }
    rewriter.replaceOpWithNewOp<spv::CompositeConstructOp>(op, type, elements);
    return success();
  }
};

struct ConvertVectorStore final : AccessPattern<vector::StoreOp> {
  using AccessPattern::AccessPattern;
  LogicalResult matchAndRewrite(vector::StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(adaptor.getValueToStore().getType());
    if (!type || adaptor.getIndices().size() != 1)
      return rewriter.notifyMatchFailure(op, "not a vector of 2 to 4 elements in a flat buffer");
    Location loc = op.getLoc();
    Value buffer = adaptor.getBase(), index = adaptor.getIndices().front();
    uint64_t scalar = bytesOf(type.getElementType());
    uint64_t alignment = std::max<uint64_t>(scalar, op.getAlignment().value_or(1));
    Value value = adaptor.getValueToStore();
    if (Value pointer = widePointer(rewriter, loc, style(), buffer, index, type, alignment)) {
      store(rewriter, loc, pointer, value, alignment, op.getNontemporal());
      rewriter.eraseOp(op);
      return success();
    }
    for (int32_t i = 0; i < type.getNumElements(); ++i) {
      Value pointer = elementPointer(rewriter, loc, buffer, plusConstant(rewriter, loc, index, i));
      Value element = spv::CompositeExtractOp::create(rewriter, loc, value, ArrayRef<int32_t>{i});
      store(rewriter, loc, pointer, element, scalar, op.getNontemporal());
    }
    rewriter.eraseOp(op);
    return success();
  }
};

//===-------------------------------------------------------------------------===//
// Variables
//===-------------------------------------------------------------------------===//

struct ConvertAlloca final : OpConversionPattern<memref::AllocaOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(memref::AllocaOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type pointer = getTypeConverter()->convertType(op.getType());
    if (!pointer)
      return rewriter.notifyMatchFailure(op, "not a flattened private buffer");
    rewriter.replaceOpWithNewOp<spv::VariableOp>(op, pointer, spv::StorageClass::Function,
                                                 /*initializer=*/nullptr);
    return success();
  }
};

/// Converts globals. Workgroup buffers become module-level variables. Constants become none,
/// because each use has its own copy.
struct ConvertGlobal final : OpConversionPattern<memref::GlobalOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(memref::GlobalOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (isa_and_nonnull<ElementsAttr>(op.getInitialValueAttr())) {
      rewriter.eraseOp(op);
      return success();
    }
    Type pointer = getTypeConverter()->convertType(op.getType());
    if (!pointer)
      return rewriter.notifyMatchFailure(op, "not a flattened buffer");
    rewriter.replaceOpWithNewOp<spv::GlobalVariableOp>(op, pointer, op.getSymName());
    return success();
  }
};

struct ConvertGetGlobal final : OpConversionPattern<memref::GetGlobalOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(memref::GetGlobalOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto pointer =
        dyn_cast_or_null<spv::PointerType>(getTypeConverter()->convertType(op.getType()));
    if (!pointer)
      return rewriter.notifyMatchFailure(op, "not a flattened buffer");
    auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(op, op.getNameAttr());
    auto value = global ? dyn_cast_or_null<DenseElementsAttr>(global.getInitialValueAttr())
                        : DenseElementsAttr();
    if (!value) {
      rewriter.replaceOpWithNewOp<spv::AddressOfOp>(op, pointer, op.getName());
      return success();
    }
    Value constant =
        spv::ConstantOp::create(rewriter, op.getLoc(), pointer.getPointeeType(), value);
    rewriter.replaceOpWithNewOp<spv::VariableOp>(op, pointer, spv::StorageClass::Function,
                                                 constant);
    return success();
  }
};

/// Converts dynamic memory. Both operations refer to the same bytes: one variable for each module,
/// which the first use creates. OpenCL's kernels take a pointer to it as their last parameter.
template <typename OpTy> struct ConvertDynamicMemory final : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<MemRefType>(op->getResult(0).getType());
    Type pointer = this->getTypeConverter()->convertType(type);
    if (!pointer)
      return rewriter.notifyMatchFailure(op, "not flat workgroup memory");
    if (this->template getTypeConverter<KernelTypeConverter>()->style().openCl) {
      auto function = op->template getParentOfType<FunctionOpInterface>();
      Value last = function.getFunctionBody().front().getArguments().back();
      if (last.getType() != pointer)
        last = spv::BitcastOp::create(rewriter, op.getLoc(), pointer, last);
      rewriter.replaceOp(op, last);
      return success();
    }
    Operation *module = SymbolTable::getNearestSymbolTable(op);
    if (!SymbolTable::lookupSymbolIn(module, dynamicMemoryName)) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(&module->getRegion(0).front());
      spv::GlobalVariableOp::create(rewriter, op.getLoc(), pointer, dynamicMemoryName);
    }
    rewriter.replaceOpWithNewOp<spv::AddressOfOp>(op, pointer, dynamicMemoryName);
    return success();
  }
};

} // namespace

void pumice::spirv::populateMemoryPatterns(const KernelTypeConverter &converter,
                                           RewritePatternSet &patterns) {
  // The benefit is higher than that of MLIR's own patterns for vector.load and vector.store, which
  // expect other pointers.
  patterns.add<ConvertLoad, ConvertStore, ConvertVectorLoad, ConvertVectorStore, ConvertAlloca,
               ConvertGlobal, ConvertGetGlobal, ConvertDynamicMemory<gpu::DynamicSharedMemoryOp>,
               ConvertDynamicMemory<vk::DynamicWorkgroupMemoryOp>>(converter, patterns.getContext(),
                                                                   PatternBenefit(10));
}

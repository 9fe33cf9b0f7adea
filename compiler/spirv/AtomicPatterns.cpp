//===- AtomicPatterns.cpp - atomic updates ----------------------------------===//
//   before: %old = memref.atomic_rmw addi %v, %x[%i] : (i32, memref<?xi32>) -> i32
//   after:  %p = spirv.AccessChain %x[%c0, %i]
//           %old = spirv.AtomicIAdd <Device> <None> %p, %v
// An atomic update does not order other accesses, unless it has the attribute
// `pumice.acquire_release`.
//===-------------------------------------------------------------------------===//
#include "compiler/spirv/KernelConverter.h"

#include "compiler/dialect/vk/VkDialect.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::spirv;

namespace {

/// The scope in which an update is atomic, and the accesses that it orders.
struct AtomicOrder {
  spv::Scope scope;
  spv::MemorySemantics semantics;
  spv::MemorySemantics onFailure; // for a failed compare-and-exchange, which cannot release
};

AtomicOrder acquireAndRelease(spv::Scope scope, const MemoryStyle &style) {
  using Semantics = spv::MemorySemantics;
  Semantics memory = style.bufferSemantics() | Semantics::WorkgroupMemory;
  if (style.vulkanModel)
    memory = memory | Semantics::MakeVisible;
  AtomicOrder order{scope, memory | Semantics::AcquireRelease, memory | Semantics::Acquire};
  if (style.vulkanModel)
    order.semantics = order.semantics | Semantics::MakeAvailable;
  return order;
}

/// Returns the global scope. The Vulkan memory model requires a feature for the device scope, so
/// the scope of the queue is used, which suffices.
spv::Scope globalScope(const MemoryStyle &style) {
  return style.vulkanModel ? spv::Scope::QueueFamily : spv::Scope::Device;
}

AtomicOrder orderOf(Operation *op, Value pointer, const MemoryStyle &style) {
  bool shared =
      cast<spv::PointerType>(pointer.getType()).getStorageClass() == spv::StorageClass::Workgroup;
  spv::Scope scope = shared ? spv::Scope::Workgroup : globalScope(style);
  if (!op->hasAttr("pumice.acquire_release"))
    return {scope, spv::MemorySemantics::None, spv::MemorySemantics::None};
  return acquireAndRelease(scope, style);
}

template <typename SpirvOp>
Value update(OpBuilder &b, Location loc, Type type, Value pointer, const AtomicOrder &order,
             Value value) {
  return SpirvOp::create(b, loc, type, pointer, order.scope, order.semantics, value);
}

struct ConvertAtomic final : OpConversionPattern<memref::AtomicRMWOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(memref::AtomicRMWOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    using arith::AtomicRMWKind;
    using Update = Value (*)(OpBuilder &, Location, Type, Value, const AtomicOrder &, Value);
    Update emit = nullptr;
    switch (op.getKind()) {
    case AtomicRMWKind::addi:
      emit = update<spv::AtomicIAddOp>;
      break;
    case AtomicRMWKind::addf:
      emit = update<spv::EXTAtomicFAddOp>;
      break;
    case AtomicRMWKind::assign:
      emit = update<spv::AtomicExchangeOp>;
      break;
    case AtomicRMWKind::maxs:
      emit = update<spv::AtomicSMaxOp>;
      break;
    case AtomicRMWKind::maxu:
      emit = update<spv::AtomicUMaxOp>;
      break;
    case AtomicRMWKind::mins:
      emit = update<spv::AtomicSMinOp>;
      break;
    case AtomicRMWKind::minu:
      emit = update<spv::AtomicUMinOp>;
      break;
    case AtomicRMWKind::andi:
      emit = update<spv::AtomicAndOp>;
      break;
    case AtomicRMWKind::ori:
      emit = update<spv::AtomicOrOp>;
      break;
    case AtomicRMWKind::xori:
      emit = update<spv::AtomicXorOp>;
      break;
    default:
      return b.notifyMatchFailure(op, "no SPIR-V instruction updates memory so");
    }
    Value pointer =
        elementPointer(b, op.getLoc(), adaptor.getMemref(), adaptor.getIndices().front());
    auto style = getTypeConverter<KernelTypeConverter>()->style();
    b.replaceOp(op, emit(b, op.getLoc(), adaptor.getValue().getType(), pointer,
                         orderOf(op, pointer, style), adaptor.getValue()));
    return success();
  }
};

struct ConvertCmpxchg final : OpConversionPattern<vk::AtomicCmpxchgOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(vk::AtomicCmpxchgOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Value pointer = elementPointer(b, op.getLoc(), adaptor.getMemref(), adaptor.getIndex());
    AtomicOrder order = orderOf(op, pointer, getTypeConverter<KernelTypeConverter>()->style());
    b.replaceOpWithNewOp<spv::AtomicCompareExchangeOp>(
        op, adaptor.getExpected().getType(), pointer, order.scope, order.semantics, order.onFailure,
        adaptor.getDesired(), adaptor.getExpected());
    return success();
  }
};

struct ConvertMemoryBarrier final : OpConversionPattern<vk::MemoryBarrierOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(vk::MemoryBarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    const MemoryStyle style = getTypeConverter<KernelTypeConverter>()->style();
    AtomicOrder order = acquireAndRelease(globalScope(style), style);
    b.replaceOpWithNewOp<spv::MemoryBarrierOp>(op, order.scope, order.semantics);
    return success();
  }
};

} // namespace

void pumice::spirv::populateAtomicPatterns(const KernelTypeConverter &converter,
                                           RewritePatternSet &patterns) {
  patterns.add<ConvertAtomic, ConvertCmpxchg, ConvertMemoryBarrier>(
      converter, patterns.getContext(), PatternBenefit(10));
}

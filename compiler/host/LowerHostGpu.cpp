//===- LowerHostGpu.cpp - host gpu operations → calls of the runtime --------===//
//   before: %t = gpu.launch_func async [%d] @m::@k blocks in (...) threads in (...)
//                args(%x : memref<?xf32>, %n : i32)
//   after:  %o = llvm.alloca: pointers to seven numbers, the descriptor of %x, and %n
//           %t = llvm.call @pumice_host_launch(%site, %o, %tokens, %one)
// Needs: control flow as branches. Leaves: LLVM's dialect, and the attribute `pumice.sites` of the
// module. Modules of kernels are erased, since they reach the device separately.
//===-------------------------------------------------------------------------===//
#include "compiler/host/HostSites.h"
#include "compiler/host/Passes.h"

#include "mlir/Conversion/ConvertToLLVM/ToLLVMInterface.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

namespace pumice::host {
#define GEN_PASS_DEF_LOWERHOSTGPU
#include "compiler/host/Passes.h.inc"
} // namespace pumice::host

using namespace mlir;
using namespace pumice;
using namespace pumice::host;

namespace {

/// i64 attribute of an operation that is not converted yet: its index in the sites.
constexpr llvm::StringLiteral siteAttrName = "pumice.site";

//===-------------------------------------------------------------------------===//
// Facts that are known before conversion
//===-------------------------------------------------------------------------===//

/// Returns the bytes of an element in memory, as LLVM allocates it.
int64_t bytesInMemory(Type type) {
  int64_t width = 1;
  if (auto vector = dyn_cast<VectorType>(type))
    width = llvm::PowerOf2Ceil(vector.getNumElements());
  if (auto complex = dyn_cast<ComplexType>(getElementTypeOrSelf(type)))
    return width * 2 * bytesInMemory(complex.getElementType());
  Type scalar = getElementTypeOrSelf(type);
  if (!scalar.isIntOrFloat())
    return width * 8; // the type is index, or a pointer
  return width * static_cast<int64_t>(
                     llvm::PowerOf2Ceil(llvm::divideCeil(scalar.getIntOrFloatBitWidth(), 8)));
}

std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

Operand operandOf(Type type) {
  if (auto memref = dyn_cast<BaseMemRefType>(type)) {
    Type element = memref.getElementType();
    return {memref.hasRank() ? memref.getRank() : Operand::unranked, bytesInMemory(element),
            textOf(getElementTypeOrSelf(element))};
  }
  if (auto vector = dyn_cast<VectorType>(type))
    return {Operand::scalar, vector.getNumElements() * bytesInMemory(vector.getElementType()),
            textOf(vector.getElementType())};
  return {Operand::scalar, bytesInMemory(type), textOf(type)};
}

/// The action of an operation that calls the runtime, and its operands without tokens.
struct Described {
  Action action;
  ValueRange operands;
};
std::optional<Described> describe(Operation *op) {
  if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
    return Described{Action::Launch, launch.getKernelOperands()};
  if (isa<gpu::AllocOp>(op))
    return Described{Action::Alloc, {}};
  if (auto dealloc = dyn_cast<gpu::DeallocOp>(op))
    return Described{Action::Dealloc, dealloc->getOperands().take_back(1)};
  if (auto copy = dyn_cast<gpu::MemcpyOp>(op)) // its last operands are target and source
    return Described{Action::Copy, copy->getOperands().take_back(2)};
  if (auto fill = dyn_cast<gpu::MemsetOp>(op))
    return Described{Action::Fill, fill->getOperands().take_back(2)};
  if (isa<gpu::WaitOp>(op))
    return Described{Action::Wait, {}};
  if (isa<gpu::HostRegisterOp>(op))
    return Described{Action::Register, op->getOperands()};
  if (isa<gpu::HostUnregisterOp>(op))
    return Described{Action::Unregister, op->getOperands()};
  if (isa<cf::AssertOp>(op))
    return Described{Action::Fail, {}};
  return std::nullopt;
}

Site siteOf(Operation *op, const Described &described) {
  Site site;
  site.action = described.action;
  site.location = placeOf(op->getLoc());
  if (auto async = dyn_cast<gpu::AsyncOpInterface>(op))
    site.async = async.getAsyncToken() != nullptr;
  if (auto alloc = dyn_cast<gpu::AllocOp>(op)) {
    site.hostShared = alloc.getHostShared();
    site.operands.push_back(operandOf(alloc.getType()));
  }
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    site.operands.push_back(operandOf(alloc.getType()));
  if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op)) {
    llvm::raw_string_ostream(site.symbol) << launch.getKernel();
    if (auto number = op->getAttrOfType<IntegerAttr>(kernelAttrName))
      site.kernel = number.getInt();
  }
  if (auto assertion = dyn_cast<cf::AssertOp>(op))
    site.message = assertion.getMsg().str();
  for (Value operand : described.operands)
    site.operands.push_back(operandOf(operand.getType()));
  return site;
}

//===-------------------------------------------------------------------------===//
// Calls
//===-------------------------------------------------------------------------===//

/// Emits one call of the runtime. Slots for operands are in the function's first block. In a loop,
/// they would grow the stack in each iteration.
struct HostCall {
  ConversionPatternRewriter &rewriter;
  Operation *op;
  Location loc;
  SmallVector<Value> pointers;
  Type pointerType, wordType;

  HostCall(ConversionPatternRewriter &rewriter, Operation *op)
      : rewriter(rewriter), op(op), loc(op->getLoc()),
        pointerType(LLVM::LLVMPointerType::get(op->getContext())), wordType(rewriter.getI64Type()) {
  }

  Value word(int64_t value) {
    return LLVM::ConstantOp::create(rewriter, loc, wordType, rewriter.getI64IntegerAttr(value));
  }

  Value slot(Type type, int64_t count = 1) {
    OpBuilder::InsertionGuard guard(rewriter);
    auto function = op->getParentOfType<FunctionOpInterface>();
    if (function)
      rewriter.setInsertionPointToStart(&function.getFunctionBody().front());
    return LLVM::AllocaOp::create(rewriter, loc, pointerType, type, word(count));
  }

  void addOperand(Value value) {
    Value place = slot(value.getType());
    LLVM::StoreOp::create(rewriter, loc, value, place);
    pointers.push_back(place);
  }

  /// Adds a vector. A kernel takes its elements as contiguous separate values. LLVM's vectors in
  /// memory differ: they pack booleans into bits, and align their rows.
  void addVector(Value value, VectorType type) {
    int64_t elementBytes = bytesInMemory(type.getElementType());
    Value place = slot(rewriter.getI8Type(), type.getNumElements() * elementBytes);
    int64_t offset = 0;
    storeRows(value, place, elementBytes, offset);
    pointers.push_back(place);
  }

  void storeRows(Value value, Value place, int64_t elementBytes, int64_t &offset) {
    if (auto rows = dyn_cast<LLVM::LLVMArrayType>(value.getType())) {
      for (int64_t row = 0; row < static_cast<int64_t>(rows.getNumElements()); ++row)
        storeRows(LLVM::ExtractValueOp::create(rewriter, loc, value, row), place, elementBytes,
                  offset);
      return;
    }
    auto type = cast<VectorType>(value.getType());
    Type stored = type.getElementType();
    if (stored.isInteger() && stored.getIntOrFloatBitWidth() != elementBytes * 8) {
      stored = rewriter.getIntegerType(static_cast<unsigned>(elementBytes) * 8);
      value = LLVM::ZExtOp::create(rewriter, loc, type.clone(stored), value);
    }
    Value at = LLVM::GEPOp::create(rewriter, loc, pointerType, rewriter.getI8Type(), place,
                                   ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
    LLVM::StoreOp::create(rewriter, loc, value, at, /*alignment=*/1);
    offset += type.getNumElements() * elementBytes;
  }

  /// Adds a size of a launch. It is an index, an i32 or an i64.
  void addWord(Value value) {
    if (value.getType() != wordType)
      value = LLVM::ZExtOp::create(rewriter, loc, wordType, value);
    addOperand(value);
  }

  Value array(ValueRange values) {
    if (values.empty())
      return LLVM::ZeroOp::create(rewriter, loc, pointerType);
    Value base = slot(LLVM::LLVMArrayType::get(pointerType, values.size()));
    for (auto [i, value] : llvm::enumerate(values)) {
      Value place = LLVM::GEPOp::create(rewriter, loc, pointerType, pointerType, base,
                                        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      LLVM::StoreOp::create(rewriter, loc, value, place);
    }
    return base;
  }

  /// Emits the call, and returns the token.
  FailureOr<Value> emit(Action action, ValueRange tokens) {
    auto module = op->getParentOfType<ModuleOp>();
    FailureOr<LLVM::LLVMFuncOp> function =
        LLVM::lookupOrCreateFn(rewriter, module, functionOf(action),
                               {wordType, pointerType, pointerType, wordType}, pointerType);
    if (failed(function))
      return failure();
    Value site = word(op->getAttrOfType<IntegerAttr>(siteAttrName).getInt());
    SmallVector<Value> arguments{site, array(pointers), array(tokens), word(tokens.size())};
    return LLVM::CallOp::create(rewriter, loc, *function, arguments).getResult();
  }
};

/// Replaces `op`. `values` are its results except for the token.
void replace(ConversionPatternRewriter &rewriter, Operation *op, ArrayRef<Value> values,
             Value token) {
  SmallVector<Value> results(values);
  if (op->getNumResults() > values.size())
    results.push_back(token);
  rewriter.replaceOp(op, results);
}

struct LowerLaunch final : ConvertOpToLLVMPattern<gpu::LaunchFuncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(gpu::LaunchFuncOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    HostCall call(rewriter, op);
    for (Value size : {adaptor.getGridSizeX(), adaptor.getGridSizeY(), adaptor.getGridSizeZ(),
                       adaptor.getBlockSizeX(), adaptor.getBlockSizeY(), adaptor.getBlockSizeZ()})
      call.addWord(size);
    Value dynamic = adaptor.getDynamicSharedMemorySize();
    call.addWord(dynamic ? dynamic : call.word(0));
    for (auto [operand, given] : llvm::zip(op.getKernelOperands(), adaptor.getKernelOperands()))
      if (auto vector = dyn_cast<VectorType>(operand.getType()))
        call.addVector(given, vector);
      else
        call.addOperand(given);
    FailureOr<Value> token = call.emit(Action::Launch, adaptor.getAsyncDependencies());
    if (failed(token))
      return failure();
    replace(rewriter, op, {}, *token);
    return success();
  }
};

/// Lowers gpu.alloc. The call's operands are the number of bytes, the place that receives the
/// address, and the sizes. The number of bytes may have overflowed, so the runtime checks the
/// sizes.
struct LowerAlloc final : ConvertOpToLLVMPattern<gpu::AllocOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(gpu::AllocOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    MemRefType type = op.getType();
    HostCall call(rewriter, op);
    SmallVector<Value, 4> shape, strides;
    Value bytes;
    getMemRefDescriptorSizes(op.getLoc(), type, adaptor.getDynamicSizes(), rewriter, shape, strides,
                             bytes);
    call.addOperand(bytes);
    Value address = call.slot(call.pointerType);
    call.pointers.push_back(address);
    for (Value size : shape)
      call.addOperand(size);
    FailureOr<Value> token = call.emit(Action::Alloc, adaptor.getAsyncDependencies());
    if (failed(token))
      return failure();
    Value pointer = LLVM::LoadOp::create(rewriter, op.getLoc(), call.pointerType, address);
    Value memref =
        createMemRefDescriptor(op.getLoc(), type, pointer, pointer, shape, strides, rewriter);
    replace(rewriter, op, memref, *token);
    return success();
  }
};

/// Lowers operations whose operands are `adaptor.getOperands()` without the tokens at their
/// beginning.
template <typename Op, Action action> struct LowerPlain final : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    HostCall call(rewriter, op);
    size_t tokens = 0;
    if (auto async = dyn_cast<gpu::AsyncOpInterface>(op.getOperation()))
      tokens = async.getAsyncDependencies().size();
    ValueRange operands = adaptor.getOperands();
    for (Value operand : operands.drop_front(tokens))
      call.addOperand(operand);
    FailureOr<Value> token = call.emit(action, operands.take_front(tokens));
    if (failed(token))
      return failure();
    replace(rewriter, op, {}, *token);
    return success();
  }
};

/// Lowers an assertion to a branch to a call that does not return. Upstream's lowering ends the
/// process, which may lose output and the message.
struct LowerAssert final : ConvertOpToLLVMPattern<cf::AssertOp> {
  LowerAssert(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern(converter, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(cf::AssertOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Block *before = op->getBlock();
    Block *after = rewriter.splitBlock(before, op->getIterator());
    Block *failing = rewriter.createBlock(before->getParent(), std::next(before->getIterator()));
    HostCall call(rewriter, op);
    if (failed(call.emit(Action::Fail, {})))
      return failure();
    LLVM::UnreachableOp::create(rewriter, op.getLoc());
    rewriter.setInsertionPointToEnd(before);
    LLVM::CondBrOp::create(rewriter, op.getLoc(), adaptor.getArg(), after, failing);
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerHostGpu final : host::impl::LowerHostGpuBase<LowerHostGpu> {
  void getDependentDialects(DialectRegistry &registry) const override {
    LowerHostGpuBase::getDependentDialects(registry);
    // Registers the interfaces of many dialects, since converted code comes from all of them.
    registry.insert<arith::ArithDialect, gpu::GPUDialect>();
  }

  /// Stores the sizes of a memref.alloc in memory of the function, and returns that memory. Returns
  /// null if there are no sizes.
  static Value storeSizes(OpBuilder &builder, memref::AllocOp alloc) {
    Location loc = alloc.getLoc();
    MemRefType type = alloc.getType();
    auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
    auto function = alloc->getParentOfType<FunctionOpInterface>();
    if (type.getRank() == 0 || !function)
      return LLVM::ZeroOp::create(builder, loc, pointer);
    auto word = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                      builder.getI64IntegerAttr(value));
    };
    Value base;
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&function.getFunctionBody().front());
      base =
          LLVM::AllocaOp::create(builder, loc, pointer, builder.getI64Type(), word(type.getRank()));
    }
    auto dynamic = alloc.getDynamicSizes().begin();
    for (auto [i, size] : llvm::enumerate(type.getShape())) {
      Value value = ShapedType::isDynamic(size)
                        ? arith::IndexCastOp::create(builder, loc, builder.getI64Type(), *dynamic++)
                              .getResult()
                        : word(size);
      Value place = LLVM::GEPOp::create(builder, loc, pointer, builder.getI64Type(), base,
                                        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      LLVM::StoreOp::create(builder, loc, value, place);
    }
    return base;
  }

  /// Gives the runtime the source location of the memref.alloc or memref.dealloc that follows, and
  /// the size of an allocation. The requested number of bytes may have overflowed.
  LogicalResult markPlaces(SmallVector<Attribute> &sites) {
    SmallVector<Operation *> marked;
    getOperation()->walk([&](Operation *op) {
      if (isa<memref::AllocOp, memref::DeallocOp>(op))
        marked.push_back(op);
    });
    OpBuilder builder(&getContext());
    auto number = builder.getI64Type();
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    for (Operation *op : marked) {
      FailureOr<LLVM::LLVMFuncOp> function =
          LLVM::lookupOrCreateFn(builder, getOperation(), functionOf(Action::Place),
                                 {number, pointer}, LLVM::LLVMVoidType::get(&getContext()));
      if (failed(function))
        return failure();
      builder.setInsertionPoint(op);
      Value site = LLVM::ConstantOp::create(builder, op->getLoc(), number,
                                            builder.getI64IntegerAttr(sites.size()));
      auto alloc = dyn_cast<memref::AllocOp>(op);
      Value sizes = alloc ? storeSizes(builder, alloc)
                          : LLVM::ZeroOp::create(builder, op->getLoc(), pointer).getResult();
      LLVM::CallOp::create(builder, op->getLoc(), *function, ValueRange{site, sizes});
      sites.push_back(toAttr(&getContext(), siteOf(op, {Action::Place, {}})));
    }
    return success();
  }

  /// Numbers the operations, and rejects those that no pattern converts.
  LogicalResult numberSites() {
    SmallVector<Attribute> sites;
    if (failed(markPlaces(sites)))
      return failure();
    WalkResult result = getOperation()->walk([&](Operation *op) {
      if (!isa_and_nonnull<gpu::GPUDialect>(op->getDialect()) && !isa<cf::AssertOp>(op))
        return WalkResult::advance();
      std::optional<Described> described = describe(op);
      if (!described || failed(check(op))) {
        if (!described)
          op->emitError() << "'" << op->getName()
                          << "' cannot run in host code, which launches kernels, "
                             "and allocates, copies, fills, registers and waits for their memory";
        return WalkResult::interrupt();
      }
      op->setAttr(siteAttrName, OpBuilder(op).getI64IntegerAttr(sites.size()));
      sites.push_back(toAttr(&getContext(), siteOf(op, *described)));
      return WalkResult::advance();
    });
    getOperation()->setAttr(sitesAttrName, ArrayAttr::get(&getContext(), sites));
    return failure(result.wasInterrupted());
  }

  static LogicalResult check(Operation *op) {
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op)) {
      if (launch.hasClusterSize())
        return op->emitError() << "Vulkan has no clusters of workgroups; leave 'clusters' out";
      if (launch.getAsyncObject())
        return op->emitError()
               << "a launch takes async tokens ('async [%token]'), no stream objects";
    }
    if (auto alloc = dyn_cast<gpu::AllocOp>(op))
      if (!alloc.getType().getLayout().isIdentity() || !alloc.getSymbolOperands().empty())
        return op->emitError() << "gpu.alloc of " << alloc.getType()
                               << ": only row-major memory is allocated; allocate that, and take a "
                                  "memref.subview or memref.reinterpret_cast of it";
    return success();
  }

  /// Reports operations that no pattern converted, at their locations. An error about a leftover
  /// cast would be less clear.
  LogicalResult checkAllConverted() {
    bool all = true;
    getOperation()->walk([&](Operation *op) {
      if (isa_and_nonnull<LLVM::LLVMDialect, BuiltinDialect>(op->getDialect()))
        return;
      InFlightDiagnostic error = op->emitError()
                                 << "'" << op->getName() << "' cannot be compiled for the host";
      auto isTensor = [](Type type) { return isa<TensorType>(type); };
      if (llvm::any_of(op->getOperandTypes(), isTensor) ||
          llvm::any_of(op->getResultTypes(), isTensor))
        error << "; bufferize tensors first: mlir-opt --one-shot-bufferize";
      all = false;
    });
    return success(all);
  }

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    for (Operation &op : llvm::make_early_inc_range(*getOperation().getBody()))
      if (isa<gpu::GPUModuleOp, mlir::spirv::ModuleOp>(op))
        op.erase();
    if (failed(numberSites()))
      return signalPassFailure();
    LowerToLLVMOptions options(context);
    options.useGenericFunctions = true; // the runtime performs allocations of the host
    LLVMTypeConverter converter(context, options);
    Type pointer = LLVM::LLVMPointerType::get(context);
    converter.addConversion([pointer](gpu::AsyncTokenType) { return pointer; });
    converter.addTypeAttributeConversion(
        [](BaseMemRefType type, Attribute) -> TypeConverter::AttributeConversionResult {
          return IntegerAttr::get(IntegerType::get(type.getContext(), 64), 0);
        });
    LLVMConversionTarget target(*context);
    RewritePatternSet patterns(context);
    for (Dialect *dialect : context->getLoadedDialects())
      if (auto *interface = dyn_cast<ConvertToLLVMPatternInterface>(dialect);
          interface && !isa<gpu::GPUDialect>(dialect)) // upstream's interface is for kernels
        interface->populateConvertToLLVMConversionPatterns(target, converter, patterns);
    patterns.add<LowerLaunch, LowerAlloc, LowerAssert, LowerPlain<gpu::DeallocOp, Action::Dealloc>,
                 LowerPlain<gpu::MemcpyOp, Action::Copy>, LowerPlain<gpu::MemsetOp, Action::Fill>,
                 LowerPlain<gpu::WaitOp, Action::Wait>,
                 LowerPlain<gpu::HostRegisterOp, Action::Register>,
                 LowerPlain<gpu::HostUnregisterOp, Action::Unregister>>(converter);
    target.addIllegalDialect<gpu::GPUDialect>();
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      return signalPassFailure();
    getOperation()->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
    if (failed(checkAllConverted()))
      return signalPassFailure();
  }
};

} // namespace

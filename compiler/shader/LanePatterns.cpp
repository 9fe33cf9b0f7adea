//===- LanePatterns.cpp - memory and the launch, as OpenCL has them ---------===//
//   before: %x = lane.load %p align 4 : f32        lane.barrier
//   after:  %x = llvm.load %p : !llvm.ptr<4>       llvm.call @_Z22__spirv_ControlBarrieriii(...)
//===-------------------------------------------------------------------------===//
#include "compiler/shader/LanePatterns.h"

#include "compiler/dialect/lane/LaneDialect.h"
#include "compiler/opencl/MangledCalls.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace pumice;
using opencl::callOpenCl;
using opencl::Sign;

namespace {

Operation *moduleOf(Operation *op) { return SymbolTable::getNearestSymbolTable(op); }

Value number(OpBuilder &b, Location loc, Type type, int64_t value) {
  return LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, value));
}

template <typename OpTy> struct LanePattern : OpConversionPattern<OpTy> {
  LanePattern(const LLVMTypeConverter &converter, MLIRContext *context,
              const shader::KernelValues &values)
      : OpConversionPattern<OpTy>(converter, context, PatternBenefit(10)), values(values) {}
  Type converted(Type type) const { return this->getTypeConverter()->convertType(type); }
  const shader::KernelValues &values;
};

//===-------------------------------------------------------------------------===//
// The launch
//===-------------------------------------------------------------------------===//

struct ConvertBuiltin final : LanePattern<lane::BuiltinOp> {
  using LanePattern::LanePattern;
  LogicalResult matchAndRewrite(lane::BuiltinOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    StringRef which = op.getWhich();
    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    if (which.starts_with("global_offset")) {
      b.replaceOp(op, number(b, loc, i32, 0));
      return success();
    }
    if (which == "work_dimensions") {
      b.replaceOp(op, callOpenCl(b, loc, moduleOf(op), "get_work_dim", i32, {}));
      return success();
    }
    if (which == "local_index") {
      Value index = callOpenCl(b, loc, moduleOf(op), "get_local_linear_id", i64, {});
      b.replaceOpWithNewOp<LLVM::TruncOp>(op, i32, index);
      return success();
    }
    StringRef subgroup = llvm::StringSwitch<StringRef>(which)
                             .Case("subgroup_id", "get_sub_group_id")
                             .Case("num_subgroups", "get_num_sub_groups")
                             .Case("subgroup_lane", "get_sub_group_local_id")
                             .Case("subgroup_size", "get_max_sub_group_size")
                             .Default("");
    if (!subgroup.empty()) {
      b.replaceOp(op, callOpenCl(b, loc, moduleOf(op), subgroup, i32, {}));
      return success();
    }
    auto [base, axis] = which.rsplit('_');
    StringRef function = llvm::StringSwitch<StringRef>(base)
                             .Case("local_id", "get_local_id")
                             .Case("workgroup_id", "get_group_id")
                             .Case("num_workgroups", "get_num_groups")
                             .Case("workgroup_size", "get_local_size")
                             .Default("");
    if (function.empty() || axis.size() != 1)
      return b.notifyMatchFailure(op, "unknown number");
    Value dimension = number(b, loc, i32, axis.front() - 'x');
    Value found = callOpenCl(b, loc, moduleOf(op), function, i64, dimension, Sign::Unsigned);
    b.replaceOpWithNewOp<LLVM::TruncOp>(op, i32, found);
    return success();
  }
};

template <typename OpTy, bool length> struct ConvertSlot final : LanePattern<OpTy> {
  using LanePattern<OpTy>::LanePattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor,
                                ConversionPatternRewriter &b) const override {
    auto found = this->values.slots.find(
        {int64_t(op.getSet()), int64_t(op.getBinding()), int64_t(op.getElement())});
    if (found == this->values.slots.end())
      return op.emitError() << "reads set " << op.getSet() << " binding " << op.getBinding()
                            << ", which is not among the bindings";
    b.replaceOp(op, length ? found->second.second : found->second.first);
    return success();
  }
};

struct ConvertPushConstants final : LanePattern<lane::PushConstantsOp> {
  using LanePattern::LanePattern;
  LogicalResult matchAndRewrite(lane::PushConstantsOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    if (!values.pushConstants)
      return op.emitError("reads push constants, but the interface has none");
    b.replaceOp(op, values.pushConstants);
    return success();
  }
};

//===-------------------------------------------------------------------------===//
// Memory
//===-------------------------------------------------------------------------===//

Value offsetBy(OpBuilder &b, Location loc, Value address, int64_t bytes) {
  if (bytes == 0)
    return address;
  return LLVM::GEPOp::create(b, loc, address.getType(), b.getI8Type(), address,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)});
}

struct ConvertShared final : LanePattern<lane::SharedOp> {
  using LanePattern::LanePattern;
  LogicalResult matchAndRewrite(lane::SharedOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOp(op, offsetBy(b, op.getLoc(), values.shared, int64_t(op.getOffset())));
    return success();
  }
};

/// Constant bytes become a constant of the module.
struct ConvertTable final : LanePattern<lane::TableOp> {
  using LanePattern::LanePattern;
  LogicalResult matchAndRewrite(lane::TableOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Operation *module = moduleOf(op);
    std::string name;
    for (unsigned n = 0; name.empty() || SymbolTable::lookupSymbolIn(module, name); ++n)
      name = "table" + std::to_string(n);
    Type type = LLVM::LLVMArrayType::get(b.getI8Type(), op.getBytes().size());
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&module->getRegion(0).front());
      auto bytes = DenseElementsAttr::get(
          RankedTensorType::get({int64_t(op.getBytes().size())}, b.getI8Type()), op.getBytes());
      LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal, name,
                             bytes, /*alignment=*/16, shader::Constant);
    }
    auto place = LLVM::LLVMPointerType::get(b.getContext(), shader::Constant);
    Value address = LLVM::AddressOfOp::create(b, loc, place, name);
    b.replaceOpWithNewOp<LLVM::AddrSpaceCastOp>(op, converted(op.getType()), address);
    return success();
  }
};

/// Memory of one invocation, which is allocated once.
template <typename OpTy> struct ConvertOwn final : LanePattern<OpTy> {
  using LanePattern<OpTy>::LanePattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type type;
    unsigned alignment = 0;
    if constexpr (std::is_same_v<OpTy, lane::PrivateOp>) {
      type = LLVM::LLVMArrayType::get(b.getI8Type(), op.getBytes());
      alignment = static_cast<unsigned>(op.getAlignment());
    } else {
      type = this->converted(op.getType());
      if (type.isInteger(1))
        type = b.getI8Type();
      if constexpr (std::is_same_v<OpTy, lane::ArrayOp>)
        type = LLVM::LLVMArrayType::get(type, op.getCount());
    }
    b.setInsertionPointToStart(this->values.entry);
    Value one = number(b, loc, b.getI32Type(), 1);
    Value memory = LLVM::AllocaOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), type,
                                          one, alignment);
    Value address = LLVM::AddrSpaceCastOp::create(
        b, loc, LLVM::LLVMPointerType::get(b.getContext(), shader::Generic), memory);
    b.replaceOp(op, address);
    return success();
  }
};

struct ConvertOffset final : LanePattern<lane::OffsetOp> {
  using LanePattern::LanePattern;
  LogicalResult matchAndRewrite(lane::OffsetOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<LLVM::GEPOp>(op, adaptor.getBase().getType(), b.getI8Type(),
                                      adaptor.getBase(),
                                      ArrayRef<LLVM::GEPArg>{adaptor.getBytes()});
    return success();
  }
};

LLVM::AtomicOrdering orderOf(StringRef name) {
  return LLVM::symbolizeAtomicOrdering(name).value_or(LLVM::AtomicOrdering::monotonic);
}

/// Atomics of Vulkan's shaders are coherent in the whole device.
constexpr const char *deviceScope = "device";

/// Returns the generic form of an address that a kernel computes or reads from memory. Such an
/// address is one of a buffer, unless it is an argument that points to workgroup memory.
Value addressFrom(OpBuilder &b, Location loc, Value number, unsigned space = shader::Global) {
  auto pointer = [&](unsigned space) { return LLVM::LLVMPointerType::get(b.getContext(), space); };
  Value address = LLVM::IntToPtrOp::create(b, loc, pointer(space), number);
  return LLVM::AddrSpaceCastOp::create(b, loc, pointer(shader::Generic), address);
}

Value loadOne(OpBuilder &b, Operation *op, Type type, Value address, unsigned alignment) {
  Type stored = type.isInteger(1) ? Type(b.getI8Type()) : type;
  auto load = LLVM::LoadOp::create(b, op->getLoc(), stored, address, alignment);
  if (op->hasAttr("volatile"))
    load.setVolatile_(true);
  if (auto order = op->getAttrOfType<StringAttr>("atomic_order")) {
    load.setOrdering(orderOf(order));
    load.setSyncscope(deviceScope);
  }
  Value value = load;
  if (stored != type)
    value = LLVM::ICmpOp::create(b, op->getLoc(), LLVM::ICmpPredicate::ne, value,
                                 number(b, op->getLoc(), stored, 0));
  return value;
}

void storeOne(OpBuilder &b, Operation *op, Value value, Value address, unsigned alignment) {
  if (value.getType().isInteger(1))
    value = LLVM::ZExtOp::create(b, op->getLoc(), b.getI8Type(), value);
  auto store = LLVM::StoreOp::create(b, op->getLoc(), value, address, alignment);
  if (op->hasAttr("volatile"))
    store.setVolatile_(true);
  if (auto order = op->getAttrOfType<StringAttr>("atomic_order")) {
    store.setOrdering(orderOf(order));
    store.setSyncscope(deviceScope);
  }
}

int64_t bytesOf(Type type) {
  return isa<LLVM::LLVMPointerType>(type)
             ? 8
             : static_cast<int64_t>(llvm::divideCeil(type.getIntOrFloatBitWidth(), 8));
}

/// Returns the alignment that the element at `offset` has.
unsigned alignmentAt(uint64_t alignment, int64_t offset) {
  return static_cast<unsigned>(llvm::MinAlign(alignment, static_cast<uint64_t>(offset)));
}

struct ConvertLoad final : LanePattern<lane::LoadOp> {
  using LanePattern::LanePattern;
  LogicalResult matchAndRewrite(lane::LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    SmallVector<Value> loaded;
    int64_t offset = 0;
    for (Type type : op.getResultTypes()) {
      Value address = offsetBy(b, op.getLoc(), adaptor.getAddress(), offset);
      bool isAddress = isa<LLVM::LLVMPointerType>(type);
      Value value = loadOne(b, op, isAddress ? Type(b.getI64Type()) : converted(type), address,
                            alignmentAt(op.getAlignment(), offset));
      unsigned space = op->hasAttr("workgroup") ? shader::Workgroup : shader::Global;
      loaded.push_back(isAddress ? addressFrom(b, op.getLoc(), value, space) : value);
      offset += bytesOf(type);
    }
    b.replaceOp(op, loaded);
    return success();
  }
};

struct ConvertStore final : LanePattern<lane::StoreOp> {
  using LanePattern::LanePattern;
  LogicalResult matchAndRewrite(lane::StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    int64_t offset = 0;
    for (auto [value, from] : llvm::zip_equal(adaptor.getValues(), op.getValues())) {
      Value address = offsetBy(b, op.getLoc(), adaptor.getAddress(), offset);
      storeOne(b, op, value, address, alignmentAt(op.getAlignment(), offset));
      offset += bytesOf(from.getType());
    }
    b.eraseOp(op);
    return success();
  }
};

/// Returns the address of an element. The type of the whole array tells drivers how large it is.
Value elementOf(OpBuilder &b, Operation *op, Value array, Value address, Value index) {
  auto made = array.getDefiningOp<lane::ArrayOp>();
  Type element = made.getType().isInteger(1) ? Type(b.getI8Type()) : made.getType();
  if (isa<LLVM::LLVMPointerType>(element))
    element = address.getType();
  Type type = LLVM::LLVMArrayType::get(element, unsigned(made.getCount()));
  return LLVM::GEPOp::create(b, op->getLoc(), address.getType(), type, address,
                             ArrayRef<LLVM::GEPArg>{0, index}, LLVM::GEPNoWrapFlags::inbounds);
}

template <typename OpTy> struct ConvertRead final : LanePattern<OpTy> {
  using LanePattern<OpTy>::LanePattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Type type = this->converted(op.getType());
    Value address;
    if constexpr (std::is_same_v<OpTy, lane::ArrayGetOp>) {
      address = elementOf(b, op, op.getArray(), adaptor.getArray(), adaptor.getIndex());
    } else {
      address = adaptor.getSlot();
    }
    b.replaceOp(op, loadOne(b, op, type, address, 0));
    return success();
  }
};

template <typename OpTy> struct ConvertWrite final : LanePattern<OpTy> {
  using LanePattern<OpTy>::LanePattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Value address, value = adaptor.getValue();
    if constexpr (std::is_same_v<OpTy, lane::ArraySetOp>) {
      address = elementOf(b, op, op.getArray(), adaptor.getArray(), adaptor.getIndex());
    } else {
      address = adaptor.getSlot();
    }
    storeOne(b, op, value, address, 0);
    b.eraseOp(op);
    return success();
  }
};

template <typename OpTy> struct Drop final : LanePattern<OpTy> {
  using LanePattern<OpTy>::LanePattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor,
                                ConversionPatternRewriter &b) const override {
    b.eraseOp(op);
    return success();
  }
};

//===-------------------------------------------------------------------------===//
// Atomics and barriers
//===-------------------------------------------------------------------------===//

std::optional<LLVM::AtomicBinOp> kindOf(StringRef name) {
  using Kind = LLVM::AtomicBinOp;
  return llvm::StringSwitch<std::optional<Kind>>(name)
      .Case("add", Kind::add)
      .Case("sub", Kind::sub)
      .Case("and", Kind::_and)
      .Case("or", Kind::_or)
      .Case("xor", Kind::_xor)
      .Case("smin", Kind::min)
      .Case("smax", Kind::max)
      .Case("umin", Kind::umin)
      .Case("umax", Kind::umax)
      .Case("exchange", Kind::xchg)
      .Case("fadd", Kind::fadd)
      .Default(std::nullopt);
}

struct ConvertAtomic final : LanePattern<lane::AtomicOp> {
  using LanePattern::LanePattern;
  LogicalResult matchAndRewrite(lane::AtomicOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    std::optional<LLVM::AtomicBinOp> kind = kindOf(op.getKind());
    if (!kind)
      return b.notifyMatchFailure(op, "expanded before");
    Type type = adaptor.getValue().getType();
    if (*kind == LLVM::AtomicBinOp::xchg && isa<FloatType>(type)) {
      // Drivers lack exchanges of floats.
      Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
      Value value = LLVM::BitcastOp::create(b, op.getLoc(), bits, adaptor.getValue());
      Value old = LLVM::AtomicRMWOp::create(b, op.getLoc(), *kind, adaptor.getAddress(), value,
                                            orderOf(op.getOrder()), deviceScope);
      b.replaceOpWithNewOp<LLVM::BitcastOp>(op, type, old);
      return success();
    }
    b.replaceOpWithNewOp<LLVM::AtomicRMWOp>(op, *kind, adaptor.getAddress(), adaptor.getValue(),
                                            orderOf(op.getOrder()), deviceScope);
    return success();
  }
};

struct ConvertCompareExchange final : LanePattern<lane::CompareExchangeOp> {
  using LanePattern::LanePattern;
  LogicalResult matchAndRewrite(lane::CompareExchangeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    using Order = LLVM::AtomicOrdering;
    Order order = orderOf(op.getOrder());
    Order failure = order == Order::acq_rel   ? Order::acquire
                    : order == Order::release ? Order::monotonic
                                              : order;
    Value both =
        LLVM::AtomicCmpXchgOp::create(b, op.getLoc(), adaptor.getAddress(), adaptor.getCompare(),
                                      adaptor.getValue(), order, failure, deviceScope);
    b.replaceOpWithNewOp<LLVM::ExtractValueOp>(op, both, ArrayRef<int64_t>{0});
    return success();
  }
};

constexpr int64_t scopeDevice = 1, scopeWorkgroup = 2, scopeSubgroup = 3;
constexpr int64_t acquireRelease = 0x8, sequential = 0x10, workgroupMemory = 0x100,
                  globalMemory = 0x200;

void controlBarrier(OpBuilder &b, Operation *op, int64_t execution, int64_t memory,
                    int64_t semantics) {
  SmallVector<Value> operands;
  for (int64_t operand : {execution, memory, semantics})
    operands.push_back(number(b, op->getLoc(), b.getI32Type(), operand));
  callOpenCl(b, op->getLoc(), moduleOf(op), "__spirv_ControlBarrier",
             LLVM::LLVMVoidType::get(b.getContext()), operands);
}

struct ConvertBarrier final : LanePattern<lane::BarrierOp> {
  using LanePattern::LanePattern;
  LogicalResult matchAndRewrite(lane::BarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    controlBarrier(b, op, scopeWorkgroup, op.getOrder() ? scopeDevice : scopeWorkgroup,
                   sequential | workgroupMemory | globalMemory);
    b.eraseOp(op);
    return success();
  }
};

struct ConvertSubgroupFence final : LanePattern<lane::SubgroupFenceOp> {
  using LanePattern::LanePattern;
  LogicalResult matchAndRewrite(lane::SubgroupFenceOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    if (op->hasAttr("memory_only")) { // other lanes may not get here
      b.replaceOpWithNewOp<LLVM::FenceOp>(op, LLVM::AtomicOrdering::acq_rel, "workgroup");
      return success();
    }
    controlBarrier(b, op, scopeSubgroup, scopeSubgroup,
                   acquireRelease | workgroupMemory | globalMemory);
    b.eraseOp(op);
    return success();
  }
};

struct ConvertFence final : LanePattern<lane::FenceOp> {
  using LanePattern::LanePattern;
  LogicalResult matchAndRewrite(lane::FenceOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<LLVM::FenceOp>(op, orderOf(op.getOrder()), deviceScope);
    return success();
  }
};

struct ConvertReturn final : LanePattern<func::ReturnOp> {
  using LanePattern::LanePattern;
  LogicalResult matchAndRewrite(func::ReturnOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<LLVM::ReturnOp>(op, ValueRange());
    return success();
  }
};

struct ConvertIntToPtr final : LanePattern<LLVM::IntToPtrOp> {
  using LanePattern::LanePattern;
  LogicalResult matchAndRewrite(LLVM::IntToPtrOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOp(op, addressFrom(b, op.getLoc(), adaptor.getArg()));
    return success();
  }
};

/// Operations of the llvm dialect on addresses get generic ones.
struct RetypeLlvm final : ConversionPattern {
  RetypeLlvm(const LLVMTypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), PatternBenefit(1), context) {}
  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &b) const override {
    if (!isa<LLVM::LLVMDialect>(op->getDialect()) || op->getNumRegions())
      return b.notifyMatchFailure(op, "not of the llvm dialect");
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), types)))
      return failure();
    OperationState state(op->getLoc(), op->getName(), operands, types, op->getAttrs(),
                         op->getSuccessors());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    b.replaceOp(op, b.create(state));
    return success();
  }
};

} // namespace

void shader::populateLanePatterns(const LLVMTypeConverter &converter, const KernelValues &values,
                                  RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ConvertBuiltin, ConvertSlot<lane::BufferOp, false>,
               ConvertSlot<lane::BufferBytesOp, true>, ConvertPushConstants, ConvertShared,
               ConvertTable, ConvertOwn<lane::PrivateOp>, ConvertOwn<lane::VarOp>,
               ConvertOwn<lane::ArrayOp>, ConvertOffset, ConvertLoad, ConvertStore,
               ConvertRead<lane::GetOp>, ConvertRead<lane::ArrayGetOp>, ConvertWrite<lane::SetOp>,
               ConvertWrite<lane::ArraySetOp>, Drop<lane::ResetOp>, Drop<lane::LabelOp>,
               ConvertAtomic, ConvertCompareExchange, ConvertBarrier, ConvertSubgroupFence,
               ConvertFence, ConvertIntToPtr, ConvertReturn>(converter, context, values);
  patterns.add<RetypeLlvm>(converter, context);
}

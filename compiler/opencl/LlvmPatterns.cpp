//===- LlvmPatterns.cpp - modules for OpenCL to the llvm dialect ------------===//
//   before: %p = spirv.InBoundsPtrAccessChain %x[%i]      %e = spirv.CL.exp %y : f32
//   after:  %p = llvm.getelementptr inbounds %x[%i]       %e = llvm.call @_Z3expf(%y)
// Upstream's patterns convert arithmetic and branches. Those of this file convert the rest.
//===-------------------------------------------------------------------------===//
#include "compiler/opencl/LlvmPatterns.h"

#include "compiler/opencl/MangledCalls.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace pumice;
using opencl::callOpenCl;
using opencl::Sign;
namespace spv = mlir::spirv;

namespace {

Operation *moduleOf(Operation *op) { return SymbolTable::getNearestSymbolTable(op); }

Value constant(OpBuilder &b, Location loc, Type type, int64_t value) {
  return LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, value));
}

template <typename OpTy> struct Pattern : OpConversionPattern<OpTy> {
  Pattern(const LLVMTypeConverter &converter, MLIRContext *context)
      : OpConversionPattern<OpTy>(converter, context, PatternBenefit(10)) {}
  Type converted(Type type) const { return this->getTypeConverter()->convertType(type); }
};

/// Converts a value that stands for a built-in variable. A vector of three numbers is three calls.
struct ConvertBuiltIn final : Pattern<spv::UndefOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(spv::UndefOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    auto name = op->getAttrOfType<StringAttr>(opencl::builtInName);
    if (!name)
      return b.notifyMatchFailure(op, "not of a built-in variable");
    Location loc = op.getLoc();
    Type type = converted(op.getType());
    auto vector = dyn_cast<VectorType>(type);
    if (auto dimension = op->getAttrOfType<IntegerAttr>(opencl::dimensionName)) {
      Value number = constant(b, loc, b.getI32Type(), dimension.getInt());
      b.replaceOp(op, callOpenCl(b, loc, moduleOf(op), name, type, number, Sign::Unsigned));
      return success();
    }
    if (!vector) {
      b.replaceOp(op, callOpenCl(b, loc, moduleOf(op), name, type, {}));
      return success();
    }
    Value all = LLVM::UndefOp::create(b, loc, type);
    for (int64_t d = 0; d < vector.getNumElements(); ++d) {
      Value number = constant(b, loc, b.getI32Type(), d);
      Value one =
          callOpenCl(b, loc, moduleOf(op), name, vector.getElementType(), number, Sign::Unsigned);
      all = LLVM::InsertElementOp::create(b, loc, all, one, number);
    }
    b.replaceOp(op, all);
    return success();
  }
};

//===-------------------------------------------------------------------------===//
// Functions
//===-------------------------------------------------------------------------===//

/// Converts an instruction of OpenCL.std, or one of a subgroup, to a call with its operands.
template <typename OpTy> struct ConvertCall final : Pattern<OpTy> {
  ConvertCall(const LLVMTypeConverter &converter, MLIRContext *context, const char *name,
              Sign sign = Sign::Signed)
      : Pattern<OpTy>(converter, context), name(name), sign(sign) {}
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOp(op, callOpenCl(b, op.getLoc(), moduleOf(op), name, this->converted(op.getType()),
                               adaptor.getOperands(), sign));
    return success();
  }
  const char *name;
  Sign sign;
};

/// Converts a vote. OpenCL C's predicates and results are integers.
template <typename OpTy> struct ConvertVote final : Pattern<OpTy> {
  ConvertVote(const LLVMTypeConverter &converter, MLIRContext *context, const char *name)
      : Pattern<OpTy>(converter, context), name(name) {}
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    SmallVector<Value> operands;
    for (Value operand : adaptor.getOperands())
      operands.push_back(LLVM::ZExtOp::create(b, loc, b.getI32Type(), operand));
    Value result = callOpenCl(b, loc, moduleOf(op), name, b.getI32Type(), operands);
    b.replaceOpWithNewOp<LLVM::ICmpOp>(op, LLVM::ICmpPredicate::ne, result,
                                       constant(b, loc, b.getI32Type(), 0));
    return success();
  }
  const char *name;
};

/// Converts the question whether all lanes have the same value.
struct ConvertAllEqual final : Pattern<spv::GroupNonUniformAllEqualOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(spv::GroupNonUniformAllEqualOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Value result = callOpenCl(b, op.getLoc(), moduleOf(op), "sub_group_non_uniform_all_equal",
                              b.getI32Type(), adaptor.getOperands());
    b.replaceOpWithNewOp<LLVM::ICmpOp>(op, LLVM::ICmpPredicate::ne, result,
                                       constant(b, op.getLoc(), b.getI32Type(), 0));
    return success();
  }
};

struct ConvertBallot final : Pattern<spv::GroupNonUniformBallotOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(spv::GroupNonUniformBallotOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Value yes = LLVM::ZExtOp::create(b, op.getLoc(), b.getI32Type(), adaptor.getPredicate());
    b.replaceOp(op, callOpenCl(b, op.getLoc(), moduleOf(op), "sub_group_ballot",
                               converted(op.getType()), yes));
    return success();
  }
};

/// Converts the number of bits of a ballot: of all lanes, or of those up to or before this one.
struct ConvertBallotBitCount final : Pattern<spv::GroupNonUniformBallotBitCountOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(spv::GroupNonUniformBallotBitCountOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    StringRef name;
    switch (op.getGroupOperation()) {
    case spv::GroupOperation::Reduce:
      name = "sub_group_ballot_bit_count";
      break;
    case spv::GroupOperation::InclusiveScan:
      name = "sub_group_ballot_inclusive_scan";
      break;
    case spv::GroupOperation::ExclusiveScan:
      name = "sub_group_ballot_exclusive_scan";
      break;
    default:
      return b.notifyMatchFailure(op, "a ballot has no such count");
    }
    b.replaceOp(op, callOpenCl(b, op.getLoc(), moduleOf(op), name, converted(op.getType()),
                               adaptor.getValue(), Sign::Unsigned));
    return success();
  }
};

/// Converts a rotation of the whole subgroup, or of clusters.
struct ConvertRotate final : Pattern<spv::GroupNonUniformRotateKHROp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(spv::GroupNonUniformRotateKHROp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    StringRef name = op.getClusterSize() ? "sub_group_clustered_rotate" : "sub_group_rotate";
    b.replaceOp(op, callOpenCl(b, op.getLoc(), moduleOf(op), name, converted(op.getType()),
                               adaptor.getOperands()));
    return success();
  }
};

/// Returns the words of OpenCL C for a way to combine values, such as "scan_inclusive_".
std::string combination(spv::GroupOperation operation) {
  switch (operation) {
  case spv::GroupOperation::Reduce:
    return "reduce_";
  case spv::GroupOperation::InclusiveScan:
    return "scan_inclusive_";
  case spv::GroupOperation::ExclusiveScan:
    return "scan_exclusive_";
  default:
    return "";
  }
}

/// Converts reductions and scans that all lanes of the subgroup execute together.
template <typename OpTy> struct ConvertUniform final : Pattern<OpTy> {
  ConvertUniform(const LLVMTypeConverter &converter, MLIRContext *context, const char *operation,
                 Sign sign = Sign::Signed)
      : Pattern<OpTy>(converter, context), operation(operation), sign(sign) {}
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    std::string way = combination(op.getGroupOperation());
    if (way.empty() || op.getExecutionScope() != spv::Scope::Subgroup)
      return b.notifyMatchFailure(op, "not a reduction or scan of a subgroup");
    b.replaceOp(op, callOpenCl(b, op.getLoc(), moduleOf(op), "sub_group_" + way + operation,
                               this->converted(op.getType()), adaptor.getX(), sign));
    return success();
  }
  const char *operation;
  Sign sign;
};

/// Converts reductions, of the whole subgroup or of clusters, and scans.
template <typename OpTy> struct ConvertReduction final : Pattern<OpTy> {
  ConvertReduction(const LLVMTypeConverter &converter, MLIRContext *context, const char *operation,
                   Sign sign = Sign::Signed)
      : Pattern<OpTy>(converter, context), operation(operation), sign(sign) {}
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    SmallVector<Value> operands{adaptor.getValue()};
    std::string name = "sub_group_non_uniform_" + combination(op.getGroupOperation());
    if (op.getGroupOperation() == spv::GroupOperation::ClusteredReduce) {
      name = "sub_group_clustered_reduce_";
      operands.push_back(adaptor.getClusterSize());
    } else if (combination(op.getGroupOperation()).empty()) {
      return b.notifyMatchFailure(op, "not a reduction or scan");
    }
    b.replaceOp(op, callOpenCl(b, op.getLoc(), moduleOf(op), name + operation,
                               this->converted(op.getType()), operands, sign));
    return success();
  }
  const char *operation;
  Sign sign;
};

//===-------------------------------------------------------------------------===//
// Memory
//===-------------------------------------------------------------------------===//

struct ConvertElement final : Pattern<spv::InBoundsPtrAccessChainOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(spv::InBoundsPtrAccessChainOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto pointer = cast<spv::PointerType>(op.getBasePtr().getType());
    b.replaceOpWithNewOp<LLVM::GEPOp>(op, converted(op.getType()),
                                      converted(pointer.getPointeeType()), adaptor.getBasePtr(),
                                      adaptor.getElement(), LLVM::GEPNoWrapFlags::inbounds);
    return success();
  }
};

template <typename OpTy, typename LlvmOp> struct ConvertCast final : Pattern<OpTy> {
  using Pattern<OpTy>::Pattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<LlvmOp>(op, this->converted(op.getType()), adaptor.getOperands().front());
    return success();
  }
};

/// Converts a cast between pointers. They have no pointees in LLVM, so nothing is left of it.
struct ConvertPointerCast final : Pattern<spv::BitcastOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(spv::BitcastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    if (!isa<spv::PointerType>(op.getType()))
      return b.notifyMatchFailure(op, "not a pointer");
    b.replaceOp(op, adaptor.getOperand());
    return success();
  }
};

/// Converts a variable in workgroup memory. As in clang's code, it has no initial value.
struct ConvertWorkgroupVariable final : Pattern<spv::GlobalVariableOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(spv::GlobalVariableOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    auto pointer = cast<spv::PointerType>(op.getType());
    if (pointer.getStorageClass() != spv::StorageClass::Workgroup)
      return b.notifyMatchFailure(op, "not in workgroup memory");
    Type type = converted(pointer.getPointeeType());
    constexpr unsigned workgroupSpace = 3;
    auto global = b.replaceOpWithNewOp<LLVM::GlobalOp>(
        op, type, /*isConstant=*/false, LLVM::Linkage::Internal, op.getSymName(), Attribute(),
        /*alignment=*/0, workgroupSpace);
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&global.getInitializerRegion());
    LLVM::ReturnOp::create(b, op.getLoc(), LLVM::UndefOp::create(b, op.getLoc(), type));
    return success();
  }
};

/// Converts a variable of one invocation.
struct ConvertVariable final : Pattern<spv::VariableOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(spv::VariableOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type held = converted(cast<spv::PointerType>(op.getType()).getPointeeType());
    Value one = constant(b, loc, b.getI32Type(), 1);
    Value variable = LLVM::AllocaOp::create(b, loc, converted(op.getType()), held, one);
    if (adaptor.getInitializer())
      LLVM::StoreOp::create(b, loc, adaptor.getInitializer(), variable);
    b.replaceOp(op, variable);
    return success();
  }
};

/// Converts accesses with several flags at once, which upstream's patterns reject.
/// before: %v = spirv.Load "CrossWorkgroup" %p ["Volatile|Aligned", 4] : i32
/// after:  %v = llvm.load volatile %p {alignment = 4 : i64} : !llvm.ptr<1> -> i32
struct ConvertLoad final : Pattern<spv::LoadOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(spv::LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    if (!type)
      return b.notifyMatchFailure(op, "its type has no LLVM type");
    auto flags = op.getMemoryAccess().value_or(spv::MemoryAccess::None);
    b.replaceOpWithNewOp<LLVM::LoadOp>(op, type, adaptor.getPtr(), op.getAlignment().value_or(0),
                                       bitEnumContainsAny(flags, spv::MemoryAccess::Volatile),
                                       bitEnumContainsAny(flags, spv::MemoryAccess::Nontemporal));
    return success();
  }
};

struct ConvertStore final : Pattern<spv::StoreOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(spv::StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto flags = op.getMemoryAccess().value_or(spv::MemoryAccess::None);
    b.replaceOpWithNewOp<LLVM::StoreOp>(op, adaptor.getValue(), adaptor.getPtr(),
                                        op.getAlignment().value_or(0),
                                        bitEnumContainsAny(flags, spv::MemoryAccess::Volatile),
                                        bitEnumContainsAny(flags, spv::MemoryAccess::Nontemporal));
    return success();
  }
};

/// Converts a table of constants.
struct ConvertArray final : Pattern<spv::ConstantOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(spv::ConstantOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    if (!isa<spv::ArrayType>(op.getType()) || !isa<DenseElementsAttr>(op.getValue()))
      return b.notifyMatchFailure(op, "not an array of numbers");
    b.replaceOpWithNewOp<LLVM::ConstantOp>(op, converted(op.getType()), op.getValue());
    return success();
  }
};

StringRef scopeName(spv::Scope scope) {
  switch (scope) {
  case spv::Scope::Workgroup:
    return "workgroup";
  case spv::Scope::Subgroup:
    return "subgroup";
  default:
    return "device";
  }
}

LLVM::AtomicOrdering orderOf(spv::MemorySemantics semantics) {
  bool both = spv::bitEnumContainsAny(semantics, spv::MemorySemantics::AcquireRelease);
  bool acquires = spv::bitEnumContainsAny(semantics, spv::MemorySemantics::Acquire);
  return both       ? LLVM::AtomicOrdering::acq_rel
         : acquires ? LLVM::AtomicOrdering::acquire
                    : LLVM::AtomicOrdering::monotonic;
}

template <typename OpTy> struct ConvertAtomic final : Pattern<OpTy> {
  ConvertAtomic(const LLVMTypeConverter &converter, MLIRContext *context, LLVM::AtomicBinOp kind)
      : Pattern<OpTy>(converter, context), kind(kind) {}
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<LLVM::AtomicRMWOp>(op, kind, adaptor.getPointer(), adaptor.getValue(),
                                            orderOf(op.getSemantics()),
                                            scopeName(op.getMemoryScope()));
    return success();
  }
  LLVM::AtomicBinOp kind;
};

struct ConvertCompareExchange final : Pattern<spv::AtomicCompareExchangeOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(spv::AtomicCompareExchangeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Value both = LLVM::AtomicCmpXchgOp::create(
        b, op.getLoc(), adaptor.getPointer(), adaptor.getComparator(), adaptor.getValue(),
        orderOf(op.getEqualSemantics()), orderOf(op.getUnequalSemantics()),
        scopeName(op.getMemoryScope()));
    b.replaceOpWithNewOp<LLVM::ExtractValueOp>(op, both, 0);
    return success();
  }
};

struct ConvertFence final : Pattern<spv::MemoryBarrierOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(spv::MemoryBarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<LLVM::FenceOp>(op, LLVM::AtomicOrdering::acq_rel,
                                        scopeName(op.getMemoryScope()));
    return success();
  }
};

//===-------------------------------------------------------------------------===//
// Values
//===-------------------------------------------------------------------------===//

/// Converts the construction of a vector from scalars and vectors.
struct ConvertConstruct final : Pattern<spv::CompositeConstructOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(spv::CompositeConstructOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto vector = dyn_cast<VectorType>(op.getType());
    if (!vector)
      return b.notifyMatchFailure(op, "not a vector");
    Location loc = op.getLoc();
    Value all = LLVM::UndefOp::create(b, loc, converted(vector));
    int64_t next = 0;
    for (Value part : adaptor.getConstituents()) {
      auto parts = dyn_cast<VectorType>(part.getType());
      for (int64_t i = 0; i < (parts ? parts.getNumElements() : 1); ++i) {
        Value element = part;
        if (parts)
          element =
              LLVM::ExtractElementOp::create(b, loc, part, constant(b, loc, b.getI32Type(), i));
        all = LLVM::InsertElementOp::create(b, loc, all, element,
                                            constant(b, loc, b.getI32Type(), next++));
      }
    }
    b.replaceOp(op, all);
    return success();
  }
};

struct ConvertDynamicExtract final : Pattern<spv::VectorExtractDynamicOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(spv::VectorExtractDynamicOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<LLVM::ExtractElementOp>(op, adaptor.getVector(), adaptor.getIndex());
    return success();
  }
};

struct ConvertDynamicInsert final : Pattern<spv::VectorInsertDynamicOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(spv::VectorInsertDynamicOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<LLVM::InsertElementOp>(op, adaptor.getVector(), adaptor.getComponent(),
                                                adaptor.getIndex());
    return success();
  }
};

struct ConvertIsNan final : Pattern<spv::IsNanOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(spv::IsNanOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<LLVM::FCmpOp>(op, LLVM::FCmpPredicate::uno, adaptor.getOperand(),
                                       adaptor.getOperand());
    return success();
  }
};

void populateFunctions(const LLVMTypeConverter &c, RewritePatternSet &p) {
  MLIRContext *x = p.getContext();
  p.add<ConvertCall<spv::CLExpOp>>(c, x, "exp");
  p.add<ConvertCall<spv::CLLogOp>>(c, x, "log");
  p.add<ConvertCall<spv::CLSinOp>>(c, x, "sin");
  p.add<ConvertCall<spv::CLCosOp>>(c, x, "cos");
  p.add<ConvertCall<spv::CLTanOp>>(c, x, "tan");
  p.add<ConvertCall<spv::CLAsinOp>>(c, x, "asin");
  p.add<ConvertCall<spv::CLAcosOp>>(c, x, "acos");
  p.add<ConvertCall<spv::CLAtanOp>>(c, x, "atan");
  p.add<ConvertCall<spv::CLAtan2Op>>(c, x, "atan2");
  p.add<ConvertCall<spv::CLSinhOp>>(c, x, "sinh");
  p.add<ConvertCall<spv::CLCoshOp>>(c, x, "cosh");
  p.add<ConvertCall<spv::CLTanhOp>>(c, x, "tanh");
  p.add<ConvertCall<spv::CLAsinhOp>>(c, x, "asinh");
  p.add<ConvertCall<spv::CLAcoshOp>>(c, x, "acosh");
  p.add<ConvertCall<spv::CLAtanhOp>>(c, x, "atanh");
  p.add<ConvertCall<spv::CLErfOp>>(c, x, "erf");
  p.add<ConvertCall<spv::CLPowOp>>(c, x, "pow");
  p.add<ConvertCall<spv::CLSqrtOp>>(c, x, "sqrt");
  p.add<ConvertCall<spv::CLRsqrtOp>>(c, x, "rsqrt");
  p.add<ConvertCall<spv::CLFAbsOp>>(c, x, "fabs");
  p.add<ConvertCall<spv::CLCeilOp>>(c, x, "ceil");
  p.add<ConvertCall<spv::CLFloorOp>>(c, x, "floor");
  p.add<ConvertCall<spv::CLRintOp>>(c, x, "rint");
  p.add<ConvertCall<spv::CLRoundOp>>(c, x, "round");
  p.add<ConvertCall<spv::CLFmaOp>>(c, x, "fma");
  p.add<ConvertCall<spv::CLFMaxOp>>(c, x, "fmax");
  p.add<ConvertCall<spv::CLFMinOp>>(c, x, "fmin");
  p.add<ConvertCall<spv::CLSAbsOp>>(c, x, "abs");
  p.add<ConvertCall<spv::CLSMaxOp>>(c, x, "max");
  p.add<ConvertCall<spv::CLSMinOp>>(c, x, "min");
  p.add<ConvertCall<spv::CLUMaxOp>>(c, x, "max", Sign::Unsigned);
  p.add<ConvertCall<spv::CLUMinOp>>(c, x, "min", Sign::Unsigned);
}

void populateSubgroups(const LLVMTypeConverter &c, RewritePatternSet &p) {
  MLIRContext *x = p.getContext();
  p.add<ConvertVote<spv::GroupNonUniformElectOp>>(c, x, "sub_group_elect");
  p.add<ConvertVote<spv::GroupNonUniformAllOp>>(c, x, "sub_group_non_uniform_all");
  p.add<ConvertVote<spv::GroupNonUniformAnyOp>>(c, x, "sub_group_non_uniform_any");
  p.add<ConvertBallot, ConvertAllEqual, ConvertBallotBitCount, ConvertRotate>(c, x);
  p.add<ConvertCall<spv::GroupNonUniformBallotFindLSBOp>>(c, x, "sub_group_ballot_find_lsb",
                                                          Sign::Unsigned);
  p.add<ConvertCall<spv::GroupNonUniformBallotFindMSBOp>>(c, x, "sub_group_ballot_find_msb",
                                                          Sign::Unsigned);
  p.add<ConvertCall<spv::GroupNonUniformBroadcastOp>>(c, x, "sub_group_non_uniform_broadcast",
                                                      Sign::Unsigned);
  p.add<ConvertCall<spv::GroupNonUniformShuffleOp>>(c, x, "sub_group_shuffle", Sign::Unsigned);
  p.add<ConvertCall<spv::GroupNonUniformShuffleXorOp>>(c, x, "sub_group_shuffle_xor",
                                                       Sign::Unsigned);
  p.add<ConvertCall<spv::GroupNonUniformShuffleUpOp>>(c, x, "sub_group_shuffle_up", Sign::Unsigned);
  p.add<ConvertCall<spv::GroupNonUniformShuffleDownOp>>(c, x, "sub_group_shuffle_down",
                                                        Sign::Unsigned);
  p.add<ConvertUniform<spv::GroupIAddOp>>(c, x, "add");
  p.add<ConvertUniform<spv::GroupFAddOp>>(c, x, "add");
  p.add<ConvertUniform<spv::GroupSMaxOp>>(c, x, "max");
  p.add<ConvertUniform<spv::GroupSMinOp>>(c, x, "min");
  p.add<ConvertUniform<spv::GroupUMaxOp>>(c, x, "max", Sign::Unsigned);
  p.add<ConvertUniform<spv::GroupUMinOp>>(c, x, "min", Sign::Unsigned);
  p.add<ConvertReduction<spv::GroupNonUniformIAddOp>>(c, x, "add");
  p.add<ConvertReduction<spv::GroupNonUniformFAddOp>>(c, x, "add");
  p.add<ConvertReduction<spv::GroupNonUniformIMulOp>>(c, x, "mul");
  p.add<ConvertReduction<spv::GroupNonUniformFMulOp>>(c, x, "mul");
  p.add<ConvertReduction<spv::GroupNonUniformFMaxOp>>(c, x, "max");
  p.add<ConvertReduction<spv::GroupNonUniformFMinOp>>(c, x, "min");
  p.add<ConvertReduction<spv::GroupNonUniformSMaxOp>>(c, x, "max");
  p.add<ConvertReduction<spv::GroupNonUniformSMinOp>>(c, x, "min");
  p.add<ConvertReduction<spv::GroupNonUniformUMaxOp>>(c, x, "max", Sign::Unsigned);
  p.add<ConvertReduction<spv::GroupNonUniformUMinOp>>(c, x, "min", Sign::Unsigned);
  p.add<ConvertReduction<spv::GroupNonUniformBitwiseAndOp>>(c, x, "and");
  p.add<ConvertReduction<spv::GroupNonUniformBitwiseOrOp>>(c, x, "or");
  p.add<ConvertReduction<spv::GroupNonUniformBitwiseXorOp>>(c, x, "xor");
}

void populateMemory(const LLVMTypeConverter &c, RewritePatternSet &p) {
  using Kind = LLVM::AtomicBinOp;
  MLIRContext *x = p.getContext();
  p.add<ConvertBuiltIn, ConvertElement, ConvertPointerCast, ConvertWorkgroupVariable,
        ConvertVariable, ConvertLoad, ConvertStore, ConvertArray, ConvertCompareExchange,
        ConvertFence, ConvertConstruct, ConvertDynamicExtract, ConvertDynamicInsert, ConvertIsNan,
        ConvertCast<spv::ConvertPtrToUOp, LLVM::PtrToIntOp>,
        ConvertCast<spv::ConvertUToPtrOp, LLVM::IntToPtrOp>>(c, x);
  p.add<ConvertAtomic<spv::AtomicIAddOp>>(c, x, Kind::add);
  p.add<ConvertAtomic<spv::AtomicISubOp>>(c, x, Kind::sub);
  p.add<ConvertAtomic<spv::AtomicAndOp>>(c, x, Kind::_and);
  p.add<ConvertAtomic<spv::AtomicOrOp>>(c, x, Kind::_or);
  p.add<ConvertAtomic<spv::AtomicXorOp>>(c, x, Kind::_xor);
  p.add<ConvertAtomic<spv::AtomicSMaxOp>>(c, x, Kind::max);
  p.add<ConvertAtomic<spv::AtomicSMinOp>>(c, x, Kind::min);
  p.add<ConvertAtomic<spv::AtomicUMaxOp>>(c, x, Kind::umax);
  p.add<ConvertAtomic<spv::AtomicUMinOp>>(c, x, Kind::umin);
  p.add<ConvertAtomic<spv::AtomicExchangeOp>>(c, x, Kind::xchg);
  p.add<ConvertAtomic<spv::EXTAtomicFAddOp>>(c, x, Kind::fadd);
}

} // namespace

void opencl::populateLlvmPatterns(const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  populateFunctions(converter, patterns);
  populateSubgroups(converter, patterns);
  populateMemory(converter, patterns);
}

//===- MatrixPatterns.cpp - matrices of a subgroup --------------------------===//
//   before: %a = gpu.subgroup_mma_load_matrix %x[%i] {leadDimension = 32 : index}
//           %d = gpu.subgroup_mma_compute %a, %b, %c
//   after:  %a = spirv.KHR.CooperativeMatrixLoad %p, %c32, <RowMajor>, <NonPrivatePointer>
//           %d = spirv.KHR.CooperativeMatrixMulAdd %a, %b, %c
// Needs: EmulateMatrices, which leaves only shapes that the target supports, and FlattenMemory.
//===-------------------------------------------------------------------------===//
#include "compiler/spirv/KernelConverter.h"

#include "compiler/dialect/vk/VkDialect.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::spirv;

namespace {

Type matrixElement(Type gpuElement) {
  if (auto integer = dyn_cast<IntegerType>(gpuElement))
    return IntegerType::get(gpuElement.getContext(), integer.getWidth());
  return gpuElement;
}

Type convertMatrix(gpu::MMAMatrixType type) {
  auto use = llvm::StringSwitch<spv::CooperativeMatrixUseKHR>(type.getOperand())
                 .Case("AOp", spv::CooperativeMatrixUseKHR::MatrixA)
                 .Case("BOp", spv::CooperativeMatrixUseKHR::MatrixB)
                 .Default(spv::CooperativeMatrixUseKHR::MatrixAcc);
  return spv::CooperativeMatrixType::get(matrixElement(type.getElementType()), type.getShape()[0],
                                         type.getShape()[1], spv::Scope::Subgroup, use);
}

Type convertFactor(vk::FactorType type) {
  auto use = type.getIsSecond() ? spv::CooperativeMatrixUseKHR::MatrixB
                                : spv::CooperativeMatrixUseKHR::MatrixA;
  return spv::CooperativeMatrixType::get(
      matrixElement(type.getElementType()), static_cast<uint32_t>(type.getRows()),
      static_cast<uint32_t>(type.getColumns()), spv::Scope::Subgroup, use);
}

template <typename OpTy> struct MatrixPattern : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  static spv::CooperativeMatrixLayoutKHR layout(bool transposed) {
    return transposed ? spv::CooperativeMatrixLayoutKHR::ColumnMajor
                      : spv::CooperativeMatrixLayoutKHR::RowMajor;
  }
  static Value strideOf(OpTy op, int64_t stride, OpBuilder &b) {
    return spv::ConstantOp::create(b, op.getLoc(), b.getI32Type(),
                                   b.getI32IntegerAttr(static_cast<int32_t>(stride)));
  }
  AccessFlags flagsOf(OpBuilder &b, Value pointer) const {
    auto style = this->template getTypeConverter<KernelTypeConverter>()->style();
    uint64_t bytes =
        cast<spv::PointerType>(pointer.getType()).getPointeeType().getIntOrFloatBitWidth() / 8;
    return accessFlags(b, style, pointer, bytes, /*nontemporal=*/false);
  }
};

struct ConvertLoadMatrix final : MatrixPattern<gpu::SubgroupMmaLoadMatrixOp> {
  using MatrixPattern::MatrixPattern;
  LogicalResult matchAndRewrite(gpu::SubgroupMmaLoadMatrixOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Value pointer =
        elementPointer(b, op.getLoc(), adaptor.getSrcMemref(), adaptor.getIndices().front());
    AccessFlags access = flagsOf(b, pointer);
    b.replaceOpWithNewOp<spv::KHRCooperativeMatrixLoadOp>(
        op, getTypeConverter()->convertType(op.getType()), pointer,
        layout(op.getTranspose().has_value()),
        strideOf(op, op.getLeadDimension().getSExtValue(), b), access.flags, access.alignment);
    return success();
  }
};

struct ConvertLoadFactor final : MatrixPattern<vk::LoadFactorOp> {
  using MatrixPattern::MatrixPattern;
  LogicalResult matchAndRewrite(vk::LoadFactorOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Value pointer = elementPointer(b, op.getLoc(), adaptor.getMemref(), adaptor.getIndex());
    AccessFlags access = flagsOf(b, pointer);
    b.replaceOpWithNewOp<spv::KHRCooperativeMatrixLoadOp>(
        op, getTypeConverter()->convertType(op.getType()), pointer, layout(op.getTransposed()),
        strideOf(op, op.getStride(), b), access.flags, access.alignment);
    return success();
  }
};

struct ConvertStoreMatrix final : MatrixPattern<gpu::SubgroupMmaStoreMatrixOp> {
  using MatrixPattern::MatrixPattern;
  LogicalResult matchAndRewrite(gpu::SubgroupMmaStoreMatrixOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Value pointer =
        elementPointer(b, op.getLoc(), adaptor.getDstMemref(), adaptor.getIndices().front());
    AccessFlags access = flagsOf(b, pointer);
    b.replaceOpWithNewOp<spv::KHRCooperativeMatrixStoreOp>(
        op, pointer, adaptor.getSrc(), layout(op.getTranspose().has_value()),
        strideOf(op, op.getLeadDimension().getSExtValue(), b), access.flags, access.alignment);
    return success();
  }
};

/// Returns whether the target lists a signed accumulator for these factors. A signless accumulator
/// may have either sign, which makes no difference for sums that wrap.
bool listsSignedSums(Operation *op, gpu::MMAMatrixType c, int64_t depth, bool aSigned,
                     bool bSigned) {
  FailureOr<target::TargetEnv> env = vk::lookupTarget(op);
  using target::ComponentType;
  return failed(env) ||
         llvm::any_of(env->cooperativeMatrices, [&](const target::CooperativeMatrixShape &shape) {
           return shape.m == c.getShape()[0] && shape.n == c.getShape()[1] && shape.k == depth &&
                  !shape.saturating &&
                  shape.a == (aSigned ? ComponentType::s8 : ComponentType::u8) &&
                  shape.b == (bSigned ? ComponentType::s8 : ComponentType::u8) &&
                  shape.c == ComponentType::s32 && shape.result == ComponentType::s32;
         });
}

/// Returns which operands are signed. Integer types have no sign in SPIR-V, so the operation states
/// it.
spv::CooperativeMatrixOperandsKHRAttr signsOf(Operation *op, Type a, Type b, gpu::MMAMatrixType sum,
                                              int64_t depth) {
  using Operands = spv::CooperativeMatrixOperandsKHR;
  auto isSigned = [](Type element) {
    return isa<IntegerType>(element) && !element.isUnsignedInteger();
  };
  Operands operands = Operands::None;
  if (isSigned(a))
    operands = operands | Operands::ASigned;
  if (isSigned(b))
    operands = operands | Operands::BSigned;
  if (isSigned(sum.getElementType()) && listsSignedSums(op, sum, depth, isSigned(a), isSigned(b)))
    operands = operands | Operands::CSigned | Operands::ResultSigned;
  return operands == Operands::None
             ? spv::CooperativeMatrixOperandsKHRAttr()
             : spv::CooperativeMatrixOperandsKHRAttr::get(op->getContext(), operands);
}

struct ConvertCompute final : OpConversionPattern<gpu::SubgroupMmaComputeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(gpu::SubgroupMmaComputeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto factorA = cast<gpu::MMAMatrixType>(op.getOpA().getType());
    auto factorB = cast<gpu::MMAMatrixType>(op.getOpB().getType());
    b.replaceOpWithNewOp<spv::KHRCooperativeMatrixMulAddOp>(
        op, adaptor.getOpC().getType(), adaptor.getOpA(), adaptor.getOpB(), adaptor.getOpC(),
        signsOf(op, factorA.getElementType(), factorB.getElementType(),
                cast<gpu::MMAMatrixType>(op.getOpC().getType()), factorA.getShape()[1]));
    return success();
  }
};

struct ConvertMultiplyFactors final : OpConversionPattern<vk::MultiplyFactorsOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(vk::MultiplyFactorsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    vk::FactorType factorA = op.getA().getType(), factorB = op.getB().getType();
    b.replaceOpWithNewOp<spv::KHRCooperativeMatrixMulAddOp>(
        op, adaptor.getSum().getType(), adaptor.getA(), adaptor.getB(), adaptor.getSum(),
        signsOf(op, factorA.getElementType(), factorB.getElementType(),
                cast<gpu::MMAMatrixType>(op.getSum().getType()), factorA.getColumns()));
    return success();
  }
};

struct ConvertConstant final : OpConversionPattern<gpu::SubgroupMmaConstantMatrixOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(gpu::SubgroupMmaConstantMatrixOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<spv::CompositeConstructOp>(
        op, getTypeConverter()->convertType(op.getType()), adaptor.getValue());
    return success();
  }
};

//===-------------------------------------------------------------------------===//
// Elements of matrices
//===-------------------------------------------------------------------------===//

/// Creates a variable that holds `matrix`, so that its elements can be accessed by index.
Value spill(OpBuilder &b, Location loc, Value matrix) {
  auto pointer = spv::PointerType::get(matrix.getType(), spv::StorageClass::Function);
  Value variable = spv::VariableOp::create(b, loc, pointer, spv::StorageClass::Function,
                                           /*initializer=*/nullptr);
  spv::StoreOp::create(b, loc, variable, matrix);
  return variable;
}

/// Emits a loop over the elements in a lane, because minima and maxima exist only for scalars.
Value elementByElement(OpBuilder &b, Location loc, Value lhs, Value rhs, bool maximum) {
  Value left = spill(b, loc, lhs), right = spill(b, loc, rhs);
  Type i32 = b.getI32Type();
  Value length =
      spv::KHRCooperativeMatrixLengthOp::create(b, loc, i32, TypeAttr::get(lhs.getType()));
  Value zero = spv::ConstantOp::getZero(i32, loc, b), one = spv::ConstantOp::getOne(i32, loc, b);
  auto loop = spv::LoopOp::create(b, loc, TypeRange(), spv::LoopControl::None);
  OpBuilder::InsertionGuard guard(b);
  Region &region = loop.getBody();
  Block *entry = b.createBlock(&region, region.end());
  Block *header = b.createBlock(&region, region.end(), {i32}, {loc});
  Block *body = b.createBlock(&region, region.end());
  Block *latch = b.createBlock(&region, region.end());
  Block *merge = b.createBlock(&region, region.end());
  spv::MergeOp::create(b, loc, ValueRange());
  b.setInsertionPointToEnd(entry);
  spv::BranchOp::create(b, loc, header, zero);
  b.setInsertionPointToEnd(header);
  Value index = header->getArgument(0);
  Value more = spv::ULessThanOp::create(b, loc, index, length);
  spv::BranchConditionalOp::create(b, loc, more, body, ValueRange(), merge, ValueRange());
  b.setInsertionPointToEnd(body);
  Value to = spv::AccessChainOp::create(b, loc, left, index);
  Value x = spv::LoadOp::create(b, loc, to);
  Value y = spv::LoadOp::create(b, loc, spv::AccessChainOp::create(b, loc, right, index));
  Value chosen = maximum ? spv::GLFMaxOp::create(b, loc, x, y).getResult()
                         : spv::GLFMinOp::create(b, loc, x, y).getResult();
  // As in arith.maximumf, the result is NaN if either operand is NaN.
  Value nan = spv::IsNanOp::create(b, loc, x), other = spv::IsNanOp::create(b, loc, y);
  chosen = spv::SelectOp::create(b, loc, other, y, chosen);
  chosen = spv::SelectOp::create(b, loc, nan, x, chosen);
  spv::StoreOp::create(b, loc, to, chosen);
  spv::BranchOp::create(b, loc, latch);
  b.setInsertionPointToEnd(latch);
  Value next = spv::IAddOp::create(b, loc, index, one);
  spv::BranchOp::create(b, loc, header, next);
  b.setInsertionPointAfter(loop);
  return spv::LoadOp::create(b, loc, left);
}

struct ConvertElementwise final : OpConversionPattern<gpu::SubgroupMmaElementwiseOp> {
  using OpConversionPattern::OpConversionPattern;

  static Value emit(gpu::MMAElementwiseOp kind, Type type, ValueRange v, OpBuilder &b,
                    Location loc) {
    using Kind = gpu::MMAElementwiseOp;
    switch (kind) {
    case Kind::ADDF:
      return spv::FAddOp::create(b, loc, v[0], v[1]);
    case Kind::SUBF:
      return spv::FSubOp::create(b, loc, v[0], v[1]);
    case Kind::MULF:
      return spv::FMulOp::create(b, loc, v[0], v[1]);
    case Kind::DIVF:
      return spv::FDivOp::create(b, loc, v[0], v[1]);
    case Kind::ADDI:
      return spv::IAddOp::create(b, loc, v[0], v[1]);
    case Kind::SUBI:
      return spv::ISubOp::create(b, loc, v[0], v[1]);
    case Kind::MULI:
      return spv::IMulOp::create(b, loc, v[0], v[1]);
    case Kind::DIVS:
      return spv::SDivOp::create(b, loc, v[0], v[1]);
    case Kind::DIVU:
      return spv::UDivOp::create(b, loc, v[0], v[1]);
    case Kind::NEGATEF:
      return spv::FNegateOp::create(b, loc, type, v[0]);
    case Kind::NEGATES:
      return spv::SNegateOp::create(b, loc, type, v[0]);
    case Kind::EXTF:
      return spv::FConvertOp::create(b, loc, type, v[0]);
    case Kind::MAXF:
    case Kind::MINF:
      return elementByElement(b, loc, v[0], v[1], kind == Kind::MAXF);
    }
    return {};
  }

  LogicalResult matchAndRewrite(gpu::SubgroupMmaElementwiseOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    Value result = emit(op.getOpType(), type, adaptor.getArgs(), b, op.getLoc());
    if (!result)
      return b.notifyMatchFailure(op, "not an operation on cooperative matrices");
    b.replaceOp(op, result);
    return success();
  }
};

/// Returns the component if it is known at compile time. Then the matrix can stay a value. Other
/// components are accessed through memory.
std::optional<int32_t> componentOf(ValueRange indices) {
  std::optional<int64_t> component = getConstantIntValue(indices.front());
  bool isKnown = component && *component >= 0 && llvm::isInt<32>(*component);
  return isKnown ? std::optional(static_cast<int32_t>(*component)) : std::nullopt;
}

struct ConvertExtract final : OpConversionPattern<gpu::SubgroupMmaExtractThreadLocalOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(gpu::SubgroupMmaExtractThreadLocalOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    if (adaptor.getIndices().size() != 1)
      return b.notifyMatchFailure(op, "a lane's elements have one index");
    if (std::optional<int32_t> component = componentOf(op.getIndices())) {
      b.replaceOpWithNewOp<spv::CompositeExtractOp>(op, adaptor.getMatrix(), ArrayRef(*component));
      return success();
    }
    Value held = spill(b, op.getLoc(), adaptor.getMatrix());
    Value at = spv::AccessChainOp::create(b, op.getLoc(), held, adaptor.getIndices());
    b.replaceOpWithNewOp<spv::LoadOp>(op, at);
    return success();
  }
};

struct ConvertInsert final : OpConversionPattern<gpu::SubgroupMmaInsertThreadLocalOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(gpu::SubgroupMmaInsertThreadLocalOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    if (adaptor.getIndices().size() != 1)
      return b.notifyMatchFailure(op, "a lane's elements have one index");
    if (std::optional<int32_t> component = componentOf(op.getIndices())) {
      b.replaceOpWithNewOp<spv::CompositeInsertOp>(op, adaptor.getValue(), adaptor.getMatrix(),
                                                   ArrayRef(*component));
      return success();
    }
    Value held = spill(b, op.getLoc(), adaptor.getMatrix());
    Value at = spv::AccessChainOp::create(b, op.getLoc(), held, adaptor.getIndices());
    spv::StoreOp::create(b, op.getLoc(), at, adaptor.getValue());
    b.replaceOpWithNewOp<spv::LoadOp>(op, held);
    return success();
  }
};

} // namespace

void pumice::spirv::populateMatrixTypes(KernelTypeConverter &converter) {
  converter.addConversion([](gpu::MMAMatrixType type) { return convertMatrix(type); });
  converter.addConversion([](vk::FactorType type) { return convertFactor(type); });
}

void pumice::spirv::populateMatrixPatterns(const KernelTypeConverter &converter,
                                           RewritePatternSet &patterns) {
  patterns.add<ConvertLoadMatrix, ConvertStoreMatrix, ConvertLoadFactor, ConvertMultiplyFactors,
               ConvertCompute, ConvertConstant, ConvertElementwise, ConvertExtract, ConvertInsert>(
      converter, patterns.getContext(), PatternBenefit(10));
}

//===- ExchangePatterns.cpp - exchange within a subgroup, by functions ------===//
//   before: %s = lane.reduce fadd %x : f32
//   after:  %s = llvm.call @_Z34sub_group_non_uniform_reduce_addf(%x)
//===-------------------------------------------------------------------------===//
#include "compiler/shader/LanePatterns.h"

#include "compiler/dialect/lane/LaneDialect.h"
#include "compiler/opencl/MangledCalls.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace pumice;
using opencl::callOpenCl;
using opencl::Sign;

namespace {

Operation *symbolsOf(Operation *op) { return SymbolTable::getNearestSymbolTable(op); }

template <typename OpTy> struct ExchangePattern : OpConversionPattern<OpTy> {
  ExchangePattern(const LLVMTypeConverter &converter, MLIRContext *context)
      : OpConversionPattern<OpTy>(converter, context, PatternBenefit(10)) {}
};

Value truth(OpBuilder &b, Location loc, Value number) {
  Value zero =
      LLVM::ConstantOp::create(b, loc, number.getType(), b.getIntegerAttr(number.getType(), 0));
  return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, number, zero);
}

/// Booleans and addresses travel as integers.
struct ConvertShuffle final : ExchangePattern<lane::ShuffleOp> {
  using ExchangePattern::ExchangePattern;
  LogicalResult matchAndRewrite(lane::ShuffleOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value value = adaptor.getValue();
    Type type = value.getType();
    bool isAddress = isa<LLVM::LLVMPointerType>(type), isBool = type.isInteger(1);
    if (isAddress)
      value = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), value);
    if (isBool)
      value = LLVM::ZExtOp::create(b, loc, b.getI32Type(), value);
    // The sign of the lane's number is part of the name. Signed values have unsigned numbers too.
    std::string name = opencl::mangled("sub_group_shuffle", value.getType(), Sign::Signed) + "j";
    Value result = opencl::callMangled(b, loc, symbolsOf(op), name, value.getType(),
                                       {value, adaptor.getFrom()});
    if (isAddress)
      result = LLVM::IntToPtrOp::create(b, loc, type, result);
    if (isBool)
      result = truth(b, loc, result);
    b.replaceOp(op, result);
    return success();
  }
};

struct ConvertBallot final : ExchangePattern<lane::BallotOp> {
  using ExchangePattern::ExchangePattern;
  LogicalResult matchAndRewrite(lane::BallotOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    Value predicate = LLVM::ZExtOp::create(b, loc, i32, adaptor.getCondition());
    Value words =
        callOpenCl(b, loc, symbolsOf(op), "sub_group_ballot", VectorType::get({4}, i32), predicate);
    auto word = [&](int64_t index) -> Value {
      Value at = LLVM::ConstantOp::create(b, loc, i32, b.getI32IntegerAttr(int32_t(index)));
      return LLVM::ZExtOp::create(b, loc, i64,
                                  LLVM::ExtractElementOp::create(b, loc, words, at).getResult());
    };
    Value by = LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(32));
    b.replaceOpWithNewOp<LLVM::OrOp>(op, word(0),
                                     LLVM::ShlOp::create(b, loc, word(1), by).getResult());
    return success();
  }
};

struct ConvertReduce final : ExchangePattern<lane::ReduceOp> {
  using ExchangePattern::ExchangePattern;
  LogicalResult matchAndRewrite(lane::ReduceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value value = adaptor.getValue();
    Type type = value.getType();
    bool isBool = type.isInteger(1);
    StringRef kind = op.getKind();
    Sign sign = kind.consume_front("u") ? Sign::Unsigned : Sign::Signed;
    if (kind.size() == 4) // smin, fmax, fadd
      kind = kind.drop_front();
    SmallVector<Value> operands{value};
    if (isBool)
      operands[0] = LLVM::ZExtOp::create(b, loc, b.getI32Type(), value);
    std::string suffix = (isBool ? "logical_" : "") + kind.str();
    std::string name;
    if (op.getCluster()) {
      name = "sub_group_clustered_reduce_" + suffix;
      operands.push_back(LLVM::ConstantOp::create(b, loc, b.getI32Type(),
                                                  b.getI32IntegerAttr(int32_t(op.getCluster()))));
    } else {
      name = op.getScan() == "none"
                 ? "sub_group_non_uniform_reduce_" + suffix
                 : "sub_group_non_uniform_scan_" + op.getScan().str() + "_" + suffix;
    }
    Type resultType = isBool ? Type(b.getI32Type()) : type;
    Value result;
    if (op.getCluster()) {
      // The cluster's size is unsigned, whatever the sign of the value is.
      std::string mangledName = opencl::mangled(name, operands[0].getType(), sign) + "j";
      result = opencl::callMangled(b, loc, symbolsOf(op), mangledName, resultType, operands);
    } else {
      result = callOpenCl(b, loc, symbolsOf(op), name, resultType, operands, sign);
    }
    b.replaceOp(op, isBool ? truth(b, loc, result) : result);
    return success();
  }
};

struct ConvertClock final : ExchangePattern<lane::ClockOp> {
  using ExchangePattern::ExchangePattern;
  LogicalResult matchAndRewrite(lane::ClockOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOp(op,
                callOpenCl(b, op.getLoc(), symbolsOf(op), "clock_read_device", b.getI64Type(), {}));
    return success();
  }
};

} // namespace

void shader::populateExchangePatterns(const LLVMTypeConverter &converter,
                                      RewritePatternSet &patterns) {
  patterns.add<ConvertShuffle, ConvertBallot, ConvertReduce, ConvertClock>(converter,
                                                                           patterns.getContext());
}

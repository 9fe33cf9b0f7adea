//===- ExpandMath.cpp - math operations that Vulkan lacks or gets wrong -----===//
//   before: %r = math.tanh %x : f32           (GLSL's Tanh overflows, and is inaccurate near zero)
//   after:  arith and math operations that are each one instruction of SPIR-V or GLSL.std.450
//
// These operations remain on f16, f32 and f64: absf, ceil, floor, roundeven, sqrt, rsqrt and fma.
// On f32, exp, exp2, log and log2 remain too. The operations on integers that remain are absi, and
// ctlz, cttz and ctpop on i32. With `afn`, the f32 functions of GLSL.std.450 remain too. Operations
// on f64 are computed in f64, and those on narrower types in f32.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/polyfill/ExpandMath.h"
#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/lower/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace pumice::lower {
#define GEN_PASS_DEF_EXPANDMATH
#include "compiler/lower/Passes.h.inc"
} // namespace pumice::lower

using namespace mlir;
using namespace pumice;
using namespace pumice::lower;

namespace {
/// Says when GLSL.std.450's f32 instruction may be used. Approximate: only if `afn` allows it.
enum class Native { Never, Approximate, Always };
} // namespace

static bool isApproximate(arith::FastMathFlags flags) {
  return arith::bitEnumContainsAny(flags, arith::FastMathFlags::afn);
}

/// Returns f32 or f64 if polyfills compute in this type. Returns null for other types: narrower
/// ones are widened first.
static FloatType computedType(Type type) {
  auto real = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return real && (real.isF32() || real.isF64()) ? real : FloatType();
}

/// Returns whether polyfills support the operation's type, and whether it needs one.
template <typename Op> static bool wantsPolyfill(Op op, Native native) {
  FloatType real = computedType(op->getResult(0).getType());
  if (!real)
    return false;
  if (real.isF64())
    return true;
  return native == Native::Never ||
         (native == Native::Approximate && !isApproximate(op.getFastmath()));
}

namespace {
template <typename Op> struct ExpandUnary final : OpRewritePattern<Op> {
  ExpandUnary(MLIRContext *context, Val (*polyfill)(Val), Native native)
      : OpRewritePattern<Op>(context), polyfill(polyfill), native(native) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!wantsPolyfill(op, native))
      return rewriter.notifyMatchFailure(op, "native, or of a type that is widened first");
    Elementwise e(rewriter, op.getLoc(), op.getType(), computedType(op.getType()));
    rewriter.replaceOp(op, polyfill(e.wrap(op.getOperand())).get());
    return success();
  }

  Val (*polyfill)(Val);
  Native native;
};

struct ExpandAtan2 final : OpRewritePattern<math::Atan2Op> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::Atan2Op op, PatternRewriter &rewriter) const override {
    if (!wantsPolyfill(op, Native::Never))
      return rewriter.notifyMatchFailure(op, "of a type that is widened first");
    Elementwise e(rewriter, op.getLoc(), op.getType(), computedType(op.getType()));
    rewriter.replaceOp(op, polyfill::atan2(e.wrap(op.getLhs()), e.wrap(op.getRhs())).get());
    return success();
  }
};

struct ExpandSinCos final : OpRewritePattern<math::SincosOp> {
  ExpandSinCos(MLIRContext *context, Native native) : OpRewritePattern(context), native(native) {}
  LogicalResult matchAndRewrite(math::SincosOp op, PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    FloatType real = computedType(x.getType());
    if (!real)
      return rewriter.notifyMatchFailure(op, "of a type that is widened first");
    if (native != Native::Never && real.isF32() && isApproximate(op.getFastmath())) {
      Value sin = math::SinOp::create(rewriter, op.getLoc(), x, op.getFastmath());
      Value cos = math::CosOp::create(rewriter, op.getLoc(), x, op.getFastmath());
      rewriter.replaceOp(op, {sin, cos});
      return success();
    }
    Elementwise e(rewriter, op.getLoc(), x.getType(), real);
    polyfill::SinCos both = polyfill::sinCos(e.wrap(x));
    rewriter.replaceOp(op, {both.sin.get(), both.cos.get()});
    return success();
  }

  Native native;
};
} // namespace

/// Computes x^n by a few multiplications for small exponents that are common in kernels. Returns
/// null for others. Like the general case, the error is at most one ulp (f32, f64).
static Value smallPower(Elementwise &e, Val x, double n) {
  if (n == 1)
    return x.get();
  if (n == 2)
    return (x * x).get();
  if (n == -1)
    return (1.0 / x).get();
  return Value();
}

/// Returns the value of a scalar constant, or of all elements of a splat constant.
static std::optional<double> constantValue(Value value) {
  Attribute attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return std::nullopt;
  if (auto dense = dyn_cast<DenseElementsAttr>(attribute); dense && dense.isSplat())
    attribute = dense.getSplatValue<Attribute>();
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValueAsDouble();
  if (auto number = dyn_cast<IntegerAttr>(attribute);
      number && number.getValue().getSignificantBits() < 32)
    return static_cast<double>(number.getValue().getSExtValue());
  return std::nullopt;
}

namespace {
struct ExpandPow final : OpRewritePattern<math::PowFOp> {
  ExpandPow(MLIRContext *context, Native native) : OpRewritePattern(context), native(native) {}
  LogicalResult matchAndRewrite(math::PowFOp op, PatternRewriter &rewriter) const override {
    FloatType real = computedType(op.getType());
    if (!real)
      return rewriter.notifyMatchFailure(op, "of a type that is widened first");
    Elementwise e(rewriter, op.getLoc(), op.getType(), real);
    Val x = e.wrap(op.getLhs());
    if (std::optional<double> n = constantValue(op.getRhs()))
      if (Value power = smallPower(e, x, *n)) {
        rewriter.replaceOp(op, power);
        return success();
      }
    if (!wantsPolyfill(op, native))
      return rewriter.notifyMatchFailure(op, "approximate: stays native");
    rewriter.replaceOp(op, polyfill::pow(x, e.wrap(op.getRhs())).get());
    return success();
  }

  Native native;
};

struct ExpandPowInteger final : OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FPowIOp op, PatternRewriter &rewriter) const override {
    FloatType real = computedType(op.getType());
    if (!real)
      return rewriter.notifyMatchFailure(op, "of a type that is widened first");
    Elementwise e(rewriter, op.getLoc(), op.getType(), real);
    Val x = e.wrap(op.getLhs()), n = e.wrap(op.getRhs());
    if (std::optional<double> value = constantValue(op.getRhs()))
      if (Value power = smallPower(e, x, *value)) {
        rewriter.replaceOp(op, power);
        return success();
      }
    if (n.element().isIndex())
      n = e.wrap(arith::IndexCastOp::create(rewriter, op.getLoc(), e.shaped(rewriter.getI64Type()),
                                            n.get()));
    else if (n.width() < 32)
      n = sext(n, 32);
    rewriter.replaceOp(op, polyfill::powInteger(x, n).get());
    return success();
  }
};

/// Computes math operations on types narrower than 32 bits in f32.
///
///   before: %r = math.exp %x : f16
///   after:  %w = arith.extf %x : f16 to f32
///           %e = math.exp %w : f32
///           %r = arith.truncf %e : f32 to f16
struct WidenNarrowFloat final : RewritePattern {
  WidenNarrowFloat(MLIRContext *context, bool nativeFloat16)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context), nativeFloat16(nativeFloat16) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<math::MathDialect>(op->getDialect()))
      return failure();
    auto narrow = dyn_cast<FloatType>(getElementTypeOrSelf(op->getOperand(0).getType()));
    if (!narrow || narrow.getWidth() >= 32 || staysInHalf(op, narrow))
      return rewriter.notifyMatchFailure(op, "not narrow, or native");

    auto widened = [&](Type type) {
      if (getElementTypeOrSelf(type) != narrow)
        return type;
      Type wide = rewriter.getF32Type();
      auto vector = dyn_cast<VectorType>(type);
      return vector ? vector.clone(wide) : wide;
    };
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      Type type = widened(operand.getType());
      operands.push_back(type == operand.getType()
                             ? operand
                             : arith::ExtFOp::create(rewriter, op->getLoc(), type, operand));
    }
    OperationState state(op->getLoc(), op->getName(), operands,
                         llvm::map_to_vector(op->getResultTypes(), widened), op->getAttrs());
    Operation *wide = rewriter.create(state);
    SmallVector<Value> results;
    for (auto [result, old] : llvm::zip_equal(wide->getResults(), op->getResults()))
      results.push_back(
          result.getType() == old.getType()
              ? Value(result)
              : arith::TruncFOp::create(rewriter, op->getLoc(), old.getType(), result));
    rewriter.replaceOp(op, results);
    return success();
  }

  bool staysInHalf(Operation *op, FloatType type) const {
    return type.isF16() && nativeFloat16 &&
           isa<math::AbsFOp, math::CeilOp, math::FloorOp, math::RoundEvenOp, math::SqrtOp,
               math::RsqrtOp, math::FmaOp, math::TruncOp, math::ClampFOp>(op);
  }

  bool nativeFloat16;
};
} // namespace

void pumice::lower::populateExpandMathPatterns(RewritePatternSet &patterns,
                                               const ExpandMathOptions &options) {
  MLIRContext *context = patterns.getContext();
  auto add = [&]<typename Op>(Val (*polyfill)(Val), Native native) {
    patterns.add<ExpandUnary<Op>>(context, polyfill, native);
  };
  auto unary = [&]<typename Op>(Val (*polyfill)(Val), Native native) {
    add.template operator()<Op>(polyfill, options.shaderFunctions ? native : Native::Never);
  };
  using namespace pumice::lower::polyfill;
  Native exponential =
      options.shaderFunctions || options.nativeExponentials ? Native::Always : Native::Never;
  Native binary = options.openClFunctions ? Native::Never : Native::Always;
  add.operator()<math::ExpOp>(exp, exponential);
  add.operator()<math::Exp2Op>(exp2, std::min(exponential, binary));
  unary.operator()<math::LogOp>(log, Native::Always);
  unary.operator()<math::Log2Op>(log2, binary);
  unary.operator()<math::SinOp>(sin, Native::Approximate);
  unary.operator()<math::CosOp>(cos, Native::Approximate);
  unary.operator()<math::TanOp>(tan, Native::Approximate);
  unary.operator()<math::AsinOp>(asin, Native::Approximate);
  unary.operator()<math::AcosOp>(acos, Native::Approximate);
  unary.operator()<math::AtanOp>(atan, Native::Approximate);
  unary.operator()<math::SinhOp>(sinh, Native::Approximate);
  unary.operator()<math::CoshOp>(cosh, Native::Approximate);
  unary.operator()<math::TanhOp>(tanh, Native::Approximate);
  unary.operator()<math::AsinhOp>(asinh, Native::Approximate);
  unary.operator()<math::AcoshOp>(acosh, Native::Approximate);
  unary.operator()<math::AtanhOp>(atanh, Native::Approximate);
  unary.operator()<math::ExpM1Op>(expm1, Native::Never);
  unary.operator()<math::Log10Op>(log10, Native::Never);
  unary.operator()<math::Log1pOp>(log1p, Native::Never);
  unary.operator()<math::CbrtOp>(cbrt, Native::Never);
  unary.operator()<math::ErfOp>(erf, Native::Never);
  unary.operator()<math::ErfcOp>(erfc, Native::Never);
  Native approximate = options.shaderFunctions ? Native::Approximate : Native::Never;
  patterns.add<ExpandSinCos, ExpandPow>(context, approximate);
  patterns.add<ExpandAtan2, ExpandPowInteger>(context);
  patterns.add<WidenNarrowFloat>(context, options.nativeFloat16);
  if (options.shaderFunctions)
    populateExpandMathBitPatterns(patterns, options);
}

/// Returns whether the final conversion supports `op`. Other operations have been expanded, or are
/// unsupported.
static bool isNative(Operation *op) {
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  if (isa<math::AbsIOp>(op))
    return true;
  if (isa<math::CountLeadingZerosOp, math::CountTrailingZerosOp, math::CtPopOp>(op))
    return element.isInteger(32);
  if (isa<math::AbsFOp, math::CeilOp, math::FloorOp, math::RoundEvenOp, math::SqrtOp, math::RsqrtOp,
          math::FmaOp>(op))
    return element.isF16() || element.isF32() || element.isF64();
  return element.isF32() && !isa<math::CbrtOp, math::ErfOp, math::ErfcOp>(op);
}

namespace {
struct ExpandMath final : pumice::lower::impl::ExpandMathBase<ExpandMath> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry
        .insert<arith::ArithDialect, math::MathDialect, scf::SCFDialect, vector::VectorDialect>();
  }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    ExpandMathOptions options;
    if (auto target = getOperation()->getAttrOfType<vk::TargetEnvAttr>(vk::targetEnvAttrName))
      options.openClFunctions = target.getOpenCl();
    populateExpandMathPatterns(patterns, options);
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal(true);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      return signalPassFailure();
    WalkResult result = getOperation().walk([](Operation *op) -> WalkResult {
      if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) || isNative(op))
        return WalkResult::advance();
      return op->emitOpError("cannot be computed on ")
             << op->getOperand(0).getType()
             << ": cast to f16, f32 or f64, or to an integer of 8 to 64 bits, first";
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

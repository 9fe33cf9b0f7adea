//===- WidenTypes.cpp - arithmetic of types that the target lacks -----------===//
//   before: %s = arith.addi %a, %b : i8            (no shaderInt8)
//           %f = arith.extsi %s : i8 to i32
//   after:  %s = arith.addi %wideA, %wideB : i32   (bits above 8 unspecified)
//           %f = arith.shrsi (arith.shli %s, 24), 24 : i32
// How values are held, and why that is exact: WidenTypes.h.
// Needs: LegalizeStorage. Leaves: narrow integers only between memory and an extension or
// truncation next to it.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/WidenTypes.h"
#include "compiler/lower/Passes.h"
#include "compiler/lower/StorageTypes.h"

#include "mlir/Dialect/SCF/Transforms/Patterns.h"

namespace pumice::lower {
#define GEN_PASS_DEF_WIDENTYPES
#include "compiler/lower/Passes.h.inc"
} // namespace pumice::lower

using namespace mlir;
using namespace pumice;
using namespace pumice::lower;
using target::Feature;

//===-------------------------------------------------------------------------===//
// Which types become which
//===-------------------------------------------------------------------------===//

Type Widener::held(Type element) const {
  MLIRContext *context = element.getContext();
  unsigned width = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  if (element.isF16() && !env.has(Feature::shaderFloat16))
    return Float32Type::get(context);
  if (element.isBF16())
    return Float32Type::get(context);
  if (element.isF64() && !env.has(Feature::shaderFloat64))
    return {};
  if (isa<IntegerType>(element) || (isa<FloatType>(element) && width < 16)) {
    if (isa<IntegerType>(element) && width == 1)
      return element;
    if (width <= 8 && env.has(Feature::shaderInt8))
      return IntegerType::get(context, 8);
    if (width <= 16 && env.has(Feature::shaderInt16))
      return IntegerType::get(context, 16);
    if (width <= 32)
      return IntegerType::get(context, 32);
    if (width <= 64 && env.has(Feature::shaderInt64))
      return IntegerType::get(context, 64);
    return {};
  }
  return element;
}

bool Widener::isWidened(Type type) const {
  auto vector = dyn_cast<VectorType>(type); // memrefs keep their elements
  Type element = vector ? vector.getElementType() : type;
  return held(element) != element;
}

/// Narrow integers meet wide ones only where memory holds them: extended after a load, truncated
/// before a store.
static Value castAtMemory(OpBuilder &b, Type type, ValueRange inputs, Location loc) {
  Value value = inputs.front();
  Type from = getElementTypeOrSelf(value), to = getElementTypeOrSelf(type);
  if (inputs.size() != 1 || !isa<IntegerType>(from) || !isa<IntegerType>(to))
    return {};
  return WideBuilder{b, loc}.resized(value, to, Extend::Zero);
}

Widener::Widener(const target::TargetEnv &env) : env(env) {
  addConversion([this](Type type) -> std::optional<Type> {
    if (!isWidened(type))
      return type;
    Type wide = held(getElementTypeOrSelf(type));
    return wide ? withShapeOf(type, wide) : Type();
  });
  addSourceMaterialization(castAtMemory);
  addTargetMaterialization(castAtMemory);
}

//===-------------------------------------------------------------------------===//
// What is refused
//===-------------------------------------------------------------------------===//

namespace {

/// Narrow integers stay as they are in memory, which LegalizeStorage has made sure of.
bool isMemoryAccess(Operation *op) {
  return isa<memref::LoadOp, memref::StoreOp, vector::LoadOp, vector::StoreOp>(op);
}

struct Checker {
  const Widener &widener;
  bool foundWidened = false;

  /// Types that nothing can hold.
  LogicalResult checkHeld(Operation *op, Type type) {
    Type element = getElementTypeOrSelf(type);
    if (element.isF64() && !widener.held(element))
      return refuseFor(op, "f64", Feature::shaderFloat64, widener.env);
    if (!isa<IntegerType>(element) || widener.held(element))
      return success();
    if (element.getIntOrFloatBitWidth() > 64)
      return op->emitError() << element << " is wider than 64 bits; split it into halves";
    std::string name;
    llvm::raw_string_ostream(name) << element;
    return refuseFor(op, name, Feature::shaderInt64, widener.env);
  }

  LogicalResult checkWidened(Operation *op, Type type) {
    Type element = getElementTypeOrSelf(type);
    foundWidened = true;
    bool isFloat8 = isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 16;
    bool isInteger = isa<IntegerType>(element);
    if (hasWideningRow(op, isFloat8) || hasWideningCast(op, isFloat8) ||
        isa_and_nonnull<scf::SCFDialect>(op->getDialect()) || (isMemoryAccess(op) && isInteger) ||
        isa<gpu::GPUFuncOp, FunctionOpInterface>(op))
      return success();
    InFlightDiagnostic error = op->emitError();
    error << "'" << op->getName().getStringRef() << "' on " << element << " is not supported";
    if (isMemoryAccess(op))
      return error << " in memory; run pumice-legalize-storage first";
    if (isFloat8)
      return error << "; convert to f32, compute, and convert back";
    return error << " by the target, which has no " << element << " arithmetic; extend to "
                 << widener.held(element) << " first";
  }

  LogicalResult check(Operation *op) {
    if (isa<ModuleOp, gpu::GPUModuleOp>(op))
      return success();
    SmallVector<Type> types(op->getOperandTypes());
    llvm::append_range(types, op->getResultTypes());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::append_range(types, block.getArgumentTypes());
    for (Type type : types) {
      if (!widener.isWidened(type))
        continue;
      if (failed(checkHeld(op, type)) || failed(checkWidened(op, type)))
        return failure();
    }
    foundWidened |= isBooleanArithmetic(op);
    return success();
  }
};

/// A loop that counts in a narrow type counts in the wide one; bounds keep their sign.
void widenInductionVariables(gpu::GPUModuleOp module, const Widener &widener) {
  module.walk([&](scf::ForOp loop) {
    Type narrow = loop.getInductionVar().getType();
    if (!widener.isWidened(narrow))
      return;
    OpBuilder b(loop);
    WideBuilder w{b, loop.getLoc()};
    Extend how = loop.getUnsignedCmp() ? Extend::Zero : Extend::Sign;
    for (OpOperand *bound :
         {&loop.getLowerBoundMutable(), &loop.getUpperBoundMutable(), &loop.getStepMutable()})
      bound->set(w.resized(bound->get(), widener.held(narrow), how));
    BlockArgument counter = loop.getRegion().getArgument(0);
    counter.setType(widener.held(narrow));
    b.setInsertionPointToStart(loop.getBody());
    Value used = arith::TruncIOp::create(b, loop.getLoc(), narrow, counter);
    counter.replaceAllUsesExcept(used, used.getDefiningOp());
  });
}

//===-------------------------------------------------------------------------===//
// The pass
//===-------------------------------------------------------------------------===//

struct WidenTypes final : lower::impl::WidenTypesBase<WidenTypes> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    FailureOr<target::TargetEnv> env = vk::lookupTarget(module);
    if (failed(env))
      return signalPassFailure();
    Widener widener(*env);
    Checker checker{widener};
    WalkResult checked = module.walk([&](Operation *op) {
      return failed(checker.check(op)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (checked.wasInterrupted())
      return signalPassFailure();
    if (!checker.foundWidened)
      return;
    widenInductionVariables(module, widener);
    if (failed(convert(module, widener)))
      return signalPassFailure();
  }

  LogicalResult convert(gpu::GPUModuleOp module, const Widener &widener) {
    ConversionTarget target(getContext());
    RewritePatternSet patterns(&getContext());
    populateWidenTablePatterns(widener, patterns);
    populateWidenBitcastPatterns(widener, patterns);
    populateWidenCastPatterns(widener, patterns);
    scf::populateSCFStructuralTypeConversions(widener, patterns);
    target.markUnknownOpDynamicallyLegal([&](Operation *op) {
      if (isMemoryAccess(op))
        return true;
      for (Region &region : op->getRegions())
        if (!widener.isLegal(&region))
          return false;
      return widener.isLegal(op) && !isBooleanArithmetic(op);
    });
    return applyPartialConversion(module, target, std::move(patterns));
  }
};

} // namespace

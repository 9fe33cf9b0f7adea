//===- WidenTypes.cpp - arithmetic of types that the target lacks -----------===//
//   before: %s = arith.addi %a, %b : i8            (no shaderInt8)
//           %f = arith.extsi %s : i8 to i32
//   after:  %s = arith.addi %wideA, %wideB : i32   (bits above 8 are unspecified)
//           %f = arith.shrsi (arith.shli %s, 24), 24 : i32
//
// WidenTypes.h says how values are held, and why the results are exact.
//
// Needs: LegalizeStorage. Leaves: narrow integers only between memory and an adjacent extension or
// truncation.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/types/WidenTypes.h"
#include "compiler/lower/Passes.h"
#include "compiler/lower/types/StorageTypes.h"

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
// Type conversion
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

/// Casts between narrow integers in memory and wide integers: extends after a load, and truncates
/// before a store.
static Value castAtMemory(OpBuilder &b, Type type, ValueRange inputs, Location loc) {
  Value value = inputs.front();
  Type from = getElementTypeOrSelf(value), to = getElementTypeOrSelf(type);
  if (inputs.size() != 1 || !isa<IntegerType>(from) || !isa<IntegerType>(to))
    return {};
  return WideBuilder{b, loc}.resized(value, to, Extend::Zero);
}

/// Emits a truncation for each store. If a wide value holds two narrow types, the conversion may
/// offer the value that was truncated for the other type.
static Value castToMemory(OpBuilder &b, Type type, ValueRange inputs, Location loc) {
  Value value = inputs.front();
  while (Operation *cut = value.getDefiningOp()) {
    bool widerBefore = isa<arith::TruncIOp, UnrealizedConversionCastOp>(cut) &&
                       cut->getNumOperands() == 1 &&
                       isa<IntegerType>(getElementTypeOrSelf(cut->getOperand(0))) &&
                       getElementTypeOrSelf(cut->getOperand(0)).getIntOrFloatBitWidth() >
                           getElementTypeOrSelf(value).getIntOrFloatBitWidth();
    if (inputs.size() != 1 || !widerBefore)
      break;
    value = cut->getOperand(0);
  }
  return castAtMemory(b, type, value, loc);
}

Widener::Widener(const target::TargetEnv &env) : env(env) {
  addConversion([this](Type type) -> std::optional<Type> {
    if (!isWidened(type))
      return type;
    Type wide = held(getElementTypeOrSelf(type));
    return wide ? withShapeOf(type, wide) : Type();
  });
  addSourceMaterialization(castToMemory);
  addTargetMaterialization(castAtMemory);
}

//===-------------------------------------------------------------------------===//
// Rejected types and operations
//===-------------------------------------------------------------------------===//

namespace {

/// Returns whether an operation accesses memory. LegalizeStorage has ensured that memory supports
/// its narrow integers.
bool isMemoryAccess(Operation *op) {
  return isa<memref::LoadOp, memref::StoreOp, vector::LoadOp, vector::StoreOp>(op);
}

struct Checker {
  const Widener &widener;
  bool foundWidened = false;

  /// Reports a type that no type of the target can hold.
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

/// Makes loops that count in a narrow type count in the wide type. Their bounds are sign-extended.
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

/// Splits accesses to vectors of narrow integers that may only be loaded, stored and converted.
/// Such vectors cannot be built from elements or taken apart, so each element moves separately
/// between memory and its extension.
void splitNarrowAccesses(gpu::GPUModuleOp module, const Widener &widener) {
  auto each = [](Operation *op, Value index, VectorType type, auto access) {
    OpBuilder b(op);
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      Value step = arith::ConstantIndexOp::create(b, op->getLoc(), i);
      access(b, Value(arith::AddIOp::create(b, op->getLoc(), index, step)), i);
    }
  };
  module.walk([&](vector::LoadOp op) {
    VectorType type = op.getVectorType();
    if (!type.getElementType().isInteger() || !widener.isWidened(type))
      return;
    SmallVector<Value> elements;
    each(op, op.getIndices().front(), type, [&](OpBuilder &b, Value at, int64_t) {
      elements.push_back(
          memref::LoadOp::create(b, op.getLoc(), op.getBase(), at, op.getNontemporal()));
    });
    OpBuilder b(op);
    Value whole = vector::FromElementsOp::create(b, op.getLoc(), type, elements);
    op.getResult().replaceAllUsesWith(whole);
    op.erase();
  });
  module.walk([&](vector::StoreOp op) {
    VectorType type = op.getVectorType();
    if (!type.getElementType().isInteger() || !widener.isWidened(type))
      return;
    each(op, op.getIndices().front(), type, [&](OpBuilder &b, Value at, int64_t i) {
      Value element = vector::ExtractOp::create(b, op.getLoc(), op.getValueToStore(), i);
      memref::StoreOp::create(b, op.getLoc(), element, op.getBase(), at, op.getNontemporal());
    });
    op.erase();
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
    splitNarrowAccesses(module, widener);
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

//===- FixIndexWidth.cpp - operations that depend on index's width ----------===//
//   before: %q = arith.divui %a, %b : index                        (index-bits = 32)
//   after:  %0 = arith.index_cast %a : index to i32, %1 = arith.index_cast %b : index to i32
//           %2 = arith.divui %0, %1 : i32
//           %q = arith.index_cast %2 : i32 to index
//
//   before: %n = arith.index_cast %a : index to i8
//   after:  %0 = arith.index_cast %a : index to i32, %n = arith.trunci %0 : i32 to i8
//
// MLIR folds constants of type index with 64 bits. It also removes a cast to a narrow integer and
// back, as if index values were small. This pass runs before anything is folded. It moves
// operations whose results depend on the width to integers. Additions and similar operations may
// stay, since their low bits are the same at any width.
//
// Needs: unfolded code. Leaves: casts of index only to and from the integer of its width.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/lower/Passes.h"
#include "compiler/lower/types/StorageTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace pumice::lower {
#define GEN_PASS_DEF_FIXINDEXWIDTH
#include "compiler/lower/Passes.h.inc"
} // namespace pumice::lower

using namespace mlir;

namespace {
struct FixIndexWidth final : pumice::lower::impl::FixIndexWidthBase<FixIndexWidth> {
  using FixIndexWidthBase::FixIndexWidthBase;
  void runOnOperation() override;
};
} // namespace

/// Returns the operation of arith that computes `op` on integers, if its result depends on the
/// width.
static StringRef integerOperation(Operation *op) {
  return llvm::StringSwitch<StringRef>(op->getName().getStringRef())
      .Cases({"arith.divui", "index.divu"}, "arith.divui")
      .Cases({"arith.remui", "index.remu"}, "arith.remui")
      .Cases({"arith.ceildivui", "index.ceildivu"}, "arith.ceildivui")
      .Cases({"arith.shrui", "index.shru"}, "arith.shrui")
      .Cases({"arith.shrsi", "index.shrs"}, "arith.shrsi")
      .Cases({"arith.minui", "index.minu"}, "arith.minui")
      .Cases({"arith.maxui", "index.maxu"}, "arith.maxui")
      .Default("");
}

static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

static Value cast(OpBuilder &b, Location loc, Value value, Type element) {
  Type type = withElement(value.getType(), element);
  return arith::IndexCastOp::create(b, loc, type, value);
}

static void computeOnInteger(Operation *op, StringRef name, Type integer) {
  OpBuilder b(op);
  OperationState state(op->getLoc(), name);
  for (Value operand : op->getOperands())
    state.addOperands(cast(b, op->getLoc(), operand, integer));
  state.addTypes(withElement(op->getResult(0).getType(), integer));
  Value result = b.create(state)->getResult(0);
  op->getResult(0).replaceAllUsesWith(cast(b, op->getLoc(), result, b.getIndexType()));
  op->erase();
}

static std::optional<arith::CmpIPredicate> unsignedPredicate(Operation *op) {
  std::optional<arith::CmpIPredicate> predicate;
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    predicate = compare.getPredicate();
  else if (auto compare =
               dyn_cast<index::CmpOp>(op)) // compares names, since the enumerations differ
    predicate = arith::symbolizeCmpIPredicate(index::stringifyIndexCmpPredicate(compare.getPred()));
  if (predicate && *predicate >= arith::CmpIPredicate::ult)
    return predicate;
  return std::nullopt;
}

static void compareIntegers(Operation *op, arith::CmpIPredicate predicate, Type integer) {
  OpBuilder b(op);
  Value left = cast(b, op->getLoc(), op->getOperand(0), integer);
  Value right = cast(b, op->getLoc(), op->getOperand(1), integer);
  op->getResult(0).replaceAllUsesWith(
      arith::CmpIOp::create(b, op->getLoc(), predicate, left, right));
  op->erase();
}

/// Extends or truncates `value` to `integer`.
static Value resize(OpBuilder &b, Location loc, Value value, Type integer, bool isSigned) {
  unsigned from = getElementTypeOrSelf(value).getIntOrFloatBitWidth();
  unsigned to = integer.getIntOrFloatBitWidth();
  Type type = withElement(value.getType(), integer);
  if (from > to)
    return arith::TruncIOp::create(b, loc, type, value);
  if (from == to)
    return value;
  if (isSigned)
    return arith::ExtSIOp::create(b, loc, type, value);
  return arith::ExtUIOp::create(b, loc, type, value);
}

/// Splits a cast between index and an integer of another width. It goes through the integer of
/// index's width.
static void splitCast(Operation *op, Type integer) {
  Value input = op->getOperand(0);
  Type from = getElementTypeOrSelf(input), to = getElementTypeOrSelf(op->getResult(0));
  if (from == to || from == integer || to == integer || isa<MemRefType>(input.getType()) ||
      !from.isSignlessIntOrIndex() || !to.isSignlessIntOrIndex())
    return;
  OpBuilder b(op);
  bool isSigned = isa<arith::IndexCastOp, index::CastSOp>(op);
  Value result;
  if (from.isIndex())
    result = resize(b, op->getLoc(), cast(b, op->getLoc(), input, integer), to, isSigned);
  else
    result =
        cast(b, op->getLoc(), resize(b, op->getLoc(), input, integer, isSigned), b.getIndexType());
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

/// Rewrites an index constant to the value of its low bits: 4294967295 is -1 at 32 bits. Reports
/// larger constants.
static LogicalResult fixConstant(Operation *op, unsigned bits) {
  auto value = op->getAttrOfType<IntegerAttr>("value");
  if (!value || !value.getType().isIndex() || op->use_empty())
    return success();
  APInt number = value.getValue();
  if (!number.isIntN(bits) && !number.isSignedIntN(bits))
    return op->emitError() << "the index " << number.getSExtValue() << " does not fit " << bits
                           << " bits: compile with --index-bits 64, or use i64";
  op->setAttr("value",
              IntegerAttr::get(value.getType(), number.trunc(bits).sext(number.getBitWidth())));
  return success();
}

/// Returns the number of the last element of a memref in memory. Returns nothing if it is not
/// known.
static std::optional<uint64_t> lastElement(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type.hasStaticShape() || failed(type.getStridesAndOffset(strides, offset)))
    return std::nullopt;
  uint64_t last = ShapedType::isDynamic(offset) ? 0 : static_cast<uint64_t>(offset);
  for (auto [extent, stride] : llvm::zip_equal(type.getShape(), strides)) {
    if (extent == 0 || ShapedType::isDynamic(stride) || stride < 0)
      return std::nullopt;
    last = llvm::SaturatingMultiplyAdd<uint64_t>(extent - 1, stride, last);
  }
  return last;
}

/// Reports arguments whose memory is too large for the kernel's index values.
static LogicalResult checkArguments(FunctionOpInterface function, unsigned bits) {
  for (BlockArgument argument : function.getArguments())
    if (auto type = dyn_cast<MemRefType>(argument.getType()))
      if (std::optional<uint64_t> last = lastElement(type);
          last && bits < 64 && *last > static_cast<uint64_t>(llvm::maxIntN(bits)))
        return mlir::emitError(argument.getLoc())
               << type << " has its last element at " << *last << ", but indices of " << bits
               << " bits reach " << llvm::maxIntN(bits) << ": compile with --index-bits 64";
  return success();
}

/// Reports the first operation that uses an index, if the target lacks its type. Kernels without an
/// index run anywhere.
static LogicalResult checkTarget(Operation *root, const pumice::target::TargetEnv &env) {
  if (env.has(pumice::target::Feature::shaderInt64))
    return success();
  WalkResult walked = root->walk([&](Operation *op) {
    auto isIndex = [](Type type) { // includes memrefs and vectors of indices
      return isa<BaseMemRefType>(type) || getElementTypeOrSelf(type).isIndex();
    };
    if (llvm::none_of(op->getOperandTypes(), isIndex) &&
        llvm::none_of(op->getResultTypes(), isIndex))
      return WalkResult::advance();
    (void)pumice::lower::refuseFor(op, "an index of 64 bits, which --index-bits 64 asks for,",
                                   pumice::target::Feature::shaderInt64, env);
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

void FixIndexWidth::runOnOperation() {
  auto target =
      getOperation()->getAttrOfType<pumice::vk::TargetEnvAttr>(pumice::vk::targetEnvAttrName);
  if (indexBits == 64 && target &&
      mlir::failed(checkTarget(getOperation(), pumice::vk::toTargetEnv(target))))
    return signalPassFailure();
  Type integer = IntegerType::get(&getContext(), indexBits);
  bool failed = false;
  getOperation().walk([&](Operation *op) {
    if (auto function = dyn_cast<FunctionOpInterface>(op)) {
      failed |= !function.isExternal() && mlir::failed(checkArguments(function, indexBits));
    } else if (isa<arith::ConstantOp, index::ConstantOp>(op)) {
      failed |= mlir::failed(fixConstant(op, indexBits));
    } else if (isa<arith::IndexCastOp, arith::IndexCastUIOp, index::CastSOp, index::CastUOp>(op)) {
      splitCast(op, integer);
    } else if (op->getNumOperands() && getElementTypeOrSelf(op->getOperand(0)).isIndex()) {
      if (StringRef name = integerOperation(op); !name.empty())
        computeOnInteger(op, name, integer);
      else if (auto predicate = unsignedPredicate(op))
        compareIntegers(op, *predicate, integer);
    }
  });
  if (failed)
    signalPassFailure();
}

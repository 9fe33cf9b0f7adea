//===- WidenTable.cpp - one pattern and a table for most operations ---------===//
//   before: %q = arith.divsi %a, %b : i8
//   after:  %x = arith.shrsi (arith.shli %wideA, 24), 24 : i32       (and %y likewise from %wideB)
//           %q = arith.divsi %x, %y : i32
//===-------------------------------------------------------------------------===//
#include "compiler/lower/types/StorageTypes.h"
#include "compiler/lower/types/WidenTypes.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace pumice::lower;

namespace {

/// Says how an operation needs its wide operands to be extended, and whether its float results are
/// rounded.
struct Row {
  StringLiteral name;
  Extend first = Extend::None, others = Extend::None;
  bool rounds = false;    // float results may need rounding to the narrow type
  bool isNumeric = false; // it computes, so f8 is rejected, and an i1 operand is a one-bit number
  Extend result = Extend::None; // how the computation has already extended an integer result
};

constexpr Extend None = Extend::None, Zero = Extend::Zero, Sign = Extend::Sign;

constexpr Row rows[] = {
    // Integer operations whose low bits depend on low bits only
    {"arith.addi", None, None, false, true},
    {"arith.subi", None, None, false, true},
    {"arith.muli", None, None, false, true},
    {"arith.andi"},
    {"arith.ori"},
    {"arith.xori"},
    {"arith.shli", None, Zero, false, true},
    // Integer operations that use all bits
    {"arith.divui", Zero, Zero, false, true, Zero},
    {"arith.ceildivui", Zero, Zero, false, true, Zero},
    {"arith.remui", Zero, Zero, false, true, Zero},
    {"arith.minui", Zero, Zero, false, true, Zero},
    {"arith.maxui", Zero, Zero, false, true, Zero},
    {"arith.shrui", Zero, Zero, false, true, Zero},
    {"arith.divsi", Sign, Sign, false, true},
    {"arith.ceildivsi", Sign, Sign, false, true},
    {"arith.floordivsi", Sign, Sign, false, true},
    {"arith.remsi", Sign, Sign, false, true, Sign},
    {"arith.minsi", Sign, Sign, false, true, Sign},
    {"arith.maxsi", Sign, Sign, false, true, Sign},
    {"arith.shrsi", Sign, Zero, false, true, Sign},
    {"math.absi", Sign, None, false, true},
    {"math.ctpop", Zero, None, false, true, Zero},
    {"math.ipowi", Sign, Sign, false, true},
    {"arith.index_cast", Sign, None, false, true},
    {"arith.index_castui", Zero, None, false, true},
    {"index.casts", Sign, None, false, true},
    {"index.castu", Zero, None, false, true},
    // Floats
    {"arith.addf", None, None, true, true},
    {"arith.subf", None, None, true, true},
    {"arith.mulf", None, None, true, true},
    {"arith.divf", None, None, true, true},
    {"arith.remf", None, None, false, true},
    {"arith.negf", None, None, false, true},
    {"arith.maximumf", None, None, false, true},
    {"arith.maxnumf", None, None, false, true},
    {"arith.minimumf", None, None, false, true},
    {"arith.minnumf", None, None, false, true},
    {"arith.cmpf", None, None, false, true},
    {"math.absf", None, None, false, true},
    {"math.ceil", None, None, false, true},
    {"math.clampf", None, None, false, true},
    {"math.copysign", None, None, false, true},
    {"math.floor", None, None, false, true},
    {"math.round", None, None, false, true},
    {"math.roundeven", None, None, false, true},
    {"math.trunc", None, None, false, true},
    {"math.isfinite", None, None, false, true},
    {"math.isinf", None, None, false, true},
    {"math.isnan", None, None, false, true},
    {"math.acos", None, None, true, true},
    {"math.acosh", None, None, true, true},
    {"math.asin", None, None, true, true},
    {"math.asinh", None, None, true, true},
    {"math.atan", None, None, true, true},
    {"math.atan2", None, None, true, true},
    {"math.atanh", None, None, true, true},
    {"math.cbrt", None, None, true, true},
    {"math.cos", None, None, true, true},
    {"math.cosh", None, None, true, true},
    {"math.erf", None, None, true, true},
    {"math.erfc", None, None, true, true},
    {"math.exp", None, None, true, true},
    {"math.exp2", None, None, true, true},
    {"math.expm1", None, None, true, true},
    {"math.fpowi", None, Sign, true, true},
    {"math.log", None, None, true, true},
    {"math.log10", None, None, true, true},
    {"math.log1p", None, None, true, true},
    {"math.log2", None, None, true, true},
    {"math.powf", None, None, true, true},
    {"math.rsqrt", None, None, true, true},
    {"math.sin", None, None, true, true},
    {"math.sincos", None, None, true, true},
    {"math.sinh", None, None, true, true},
    {"math.sqrt", None, None, true, true},
    {"math.tan", None, None, true, true},
    {"math.tanh", None, None, true, true},
    // Operations that only move values
    {"arith.select"},
    {"ub.poison"},
    {"vector.broadcast"},
    {"vector.deinterleave"},
    {"vector.extract"},
    {"vector.extract_strided_slice"},
    {"vector.from_elements"},
    {"vector.insert"},
    {"vector.insert_strided_slice"},
    {"vector.interleave"},
    {"vector.shape_cast"},
    {"vector.shuffle"},
    {"vector.to_elements"},
    {"vector.transpose"},
    {"gpu.rotate"},
    {"gpu.shuffle"},
    {"gpu.subgroup_broadcast"},
    {"spirv.GroupNonUniformBroadcast"},
    {"spirv.GroupNonUniformRotateKHR"},
    {"spirv.GroupNonUniformShuffle"},
    {"spirv.GroupNonUniformShuffleDown"},
    {"spirv.GroupNonUniformShuffleUp"},
    {"spirv.GroupNonUniformShuffleXor"},
    // Operations across a subgroup. Floats are rounded once, after the whole reduction
    {"spirv.GroupNonUniformBitwiseAnd", None, None, false, true},
    {"spirv.GroupNonUniformBitwiseOr", None, None, false, true},
    {"spirv.GroupNonUniformBitwiseXor", None, None, false, true},
    {"spirv.GroupNonUniformFAdd", None, None, true, true},
    {"spirv.GroupNonUniformFMax", None, None, false, true},
    {"spirv.GroupNonUniformFMin", None, None, false, true},
    {"spirv.GroupNonUniformFMul", None, None, true, true},
    {"spirv.GroupNonUniformIAdd", None, None, false, true},
    {"spirv.GroupNonUniformIMul", None, None, false, true},
    {"spirv.GroupNonUniformSMax", Sign, None, false, true},
    {"spirv.GroupNonUniformSMin", Sign, None, false, true},
    {"spirv.GroupNonUniformUMax", Zero, None, false, true},
    {"spirv.GroupNonUniformUMin", Zero, None, false, true},
};

/// Returns the row of an operation that depends on its predicate or kind.
std::optional<Row> rowByAttribute(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    bool isSigned = static_cast<uint64_t>(compare.getPredicate()) >= 2 &&
                    static_cast<uint64_t>(compare.getPredicate()) <= 5;
    Extend how = isSigned ? Sign : Zero;
    return Row{"arith.cmpi", how, how, false, true};
  }
  auto byName = [](StringLiteral name, StringRef kind) {
    bool isSigned = kind == "minsi" || kind == "maxsi";
    bool isUnsigned = kind == "minui" || kind == "maxui";
    bool rounds = kind == "add" || kind == "mul";
    Extend how = isSigned ? Sign : isUnsigned ? Zero : None;
    return Row{name, how, how, rounds, true};
  };
  if (auto reduce = dyn_cast<gpu::SubgroupReduceOp>(op))
    return byName("gpu.subgroup_reduce", gpu::stringifyAllReduceOperation(reduce.getOp()));
  if (auto reduce = dyn_cast<vector::ReductionOp>(op))
    return byName("vector.reduction", vector::stringifyCombiningKind(reduce.getKind()));
  return std::nullopt;
}
constexpr StringLiteral namesByAttribute[] = {"arith.cmpi", "gpu.subgroup_reduce",
                                              "vector.reduction"};

std::optional<Row> rowOf(Operation *op) {
  static const llvm::StringMap<const Row *> table = [] {
    llvm::StringMap<const Row *> map;
    for (const Row &row : rows)
      map[row.name] = &row;
    return map;
  }();
  if (std::optional<Row> row = rowByAttribute(op))
    return row;
  auto found = table.find(op->getName().getStringRef());
  if (found == table.end())
    return std::nullopt;
  return *found->second;
}

/// Performs an operation of the table on the types that hold its operands and results.
struct WidenByTable final : ConversionPattern {
  WidenByTable(const Widener &widener, StringRef name, MLIRContext *context)
      : ConversionPattern(widener, name, 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    std::optional<Row> row = rowOf(op);
    if (!row || op->getNumRegions() != 0)
      return rewriter.notifyMatchFailure(op, "no row in the table");
    WideBuilder w{rewriter, op->getLoc()};
    bool boolean = isBooleanArithmetic(op);
    Type i32 = rewriter.getI32Type();

    SmallVector<Value> wide;
    for (auto [i, given] : llvm::enumerate(operands)) {
      Value operand = given;
      Type narrow = getElementTypeOrSelf(op->getOperand(i));
      Extend how = i == 0 ? row->first : row->others;
      if (boolean && narrow.isInteger(1))
        operand = w.resized(operand, i32, how);
      else if (isa<IntegerType>(narrow) && how != knownExtension(op->getOperand(i)))
        operand = w.extended(operand, narrow, how);
      wide.push_back(operand);
    }
    SmallVector<Type> types;
    for (Type type : op->getResultTypes())
      types.push_back(boolean && !isa<arith::CmpIOp>(op) && getElementTypeOrSelf(type).isInteger(1)
                          ? withShapeOf(type, i32)
                          : getTypeConverter()->convertType(type));

    OperationState state(op->getLoc(), op->getName());
    state.addOperands(wide);
    state.addTypes(types);
    for (NamedAttribute attr : op->getAttrs())
      if (attr.getName() !=
          "overflowFlags") // the wide sum may overflow even if the narrow one does not
        state.addAttribute(attr.getName(), attr.getValue());
    Operation *widened = rewriter.create(state);

    SmallVector<Value> results;
    for (auto [was, now] : llvm::zip_equal(op->getResults(), widened->getResults())) {
      auto narrow = dyn_cast<FloatType>(getElementTypeOrSelf(was));
      Value result = now;
      if (row->rounds && narrow && was.getType() != now.getType())
        result = w.rounded(now, narrow);
      if (boolean && getElementTypeOrSelf(was).isInteger(1))
        result = w.resized(result, rewriter.getI1Type(), None);
      results.push_back(result);
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

Extend pumice::lower::knownExtension(Value narrow) {
  Operation *op = narrow.getDefiningOp();
  if (!op)
    return Extend::None;
  if (isa<memref::LoadOp, vector::LoadOp, arith::ConstantOp, arith::ExtUIOp>(op))
    return Extend::Zero;
  if (isa<arith::ExtSIOp>(op))
    return Extend::Sign;
  std::optional<Row> row = rowOf(op);
  return row ? row->result : Extend::None;
}

bool pumice::lower::isBooleanArithmetic(Operation *op) {
  std::optional<Row> row = rowOf(op);
  if (!row || !row->isNumeric || op->getNumOperands() == 0)
    return false;
  // SPIR-V compares booleans for equality only. Logical operations are not numeric.
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    if (compare.getPredicate() == arith::CmpIPredicate::eq ||
        compare.getPredicate() == arith::CmpIPredicate::ne)
      return false;
  return getElementTypeOrSelf(op->getOperand(0)).isInteger(1);
}

bool pumice::lower::hasWideningRow(Operation *op, bool onlyMoves) {
  std::optional<Row> row = rowOf(op);
  return row && !(onlyMoves && row->isNumeric);
}

void pumice::lower::populateWidenTablePatterns(const Widener &widener,
                                               RewritePatternSet &patterns) {
  for (const Row &row : rows)
    patterns.add<WidenByTable>(widener, row.name, patterns.getContext());
  for (StringLiteral name : namesByAttribute)
    patterns.add<WidenByTable>(widener, name, patterns.getContext());
}

//===- CarriedViews.cpp - views that control flow carries -------------------===//
//   before: %v = scf.if %c -> memref<4xf32, strided<[1], offset: ?>> { yield %a } else { yield %b }
//   after:  %o = scf.if %c -> index { yield %offsetOfA } else { yield %offsetOfB }
//           %v = memref.reinterpret_cast %buffer to offset: [%o], sizes: [4], strides: [1]
//
// Here %a and %b are views of %buffer. Control flow then no longer selects a buffer's address.
// Descriptors require this. With addresses, it lets drivers keep them in scalar registers.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/memory/CarriedViews.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace {

/// Returns the values that may reach `value` through control flow, or nothing if it is not carried.
SmallVector<Value> incoming(Value value) {
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
    if (!loop || arg == loop.getInductionVar())
      return {};
    unsigned i = arg.getArgNumber() - 1;
    return {loop.getInitArgs()[i], loop.getYieldedValues()[i]};
  }
  Operation *op = value.getDefiningOp();
  unsigned i = cast<OpResult>(value).getResultNumber();
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return {select.getTrueValue(), select.getFalseValue()};
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return {branch.thenYield().getOperand(i), branch.elseYield().getOperand(i)};
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return {loop.getInitArgs()[i], loop.getYieldedValues()[i]};
  return {};
}

/// Collects the buffers that `value` may be a view of.
void collectRoots(Value value, llvm::SmallDenseSet<Value> &seen,
                  llvm::SmallDenseSet<Value> &roots) {
  if (!seen.insert(value).second)
    return;
  if (SmallVector<Value> sources = incoming(value); !sources.empty()) {
    for (Value source : sources)
      collectRoots(source, seen, roots);
    return;
  }
  Operation *op = value.getDefiningOp();
  if (auto metadata = dyn_cast_or_null<memref::ExtractStridedMetadataOp>(op))
    return collectRoots(metadata.getSource(), seen, roots);
  if (auto distinct = dyn_cast_or_null<memref::DistinctObjectsOp>(op))
    return collectRoots(distinct.getOperand(cast<OpResult>(value).getResultNumber()), seen, roots);
  // A memref.view starts another buffer, since its elements have another type.
  auto view = dyn_cast_or_null<ViewLikeOpInterface>(op);
  if (view && !isa<memref::ViewOp>(op))
    return collectRoots(view.getViewSource(), seen, roots);
  roots.insert(value);
}

/// The parts of a view's offset, sizes and strides that its type leaves open, in a fixed order.
struct OpenNumbers {
  MemRefType type;
  SmallVector<int64_t> strides;
  int64_t offset = 0;

  explicit OpenNumbers(MemRefType type) : type(type) {
    // `checkLayouts` has rejected other layouts.
    [[maybe_unused]] LogicalResult isStrided = type.getStridesAndOffset(strides, offset);
    assert(succeeded(isStrided));
  }

  size_t count() const {
    return ShapedType::isDynamic(offset) + type.getNumDynamicDims() +
           llvm::count_if(strides, ShapedType::isDynamic);
  }

  SmallVector<Value> of(OpBuilder &b, Location loc, Value view) const {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, view);
    SmallVector<Value> values;
    if (ShapedType::isDynamic(offset))
      values.push_back(metadata.getOffset());
    for (auto [extent, value] : llvm::zip_equal(type.getShape(), metadata.getSizes()))
      if (ShapedType::isDynamic(extent))
        values.push_back(value);
    for (auto [stride, value] : llvm::zip_equal(strides, metadata.getStrides()))
      if (ShapedType::isDynamic(stride))
        values.push_back(value);
    return values;
  }

  /// Rebuilds a view of `root`. `values` are its dynamic offset, sizes and strides, in the order in
  /// which `of` returns them.
  Value rebuild(OpBuilder &b, Location loc, Value root, ValueRange values) const {
    size_t next = 0;
    auto number = [&](int64_t known) -> OpFoldResult {
      return ShapedType::isDynamic(known) ? OpFoldResult(values[next++]) : b.getIndexAttr(known);
    };
    OpFoldResult at = number(offset);
    SmallVector<OpFoldResult> sizes = llvm::map_to_vector(type.getShape(), number);
    SmallVector<OpFoldResult> steps = llvm::map_to_vector(strides, number);
    return memref::ReinterpretCastOp::create(b, loc, type, root, at, sizes, steps);
  }
};

struct CarriedViewResolver {
  IRRewriter rewriter;
  explicit CarriedViewResolver(MLIRContext *context) : rewriter(context) {}

  /// Returns the one buffer behind `carried`, hoisted so that it dominates `user`.
  FailureOr<Value> rootBefore(Value carried, Operation *user) {
    Value root = pumice::lower::rootOf(carried);
    if (!root)
      return user->emitError() << "expected views of one buffer, but this chooses between "
                                  "different buffers at run time; index into one buffer instead";
    // Buffers of the module and of the stack can be defined anywhere, so they are hoisted if
    // necessary.
    if (Operation *definition = root.getDefiningOp())
      if (definition->getNumOperands() == 0) {
        Block &entry = user->getParentOfType<FunctionOpInterface>().getFunctionBody().front();
        if (definition->getBlock() != &entry)
          definition->moveBefore(&entry.front());
      }
    return root;
  }

  LogicalResult resolve(arith::SelectOp select);
  LogicalResult resolve(scf::IfOp branch);
  LogicalResult resolve(scf::ForOp loop);
};

LogicalResult CarriedViewResolver::resolve(arith::SelectOp select) {
  FailureOr<Value> root = rootBefore(select.getResult(), select);
  if (failed(root))
    return failure();
  OpenNumbers open(cast<MemRefType>(select.getType()));
  rewriter.setInsertionPoint(select);
  Location loc = select.getLoc();
  SmallVector<Value> chosen;
  for (auto [t, f] : llvm::zip_equal(open.of(rewriter, loc, select.getTrueValue()),
                                     open.of(rewriter, loc, select.getFalseValue())))
    chosen.push_back(arith::SelectOp::create(rewriter, loc, select.getCondition(), t, f));
  rewriter.replaceOp(select, open.rebuild(rewriter, loc, *root, chosen));
  return success();
}

LogicalResult CarriedViewResolver::resolve(scf::IfOp branch) {
  SmallVector<Type> types;
  SmallVector<Value> roots(branch.getNumResults());
  for (OpResult result : branch.getResults()) {
    auto type = dyn_cast<MemRefType>(result.getType());
    if (!type) {
      types.push_back(result.getType());
      continue;
    }
    FailureOr<Value> root = rootBefore(result, branch);
    if (failed(root))
      return failure();
    roots[result.getResultNumber()] = *root;
  }
  Location loc = branch.getLoc();
  auto expandYield = [&](scf::YieldOp yield) {
    rewriter.setInsertionPoint(yield);
    SmallVector<Value> plain, open;
    for (auto [value, root] : llvm::zip_equal(yield.getOperands(), roots)) {
      if (!root)
        plain.push_back(value);
      else
        llvm::append_range(open,
                           OpenNumbers(cast<MemRefType>(value.getType())).of(rewriter, loc, value));
    }
    llvm::append_range(plain, open);
    rewriter.replaceOpWithNewOp<scf::YieldOp>(yield, plain);
  };
  expandYield(branch.thenYield());
  expandYield(branch.elseYield());
  types = llvm::to_vector(branch.thenYield().getOperandTypes());
  rewriter.setInsertionPoint(branch);
  auto expanded = scf::IfOp::create(rewriter, loc, types, branch.getCondition(),
                                    /*addThenBlock=*/false, /*addElseBlock=*/false);
  expanded.getThenRegion().takeBody(branch.getThenRegion());
  expanded.getElseRegion().takeBody(branch.getElseRegion());
  ValueRange results = expanded.getResults();
  size_t plain = 0, next = llvm::count(roots, Value());
  SmallVector<Value> replacements;
  for (auto [result, root] : llvm::zip_equal(branch.getResults(), roots)) {
    if (!root) {
      replacements.push_back(results[plain++]);
      continue;
    }
    OpenNumbers open(cast<MemRefType>(result.getType()));
    replacements.push_back(open.rebuild(rewriter, loc, root, results.drop_front(next)));
    next += open.count();
  }
  rewriter.replaceOp(branch, replacements);
  return success();
}

/// Rewrites a loop that carries views. The loop carries the offset, extents and strides as
/// additional iteration arguments. The memref's own argument remains, unchanged and without uses,
/// until canonicalization removes it.
LogicalResult CarriedViewResolver::resolve(scf::ForOp loop) {
  for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
    auto type = dyn_cast<MemRefType>(loop.getRegionIterArg(i).getType());
    if (!type || loop.getYieldedValues()[i] == loop.getRegionIterArg(i))
      continue;
    FailureOr<Value> root = rootBefore(loop.getRegionIterArg(i), loop);
    if (failed(root))
      return failure();
    OpenNumbers open(type);
    Location loc = loop.getLoc();
    rewriter.setInsertionPoint(loop);
    SmallVector<Value> inits = open.of(rewriter, loc, loop.getInitArgs()[i]);
    auto yielded = [&](OpBuilder &b, Location at, ArrayRef<BlockArgument>) -> SmallVector<Value> {
      return open.of(b, at, loop.getYieldedValues()[i]);
    };
    unsigned first = loop.getNumRegionIterArgs();
    FailureOr<LoopLikeOpInterface> expanded = loop.replaceWithAdditionalYields(
        rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, yielded);
    if (failed(expanded))
      return failure();
    loop = cast<scf::ForOp>(expanded->getOperation());
    BlockArgument carried = loop.getRegionIterArg(i);
    rewriter.setInsertionPointToStart(loop.getBody());
    Value inside = open.rebuild(rewriter, loc, *root, loop.getRegionIterArgs().drop_front(first));
    carried.replaceAllUsesExcept(inside, inside.getDefiningOp());
    cast<scf::YieldOp>(loop.getBody()->getTerminator())->setOperand(i, carried);
    rewriter.setInsertionPointAfter(loop);
    Value outside = open.rebuild(rewriter, loc, *root, loop.getResults().drop_front(first));
    rewriter.replaceAllUsesWith(loop.getResult(i), outside);
  }
  return success();
}

bool carriesMemRef(Operation *op) {
  return llvm::any_of(op->getResultTypes(), llvm::IsaPred<MemRefType>);
}

/// Rejects carried memrefs that offsets and strides do not describe.
LogicalResult checkLayouts(Operation *op) {
  for (Type result : op->getResultTypes()) {
    auto type = dyn_cast<MemRefType>(result);
    if (type && !type.isStrided())
      return op->emitError() << "carries a memref with the layout " << type.getLayout()
                             << ", which is not strided; give it a strided layout";
  }
  return success();
}

} // namespace

Value pumice::lower::rootOf(Value view) {
  llvm::SmallDenseSet<Value> seen, roots;
  collectRoots(view, seen, roots);
  return roots.size() == 1 ? *roots.begin() : Value();
}

LogicalResult pumice::lower::resolveCarriedViews(Operation *root) {
  SmallVector<Operation *> carriers;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<RegionBranchOpInterface, arith::SelectOp>(op) && carriesMemRef(op))
      carriers.push_back(op);
  });
  CarriedViewResolver resolver(root->getContext());
  for (Operation *op : carriers) {
    if (failed(checkLayouts(op)))
      return failure();
    LogicalResult resolved = success();
    if (auto select = dyn_cast<arith::SelectOp>(op))
      resolved = resolver.resolve(select);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      resolved = resolver.resolve(branch);
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      resolved = resolver.resolve(loop);
    else
      resolved = op->emitError() << "carries a memref, which only scf.for, scf.if and arith.select "
                                    "may do; carry its offset instead";
    if (failed(resolved))
      return failure();
  }
  return success();
}

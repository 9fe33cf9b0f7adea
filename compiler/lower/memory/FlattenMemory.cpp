//===- FlattenMemory.cpp - one linear index into buffers of scalars ---------===//
//   before: %v = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<?x16xf32> to memref<8xf32, ...>
//           %e = memref.load %v[%j] : memref<8xf32, ...>
//   after:  %0 = arith.muli %i, %c16
//           %1 = arith.addi %0, %j
//           %e = memref.load %flat[%1] : memref<?xf32>
//
// Needs: LowerKernelArguments. Leaves: accesses of rank 1 only (Passes.td lists them).
//===-------------------------------------------------------------------------===//
#include "compiler/lower/Passes.h"
#include "compiler/lower/memory/CarriedViews.h"
#include "compiler/lower/memory/ViewAlgebra.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace pumice::lower {
#define GEN_PASS_DEF_FLATTENMEMORY
#include "compiler/lower/Passes.h.inc"
} // namespace pumice::lower

using namespace mlir;
using namespace pumice;
using namespace pumice::lower;

namespace {

/// The buffer and index of one access.
struct Place {
  Value buffer, index;
};

struct Flattener {
  IRRewriter rewriter;
  ViewAlgebra algebra;

  explicit Flattener(MLIRContext *context) : rewriter(context), algebra(rewriter) {}

  /// Finds the position of `memref`[indices]. It is counted in scalars, even if the elements are
  /// vectors.
  FailureOr<Place> locate(Operation *op, Value memref, ValueRange indices) {
    FailureOr<View> view = algebra.describe(memref);
    if (failed(view))
      return failure();
    rewriter.setInsertionPoint(op);
    Location loc = op->getLoc();
    OpFoldResult linear = algebra.linearize(loc, *view, getAsOpFoldResult(indices));
    int64_t scale = scalarsPerElement(cast<MemRefType>(memref.getType()).getElementType());
    linear = algebra.mul(loc, linear, rewriter.getIndexAttr(scale));
    return Place{view->buffer, algebra.materialize(loc, linear)};
  }

  /// Returns the operation's alignment attribute, or the natural alignment of a vector element in
  /// bytes.
  static int64_t alignmentOf(Type element, std::optional<uint64_t> given) {
    if (given && *given)
      return *given;
    auto vector = cast<VectorType>(element);
    if (!vector.getElementType().isIntOrFloat())
      return 8;
    int64_t scalar = llvm::divideCeil(vector.getElementTypeBitWidth(), 8);
    return llvm::PowerOf2Ceil(scalar) * llvm::PowerOf2Ceil(vector.getNumElements());
  }

  /// Returns an alignment that holds for all rows. The operation states the alignment of the first
  /// row only.
  static int64_t alignmentOfRow(VectorType row, VectorType whole, std::optional<uint64_t> given) {
    if (row == whole || !given || !*given)
      return alignmentOf(row, given);
    return std::min<int64_t>(*given, alignmentOf(row, std::nullopt));
  }

  Value loadVector(memref::LoadOp op, VectorType type, Place at);
  void storeVector(memref::StoreOp op, VectorType type, Place at);
  LogicalResult flatten(memref::LoadOp op);
  LogicalResult flatten(memref::StoreOp op);
  LogicalResult flatten(memref::AtomicRMWOp op);
  LogicalResult flatten(memref::GenericAtomicRMWOp op);
  LogicalResult flatten(vk::AtomicCmpxchgOp op);
  LogicalResult flatten(vk::LoadFactorOp op);
  LogicalResult flatten(memref::CopyOp op);
  LogicalResult flatten(memref::DimOp op);
  LogicalResult flatten(memref::ExtractStridedMetadataOp op);
  template <typename OpTy> LogicalResult flattenVectorAccess(OpTy op);
  template <typename OpTy> LogicalResult flattenMatrixAccess(OpTy op);
  LogicalResult flatten(Operation *op);
};

//===-------------------------------------------------------------------------===//
// Accesses
//===-------------------------------------------------------------------------===//

/// Visits the rows of a vector, with each row's index in memory and its position in the vector.
static void forEachRow(OpBuilder &b, Location loc, VectorType type, Value index,
                       llvm::function_ref<void(Value, VectorType, ArrayRef<int64_t>)> visit) {
  size_t inRow = std::min<size_t>(type.getRank(), 1);
  auto row = VectorType::get(type.getShape().take_back(inRow), type.getElementType());
  SmallVector<int64_t> strides = computeSuffixProduct(type.getShape().drop_back(inRow));
  for (int64_t i = 0, rows = type.getNumElements() / row.getNumElements(); i < rows; ++i) {
    Value at = index;
    if (i > 0)
      at = arith::AddIOp::create(
          b, loc, index, arith::ConstantIndexOp::create(b, loc, i * scalarsPerElement(row)));
    visit(at, row, delinearize(i, strides));
  }
}

Value Flattener::loadVector(memref::LoadOp op, VectorType type, Place at) {
  Location loc = op.getLoc();
  Value whole;
  forEachRow(rewriter, loc, type, at.index, [&](Value index, VectorType row, auto position) {
    auto load = vector::LoadOp::create(rewriter, loc, row, at.buffer, index);
    load.setAlignment(alignmentOfRow(row, type, op.getAlignment()));
    load.setNontemporal(op.getNontemporal());
    if (row == type) {
      whole = load;
      return;
    }
    if (!whole)
      whole = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type));
    whole = vector::InsertOp::create(rewriter, loc, load, whole, position);
  });
  return whole;
}

void Flattener::storeVector(memref::StoreOp op, VectorType type, Place at) {
  Location loc = op.getLoc();
  forEachRow(rewriter, loc, type, at.index, [&](Value index, VectorType row, auto position) {
    Value value = op.getValueToStore();
    if (row != type)
      value = vector::ExtractOp::create(rewriter, loc, value, position);
    auto store = vector::StoreOp::create(rewriter, loc, value, at.buffer, index);
    store.setAlignment(alignmentOfRow(row, type, op.getAlignment()));
    store.setNontemporal(op.getNontemporal());
  });
}

LogicalResult Flattener::flatten(memref::LoadOp op) {
  FailureOr<Place> at = locate(op, op.getMemRef(), op.getIndices());
  if (failed(at))
    return failure();
  if (auto vector = dyn_cast<VectorType>(op.getType())) {
    rewriter.replaceOp(op, loadVector(op, vector, *at));
    return success();
  }
  auto load = memref::LoadOp::create(rewriter, op.getLoc(), at->buffer, at->index);
  load.getProperties() = op.getProperties();
  rewriter.replaceOp(op, load);
  return success();
}

LogicalResult Flattener::flatten(memref::StoreOp op) {
  FailureOr<Place> at = locate(op, op.getMemRef(), op.getIndices());
  if (failed(at))
    return failure();
  if (auto vector = dyn_cast<VectorType>(op.getValueToStore().getType())) {
    storeVector(op, vector, *at);
    rewriter.eraseOp(op);
    return success();
  }
  auto store =
      memref::StoreOp::create(rewriter, op.getLoc(), op.getValueToStore(), at->buffer, at->index);
  store.getProperties() = op.getProperties();
  rewriter.eraseOp(op);
  return success();
}

LogicalResult Flattener::flatten(memref::AtomicRMWOp op) {
  FailureOr<Place> at = locate(op, op.getMemref(), op.getIndices());
  if (failed(at))
    return failure();
  auto atomic = memref::AtomicRMWOp::create(rewriter, op.getLoc(), op.getKind(), op.getValue(),
                                            at->buffer, at->index);
  atomic->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.replaceOp(op, atomic);
  return success();
}

LogicalResult Flattener::flatten(memref::GenericAtomicRMWOp op) {
  FailureOr<Place> at = locate(op, op.getMemref(), op.getIndices());
  if (failed(at))
    return failure();
  auto atomic = memref::GenericAtomicRMWOp::create(rewriter, op.getLoc(), at->buffer, at->index);
  atomic->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.eraseBlock(&atomic.getRegion().front());
  rewriter.inlineRegionBefore(op.getRegion(), atomic.getRegion(), atomic.getRegion().end());
  rewriter.replaceOp(op, atomic);
  return success();
}

/// Turns the operation into a generic atomic update. Later passes know how to update memory of each
/// type.
LogicalResult Flattener::flatten(vk::AtomicCmpxchgOp op) {
  FailureOr<Place> at = locate(op, op.getMemref(), op.getIndex());
  if (failed(at))
    return failure();
  Location loc = op.getLoc();
  auto atomic = memref::GenericAtomicRMWOp::create(rewriter, loc, at->buffer, at->index);
  atomic->setDiscardableAttrs(op->getDiscardableAttrDictionary()); // the memory ordering
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(atomic.getBody());
    Value found = atomic.getCurrentValue();
    Value same =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, found, op.getExpected());
    Value next = arith::SelectOp::create(rewriter, loc, same, op.getDesired(), found);
    memref::AtomicYieldOp::create(rewriter, loc, next);
  }
  rewriter.replaceOp(op, atomic);
  return success();
}

/// Flattens vector.load and vector.store, which access one row, or one element of vector type.
template <typename OpTy> LogicalResult Flattener::flattenVectorAccess(OpTy op) {
  FailureOr<View> view = algebra.describe(op.getBase());
  if (failed(view))
    return failure();
  auto type = cast<MemRefType>(op.getBase().getType());
  if (!view->strides.empty() && getConstantIntValue(view->strides.back()) != 1 &&
      op.getVectorType().getNumElements() != 1)
    return op.emitError() << "accesses " << op.getVectorType() << " of " << type
                          << ", whose last dimension is not known to be contiguous; load its "
                             "elements one by one";
  FailureOr<Place> at = locate(op, op.getBase(), op.getIndices());
  if (failed(at))
    return failure();
  // The elements of vector memrefs are aligned to their own size.
  if (!op.getAlignment() && isa<VectorType>(type.getElementType()))
    op.setAlignment(alignmentOf(type.getElementType(), std::nullopt));
  rewriter.modifyOpInPlace(op, [&] {
    op.getBaseMutable().assign(at->buffer);
    op.getIndicesMutable().assign(at->index);
  });
  return success();
}

/// Flattens a matrix access. Its leading dimension is an attribute, so only its start needs an
/// index.
template <typename OpTy> LogicalResult Flattener::flattenMatrixAccess(OpTy op) {
  Value memref = op->getOperand(std::is_same_v<OpTy, gpu::SubgroupMmaStoreMatrixOp> ? 1 : 0);
  FailureOr<Place> at = locate(op, memref, op.getIndices());
  if (failed(at))
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    if constexpr (std::is_same_v<OpTy, gpu::SubgroupMmaStoreMatrixOp>)
      op.getDstMemrefMutable().assign(at->buffer);
    else
      op.getSrcMemrefMutable().assign(at->buffer);
    op.getIndicesMutable().assign(at->index);
  });
  return success();
}

LogicalResult Flattener::flatten(vk::LoadFactorOp op) {
  FailureOr<Place> at = locate(op, op.getMemref(), op.getIndex());
  if (failed(at))
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    op.getMemrefMutable().assign(at->buffer);
    op.getIndexMutable().assign(at->index);
  });
  return success();
}

/// Makes a loop nest over the copied elements.
LogicalResult Flattener::flatten(memref::CopyOp op) {
  FailureOr<View> from = algebra.describe(op.getSource());
  FailureOr<View> to = algebra.describe(op.getTarget());
  if (failed(from) || failed(to))
    return failure();
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  SmallVector<Value> indices;
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  for (OpFoldResult size : from->sizes) {
    if (getConstantIntValue(size) == ShapedType::kDynamic)
      return op.emitError() << "copies a buffer of unknown extent";
    auto loop = scf::ForOp::create(rewriter, loc, zero, algebra.materialize(loc, size), one);
    rewriter.setInsertionPointToStart(loop.getBody());
    indices.push_back(loop.getInductionVar());
  }
  auto load = memref::LoadOp::create(rewriter, loc, op.getSource(), indices);
  auto store = memref::StoreOp::create(rewriter, loc, load, op.getTarget(), indices);
  rewriter.eraseOp(op);
  return success(succeeded(flatten(load)) && succeeded(flatten(store)));
}

//===-------------------------------------------------------------------------===//
// Sizes and other properties of views
//===-------------------------------------------------------------------------===//

LogicalResult Flattener::flatten(memref::DimOp op) {
  FailureOr<View> view = algebra.describe(op.getSource());
  if (failed(view))
    return failure();
  std::optional<int64_t> dim = op.getConstantIndex();
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  auto size = [&](size_t i) -> Value { return algebra.materialize(loc, view->sizes[i]); };
  for (OpFoldResult extent : view->sizes)
    if (getConstantIntValue(extent) == ShapedType::kDynamic)
      return op.emitError() << "needs an extent that the buffer does not carry; pass it to the "
                               "kernel as an argument";
  if (dim && (*dim < 0 || *dim >= static_cast<int64_t>(view->sizes.size())))
    return op.emitError() << "uses dimension " << *dim << " of a memref of rank "
                          << view->sizes.size();
  if (dim) {
    rewriter.replaceOp(op, size(*dim));
    return success();
  }
  // The dimension is not a constant. Selects the last extent unless the value names an earlier one.
  Value chosen = size(view->sizes.size() - 1);
  for (size_t i = view->sizes.size() - 1; i-- > 0;) {
    Value wanted = arith::ConstantIndexOp::create(rewriter, loc, i);
    Value is =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, op.getIndex(), wanted);
    chosen = arith::SelectOp::create(rewriter, loc, is, size(i), chosen);
  }
  rewriter.replaceOp(op, chosen);
  return success();
}

LogicalResult Flattener::flatten(memref::ExtractStridedMetadataOp op) {
  FailureOr<View> view = algebra.describe(op.getSource());
  if (failed(view))
    return failure();
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  rewriter.replaceAllUsesWith(op.getOffset(), algebra.materialize(loc, view->offset));
  for (auto [result, size] : llvm::zip_equal(op.getSizes(), view->sizes)) {
    if (getConstantIntValue(size) == ShapedType::kDynamic && !result.use_empty())
      return op.emitError() << "needs an extent that the buffer does not carry";
    if (!result.use_empty())
      rewriter.replaceAllUsesWith(result, algebra.materialize(loc, size));
  }
  for (auto [result, stride] : llvm::zip_equal(op.getStrides(), view->strides))
    rewriter.replaceAllUsesWith(result, algebra.materialize(loc, stride));
  return success();
}

LogicalResult Flattener::flatten(Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<memref::LoadOp, memref::StoreOp, memref::AtomicRMWOp, memref::GenericAtomicRMWOp,
            vk::AtomicCmpxchgOp, vk::LoadFactorOp, memref::CopyOp, memref::DimOp,
            memref::ExtractStridedMetadataOp>([&](auto known) { return flatten(known); })
      .Case<vector::LoadOp, vector::StoreOp>(
          [&](auto access) { return flattenVectorAccess(access); })
      .Case<gpu::SubgroupMmaLoadMatrixOp, gpu::SubgroupMmaStoreMatrixOp>(
          [&](auto access) { return flattenMatrixAccess(access); })
      .Case<memref::PrefetchOp>([&](auto hint) {
        rewriter.eraseOp(hint);
        return success();
      })
      .Case<memref::RankOp>([&](memref::RankOp rank) {
        rewriter.setInsertionPoint(rank);
        int64_t value = cast<MemRefType>(rank.getMemref().getType()).getRank();
        rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(rank, value);
        return success();
      })
      .Default([](Operation *) { return success(); });
}

//===-------------------------------------------------------------------------===//
// The pass
//===-------------------------------------------------------------------------===//

/// Changes the types of globals to the flattened types that their users expect.
void retypeGlobals(gpu::GPUModuleOp module) {
  SymbolTable symbols(module);
  module.walk([&](memref::GetGlobalOp get) {
    auto global = symbols.lookup<memref::GlobalOp>(get.getName());
    if (!global || global.getType() == get.getType())
      return;
    if (auto value = dyn_cast_or_null<DenseElementsAttr>(global.getInitialValueAttr())) {
      auto flat = RankedTensorType::get(get.getType().getShape(), get.getType().getElementType());
      if (value.getType().getNumElements() == flat.getNumElements())
        global.setInitialValueAttr(value.reshape(flat));
    }
    global.setType(get.getType());
  });
}

struct FlattenMemory final : lower::impl::FlattenMemoryBase<FlattenMemory> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    for (auto function : module.getOps<FunctionOpInterface>())
      if (failed(flattenFunction(function)))
        return signalPassFailure();
    retypeGlobals(module);
  }

  LogicalResult flattenFunction(FunctionOpInterface function) {
    if (failed(resolveCarriedViews(function)))
      return failure();
    SmallVector<Operation *> accesses;
    function->walk([&](Operation *op) { accesses.push_back(op); });
    Flattener flattener(&getContext());
    for (Operation *op : accesses)
      if (failed(flattener.flatten(op)))
        return failure();
    return eraseDeadViews(function);
  }

  /// Erases views without uses. Loops that carried one drop the argument.
  LogicalResult eraseDeadViews(FunctionOpInterface function) {
    RewritePatternSet patterns(&getContext());
    scf::ForOp::getCanonicalizationPatterns(patterns, &getContext());
    return applyPatternsGreedily(function, std::move(patterns));
  }
};

} // namespace

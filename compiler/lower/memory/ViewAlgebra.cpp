//===- ViewAlgebra.cpp - memref views as numbers ----------------------------===//
#include "compiler/lower/memory/ViewAlgebra.h"

#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/lower/structure/MemorySpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower;

int64_t lower::scalarsPerElement(Type element) {
  auto vector = dyn_cast<VectorType>(element);
  if (!vector)
    return 1;
  if (vector.getRank() == 0)
    return 1;
  int64_t row = vector.getShape().back();
  return vector.getNumElements() / row * llvm::PowerOf2Ceil(row);
}

static Type scalarOf(Type element) {
  auto vector = dyn_cast<VectorType>(element);
  return vector ? vector.getElementType() : element;
}

//===-------------------------------------------------------------------------===//
// Index arithmetic that folds constants
//===-------------------------------------------------------------------------===//

OpFoldResult ViewAlgebra::add(Location loc, OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return builder.getIndexAttr(*x + *y);
  if (x == 0)
    return b;
  if (y == 0)
    return a;
  return arith::AddIOp::create(builder, loc, materialize(loc, a), materialize(loc, b)).getResult();
}

OpFoldResult ViewAlgebra::mul(Location loc, OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return builder.getIndexAttr(*x * *y);
  if (x == 0 || y == 0)
    return builder.getIndexAttr(0);
  if (x == 1)
    return b;
  if (y == 1)
    return a;
  return arith::MulIOp::create(builder, loc, materialize(loc, a), materialize(loc, b)).getResult();
}

Value ViewAlgebra::materialize(Location loc, OpFoldResult value) {
  if (auto held = dyn_cast<Value>(value))
    return held;
  return arith::ConstantIndexOp::create(builder, loc, *getConstantIntValue(value));
}

OpFoldResult ViewAlgebra::linearize(Location loc, const View &view,
                                    ArrayRef<OpFoldResult> indices) {
  OpFoldResult linear = view.offset;
  for (auto [index, stride] : llvm::zip_equal(indices, view.strides))
    linear = add(loc, linear, mul(loc, index, stride));
  return linear;
}

//===-------------------------------------------------------------------------===//
// Views
//===-------------------------------------------------------------------------===//

/// Returns row-major strides for `sizes`.
static SmallVector<OpFoldResult> contiguous(ViewAlgebra &algebra, OpBuilder &b, Location loc,
                                            ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> strides(sizes.size());
  OpFoldResult stride = b.getIndexAttr(1);
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    stride = algebra.mul(loc, stride, sizes[i]);
  }
  return strides;
}

FailureOr<View> ViewAlgebra::describe(Value memref) {
  if (auto it = known.find(memref); it != known.end())
    return it->second;
  OpBuilder::InsertionGuard guard(builder);
  FailureOr<View> view = describeUncached(memref);
  if (succeeded(view))
    known[memref] = *view;
  return view;
}

/// Returns the memory space of `op`, which allocates memory of `type`. Stack buffers and tables of
/// constants usually name none, since each invocation has its own.
static FailureOr<Attribute> spaceOf(Operation *op, MemRefType type) {
  Attribute own = gpu::AddressSpaceAttr::get(op->getContext(), gpu::AddressSpace::Private);
  MemorySpace space = memorySpaceOf(type);
  if (isa<memref::AllocaOp>(op))
    return space == MemorySpace::Global ? own : type.getMemorySpace();
  auto get = dyn_cast<memref::GetGlobalOp>(op);
  auto global =
      get ? SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(op, get.getNameAttr()) : nullptr;
  if (!global)
    return type.getMemorySpace();
  if (isa_and_nonnull<ElementsAttr>(global.getInitialValueAttr())) {
    if (!global.getConstant() || space == MemorySpace::Workgroup)
      return op->emitError() << "names '" << get.getName()
                             << "', an initialized global that is not a table of constants in the "
                                "kernel's own memory; make it 'constant', or store to it first";
    return own;
  }
  if (space != MemorySpace::Workgroup)
    return op->emitError() << "names '" << get.getName()
                           << "', a variable in device memory; pass a buffer to the kernel";
  return type.getMemorySpace();
}

/// Gives the buffer the flattened type. Users of the old type are rewritten afterwards.
FailureOr<View> ViewAlgebra::describeRoot(Value memref) {
  Operation *op = memref.getDefiningOp();
  if (!op || !isa<vk::ParameterOp, vk::BindingOp, vk::AtAddressOp, memref::GetGlobalOp,
                  memref::AllocaOp, gpu::DynamicSharedMemoryOp>(op))
    return emitError(memref.getLoc())
           << "cannot tell which buffer this memref is a view of"
           << (op ? " (made by '" + op->getName().getStringRef() + "')" : "");
  auto type = cast<MemRefType>(memref.getType());
  Location loc = op->getLoc();
  builder.setInsertionPointAfter(op);
  View view;
  view.offset = builder.getIndexAttr(0);
  for (int64_t extent : type.getShape())
    view.sizes.push_back(builder.getIndexAttr(extent));
  if (type.getLayout().isIdentity()) {
    view.strides = contiguous(*this, builder, loc, view.sizes);
  } else {
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(type.getStridesAndOffset(strides, offset)) || offset != 0 ||
        llvm::any_of(strides, ShapedType::isDynamic))
      return op->emitError() << "has the layout " << type.getLayout()
                             << "; a buffer's own layout must be strided and static";
    for (int64_t stride : strides)
      view.strides.push_back(builder.getIndexAttr(stride));
  }

  int64_t elements = ShapedType::kDynamic;
  if (type.hasStaticShape()) {
    elements = type.getNumElements() > 0 ? 1 : 0;
    for (auto [extent, stride] : llvm::zip_equal(type.getShape(), view.strides))
      elements += (extent - 1) * *getConstantIntValue(stride);
    elements = std::max<int64_t>(elements, 1) * scalarsPerElement(type.getElementType());
  } else if (type.getRank() != 1) {
    return op->emitError() << "has dynamic extents; the buffers that a kernel makes itself are "
                              "of static size";
  }
  if (isa<memref::AllocaOp>(op) && !type.hasStaticShape())
    return op->emitError() << "allocates a dynamic number of elements; SPIR-V variables are of "
                              "static size";
  FailureOr<Attribute> space = spaceOf(op, type);
  if (failed(space))
    return failure();
  auto flat = MemRefType::get({elements}, scalarOf(type.getElementType()),
                              MemRefLayoutAttrInterface{}, *space);
  if (flat == type) {
    view.buffer = memref;
  } else {
    // Makes a copy with the flat type. The original is erased after its last use is rewritten.
    Operation *twin = builder.clone(*op);
    twin->getResult(0).setType(flat);
    view.buffer = twin->getResult(0);
  }
  flattened[memref] = view.buffer;
  return view;
}

namespace {

/// Has a function for each view operation, which converts the source's description to the result's.
struct ViewStep {
  ViewAlgebra &algebra;
  OpBuilder &b;
  const View &source;

  FailureOr<View> operator()(memref::ReinterpretCastOp op) {
    View view{source.buffer, op.getMixedOffsets().front(), op.getMixedSizes(),
              op.getMixedStrides()};
    return view;
  }

  FailureOr<View> operator()(memref::SubViewOp op) {
    View view{source.buffer, source.offset, {}, {}};
    llvm::SmallBitVector dropped = op.getDroppedDims();
    for (auto [i, offset, size, stride] :
         llvm::enumerate(op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides())) {
      view.offset = algebra.add(op.getLoc(), view.offset,
                                algebra.mul(op.getLoc(), offset, source.strides[i]));
      if (dropped.test(i))
        continue;
      view.sizes.push_back(size);
      view.strides.push_back(algebra.mul(op.getLoc(), stride, source.strides[i]));
    }
    return view;
  }

  FailureOr<View> operator()(memref::TransposeOp op) {
    View view{source.buffer, source.offset, {}, {}};
    for (unsigned i = 0; i < op.getPermutation().getNumResults(); ++i) {
      unsigned from = op.getPermutation().getDimPosition(i);
      view.sizes.push_back(source.sizes[from]);
      view.strides.push_back(source.strides[from]);
    }
    return view;
  }

  FailureOr<View> operator()(memref::ExpandShapeOp op) {
    View view{source.buffer, source.offset, op.getMixedOutputShape(), {}};
    view.strides.resize(view.sizes.size());
    for (auto [from, group] : llvm::enumerate(op.getReassociationIndices())) {
      OpFoldResult stride = source.strides[from];
      for (int64_t dim : llvm::reverse(group)) {
        view.strides[dim] = stride;
        stride = algebra.mul(op.getLoc(), stride, view.sizes[dim]);
      }
    }
    return view;
  }

  FailureOr<View> operator()(memref::CollapseShapeOp op) {
    View view{source.buffer, source.offset, {}, {}};
    for (const ReassociationIndices &group : op.getReassociationIndices()) {
      OpFoldResult size = b.getIndexAttr(1);
      // The innermost extent other than 1 has the stride of the whole group.
      OpFoldResult stride = source.strides[group.back()];
      bool found = false;
      for (int64_t dim : llvm::reverse(group)) {
        size = algebra.mul(op.getLoc(), source.sizes[dim], size);
        if (!found && getConstantIntValue(source.sizes[dim]) != 1) {
          stride = source.strides[dim];
          found = true;
        }
      }
      view.sizes.push_back(size);
      view.strides.push_back(stride);
    }
    return view;
  }
};

} // namespace

FailureOr<View> ViewAlgebra::describeUncached(Value memref) {
  Operation *op = memref.getDefiningOp();
  auto through = [&](Value source, auto view) -> FailureOr<View> {
    FailureOr<View> from = describe(source);
    if (failed(from))
      return failure();
    builder.setInsertionPoint(op);
    return ViewStep{*this, builder, *from}(view);
  };
  if (!op)
    return describeRoot(memref);
  return TypeSwitch<Operation *, FailureOr<View>>(op)
      .Case<memref::ReinterpretCastOp, memref::SubViewOp>(
          [&](auto view) { return through(view.getSource(), view); })
      .Case<memref::TransposeOp>([&](auto view) { return through(view.getIn(), view); })
      .Case<memref::ExpandShapeOp, memref::CollapseShapeOp>(
          [&](auto view) { return through(view.getSrc(), view); })
      .Case<memref::CastOp, memref::MemorySpaceCastOp>(
          [&](auto cast) { return describe(cast.getSource()); })
      .Case<memref::DistinctObjectsOp>([&](memref::DistinctObjectsOp op) {
        return describe(op.getOperand(cast<OpResult>(memref).getResultNumber()));
      })
      .Case<memref::AssumeAlignmentOp>([&](auto assume) { return describe(assume.getMemref()); })
      .Case<memref::ExtractStridedMetadataOp>([&](auto metadata) -> FailureOr<View> {
        FailureOr<View> from = describe(metadata.getSource());
        if (failed(from))
          return failure();
        return View{from->buffer, builder.getIndexAttr(0), {}, {}};
      })
      .Case<memref::ViewOp>([&](memref::ViewOp cast) -> FailureOr<View> {
        FailureOr<View> from = describe(cast.getSource());
        if (failed(from))
          return failure();
        builder.setInsertionPoint(op);
        MemRefType type = cast.getType();
        Location loc = op->getLoc();
        Value shift = materialize(loc, add(loc, from->offset, OpFoldResult(cast.getByteShift())));
        auto flat = MemRefType::get(
            {ShapedType::kDynamic}, scalarOf(type.getElementType()), MemRefLayoutAttrInterface{},
            llvm::cast<MemRefType>(from->buffer.getType()).getMemorySpace());
        View view{Value(),
                  builder.getIndexAttr(0),
                  getMixedValues(type.getShape(), cast.getSizes(), builder),
                  {}};
        view.strides = contiguous(*this, builder, loc, view.sizes);
        OpFoldResult elements = builder.getIndexAttr(scalarsPerElement(type.getElementType()));
        for (OpFoldResult size : view.sizes)
          elements = mul(loc, elements, size);
        view.buffer = memref::ViewOp::create(builder, loc, flat, from->buffer, shift,
                                             ValueRange{materialize(loc, elements)});
        return view;
      })
      .Default([&](Operation *) { return describeRoot(memref); });
}

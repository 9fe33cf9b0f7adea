//===- TileOps.cpp - verifiers of the tile dialect --------------------------===//
#include "compiler/dialect/tile/TileDialect.h"
#include "compiler/dialect/tile/layout/LayoutText.h"
#include "compiler/dialect/tile/layout/TensorLayout.h"
#include "compiler/dialect/tile/plan/Gather.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace pumice::tile;

static LogicalResult verifyStatus(Operation *op, const pumice::Status &status) {
  return status.isOk() ? success() : LogicalResult(op->emitOpError() << status.message());
}

/// Verifies that a result has the layout that follows from the operand's.
static LogicalResult verifyLayout(Operation *op, const pumice::Result<LinearLayout> &expected,
                                  Type type, StringRef what = "result") {
  if (!expected.isOk())
    return verifyStatus(op, expected.status());
  if (layoutOf(type) == *expected)
    return success();
  return op->emitOpError() << "has the layout " << print(layoutOf(type)) << " for its " << what
                           << "; the layout that moves nothing is " << print(*expected);
}

static Type elementOf(Type type) { return getElementTypeOrSelf(type); }

static LogicalResult verifyElements(Operation *op, Type a, Type b) {
  if (elementOf(a) == elementOf(b))
    return success();
  return op->emitOpError() << "does not turn elements of " << elementOf(a) << " into "
                           << elementOf(b);
}

static SmallVector<uint64_t> shapeOf(Type type) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
  return {shape.begin(), shape.end()};
}

//===-------------------------------------------------------------------------===//
// Sources of tensors
//===-------------------------------------------------------------------------===//

LogicalResult RangeOp::verify() {
  RankedTensorType type = getResult().getType();
  int64_t count = int64_t(getEnd()) - int64_t(getStart());
  if (type.getRank() != 1 || type.getDimSize(0) != count)
    return emitOpError() << "counts " << count << " numbers, which is not the size of " << type;
  return success();
}

LogicalResult SplatOp::verify() {
  return verifyElements(*this, getValue().getType(), getResult().getType());
}

LogicalResult UnsplatOp::verify() {
  if (getTensor().getType().getNumElements() != 1)
    return emitOpError() << "takes a tensor of one element, not " << getTensor().getType();
  return verifyElements(*this, getTensor().getType(), getResult().getType());
}

//===-------------------------------------------------------------------------===//
// Memory
//===-------------------------------------------------------------------------===//

/// Verifies an access. Offsets, mask and all tensors of elements have one layout. Offsets without a
/// base are addresses.
static LogicalResult verifyAccess(Operation *op, Value base, Value offsets, Value mask,
                                  ValueRange values) {
  auto places = cast<RankedTensorType>(offsets.getType());
  unsigned bits = places.getElementTypeBitWidth();
  if (base ? bits != 32 && bits != 64 : bits != 64)
    return op->emitOpError() << "takes " << (base ? "offsets of i32 or i64" : "addresses of i64")
                             << ", not " << places.getElementType();
  for (Value tensor : values) {
    if (base && elementOf(tensor.getType()) != elementOf(base.getType()))
      return op->emitOpError() << "moves elements of " << elementOf(tensor.getType())
                               << ", but memory has " << elementOf(base.getType());
    if (elementOf(tensor.getType()) != elementOf(values.front().getType()))
      return op->emitOpError("has tensors of different elements");
  }
  SmallVector<Value> all(values);
  if (mask)
    all.push_back(mask);
  for (Value tensor : all)
    if (cast<RankedTensorType>(tensor.getType()).getEncoding() != places.getEncoding())
      return op->emitOpError() << "has tensors of different layouts: " << tensor.getType() << " at "
                               << places;
  return success();
}

LogicalResult LoadOp::verify() {
  SmallVector<Value> values{getResult()};
  if (getOther())
    values.push_back(getOther());
  return verifyAccess(*this, getBase(), getOffsets(), getMask(), values);
}

LogicalResult StoreOp::verify() {
  return verifyAccess(*this, getBase(), getOffsets(), getMask(), getValue());
}

static LogicalResult verifyName(Operation *op, StringRef what, StringRef name,
                                ArrayRef<StringRef> known) {
  if (llvm::is_contained(known, name))
    return success();
  InFlightDiagnostic error = op->emitOpError()
                             << "does not know the " << what << " '" << name << "'; there are: ";
  llvm::interleaveComma(known, error);
  return error;
}

static LogicalResult verifyOrder(Operation *op, StringRef order) {
  return verifyName(op, "order", order, {"relaxed", "acquire", "release", "acq_rel"});
}

LogicalResult AtomicRmwOp::verify() {
  if (failed(verifyName(
          *this, "kind", getKind(),
          {"add", "fadd", "and", "or", "xor", "smax", "smin", "umax", "umin", "exchange"})) ||
      failed(verifyOrder(*this, getOrder())))
    return failure();
  return verifyAccess(*this, getBase(), getOffsets(), getMask(), {getValue(), getOld()});
}

LogicalResult AtomicCasOp::verify() {
  if (failed(verifyOrder(*this, getOrder())))
    return failure();
  return verifyAccess(*this, getBase(), getOffsets(), getMask(),
                      {getCompare(), getValue(), getOld()});
}

/// Verifies that an array has room for the registers of an access, in the form in which it stores
/// them.
static LogicalResult verifyArray(Operation *op, MemRefType array, RankedTensorType tensor,
                                 ArrayRef<int32_t> registers) {
  Type element = tensor.getElementType();
  if (element.isInteger(1))
    element = IntegerType::get(op->getContext(), 8);
  if (array.getElementType() != element)
    return op->emitOpError() << "needs an array of " << element << " for elements of "
                             << tensor.getElementType() << ", got an array of "
                             << array.getElementType();
  size_t count = size_t(1) << layoutOf(tensor).input(registerSpace).bits;
  if (registers.size() != count)
    return op->emitOpError() << "must list one element of the array for each of the " << count
                             << " registers of a lane, but lists " << registers.size();
  for (int32_t place : registers)
    if (place < 0 || (array.hasStaticShape() && place >= array.getDimSize(0)))
      return op->emitOpError() << "lists element " << place << ", which is out of range for "
                               << array;
  return success();
}

LogicalResult ArrayLoadOp::verify() {
  return verifyArray(*this, getArray().getType(), getResult().getType(), getRegisters());
}

LogicalResult ArrayStoreOp::verify() {
  return verifyArray(*this, getArray().getType(), getValue().getType(), getRegisters());
}

//===-------------------------------------------------------------------------===//
// Views
//===-------------------------------------------------------------------------===//

LogicalResult ExpandDimsOp::verify() {
  if (failed(verifyElements(*this, getTensor().getType(), getResult().getType())))
    return failure();
  return verifyLayout(*this, expandDims(layoutOf(getTensor().getType()), getAxis()),
                      getResult().getType());
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType from = getTensor().getType(), to = getResult().getType();
  if (failed(verifyElements(*this, from, to)))
    return failure();
  if (from.getRank() != to.getRank())
    return emitOpError() << "does not change the number of dimensions of " << from;
  // Computes the layout that each lane needs for the operand.
  pumice::Result<LinearLayout> needed = layoutOf(to);
  for (unsigned axis = 0; needed.isOk() && axis < from.getRank(); ++axis) {
    if (from.getDimSize(axis) == to.getDimSize(axis))
      continue;
    if (from.getDimSize(axis) != 1)
      return emitOpError() << "repeats dimension " << axis << ", whose size is "
                           << from.getDimSize(axis) << ", not 1";
    needed = beforeBroadcast(*needed, axis);
  }
  if (!needed.isOk())
    return verifyStatus(*this, needed.status());
  if (pumice::Status status = checkConvertible(layoutOf(from), *needed); !status.isOk())
    return verifyStatus(*this, status);
  if (!staysInLane(layoutOf(from), *needed))
    return emitOpError()
           << "needs elements from other lanes; the operand's layout would have to be "
           << tile::print(*needed);
  return success();
}

LogicalResult TransOp::verify() {
  if (failed(verifyElements(*this, getTensor().getType(), getResult().getType())))
    return failure();
  SmallVector<unsigned> order(getOrder().begin(), getOrder().end());
  return verifyLayout(*this, transpose(layoutOf(getTensor().getType()), order),
                      getResult().getType());
}

LogicalResult ReshapeOp::verify() {
  if (failed(verifyElements(*this, getTensor().getType(), getResult().getType())))
    return failure();
  return verifyLayout(
      *this, tile::reshape(layoutOf(getTensor().getType()), shapeOf(getResult().getType())),
      getResult().getType());
}

LogicalResult JoinOp::verify() {
  if (failed(verifyElements(*this, getFirst().getType(), getResult().getType())))
    return failure();
  return verifyLayout(*this, tile::join(layoutOf(getFirst().getType())), getResult().getType());
}

LogicalResult SplitOp::verify() {
  pumice::Result<LinearLayout> half = tile::split(layoutOf(getTensor().getType()));
  for (Value result : getResults())
    if (failed(verifyElements(*this, getTensor().getType(), result.getType())) ||
        failed(verifyLayout(*this, half, result.getType())))
      return failure();
  return success();
}

LogicalResult CatOp::verify() {
  if (failed(verifyElements(*this, getFirst().getType(), getResult().getType())))
    return failure();
  return verifyLayout(*this, concatenate(layoutOf(getFirst().getType())), getResult().getType());
}

//===-------------------------------------------------------------------------===//
// Conversions
//===-------------------------------------------------------------------------===//

LogicalResult ConvertLayoutOp::verify() {
  if (failed(verifyElements(*this, getTensor().getType(), getResult().getType())))
    return failure();
  return verifyStatus(
      *this, checkConvertible(layoutOf(getTensor().getType()), layoutOf(getResult().getType())));
}

/// Folds a reshape to the same shape.
OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  return getTensor().getType() == getResult().getType() ? getTensor() : OpFoldResult();
}

/// Folds a conversion to the same layout.
OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) {
  return getTensor().getType() == getResult().getType() ? getTensor() : OpFoldResult();
}

/// Removes the first of two consecutive conversions. Creates values that are the same in all places
/// directly in the layout that uses them.
LogicalResult ConvertLayoutOp::canonicalize(ConvertLayoutOp op, PatternRewriter &rewriter) {
  if (auto first = op.getTensor().getDefiningOp<ConvertLayoutOp>()) {
    rewriter.replaceOpWithNewOp<ConvertLayoutOp>(op, op.getResult().getType(), first.getTensor());
    return success();
  }
  if (auto splat = op.getTensor().getDefiningOp<SplatOp>()) {
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getResult().getType(), splat.getValue());
    return success();
  }
  return rewriter.notifyMatchFailure(op, "its operand is held somewhere for good cause");
}

//===-------------------------------------------------------------------------===//
// Reductions and scans
//===-------------------------------------------------------------------------===//

static LogicalResult verifyOperands(Operation *op) {
  if (op->getNumOperands() == 0 || op->getNumOperands() != op->getNumResults())
    return op->emitOpError() << "has " << op->getNumOperands() << " operands and "
                             << op->getNumResults()
                             << " results; expected as many results as operands, at least one";
  auto first = cast<RankedTensorType>(op->getOperand(0).getType());
  for (Type type : op->getOperandTypes())
    if (cast<RankedTensorType>(type).getEncoding() != first.getEncoding())
      return op->emitOpError("has operands of different layouts");
  return success();
}

/// Verifies a region that combines two elements of each operand into one.
static LogicalResult verifyCombine(Operation *op) {
  Block &block = op->getRegion(0).front();
  SmallVector<Type> once = llvm::map_to_vector(op->getOperandTypes(), elementOf);
  SmallVector<Type> twice = once;
  twice.append(once);
  if (TypeRange(twice) != TypeRange(block.getArgumentTypes()))
    return op->emitOpError() << "has a region with the arguments (" << block.getArgumentTypes()
                             << "), expected (" << twice << ")";
  TypeRange yielded = block.getTerminator()->getOperandTypes();
  if (TypeRange(once) != yielded)
    return op->emitOpError() << "has a region that yields (" << yielded << "), expected (" << once
                             << ")";
  return success();
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyOperands(*this)))
    return failure();
  const LinearLayout &layout = layoutOf(getOperandTypes()[0]);
  pumice::Result<LinearLayout> rest = removeDimension(layout, getAxis());
  for (auto [operand, result] : llvm::zip_equal(getOperandTypes(), getResultTypes())) {
    if (failed(verifyElements(*this, operand, result)))
      return failure();
    bool isScalar = layout.outputs().size() == 1 && getAxis() == 0;
    if (isScalar != !isDistributed(result))
      return emitOpError() << "gives " << (isScalar ? "scalars" : "tensors") << ", not " << result;
    if (!isScalar && failed(verifyLayout(*this, rest, result)))
      return failure();
    if (!rest.isOk())
      return verifyStatus(*this, rest.status());
  }
  return success();
}
LogicalResult ReduceOp::verifyRegions() { return verifyCombine(*this); }

LogicalResult ScanOp::verify() {
  if (failed(verifyOperands(*this)))
    return failure();
  if (getOperandTypes() != getResultTypes())
    return emitOpError("has results of other types than its operands");
  if (getAxis() >= layoutOf(getOperandTypes()[0]).outputs().size())
    return emitOpError() << "has no dimension " << getAxis() << " in " << getOperandTypes()[0];
  return success();
}
LogicalResult ScanOp::verifyRegions() { return verifyCombine(*this); }

LogicalResult MapOp::verify() {
  if (getOperands().empty() || getMapped().empty() || getPack() == 0)
    return emitOpError("needs an operand, a result, and a pack of one element at least");
  auto first = cast<RankedTensorType>(getOperandTypes()[0]);
  for (Type type : llvm::concat<const Type>(llvm::to_vector_of<Type>(getOperandTypes()),
                                            llvm::to_vector_of<Type>(getResultTypes())))
    if (cast<RankedTensorType>(type).getEncoding() != first.getEncoding())
      return emitOpError("has tensors of different layouts");
  return success();
}

/// Returns `pack` elements of each of these types.
static SmallVector<Type> packed(TypeRange types, unsigned pack) {
  SmallVector<Type> all;
  for (Type type : types)
    all.append(pack, elementOf(type));
  return all;
}

LogicalResult MapOp::verifyRegions() {
  Block &block = getScalar().front();
  SmallVector<Type> taken = packed(getOperandTypes(), getPack()),
                    given = packed(getResultTypes(), getPack());
  if (TypeRange(taken) != TypeRange(block.getArgumentTypes()))
    return emitOpError() << "has a region with the arguments (" << block.getArgumentTypes()
                         << "), expected (" << taken << ")";
  TypeRange yielded = block.getTerminator()->getOperandTypes();
  if (TypeRange(given) != yielded)
    return emitOpError() << "has a region that yields (" << yielded << "), expected (" << given
                         << ")";
  return success();
}

LogicalResult PrintOp::verify() {
  Attribute layout;
  for (Type type : getOperandTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      if (layout && tensor.getEncoding() != layout)
        return emitOpError("has tensors of different layouts");
      layout = tensor.getEncoding();
    }
  return layout ? success() : emitOpError("has no tensor, and so no lanes; use gpu.printf");
}

LogicalResult GatherOp::verify() {
  if (failed(verifyElements(*this, getSource().getType(), getResult().getType())))
    return failure();
  if (getIndices().getType().getEncoding() != getResult().getType().getEncoding())
    return emitOpError() << "needs a result with the layout of the indices, "
                         << getIndices().getType() << ", got " << getResult().getType();
  RankedTensorType from = getSource().getType();
  bool isAxis = getAxis() < static_cast<uint64_t>(from.getRank()); // the plan rejects other axes
  unsigned bits = isAxis ? llvm::Log2_64(static_cast<uint64_t>(from.getDimSize(getAxis()))) : 0;
  for (const Space &space : layoutOf(getResult().getType()).inputs())
    bits += space.bits;
  if (bits > LinearLayout::maxBits)
    return emitOpError() << "needs " << bits << " bits for places of elements; there are "
                         << LinearLayout::maxBits << ": take a smaller block";
  // The limit is larger than any memory. Whether the elements fit is checked when the target is
  // known.
  WorkgroupMemory unlimited{.bytes = ~uint64_t(0)};
  return verifyStatus(*this, planGather(layoutOf(getSource().getType()),
                                        layoutOf(getResult().getType()), getAxis(), 1, unlimited)
                                 .status());
}

LogicalResult HistogramOp::verify() {
  RankedTensorType from = getTensor().getType(), to = getResult().getType();
  if (!from.getElementType().isInteger(32) || !to.getElementType().isInteger(32) ||
      to.getRank() != 1)
    return emitOpError() << "needs a tensor of i32 and a one-dimensional result of i32, got "
                         << from << " and " << to;
  if (getMask() && getMask().getType().getEncoding() != from.getEncoding())
    return emitOpError() << "needs a mask with the layout of the tensor, " << from << ", got "
                         << getMask().getType();
  for (std::string_view name : {laneSpace, subgroupSpace})
    if (layoutOf(from).input(name).bits != layoutOf(to).input(name).bits)
      return emitOpError() << "must keep the number of " << StringRef(name)
                           << "s, but the tensor is " << from << " and the result is " << to;
  return success();
}

LogicalResult DotOp::verify() {
  ArrayRef<int64_t> a = getA().getType().getShape(), b = getB().getType().getShape(),
                    c = getResult().getType().getShape();
  size_t rank = c.size();
  if ((rank != 2 && rank != 3) || a.size() != rank || b.size() != rank)
    return emitOpError()
           << "needs two factors and a sum that are all of rank 2 (matrices) or all of rank 3 "
              "(batches of matrices), got "
           << getA().getType() << ", " << getB().getType() << " and " << getResult().getType();
  bool fits = a[rank - 1] == b[rank - 2] && a[rank - 2] == c[rank - 2] &&
              b[rank - 1] == c[rank - 1] && (rank == 2 || (a[0] == b[0] && a[0] == c[0]));
  if (!fits)
    return emitOpError() << "has the shapes [" << a << "] and [" << b << "], whose product is not ["
                         << c << "]";
  Type sum = elementOf(getResult().getType());
  for (Value factor : {getA(), getB()}) {
    Type type = elementOf(factor.getType());
    if (isa<FloatType>(type) != isa<FloatType>(sum) ||
        type.getIntOrFloatBitWidth() > sum.getIntOrFloatBitWidth())
      return emitOpError() << "cannot sum products of " << type << " in " << sum
                           << "; the sum must also be "
                           << (isa<FloatType>(type) ? "floating-point" : "integer")
                           << ", and at least as wide";
  }
  return verifyName(*this, "precision", getPrecision(), {"ieee", "tf32", "tf32x3"});
}

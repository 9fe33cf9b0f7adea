//===- Products.cpp - products of matrices ----------------------------------===//
#include "compiler/dialect/triton/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace pumice::triton;

#define GET_OP_CLASSES
#include "compiler/dialect/triton/Products.cpp.inc"

void TritonDialect::addProductOperations() {
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/triton/Products.cpp.inc"
      >();
}

static RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// A matrix of rows by columns, with the batch before them.
struct Matrix {
  SmallVector<int64_t> batch;
  int64_t rows = 0, columns = 0;

  static FailureOr<Matrix> of(Operation *op, RankedTensorType type) {
    int64_t rank = type.getRank();
    if (rank < 2 || rank > 3)
      return op->emitOpError() << "expected matrices of two dimensions, or three with a batch, got "
                               << type;
    ArrayRef<int64_t> shape = type.getShape();
    return Matrix{SmallVector<int64_t>(shape.drop_back(2)), shape[rank - 2], shape[rank - 1]};
  }
};

static LogicalResult verifyShapes(Operation *op, const Matrix &a, const Matrix &b,
                                  const Matrix &c) {
  if (a.batch != b.batch || a.batch != c.batch)
    return op->emitOpError() << "expected batches of the same length, got "
                             << op->getOperand(0).getType() << " times "
                             << op->getOperand(1).getType() << " into "
                             << op->getResult(0).getType();
  if (a.columns != b.rows || a.rows != c.rows || b.columns != c.columns)
    return op->emitOpError() << "expected a product of MxK times KxN into MxN, got " << a.rows
                             << "x" << a.columns << " times " << b.rows << "x" << b.columns
                             << " into " << c.rows << "x" << c.columns;
  return success();
}

/// Returns whether `sum` is a valid result type for operands of type `product`. An f32 result
/// accepts any narrower float, and an f16 result also accepts f8. Other floats need operands of
/// their own type, and i8 needs i32.
static bool canAdd(Type product, Type sum) {
  if (product.isInteger())
    return product.isInteger(8) && sum.isInteger(32);
  return sum == product || (sum.isF32() && product.getIntOrFloatBitWidth() < 32) ||
         (sum.isF16() && product.getIntOrFloatBitWidth() == 8);
}

LogicalResult DotOp::verify() {
  FailureOr<Matrix> a = Matrix::of(*this, tensorOf(getA())),
                    b = Matrix::of(*this, tensorOf(getB())),
                    c = Matrix::of(*this, tensorOf(getC()));
  if (failed(a) || failed(b) || failed(c) || failed(verifyShapes(*this, *a, *b, *c)))
    return failure();
  Type first = scalarOf(getA().getType()), second = scalarOf(getB().getType()),
       sum = scalarOf(getType());
  bool alike = first == second || (isa<FloatType>(first) && first.getIntOrFloatBitWidth() == 8 &&
                                   isa<FloatType>(second) && second.getIntOrFloatBitWidth() == 8);
  if (!alike)
    return emitOpError("expected two factors of the same type, or floats of 8 bits, got ")
           << first << " and " << second;
  if (!canAdd(first, sum))
    return emitOpError("expected factors and a sum of types that fit: i8 and i32, or floats and "
                       "the same type or f32, or floats of 8 bits and f16, got ")
           << first << " and " << sum;
  return success();
}

/// Returns an operand's matrix after its bytes of two elements are unpacked.
static FailureOr<Matrix> unpacked(DotScaledOp op, Value operand, ScaledFormat format, bool alongK,
                                  bool isA) {
  RankedTensorType type = tensorOf(operand);
  FailureOr<Matrix> matrix = Matrix::of(op, type);
  if (failed(matrix))
    return failure();
  Type element = type.getElementType();
  bool fits = false;
  switch (format) {
  case ScaledFormat::E2M1:
    fits = element.isInteger(8);
    (alongK == isA ? matrix->columns : matrix->rows) *= 2;
    break;
  case ScaledFormat::E4M3:
    fits = isa<Float8E4M3FNType>(element) || element.isInteger(8);
    break;
  case ScaledFormat::E5M2:
    fits = isa<Float8E5M2Type>(element) || element.isInteger(8);
    break;
  case ScaledFormat::BF16:
    fits = element.isBF16();
    break;
  case ScaledFormat::FP16:
    fits = element.isF16();
    break;
  case ScaledFormat::E2M3:
  case ScaledFormat::E3M2:
    return op.emitOpError("expected an operand of format e2m1, e4m3, e5m2, bf16 or fp16, got ")
           << stringifyScaledFormat(format);
  }
  if (!fits)
    return op.emitOpError("expected an operand whose elements have the format ")
           << stringifyScaledFormat(format) << ", got " << type;
  if (!alongK && format != ScaledFormat::E2M1)
    return op.emitOpError("expected format e2m1 of an operand that is not packed along k, got ")
           << stringifyScaledFormat(format) << "; pack it along k";
  return matrix;
}

/// Verifies a scale. `lines` is the number of rows (of a) or columns (of b). Each has a scale for
/// each of its groups.
static LogicalResult verifyScale(Operation *op, Value scale, const Matrix &matrix, int64_t lines,
                                 int64_t depth) {
  if (!scale)
    return success();
  RankedTensorType type = tensorOf(scale);
  int64_t group = type.getElementType().isInteger(8) ? 32 : 16;
  SmallVector<int64_t> shape(matrix.batch);
  shape.append({lines, depth / group});
  return verifyType(op, "scales", type, RankedTensorType::get(shape, type.getElementType()));
}

LogicalResult DotScaledOp::verify() {
  FailureOr<Matrix> a = unpacked(*this, getA(), getAFormat(), getLhsKPack(), true),
                    b = unpacked(*this, getB(), getBFormat(), getRhsKPack(), false),
                    c = Matrix::of(*this, tensorOf(getC()));
  if (failed(a) || failed(b) || failed(c) || failed(verifyShapes(*this, *a, *b, *c)))
    return failure();
  if (failed(verifyScale(*this, getAScale(), *a, a->rows, a->columns)))
    return failure();
  return verifyScale(*this, getBScale(), *b, b->columns, b->rows);
}

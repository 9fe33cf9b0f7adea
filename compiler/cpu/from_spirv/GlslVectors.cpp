//===- GlslVectors.cpp - GLSL.std.450 on whole vectors ----------------------===//
#include "compiler/cpu/from_spirv/SpirvToLanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

using floats::add, floats::sub, floats::mul, floats::div, floats::dot;

static Value negative(Lowering &l, Value x) { return arith::NegFOp::create(l.b, x); }

// Vectors of f16 are computed in f32, because squares of f16 overflow, and minors of matrices lose
// digits by cancellation.

/// Returns the elements of a vector or a matrix, widened to the type of the computation.
static Scalars widened(Lowering &l, Value whole) {
  Scalars elements = l.get(whole);
  if (elements[0].getType().isF16())
    for (Value &element : elements)
      element = arith::ExtFOp::create(l.b, l.b.getF32Type(), element);
  return elements;
}

static LogicalResult finishNarrowed(Lowering &l, Operation *op, Scalars results) {
  if (Type type = l.get(op->getOperand(0))[0].getType(); type.isF16())
    for (Value &result : results)
      result = floats::convert(l, type, result);
  return l.finish(op, results);
}

static Value lengthOf(Lowering &l, ArrayRef<Value> x) {
  if (x.size() == 1)
    return math::AbsFOp::create(l.b, x[0]);
  return math::SqrtOp::create(l.b, dot(l, x, x));
}

static LogicalResult length(Lowering &l, Operation *op) {
  return finishNarrowed(l, op, {lengthOf(l, widened(l, op->getOperand(0)))});
}

static LogicalResult distance(Lowering &l, Operation *op) {
  Scalars difference;
  for (auto [x, y] : llvm::zip(widened(l, op->getOperand(0)), widened(l, op->getOperand(1))))
    difference.push_back(sub(l, x, y));
  return finishNarrowed(l, op, {lengthOf(l, difference)});
}

static LogicalResult cross(Lowering &l, Operation *op) {
  Scalars x = widened(l, op->getOperand(0)), y = widened(l, op->getOperand(1)), result;
  for (int i = 0; i < 3; ++i) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    result.push_back(sub(l, mul(l, x[j], y[k]), mul(l, y[j], x[k])));
  }
  if (x.size() == 4) // OpenCL also allows four components
    result.push_back(l.real(x[0].getType(), 0));
  return finishNarrowed(l, op, result);
}

static LogicalResult normalize(Lowering &l, Operation *op) {
  Scalars x = widened(l, op->getOperand(0));
  Value size = lengthOf(l, x);
  for (Value &component : x)
    component = div(l, component, size);
  return finishNarrowed(l, op, x);
}

/// Lowers FaceForward. The operands are N, I and the reference normal. The result is N if the dot
/// product of the reference normal and I is negative, and -N otherwise.
static LogicalResult faceForward(Lowering &l, Operation *op) {
  Scalars n = l.get(op->getOperand(0)), i = widened(l, op->getOperand(1));
  Scalars reference = widened(l, op->getOperand(2));
  Value product = dot(l, reference, i);
  Value keep =
      arith::CmpFOp::create(l.b, arith::CmpFPredicate::OLT, product, l.real(product.getType(), 0));
  for (Value &component : n)
    component = arith::SelectOp::create(l.b, keep, component, negative(l, component));
  return l.finish(op, n);
}

/// Computes I - 2 dot(N, I) N.
static LogicalResult reflect(Lowering &l, Operation *op) {
  Scalars i = widened(l, op->getOperand(0)), n = widened(l, op->getOperand(1));
  Value product = dot(l, n, i);
  Value twice = mul(l, product, l.real(product.getType(), 2));
  for (auto [component, normal] : llvm::zip(i, n))
    component = sub(l, component, mul(l, twice, normal));
  return finishNarrowed(l, op, i);
}

/// Computes k = 1 - eta^2 (1 - dot(N, I)^2). If k < 0, the result is 0. Otherwise, it is eta I -
/// (eta dot(N, I) + sqrt(k)) N.
static LogicalResult refract(Lowering &l, Operation *op) {
  Scalars i = widened(l, op->getOperand(0)), n = widened(l, op->getOperand(1));
  Value eta = l.scalar(op->getOperand(2)), product = dot(l, n, i);
  Type type = product.getType();
  if (eta.getType() != type) // eta may be f32 for vectors of any type
    eta = eta.getType().getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth()
              ? arith::ExtFOp::create(l.b, type, eta).getResult()
              : arith::TruncFOp::create(l.b, type, eta).getResult();
  Value one = l.real(type, 1), zero = l.real(type, 0);
  Value k = sub(l, one, mul(l, mul(l, eta, eta), sub(l, one, mul(l, product, product))));
  Value none = arith::CmpFOp::create(l.b, arith::CmpFPredicate::OLT, k, zero);
  Value root = math::SqrtOp::create(l.b, arith::SelectOp::create(l.b, none, zero, k).getResult());
  Value along = add(l, mul(l, eta, product), root);
  for (auto [component, normal] : llvm::zip(i, n)) {
    Value value = sub(l, mul(l, eta, component), mul(l, along, normal));
    component = arith::SelectOp::create(l.b, none, zero, value);
  }
  return finishNarrowed(l, op, i);
}

//===-------------------------------------------------------------------------===//
// Determinants and inverses, by minors
//===-------------------------------------------------------------------------===//

namespace {
/// The elements of a square matrix, column by column.
struct Square {
  ArrayRef<Value> elements;
  int size;
  Value at(int row, int column) const { return elements[column * size + row]; }
};
} // namespace

/// Returns the determinant of the submatrix with these rows and columns.
static Value determinantOf(Lowering &l, Square m, ArrayRef<int> rows, ArrayRef<int> columns) {
  if (rows.size() == 1)
    return m.at(rows[0], columns[0]);
  Value sum;
  for (size_t i = 0; i < columns.size(); ++i) {
    SmallVector<int> rest(columns);
    rest.erase(rest.begin() + static_cast<ptrdiff_t>(i));
    Value minor = determinantOf(l, m, rows.drop_front(), rest);
    Value term = mul(l, m.at(rows[0], columns[i]), minor);
    sum = !sum ? term : i % 2 ? sub(l, sum, term) : add(l, sum, term);
  }
  return sum;
}

static SmallVector<int> allBut(int size, int left) {
  SmallVector<int> list;
  for (int i = 0; i < size; ++i)
    if (i != left)
      list.push_back(i);
  return list;
}

static Square squareOf(ArrayRef<Value> elements) {
  return {elements, elements.size() == 4 ? 2 : elements.size() == 9 ? 3 : 4};
}

static LogicalResult determinant(Lowering &l, Operation *op) {
  Scalars elements = widened(l, op->getOperand(0));
  Square m = squareOf(elements);
  SmallVector<int> all = allBut(m.size, -1);
  return finishNarrowed(l, op, {determinantOf(l, m, all, all)});
}

/// Inverts a matrix. Element (row, column) of the inverse is the cofactor of element (column, row),
/// divided by the determinant.
static LogicalResult inverse(Lowering &l, Operation *op) {
  Scalars elements = widened(l, op->getOperand(0)), result;
  Square m = squareOf(elements);
  Type type = elements[0].getType();
  for (int column = 0; column < m.size; ++column)
    for (int row = 0; row < m.size; ++row) {
      Value minor = determinantOf(l, m, allBut(m.size, column), allBut(m.size, row));
      result.push_back((row + column) % 2 ? negative(l, minor) : minor);
    }
  // The determinant is the dot product of the first row and its cofactors, which are the result's
  // first column.
  Value whole;
  for (int i = 0; i < m.size; ++i) {
    Value term = mul(l, m.at(0, i), result[i]);
    whole = whole ? add(l, whole, term) : term;
  }
  Value factor = div(l, l.real(type, 1), whole);
  for (Value &element : result)
    element = mul(l, element, factor);
  return finishNarrowed(l, op, result);
}

static constexpr Rule rulesOfVectors[] = {
    {"GLSL.std.450/Cross", cross},         {"GLSL.std.450/Determinant", determinant},
    {"GLSL.std.450/Distance", distance},   {"GLSL.std.450/FaceForward", faceForward},
    {"GLSL.std.450/Length", length},       {"GLSL.std.450/MatrixInverse", inverse},
    {"GLSL.std.450/Normalize", normalize}, {"GLSL.std.450/Reflect", reflect},
    {"GLSL.std.450/Refract", refract},
};

ArrayRef<Rule> pumice::cpu::glslVectorRules() { return rulesOfVectors; }

//===- MatrixProducts.cpp - products of matrices ----------------------------===//
// A matrix is represented by its elements, column by column. Element (row, column) is at index
// column * rows + row.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/from_spirv/SpirvToLanes.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

namespace {
struct Matrix {
  Scalars elements;
  size_t rows, columns;
  Value at(size_t row, size_t column) const { return elements[column * rows + row]; }
};
} // namespace

/// Returns a value as a matrix. A vector is one column, or one row if `asRow` is set.
static Matrix matrixOf(Lowering &l, Value value, bool asRow = false) {
  Scalars elements = l.get(value);
  if (auto type = dyn_cast<spirv::MatrixType>(value.getType()))
    return {elements, type.getNumRows(), type.getNumColumns()};
  if (asRow)
    return {elements, 1, elements.size()};
  return {elements, elements.size(), 1};
}

static Value product(Lowering &l, const Matrix &x, const Matrix &y, size_t row, size_t column) {
  Scalars left, right;
  for (size_t i = 0; i < x.columns; ++i) {
    left.push_back(x.at(row, i));
    right.push_back(y.at(i, column));
  }
  return floats::dot(l, left, right);
}

static LogicalResult multiply(Lowering &l, Operation *op, const Matrix &x, const Matrix &y) {
  if (x.columns != y.rows)
    return l.error() << "a product of " << x.columns << " columns with " << y.rows << " rows";
  Scalars result;
  for (size_t column = 0; column < y.columns; ++column)
    for (size_t row = 0; row < x.rows; ++row)
      result.push_back(product(l, x, y, row, column));
  return l.finish(op, result);
}

static LogicalResult lowerProduct(Lowering &l, Operation *op) {
  return multiply(l, op, matrixOf(l, op->getOperand(0)), matrixOf(l, op->getOperand(1)));
}

static LogicalResult lowerRowProduct(Lowering &l, Operation *op) {
  return multiply(l, op, matrixOf(l, op->getOperand(0), true), matrixOf(l, op->getOperand(1)));
}

static LogicalResult lowerOuter(Lowering &l, Operation *op) {
  return multiply(l, op, matrixOf(l, op->getOperand(0)), matrixOf(l, op->getOperand(1), true));
}

static LogicalResult lowerTranspose(Lowering &l, Operation *op) {
  Matrix m = matrixOf(l, op->getOperand(0));
  Scalars result;
  for (size_t row = 0; row < m.rows; ++row)
    for (size_t column = 0; column < m.columns; ++column)
      result.push_back(m.at(row, column));
  return l.finish(op, result);
}

static constexpr Rule rulesOfMatrices[] = {
    {"MatrixTimesMatrix", lowerProduct},    {"MatrixTimesVector", lowerProduct},
    {"OuterProduct", lowerOuter},           {"Transpose", lowerTranspose},
    {"VectorTimesMatrix", lowerRowProduct},
};

ArrayRef<Rule> pumice::cpu::matrixRules() { return rulesOfMatrices; }

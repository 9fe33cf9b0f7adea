//===- SimdProducts.cpp - products of a subgroup's matrices -----------------===//
// A tile of sums stays in registers while the depth is run through:
//   for k: right = b[k][column…]           (whole vectors)
//          for each row of the tile: sums[row] += splat(a[row][k]) * right
// Both factors lie in a scratch copy in the first cache, so that subgroups of any width use whole
// registers. Where one instruction multiplies pairs of bf16 or quads of bytes and adds them up, k
// counts those, and b is interleaved: its vectors hold the k-th group of each column.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/SimdEmitter.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

static Type elementOf(ValueRange elements) { return elements.front().getType(); }

static VectorType vectorType(Value vector) { return cast<VectorType>(vector.getType()); }

/// Floats are summed up in f32 at least. Integers may wrap in the result's width, but the product
/// that is clamped afterwards must be exact.
static Type typeOfSums(lane::MatrixProductOp op, OpBuilder &b) {
  unsigned factors = std::max(elementOf(op.getA()).getIntOrFloatBitWidth(),
                              elementOf(op.getB()).getIntOrFloatBitWidth());
  unsigned sums = elementOf(op.getC()).getIntOrFloatBitWidth();
  if (isa<FloatType>(elementOf(op.getC())))
    return std::max(factors, sums) > 32 ? b.getF64Type() : b.getF32Type();
  if (op.getSaturating())
    return factors == 8 ? b.getI32Type() : b.getI64Type();
  return b.getIntegerType(std::max(factors, sums));
}

/// A vector with other elements of the same kind.
Value SimdEmitter::resized(Value vector, Type element, bool isSigned) {
  Type old = vectorType(vector).getElementType();
  unsigned from = old.getIntOrFloatBitWidth(), to = element.getIntOrFloatBitWidth();
  Type type = vectorOf(element, vectorType(vector).getNumElements());
  if (old == element)
    return vector;
  if (isa<FloatType>(element))
    return from < to ? arith::ExtFOp::create(b, type, vector).getResult()
                     : arith::TruncFOp::create(b, type, vector).getResult();
  if (from > to)
    return arith::TruncIOp::create(b, type, vector);
  return isSigned ? arith::ExtSIOp::create(b, type, vector).getResult()
                  : arith::ExtUIOp::create(b, type, vector).getResult();
}

//===-------------------------------------------------------------------------===//
// Factors
//===-------------------------------------------------------------------------===//

/// What one instruction adds to a sum.
static MatrixFactors::Kind kindOf(lane::MatrixProductOp op, Type sum, const SimdTarget &target) {
  bool whole = op.getColumns() >= 16 && target.lanes == 16;
  bool bytes = elementOf(op.getA()).isInteger(8) && elementOf(op.getB()).isInteger(8);
  bool brains = elementOf(op.getA()).isBF16() && elementOf(op.getB()).isBF16();
  if (whole && bytes && target.byteQuads && sum.isInteger(32) && op.getDepth() % 4 == 0)
    return MatrixFactors::ByteQuads;
  if (whole && brains && target.brainPairs && sum.isF32() && op.getDepth() % 2 == 0)
    return MatrixFactors::BrainPairs;
  return MatrixFactors::Each;
}

/// The elements of vectors in turn.
Value SimdEmitter::interleave(Value x, Value y) {
  SmallVector<int32_t> from;
  for (int64_t i = 0, n = vectorType(x).getNumElements(); i < n; ++i) {
    from.push_back(i);
    from.push_back(n + i);
  }
  return shuffle(x, y, from);
}

/// Rows of vectors, `across` each, as groups of as many rows as one instruction adds up.
SmallVector<Value> SimdEmitter::interleaveRows(ArrayRef<Value> rows, size_t across, size_t step) {
  SmallVector<Value> groups;
  for (size_t row = 0; row < rows.size() / across; row += step)
    for (size_t v = 0; v < across; ++v) {
      auto at = [&](size_t i) { return rows[(row + i) * across + v]; };
      if (step == 2) {
        groups.push_back(interleave(at(0), at(1)));
        continue;
      }
      Value halves[2] = {interleave(at(0), at(1)), interleave(at(2), at(3))};
      int64_t count = vectorType(at(0)).getNumElements();
      for (Value &half : halves)
        half = LLVM::BitcastOp::create(b, vectorOf(b.getI16Type(), count), half);
      groups.push_back(LLVM::BitcastOp::create(b, vectorOf(b.getI8Type(), 4 * count),
                                               interleave(halves[0], halves[1])));
    }
  return groups;
}

/// Bytes of both factors are signed, or of neither: the instruction takes one of each, so that the
/// left one is moved by 128, and 128 times the right one's column sums are put right.
static bool movesBytes(lane::MatrixProductOp op) { return op.getSignedA() == op.getSignedB(); }

MatrixFactors SimdEmitter::prepareFactors(lane::MatrixProductOp op, Type sum) {
  MatrixFactors factors;
  factors.kind = kindOf(op, sum, target);
  factors.sum = sum;
  factors.depth = op.getDepth();
  factors.columns = op.getColumns();
  factors.width = std::min(op.getColumns(), target.lanes);
  SmallVector<Value> left = wholeVectors(op.getA()), right = wholeVectors(op.getB());
  if (factors.kind == MatrixFactors::Each) {
    factors.element = sum;
    for (Value &vector : left)
      vector = resized(vector, sum, op.getSignedA());
    for (Value &vector : right)
      vector = resized(vector, sum, op.getSignedB());
    factors.a = matrixInMemory(left);
    factors.b = matrixInMemory(right);
    return factors;
  }
  factors.element = elementOf(op.getA());
  factors.step = factors.kind == MatrixFactors::BrainPairs ? 2 : 4;
  factors.rightFirst = factors.step == 4 && !op.getSignedB();
  if (factors.step == 4 && movesBytes(op))
    for (Value &vector : left)
      vector = LLVM::XOrOp::create(b, vector, integer(vector.getType(), -128));
  size_t across = factors.columns / factors.width;
  if (factors.width != lanes)
    right =
        vectorsFrom(matrixInMemory(right), factors.element, factors.width, factors.depth * across);
  factors.a = matrixInMemory(left);
  factors.groups = interleaveRows(right, across, factors.step);
  factors.b = matrixInMemory(factors.groups);
  return factors;
}

/// What moving the left factor by 128 adds to each row's sums, to be taken away.
SmallVector<Value> SimdEmitter::columnSums(const MatrixFactors &factors) {
  size_t across = factors.columns / factors.width;
  Type type = vectorOf(factors.sum, factors.width);
  SmallVector<Value> sums(across, integer(type, 0));
  for (auto [i, group] : llvm::enumerate(factors.groups))
    sums[i % across] = multiplyAdd(factors, integer(group.getType(), 1), group, sums[i % across]);
  for (Value &sum : sums)
    sum = LLVM::ShlOp::create(b, sum, integer(type, 7));
  return sums;
}

//===-------------------------------------------------------------------------===//
// Tiles
//===-------------------------------------------------------------------------===//

Value SimdEmitter::multiplyAdd(const MatrixFactors &factors, Value x, Value y, Value sum) {
  auto call = [&](StringRef name, ValueRange operands) {
    return LLVM::CallIntrinsicOp::create(b, sum.getType(), b.getStringAttr(name), operands)
        .getResults();
  };
  if (factors.kind == MatrixFactors::BrainPairs)
    return call("llvm.x86.avx512bf16.dpbf16ps.512", {sum, x, y});
  if (factors.kind == MatrixFactors::ByteQuads) // unsigned bytes, then signed ones
    return call("llvm.x86.avx512.vpdpbusd.512",
                {sum, factors.rightFirst ? y : x, factors.rightFirst ? x : y});
  if (isa<IntegerType>(factors.sum))
    return arith::AddIOp::create(b, sum, arith::MulIOp::create(b, x, y).getResult());
  auto fused = arith::FastMathFlags::contract;
  return arith::AddFOp::create(b, arith::MulFOp::create(b, x, y, fused).getResult(), sum, fused);
}

/// The group of a row's elements at an address, for each column.
Value SimdEmitter::splatFrom(const MatrixFactors &factors, Value address) {
  Type group = factors.step == 1 ? factors.element : b.getI32Type();
  Type type = vectorOf(group, factors.width);
  Value first =
      LLVM::InsertElementOp::create(b, LLVM::PoisonOp::create(b, type),
                                    loadFrom(group, address, bytesOf(factors.element)), i32(0));
  Value same = shuffle(first, SmallVector<int32_t>(factors.width, 0));
  if (factors.step == 1)
    return same;
  return LLVM::BitcastOp::create(b, vectorOf(factors.element, factors.width * factors.step), same);
}

/// Adds a tile's part of the product to its sums, which stay in registers.
void SimdEmitter::multiplyTile(const MatrixFactors &factors, const MatrixTile &tile,
                               MutableArrayRef<Value> sums) {
  Block *loop = newBlock(), *done = newBlock();
  SmallVector<Value> passed = {i64(0)};
  llvm::append_range(passed, sums);
  LLVM::BrOp::create(b, passed, loop);
  for (Value value : passed)
    loop->addArgument(value.getType(), b.getLoc());
  startBlock(loop);
  Value k = loop->getArgument(0);
  int64_t size = bytesOf(factors.element), group = size * factors.step;
  auto times = [&](Value number, int64_t by) {
    return LLVM::MulOp::create(b, number, i64(by)).getRes();
  };
  Value a = offset(factors.a, times(k, group));
  Value right = offset(factors.b, times(k, factors.columns * group));
  int64_t bytes = factors.width * group;
  SmallVector<Value> rights = vectorsFrom(offset(right, tile.vector * bytes), factors.element,
                                          factors.width * factors.step, tile.vectors);
  SmallVector<Value> next = {LLVM::AddOp::create(b, k, i64(1))};
  for (int64_t row = 0; row < tile.rows; ++row) {
    Value left = splatFrom(factors, offset(a, (tile.row + row) * factors.depth * size));
    for (int64_t v = 0; v < tile.vectors; ++v)
      next.push_back(
          multiplyAdd(factors, left, rights[v], loop->getArgument(1 + row * tile.vectors + v)));
  }
  Value again =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult, next[0], i64(factors.depth / factors.step));
  auto results = ArrayRef<Value>(next).drop_front();
  LLVM::CondBrOp::create(b, again, loop, next, done, results);
  for (auto [i, value] : llvm::enumerate(results))
    sums[i] = done->addArgument(value.getType(), b.getLoc());
  startBlock(done);
}

/// Cuts the sums, `across` vectors a row, into tiles that fit the registers.
void SimdEmitter::multiplyTiles(const MatrixFactors &factors, int64_t rows,
                                MutableArrayRef<Value> sums) {
  // The other registers hold the right factor's vectors and a splat.
  int64_t across = factors.columns / factors.width;
  int64_t registers = target.lanes == 16 ? 24 : 12;
  int64_t each = llvm::divideCeil(factors.width * bytesOf(factors.sum), target.lanes * 4);
  int64_t most = std::max<int64_t>(registers / each, 1);
  int64_t vectors = std::min<int64_t>(across, target.lanes == 16 ? 4 : 2);
  int64_t tiles = llvm::divideCeil(rows, std::max<int64_t>(most / vectors, 1));
  int64_t height = llvm::divideCeil(rows, tiles);
  for (int64_t vector = 0; vector < across; vector += vectors)
    for (int64_t row = 0; row < rows; row += height) {
      MatrixTile tile{row, std::min(height, rows - row), vector, vectors};
      auto sumAt = [&](int64_t i) -> Value & {
        return sums[(row + i / vectors) * across + vector + i % vectors];
      };
      SmallVector<Value> part;
      for (int64_t i = 0; i < tile.rows * vectors; ++i)
        part.push_back(sumAt(i));
      multiplyTile(factors, tile, part);
      for (int64_t i = 0; i < tile.rows * vectors; ++i)
        sumAt(i) = part[i];
    }
}

//===-------------------------------------------------------------------------===//
// Products
//===-------------------------------------------------------------------------===//

/// c and an exact product, clamped to c's type.
Value SimdEmitter::saturated(Value c, Value product, bool isSigned) {
  Type element = vectorType(c).getElementType(), wide = b.getI64Type();
  unsigned width = element.getIntOrFloatBitWidth();
  Value sum = arith::AddIOp::create(b, resized(c, wide, isSigned), resized(product, wide, true));
  int64_t most = isSigned ? llvm::maxIntN(width) : static_cast<int64_t>(llvm::maxUIntN(width));
  sum = arith::MinSIOp::create(b, sum, integer(sum.getType(), most));
  int64_t least = isSigned ? llvm::minIntN(width) : 0;
  sum = arith::MaxSIOp::create(b, sum, integer(sum.getType(), least));
  return resized(sum, element, true);
}

void SimdEmitter::emitMatrixProduct(lane::MatrixProductOp op) {
  Type element = typeOfSums(op, b), narrow = elementOf(op.getC());
  MatrixFactors factors = prepareFactors(op, element);
  SmallVector<Value> c = wholeVectors(op.getC());
  unsigned width = factors.width;
  int64_t across = op.getColumns() / width, count = op.getRows() * across;
  bool direct = width == lanes; // a vector of sums is one of the subgroup's
  SmallVector<Value> sums;
  if (op.getSaturating())
    sums.assign(count, integer(vectorOf(element, width), 0));
  else
    sums = direct ? c : vectorsFrom(matrixInMemory(c), narrow, width, count);
  for (Value &sum : sums)
    sum = resized(sum, element, op.getSignedC());
  if (factors.step == 4 && movesBytes(op)) {
    SmallVector<Value> moved = columnSums(factors);
    for (auto [i, sum] : llvm::enumerate(sums))
      sum = op.getSignedA() ? LLVM::SubOp::create(b, sum, moved[i % across]).getRes()
                            : LLVM::AddOp::create(b, sum, moved[i % across]).getRes();
  }
  multiplyTiles(factors, op.getRows(), sums);
  if (!op.getSaturating())
    for (Value &sum : sums)
      sum = resized(sum, narrow, op.getSignedC());
  if (!direct) { // back to the subgroup's vectors
    Type type = vectorType(sums.front()).getElementType();
    sums = vectorsFrom(matrixInMemory(sums), type, lanes, op.getResults().size());
  }
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    define(result, op.getSaturating() ? saturated(c[i], sums[i], op.getSignedC()) : sums[i]);
}

//===- MatrixProducts.cpp - products of a subgroup's matrices ---------------===//
// A tile of sums stays in registers throughout the loop over the depth:
//   for k: right = b[k][column…]           (whole vectors)
//          for each row of the tile: sums[row] += b.splat(a[row][k]) * right
// Both factors are copied to scratch memory, which stays in the first-level cache. So subgroups of
// any width can use whole registers. Some instructions multiply pairs of bf16 or quads of bytes,
// and add up the products. Then k counts these groups, and b is interleaved: its vectors hold the
// k-th group of each column.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/simd/Emitter.h"
#include "compiler/cpu/simd/Matrices.h"
#include "compiler/cpu/simd/Rules.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

namespace {
/// The part of a product whose sums fit in registers: some rows, and some vectors of each row.
struct MatrixTile {
  int64_t row, rows, vector, vectors;
};
} // namespace

static Type elementOf(ValueRange elements) { return elements.front().getType(); }

static VectorType vectorType(Value vector) { return cast<VectorType>(vector.getType()); }

/// Returns the type of the sums. Floats are summed in f32 or wider. Sums of integers may wrap in
/// the width of the result, unless the result saturates. In that case, the sums must be exact.
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

/// Converts a vector to another element type of the same kind.
static Value resized(LaneBuilder &b, Value vector, Type element, bool isSigned) {
  Type old = vectorType(vector).getElementType();
  unsigned from = old.getIntOrFloatBitWidth(), to = element.getIntOrFloatBitWidth();
  Type type = b.vectorOf(element, vectorType(vector).getNumElements());
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

/// Returns the group of elements that one instruction multiplies and adds to a sum.
static MatrixFactors::Kind kindOf(lane::MatrixProductOp op, Type sum, const SimdTarget &target) {
  bool whole = op.getColumns() >= 16 && target.lanes == 16;
  bool bytes = elementOf(op.getA()).isInteger(8) && elementOf(op.getB()).isInteger(8);
  bool brains = elementOf(op.getA()).isBF16() && elementOf(op.getB()).isBF16();
  bool tiles = whole && op.getRows() % 16 == 0 && op.getColumns() % 16 == 0;
  if (tiles && bytes && target.byteTiles && sum.isInteger(32) && op.getDepth() % 64 == 0)
    return MatrixFactors::ByteTiles;
  if (tiles && brains && target.brainTiles && sum.isF32() && op.getDepth() % 32 == 0)
    return MatrixFactors::BrainTiles;
  if (whole && bytes && target.byteQuads && sum.isInteger(32) && op.getDepth() % 4 == 0)
    return MatrixFactors::ByteQuads;
  if (whole && brains && target.brainPairs && sum.isF32() && op.getDepth() % 2 == 0)
    return MatrixFactors::BrainPairs;
  return MatrixFactors::Each;
}

/// Interleaves the elements of both vectors.
static Value interleave(LaneBuilder &b, Value x, Value y) {
  SmallVector<int32_t> from;
  for (int64_t i = 0, n = vectorType(x).getNumElements(); i < n; ++i) {
    from.push_back(i);
    from.push_back(n + i);
  }
  return b.shuffle(x, y, from);
}

/// Interleaves rows of `across` vectors each. A group has as many rows as one instruction adds up.
static SmallVector<Value> interleaveRows(LaneBuilder &b, ArrayRef<Value> rows, size_t across,
                                         size_t step) {
  SmallVector<Value> groups;
  for (size_t row = 0; row < rows.size() / across; row += step)
    for (size_t v = 0; v < across; ++v) {
      auto at = [&](size_t i) { return rows[(row + i) * across + v]; };
      if (step == 2) {
        groups.push_back(interleave(b, at(0), at(1)));
        continue;
      }
      Value halves[2] = {interleave(b, at(0), at(1)), interleave(b, at(2), at(3))};
      int64_t count = vectorType(at(0)).getNumElements();
      for (Value &half : halves)
        half = LLVM::BitcastOp::create(b, b.vectorOf(b.getI16Type(), count), half);
      groups.push_back(LLVM::BitcastOp::create(b, b.vectorOf(b.getI8Type(), 4 * count),
                                               interleave(b, halves[0], halves[1])));
    }
  return groups;
}

/// Returns whether 128 is added to the bytes of the left factor. The instruction takes one signed
/// and one unsigned factor, but here both are signed, or both are unsigned. `correction` subtracts
/// 128 times the column sums of the right factor.
static bool movesBytes(const MatrixFactors &factors) {
  return factors.kind == MatrixFactors::ByteQuads && factors.leftSigned == factors.rightSigned;
}

static MatrixFactors prepareFactors(SimdEmitter &e, lane::MatrixProductOp op, Type sum) {
  MatrixFactors factors;
  factors.kind = kindOf(op, sum, e.target);
  factors.sum = sum;
  factors.depth = op.getDepth();
  factors.columns = op.getColumns();
  factors.width = std::min(op.getColumns(), e.target.lanes);
  SmallVector<Value> left = wholeVectors(e, op.getA()), right = wholeVectors(e, op.getB());
  if (factors.kind == MatrixFactors::Each) {
    factors.element = sum;
    for (Value &vector : left)
      vector = resized(e.b, vector, sum, op.getSignedA());
    for (Value &vector : right)
      vector = resized(e.b, vector, sum, op.getSignedB());
    factors.a = matrixInMemory(e.b, left);
    factors.b = matrixInMemory(e.b, right);
    return factors;
  }
  factors.element = elementOf(op.getA());
  factors.step = factors.element.isBF16() ? 2 : 4;
  factors.leftSigned = op.getSignedA();
  factors.rightSigned = op.getSignedB();
  factors.rightFirst = !op.getSignedB();
  if (movesBytes(factors))
    for (Value &vector : left)
      vector = LLVM::XOrOp::create(e.b, vector, e.b.integer(vector.getType(), -128));
  size_t across = factors.columns / factors.width;
  if (factors.width != e.b.lanes)
    right = vectorsFrom(e.b, matrixInMemory(e.b, right), factors.element, factors.width,
                        factors.depth * across);
  factors.a = matrixInMemory(e.b, left);
  factors.groups = interleaveRows(e.b, right, across, factors.step);
  factors.b = matrixInMemory(e.b, factors.groups);
  return factors;
}

static Value multiplyAdd(LaneBuilder &b, const MatrixFactors &factors, Value x, Value y,
                         Value sum) {
  auto call = [&](StringRef name, ValueRange operands) {
    return LLVM::CallIntrinsicOp::create(b, sum.getType(), b.getStringAttr(name), operands)
        .getResults();
  };
  if (factors.kind == MatrixFactors::BrainPairs)
    return call("llvm.x86.avx512bf16.dpbf16ps.512", {sum, x, y});
  // The instruction takes the unsigned bytes first.
  if (factors.kind == MatrixFactors::ByteQuads)
    return call("llvm.x86.avx512.vpdpbusd.512",
                {sum, factors.rightFirst ? y : x, factors.rightFirst ? x : y});
  if (isa<IntegerType>(factors.sum))
    return arith::AddIOp::create(b, sum, arith::MulIOp::create(b, x, y).getResult());
  auto fused = arith::FastMathFlags::contract;
  return arith::AddFOp::create(b, arith::MulFOp::create(b, x, y, fused).getResult(), sum, fused);
}

/// Returns what must be subtracted from each row of sums because of `movesBytes`: one vector for
/// each vector in a row, or nothing.
static SmallVector<Value> correction(LaneBuilder &b, const MatrixFactors &factors) {
  if (!movesBytes(factors))
    return {};
  size_t across = factors.columns / factors.width;
  Type type = b.vectorOf(factors.sum, factors.width);
  SmallVector<Value> sums(across, b.integer(type, 0));
  for (auto [i, group] : llvm::enumerate(factors.groups))
    sums[i % across] =
        multiplyAdd(b, factors, b.integer(group.getType(), 1), group, sums[i % across]);
  Value factor = b.integer(type, factors.leftSigned ? -128 : 128);
  for (Value &sum : sums)
    sum = LLVM::MulOp::create(b, sum, factor);
  return sums;
}

//===-------------------------------------------------------------------------===//
// Tiles
//===-------------------------------------------------------------------------===//

/// Loads a group of elements of a row, and repeats it for each column.
static Value splatFrom(LaneBuilder &b, const MatrixFactors &factors, Value address) {
  Type group = factors.step == 1 ? factors.element : b.getI32Type();
  Type type = b.vectorOf(group, factors.width);
  Value first =
      LLVM::InsertElementOp::create(b, LLVM::PoisonOp::create(b, type),
                                    b.loadFrom(group, address, bytesOf(factors.element)), b.i32(0));
  Value same = b.shuffle(first, SmallVector<int32_t>(factors.width, 0));
  if (factors.step == 1)
    return same;
  return LLVM::BitcastOp::create(b, b.vectorOf(factors.element, factors.width * factors.step),
                                 same);
}

/// Adds the product's part in one tile to the tile's sums, which stay in registers.
static void multiplyTile(LaneBuilder &b, const MatrixFactors &factors, const MatrixTile &tile,
                         MutableArrayRef<Value> sums) {
  Block *loop = b.newBlock(), *done = b.newBlock();
  SmallVector<Value> passed = {b.i64(0)};
  llvm::append_range(passed, sums);
  LLVM::BrOp::create(b, passed, loop);
  for (Value value : passed)
    loop->addArgument(value.getType(), b.getLoc());
  b.startBlock(loop);
  Value k = loop->getArgument(0);
  int64_t size = bytesOf(factors.element), group = size * factors.step;
  auto times = [&](Value number, int64_t by) {
    return LLVM::MulOp::create(b, number, b.i64(by)).getRes();
  };
  Value a = b.offset(factors.a, times(k, group));
  Value right = b.offset(factors.b, times(k, factors.columns * group));
  int64_t bytes = factors.width * group;
  SmallVector<Value> rights = vectorsFrom(b, b.offset(right, tile.vector * bytes), factors.element,
                                          factors.width * factors.step, tile.vectors);
  SmallVector<Value> next = {LLVM::AddOp::create(b, k, b.i64(1))};
  for (int64_t row = 0; row < tile.rows; ++row) {
    Value left = splatFrom(b, factors, b.offset(a, (tile.row + row) * factors.depth * size));
    for (int64_t v = 0; v < tile.vectors; ++v)
      next.push_back(
          multiplyAdd(b, factors, left, rights[v], loop->getArgument(1 + row * tile.vectors + v)));
  }
  Value again = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult, next[0],
                                     b.i64(factors.depth / factors.step));
  auto results = ArrayRef<Value>(next).drop_front();
  LLVM::CondBrOp::create(b, again, loop, next, done, results);
  for (auto [i, value] : llvm::enumerate(results))
    sums[i] = done->addArgument(value.getType(), b.getLoc());
  b.startBlock(done);
}

/// Divides the sums into tiles that fit in the registers.
static void multiplyTiles(SimdEmitter &e, const MatrixFactors &factors, MatrixSums &sums) {
  // The remaining registers hold vectors of the right factor and a splat.
  int64_t registers = e.target.lanes == 16 ? 24 : 12, bytes = factors.width * bytesOf(factors.sum);
  int64_t most = std::max<int64_t>(registers / llvm::divideCeil(bytes, e.target.lanes * 4), 1);
  int64_t vectors = std::min<int64_t>(sums.across, e.target.lanes == 16 ? 4 : 2);
  int64_t tiles = llvm::divideCeil(sums.rows, std::max<int64_t>(most / vectors, 1));
  int64_t height = llvm::divideCeil(sums.rows, tiles);
  SmallVector<Value> added = correction(e.b, factors);
  for (int64_t vector = 0; vector < sums.across; vector += vectors)
    for (int64_t row = 0; row < sums.rows; row += height) {
      MatrixTile tile{row, std::min(height, sums.rows - row), vector, vectors};
      auto placeOf = [&](int64_t i) {
        return (row + i / vectors) * sums.across + vector + i % vectors;
      };
      auto memoryAt = [&](int64_t i) { return e.b.offset(sums.memory, placeOf(i) * bytes); };
      SmallVector<Value> part;
      for (int64_t i = 0; i < tile.rows * vectors; ++i) {
        part.push_back(
            sums.memory ? e.b.loadFrom(e.b.vectorOf(factors.sum, factors.width), memoryAt(i), bytes)
                        : sums.vectors[placeOf(i)]);
        if (!added.empty())
          part.back() = LLVM::AddOp::create(e.b, part.back(), added[vector + i % vectors]);
      }
      multiplyTile(e.b, factors, tile, part);
      for (auto [i, value] : llvm::enumerate(part))
        if (sums.memory)
          e.b.storeTo(value, memoryAt(i), bytes);
        else
          sums.vectors[placeOf(i)] = value;
    }
}

//===-------------------------------------------------------------------------===//
// Sums in variables
//===-------------------------------------------------------------------------===//

namespace {
/// A variable to which a product is added. It is read for the product, then set to its result, and
/// not accessed in between.
struct Updated {
  Value slot;
  lane::SetOp set;
};
} // namespace

static std::optional<Updated> updatedBy(lane::MatrixProductOp op, Value c, Value result) {
  auto get = c.getDefiningOp<lane::GetOp>();
  if (!get || get->getBlock() != op->getBlock() || !c.hasOneUse() || !result.hasOneUse())
    return std::nullopt;
  auto set = dyn_cast<lane::SetOp>(*result.getUsers().begin());
  if (!set || set->getBlock() != op->getBlock() || set.getSlot() != get.getSlot())
    return std::nullopt;
  for (Operation *user : get.getSlot().getUsers()) {
    Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
    if (here && get->isBeforeInBlock(here) && here->isBeforeInBlock(set))
      return std::nullopt;
  }
  return Updated{get.getSlot(), set};
}

static SmallVector<Updated> updatedBy(lane::MatrixProductOp op) {
  SmallVector<Updated> all;
  for (auto [c, result] : llvm::zip(op.getC(), op.getResults())) {
    std::optional<Updated> one = updatedBy(op, c, result);
    if (!one)
      return {};
    all.push_back(*one);
  }
  return all;
}

void cpu::groupSums(SimdEmitter &e, lane::MatrixProductOp op) {
  SmallVector<Updated> all = updatedBy(op);
  Type element = elementOf(op.getC());
  bool fits = !all.empty() && !op.getSaturating() && typeOfSums(op, e.b) == element &&
              std::min(op.getColumns(), e.target.lanes) == e.b.lanes;
  llvm::DenseSet<Value> distinct;
  for (const Updated &one : all)
    fits &= !e.variables.placeOf(one.slot) && !e.analysis.variable(one.slot).scalar() &&
            distinct.insert(one.slot).second;
  if (!fits)
    return;
  OpBuilder::InsertionGuard guard(e.b);
  Value memory = e.b.stackOf(e.b.vectorOf(element), static_cast<int64_t>(all.size()), 64);
  e.b.setInsertionPointAfter(memory.getDefiningOp());
  for (auto [i, one] : llvm::enumerate(all))
    e.variables.place(one.slot,
                      e.b.offset(memory, static_cast<int64_t>(i) * e.b.lanes * bytesOf(element)));
}

/// Returns the memory of the variables that a product may update in place, or null.
static Value variablesOf(SimdEmitter &e, lane::MatrixProductOp op) {
  SmallVector<Updated> all = updatedBy(op);
  if (all.empty() || std::min(op.getColumns(), e.target.lanes) != e.b.lanes)
    return {};
  auto placed = [&](Value slot) -> std::pair<Value, int64_t> {
    Value place = e.variables.placeOf(slot);
    auto step = place ? place.getDefiningOp<LLVM::GEPOp>() : LLVM::GEPOp();
    APInt bytes;
    if (step && matchPattern(step.getDynamicIndices()[0], m_ConstantInt(&bytes)))
      return {step.getBase(), bytes.getSExtValue()};
    return {place, 0};
  };
  Value memory = placed(all[0].slot).first;
  int64_t bytes = e.b.lanes * bytesOf(elementOf(op.getC()));
  for (auto [i, one] : llvm::enumerate(all))
    if (!memory || placed(one.slot) != std::pair(memory, static_cast<int64_t>(i) * bytes) ||
        (e.control.mask && !e.analysis.overwrites(one.set)))
      return {};
  for (const Updated &one : all)
    e.variables.setInPlace(one.set);
  return memory;
}

//===-------------------------------------------------------------------------===//
// Products
//===-------------------------------------------------------------------------===//

/// Adds an exact product to c, and clamps the result to c's type.
static Value saturated(LaneBuilder &b, Value c, Value product, bool isSigned) {
  Type element = vectorType(c).getElementType(), wide = b.getI64Type();
  unsigned width = element.getIntOrFloatBitWidth();
  Value sum =
      arith::AddIOp::create(b, resized(b, c, wide, isSigned), resized(b, product, wide, true));
  int64_t most = isSigned ? llvm::maxIntN(width) : static_cast<int64_t>(llvm::maxUIntN(width));
  sum = arith::MinSIOp::create(b, sum, b.integer(sum.getType(), most));
  int64_t least = isSigned ? llvm::minIntN(width) : 0;
  sum = arith::MaxSIOp::create(b, sum, b.integer(sum.getType(), least));
  return resized(b, sum, element, true);
}

static void emitMatrixProduct(SimdEmitter &e, lane::MatrixProductOp op) {
  Type element = typeOfSums(op, e.b), narrow = elementOf(op.getC());
  MatrixFactors factors = prepareFactors(e, op, element);
  unsigned width = factors.width;
  MatrixSums sums{.vectors = {},
                  .memory = variablesOf(e, op),
                  .rows = op.getRows(),
                  .across = op.getColumns() / width};
  int64_t count = sums.rows * sums.across;
  bool direct = width == e.b.lanes; // vectors of sums are as long as those of the subgroup
  SmallVector<Value> c;
  if (!sums.memory)
    c = wholeVectors(e, op.getC());
  if (op.getSaturating())
    sums.vectors.assign(count, e.b.integer(e.b.vectorOf(element, width), 0));
  else if (!sums.memory)
    sums.vectors = direct ? c : vectorsFrom(e.b, matrixInMemory(e.b, c), narrow, width, count);
  for (Value &sum : sums.vectors)
    sum = resized(e.b, sum, element, op.getSignedC());
  if (factors.kind == MatrixFactors::BrainTiles || factors.kind == MatrixFactors::ByteTiles)
    multiplyByTiles(e, factors, sums);
  else
    multiplyTiles(e, factors, sums);
  if (sums.memory)
    return;
  if (!op.getSaturating())
    for (Value &sum : sums.vectors)
      sum = resized(e.b, sum, narrow, op.getSignedC());
  if (!direct) { // converts back to vectors of the subgroup
    Type type = vectorType(sums.vectors.front()).getElementType();
    sums.vectors = vectorsFrom(e.b, matrixInMemory(e.b, sums.vectors), type, e.b.lanes,
                               op.getResults().size());
  }
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    e.values.define(result, op.getSaturating()
                                ? saturated(e.b, c[i], sums.vectors[i], op.getSignedC())
                                : sums.vectors[i]);
}

ArrayRef<simd::Rule> simd::matrixProductRules() {
  static const Rule rules[] = {rule<emitMatrixProduct>()};
  return rules;
}

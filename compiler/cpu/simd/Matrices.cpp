//===- Matrices.cpp - matrices of a subgroup, held in vectors ---------------===//
// Element e of a matrix, counted row by row, is in lane e % W of vector e / W, for W lanes. So
// consecutive vectors in memory are the matrix, row by row. MatrixProducts.cpp multiplies matrices.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/simd/Matrices.h"
#include "compiler/cpu/simd/Emitter.h"
#include "compiler/cpu/simd/Rules.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

/// Permutes values by the bits of their indices. Bit p of a value's new index is bit from[p] of its
/// old index. An index is vector * lanes + lane, and the number of vectors is a power of two.
static SmallVector<Value> permuteIndexBits(LaneBuilder &b, ArrayRef<Value> old,
                                           ArrayRef<unsigned> from) {
  SmallVector<Value> vectors(old);
  unsigned laneBits = llvm::Log2_32(b.lanes);
  SmallVector<unsigned> holds(from.size()); // which old bit is at each position now
  std::iota(holds.begin(), holds.end(), 0);
  for (unsigned p = 0; p < laneBits; ++p) {
    unsigned q = llvm::find(holds, from[p]) - holds.begin();
    if (q == p)
      continue;
    std::swap(holds[p], holds[q]);
    unsigned bit = 1u << p;
    if (q < laneBits) { // both bits are lane bits: within each vector
      SmallVector<int32_t> lanesFrom;
      for (unsigned lane = 0; lane < b.lanes; ++lane) {
        bool differs = (lane >> p & 1) != (lane >> q & 1);
        lanesFrom.push_back(differs ? lane ^ bit ^ 1u << q : lane);
      }
      for (Value &vector : vectors)
        vector = b.shuffle(vector, lanesFrom);
      continue;
    }
    // One bit is a vector bit: swaps the upper lanes of one vector with the lower lanes of the
    // other.
    SmallVector<int32_t> low, high;
    for (unsigned lane = 0; lane < b.lanes; ++lane) {
      low.push_back(lane & bit ? b.lanes + (lane ^ bit) : lane);
      high.push_back(lane & bit ? b.lanes + lane : lane | bit);
    }
    unsigned pair = 1u << (q - laneBits);
    for (unsigned i = 0; i < vectors.size(); ++i)
      if (!(i & pair)) {
        Value a = vectors[i], c = vectors[i | pair];
        vectors[i] = b.shuffle(a, c, low);
        vectors[i | pair] = b.shuffle(a, c, high);
      }
  }
  SmallVector<Value> result;
  for (unsigned i = 0; i < vectors.size(); ++i) {
    unsigned source = 0;
    for (unsigned p = laneBits; p < from.size(); ++p) {
      unsigned q = llvm::find(holds, from[p]) - holds.begin();
      source |= (i >> (p - laneBits) & 1) << (q - laneBits);
    }
    result.push_back(vectors[source]);
  }
  return result;
}

SmallVector<Value> cpu::wholeVectors(SimdEmitter &e, ValueRange elements) {
  SmallVector<Value> vectors;
  for (Value element : elements) {
    Value whole = e.values.vector(element);
    vectors.push_back(e.control.mask ? LLVM::FreezeOp::create(e.b, whole).getRes() : whole);
  }
  return vectors;
}

static void emitMatrixTranspose(SimdEmitter &e, lane::MatrixTransposeOp op) {
  unsigned rowBits = llvm::Log2_32(op.getRows()), columnBits = llvm::Log2_32(op.getColumns());
  SmallVector<unsigned> from;
  for (unsigned p = 0; p < rowBits + columnBits; ++p)
    from.push_back(p < rowBits ? columnBits + p : p - rowBits);
  SmallVector<Value> moved = permuteIndexBits(e.b, wholeVectors(e, op.getElements()), from);
  for (auto [result, value] : llvm::zip(op.getResults(), moved))
    e.values.define(result, value);
}

//===-------------------------------------------------------------------------===//
// Matrices in memory
//===-------------------------------------------------------------------------===//

Value cpu::matrixInMemory(LaneBuilder &b, ArrayRef<Value> vectors) {
  auto type = cast<VectorType>(vectors.front().getType());
  int64_t bytes = type.getNumElements() * bytesOf(type.getElementType());
  Value memory = b.stackOf(b.getI8Type(), bytes * static_cast<int64_t>(vectors.size()), 64);
  for (auto [i, vector] : llvm::enumerate(vectors))
    b.storeTo(vector, b.offset(memory, static_cast<int64_t>(i) * bytes),
              std::min<int64_t>(bytes, 64));
  return memory;
}

SmallVector<Value> cpu::vectorsFrom(LaneBuilder &b, Value memory, Type element, unsigned width,
                                    int64_t count) {
  SmallVector<Value> vectors;
  int64_t bytes = width * bytesOf(element);
  for (int64_t i = 0; i < count; ++i)
    vectors.push_back(b.loadFrom(b.vectorOf(element, width), b.offset(memory, i * bytes),
                                 std::min<int64_t>(bytes, 64)));
  return vectors;
}

ArrayRef<simd::Rule> simd::matrixRules() {
  static const Rule rules[] = {rule<emitMatrixTranspose>()};
  return rules;
}

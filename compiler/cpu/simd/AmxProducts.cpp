//===- AmxProducts.cpp - products of matrices by AMX ------------------------===//
// AMX has eight registers, each with 16 rows of 64 bytes. Four registers hold sums, as two by two
// tiles, and two hold parts of each factor. MatrixProducts.cpp prepares the factors: the left one
// row by row, and the right one in groups of rows that fill 32 bits. Sums are loaded from the
// variables that hold them:
//   tileload sums; for each 64 bytes of depth: tileload factors, tdp…; tilestore sums
// A kernel with such products configures the registers when it is called, and releases them when it
// returns. Between calls, a thread has no state in these registers.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/simd/Emitter.h"
#include "compiler/cpu/simd/Matrices.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

static constexpr int64_t tileRows = 16, tileBytes = 64;

static void callTile(LaneBuilder &b, StringRef name, ArrayRef<int64_t> tiles, ValueRange operands) {
  SmallVector<Value> all;
  for (int64_t tile : tiles)
    all.push_back(b.integer(b.getI8Type(), tile));
  llvm::append_range(all, operands);
  LLVM::CallIntrinsicOp::create(b, b.getStringAttr(name), all);
}

/// Configures all registers in the same way. The configuration starts with palette 1. Then come
/// 16-bit counts of the bytes in a row, and 8-bit counts of rows.
static void configureTiles(SimdEmitter &e) {
  if (std::exchange(e.matrices.usesTiles, true))
    return;
  std::string config(64, '\0');
  config[0] = 1;
  for (int tile = 0; tile < 8; ++tile) {
    config[16 + 2 * tile] = tileBytes;
    config[48 + tile] = tileRows;
  }
  OpBuilder::InsertionGuard guard(e.b);
  e.b.toEntryEnd();
  callTile(e.b, "llvm.x86.ldtilecfg", {}, e.frame.constantBytes(config));
}

void cpu::releaseTiles(SimdEmitter &e) {
  if (!e.matrices.usesTiles)
    return;
  e.frame.beforeReturns([&] { callTile(e.b, "llvm.x86.tilerelease", {}, {}); });
}

static StringRef productOf(const MatrixFactors &factors) {
  if (factors.kind == MatrixFactors::BrainTiles)
    return "llvm.x86.tdpbf16ps";
  if (factors.leftSigned)
    return factors.rightSigned ? "llvm.x86.tdpbssd" : "llvm.x86.tdpbsud";
  return factors.rightSigned ? "llvm.x86.tdpbusd" : "llvm.x86.tdpbuud";
}

void cpu::multiplyByTiles(SimdEmitter &e, const MatrixFactors &factors, MatrixSums &sums) {
  configureTiles(e);
  Value memory = sums.memory ? sums.memory : matrixInMemory(e.b, sums.vectors);
  int64_t across = sums.across, down = sums.rows / tileRows;
  int64_t depthBytes = factors.depth * bytesOf(factors.element);
  auto load = [&](int64_t tile, Value base, int64_t at, int64_t stride) {
    callTile(e.b, "llvm.x86.tileloadd64", {tile}, {e.b.offset(base, at), e.b.i64(stride)});
  };
  auto sumAt = [&](int64_t row, int64_t column) {
    return (row * tileRows * across + column) * tileBytes;
  };
  for (int64_t row = 0; row < down; row += 2)
    for (int64_t column = 0; column < across; column += 2) {
      int64_t high = std::min<int64_t>(2, down - row), wide = std::min<int64_t>(2, across - column);
      auto each = [&](auto use) {
        for (int64_t i = 0; i < high; ++i)
          for (int64_t j = 0; j < wide; ++j)
            use(i, j);
      };
      each([&](int64_t i, int64_t j) {
        load(2 * i + j, memory, sumAt(row + i, column + j), across * tileBytes);
      });
      for (int64_t k = 0; k < depthBytes; k += tileBytes) {
        for (int64_t i = 0; i < high; ++i)
          load(4 + i, factors.a, (row + i) * tileRows * depthBytes + k, depthBytes);
        for (int64_t j = 0; j < wide; ++j)
          load(6 + j, factors.b, k * tileRows * across + (column + j) * tileBytes,
               across * tileBytes);
        each([&](int64_t i, int64_t j) {
          callTile(e.b, productOf(factors), {2 * i + j, 4 + i, 6 + j}, {});
        });
      }
      each([&](int64_t i, int64_t j) {
        callTile(e.b, "llvm.x86.tilestored64", {2 * i + j},
                 {e.b.offset(memory, sumAt(row + i, column + j)), e.b.i64(across * tileBytes)});
      });
    }
  if (!sums.memory)
    sums.vectors = vectorsFrom(e.b, memory, factors.sum, factors.width, sums.rows * across);
}

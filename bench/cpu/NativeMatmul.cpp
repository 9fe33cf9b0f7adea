//===- NativeMatmul.cpp - a hand-written product of matrices ----------------===//
// Tiles of C stay in registers over a block of the inner dimension. A and B are first packed in the
// order in which tiles read them. Without that, rows of a power of two bytes would share too few
// cache sets.
//===-------------------------------------------------------------------------===//
#include "bench/cpu/NativeMatmul.h"

#include "bench/cpu/Simd.h"

#include <algorithm>

namespace pumice::bench {
namespace {

using namespace simd;

// 28 of 32 registers hold the tile with AVX-512, 12 of 16 with AVX2.
constexpr size_t rows = lanes == 16 ? 14 : 6, columns = 2 * lanes;
// The depth of a panel of B. One panel fits the first-level cache, and all panels of a block the
// second.
constexpr size_t depth = 256;

struct Matrices {
  const float *a, *b;
  float *c;
  size_t n;
  float *packedA, *packedB;

  size_t tiles() const { return (n + rows - 1) / rows; }
  size_t panels() const { return n / columns; }
  float *tile(size_t block, size_t index) const {
    return packedA + (block * tiles() + index) * rows * depth;
  }
  float *panel(size_t block, size_t index) const {
    return packedB + (block * panels() + index) * columns * depth;
  }
};

/// Packs a tile. Superfluous rows of the last tile are zeros. A row's cache line is read at once,
/// since the lines of all rows may share a cache set.
void packTile(const Matrices &m, size_t index) {
  constexpr size_t line = 16;
  for (size_t first = 0; first < m.n; first += line)
    for (size_t row = 0; row < rows; ++row) {
      float *to = m.tile(first / depth, index) + first % depth * rows + row;
      bool inside = index * rows + row < m.n;
      const float *from = m.a + (inside ? index * rows + row : 0) * m.n + first;
      for (size_t k = 0; k < line; ++k)
        to[k * rows] = inside ? from[k] : 0;
    }
}

void packPanels(const Matrices &m, size_t k) {
  for (size_t index = 0; index < m.panels(); ++index)
    std::copy_n(m.b + k * m.n + index * columns, columns,
                m.panel(k / depth, index) + k % depth * columns);
}

void multiplyTile(const Matrices &m, size_t block, size_t tileIndex, size_t panelIndex) {
  const float *a = m.tile(block, tileIndex), *b = m.panel(block, panelIndex);
  size_t steps = std::min(depth, m.n - block * depth);
  F sums[rows][2] = {};
  for (size_t k = 0; k < steps; ++k) {
    F left = load<F>(b + k * columns), right = load<F>(b + k * columns + lanes);
#pragma clang loop unroll(full)
    for (size_t row = 0; row < rows; ++row) {
      float factor = a[k * rows + row];
      sums[row][0] += factor * left;
      sums[row][1] += factor * right;
    }
  }
  size_t first = tileIndex * rows;
#pragma clang loop unroll(full)
  for (size_t row = 0; row < rows; ++row) {
    if (first + row >= m.n)
      break;
    float *to = m.c + (first + row) * m.n + panelIndex * columns;
    store(to, block ? load<F>(to) + sums[row][0] : sums[row][0]);
    store(to + lanes, block ? load<F>(to + lanes) + sums[row][1] : sums[row][1]);
  }
}

} // namespace

void nativeMatmul(const Problem &p, Pointers buffers, Team &team) {
  // Kept from call to call: fresh pages would cost more than the packing.
  static std::vector<float> packedA, packedB;
  Matrices m{reinterpret_cast<const float *>(buffers[0]),
             reinterpret_cast<const float *>(buffers[1]),
             reinterpret_cast<float *>(buffers[2]),
             p.n,
             nullptr,
             nullptr};
  size_t blocks = (m.n + depth - 1) / depth;
  packedA.resize(std::max(packedA.size(), blocks * m.tiles() * rows * depth));
  packedB.resize(std::max(packedB.size(), blocks * m.panels() * columns * depth + lanes));
  // Panels begin with a cache line.
  m.packedA = packedA.data();
  m.packedB = reinterpret_cast<float *>((reinterpret_cast<uintptr_t>(packedB.data()) + 63) & ~63ul);

  team.each(m.tiles() + m.n, 16, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      i < m.tiles() ? packTile(m, i) : packPanels(m, i - m.tiles());
  });
  size_t chunk = std::max<size_t>(1, m.tiles() / (team.threads() * 4));
  for (size_t block = 0; block < blocks; ++block)
    team.each(m.tiles(), chunk, [&](size_t begin, size_t end) {
      for (size_t panel = 0; panel < m.panels(); ++panel)
        for (size_t tile = begin; tile < end; ++tile)
          multiplyTile(m, block, tile, panel);
    });
}

} // namespace pumice::bench

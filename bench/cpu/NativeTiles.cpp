//===- NativeTiles.cpp - products of matrices by AMX, by hand ---------------===//
// Four tiles of C (2 x 2) stay in registers during the loop over the inner dimension. A and B are
// first packed in the order in which their tiles are loaded. AMX multiplies groups of 32 bits along
// the inner dimension, so consecutive rows of B are interleaved: each group holds values of one
// column.
//===-------------------------------------------------------------------------===//
#include "bench/cpu/NativeTiles.h"

#if defined(__AMX_BF16__) && defined(__AMX_INT8__) && defined(__linux__)

#include <algorithm>
#include <cstring>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pumice::bench {
namespace {

constexpr size_t side = 16, bytes = 64; // the rows of a tile, and the bytes of each

struct Config {
  uint8_t palette = 1, start = 0, reserved[14] = {};
  uint16_t rowBytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

struct Matrices {
  const std::byte *a, *b;
  std::byte *c;
  size_t n, element;            // the length of a side, and the bytes of one factor
  std::byte *packedA, *packedB; // tiles of 1 KiB; those of one row or column follow each other

  size_t steps() const { return n * element / bytes; }
  std::byte *tile(std::byte *packed, size_t line, size_t step) const {
    return packed + (line * steps() + step) * side * bytes;
  }
};

void packRows(const Matrices &m, size_t line) {
  for (size_t step = 0; step < m.steps(); ++step)
    for (size_t row = 0; row < side; ++row)
      std::memcpy(m.tile(m.packedA, line, step) + row * bytes,
                  m.a + (line * side + row) * m.n * m.element + step * bytes, bytes);
}

template <typename T> void packColumns(const Matrices &m, size_t line) {
  constexpr size_t group = 4 / sizeof(T);
  auto from = reinterpret_cast<const T *>(m.b);
  for (size_t step = 0; step < m.steps(); ++step) {
    auto to = reinterpret_cast<T *>(m.tile(m.packedB, line, step));
    for (size_t row = 0; row < side; ++row)
      for (size_t i = 0; i < group; ++i) {
        const T *source = from + ((step * side + row) * group + i) * m.n + line * side;
        for (size_t column = 0; column < side; ++column)
          to[(row * side + column) * group + i] = source[column];
      }
  }
}

template <bool brains> void multiply(const Matrices &m, size_t row, size_t column) {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (size_t step = 0; step < m.steps(); ++step) {
    _tile_loadd(4, m.tile(m.packedA, row, step), bytes);
    _tile_loadd(6, m.tile(m.packedB, column, step), bytes);
    _tile_loadd(7, m.tile(m.packedB, column + 1, step), bytes);
    _tile_loadd(5, m.tile(m.packedA, row + 1, step), bytes);
    if constexpr (brains) {
      _tile_dpbf16ps(0, 4, 6);
      _tile_dpbf16ps(1, 4, 7);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    } else {
      _tile_dpbssd(0, 4, 6);
      _tile_dpbssd(1, 4, 7);
      _tile_dpbssd(2, 5, 6);
      _tile_dpbssd(3, 5, 7);
    }
  }
  size_t stride = m.n * 4;
  std::byte *to = m.c + row * side * stride + column * bytes;
  _tile_stored(0, to, stride);
  _tile_stored(1, to + bytes, stride);
  _tile_stored(2, to + side * stride, stride);
  _tile_stored(3, to + side * stride + bytes, stride);
}

template <typename T> void matmul(const Problem &p, Pointers buffers, Team &team) {
  // Kept from call to call: fresh pages would cost more than the packing.
  static std::vector<std::byte> packed;
  size_t size = size_t(p.n) * p.n * sizeof(T);
  packed.resize(std::max(packed.size(), 2 * size + bytes));
  auto start = (reinterpret_cast<uintptr_t>(packed.data()) + bytes - 1) / bytes * bytes;
  Matrices m{buffers[0],
             buffers[1],
             buffers[2],
             p.n,
             sizeof(T),
             reinterpret_cast<std::byte *>(start),
             reinterpret_cast<std::byte *>(start + size)};
  size_t lines = m.n / side;
  team.each(2 * lines, 4, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      i < lines ? packRows(m, i) : packColumns<T>(m, i - lines);
  });
  team.each(lines / 2, 2, [&](size_t begin, size_t end) {
    Config config;
    _tile_loadconfig(&config);
    for (size_t row = begin; row < end; ++row)
      for (size_t column = 0; column < lines; column += 2)
        multiply<sizeof(T) == 2>(m, 2 * row, column);
    _tile_release();
  });
}

/// Requests AMX's registers, which Linux gives to a process on demand.
bool mayUseTiles() {
  static const bool may = syscall(SYS_arch_prctl, 0x1023, 18) == 0; // ARCH_REQ_XCOMP_PERM
  return may;
}

} // namespace

NativeKernel nativeBrainMatmul() { return mayUseTiles() ? matmul<uint16_t> : nullptr; }
NativeKernel nativeByteMatmul() { return mayUseTiles() ? matmul<int8_t> : nullptr; }

} // namespace pumice::bench

#else

namespace pumice::bench {
NativeKernel nativeBrainMatmul() { return nullptr; }
NativeKernel nativeByteMatmul() { return nullptr; }
} // namespace pumice::bench

#endif

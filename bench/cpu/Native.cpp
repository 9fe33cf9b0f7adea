//===- Native.cpp - hand-written kernels for this CPU -----------------------===//
#include "bench/cpu/Native.h"

#include "bench/cpu/NativeMatmul.h"
#include "bench/cpu/NativeTiles.h"
#include "bench/cpu/Simd.h"

#include <algorithm>
#include <bit>

namespace pumice::bench {
namespace {

using namespace simd;

template <typename T> T *as(std::byte *pointer) { return reinterpret_cast<T *>(pointer); }

void saxpy(const Problem &p, Pointers buffers, Team &team) {
  const float *x = as<float>(buffers[0]);
  float *y = as<float>(buffers[1]);
  float a = std::bit_cast<float>(p.launch.push[1]);
  team.each(p.n, 1 << 16, [=](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      y[i] = a * x[i] + y[i];
  });
}

float sumOf(const float *x, size_t count) {
  constexpr int ways = 4;
  F sums[ways] = {};
  size_t i = 0;
  for (; i + ways * lanes <= count; i += ways * lanes)
    for (int way = 0; way < ways; ++way)
      sums[way] += load<F>(x + i + way * lanes);
  float total = sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
  for (; i < count; ++i)
    total += x[i];
  return total;
}

template <size_t perGroup> void sums(const Problem &p, Pointers buffers, Team &team) {
  const float *x = as<float>(buffers[0]);
  float *out = as<float>(buffers[1]);
  size_t n = p.n;
  team.each(p.launch.groups[0], (1 << 16) / perGroup, [=](size_t begin, size_t end) {
    for (size_t group = begin; group < end; ++group)
      out[group] = sumOf(x + group * perGroup, std::min(perGroup, n - group * perGroup));
  });
}

/// Computes a row. Its length is a multiple of 4 vectors, and its results stay in the first-level
/// cache until they are scaled.
void softmaxRow(const float *x, float *y, size_t columns) {
  F most[4];
  for (int way = 0; way < 4; ++way)
    most[way] = load<F>(x + way * lanes);
  for (size_t i = 4 * lanes; i < columns; i += 4 * lanes)
    for (int way = 0; way < 4; ++way)
      most[way] = __builtin_elementwise_max(most[way], load<F>(x + i + way * lanes));
  float top = largest(__builtin_elementwise_max(__builtin_elementwise_max(most[0], most[1]),
                                                __builtin_elementwise_max(most[2], most[3])));
  F sums[4] = {};
  for (size_t i = 0; i < columns; i += 4 * lanes)
    for (int way = 0; way < 4; ++way) {
      F e = exponential(load<F>(x + i + way * lanes) - top);
      sums[way] += e;
      store(y + i + way * lanes, e);
    }
  float scale = 1.0f / sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
  for (size_t i = 0; i < columns; i += lanes)
    store(y + i, load<F>(y + i) * scale);
}

void softmax(const Problem &p, Pointers buffers, Team &team) {
  const float *x = as<float>(buffers[0]);
  float *y = as<float>(buffers[1]);
  size_t columns = p.launch.push[0];
  team.each(p.n, 64, [=](size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row)
      softmaxRow(x + row * columns, y + row * columns, columns);
  });
}

/// Computes steps of `ways` vectors of points at once, which hide each other's latencies. A point
/// that has left stays outside, or becomes a NaN, for which comparisons are false too.
void mandelbrotBlock(const F *cx, float cy, uint32_t *out) {
  constexpr int ways = 4;
  F x[ways] = {}, y[ways] = {};
  I count[ways] = {};
  for (int step = 0; step < 256; step += 4) {
    I inside = {};
    for (int unrolled = 0; unrolled < 4; ++unrolled) {
      inside = I{};
      for (int way = 0; way < ways; ++way) {
        F yy = y[way] * y[way];
        I in = (I)(x[way] * x[way] + yy <= 4.0f);
        count[way] -= in;
        inside |= in;
        F next = x[way] * x[way] + cx[way] - yy;
        y[way] = (x[way] + x[way]) * y[way] + cy;
        x[way] = next;
      }
    }
    if (__builtin_reduce_or(inside) == 0)
      break;
  }
  for (int way = 0; way < ways; ++way)
    store(out + way * lanes, count[way]);
}

void mandelbrot(const Problem &p, Pointers buffers, Team &team) {
  uint32_t *steps = as<uint32_t>(buffers[0]);
  size_t n = p.n;
  team.each(n, 4, [=](size_t begin, size_t end) {
    constexpr size_t block = 4 * lanes;
    uint32_t rest[block];
    for (size_t py = begin; py < end; ++py) {
      float cy = -1.5f + 3.0f * float(py) / float(n);
      for (size_t px = 0; px < n; px += block) {
        F cx[4];
        for (int way = 0; way < 4; ++way)
          cx[way] = -2.0f + 3.0f * (ramp() + float(px + size_t(way) * lanes)) / float(n);
        uint32_t *to = steps + py * n + px;
        mandelbrotBlock(cx, cy, px + block <= n ? to : rest);
        if (px + block > n)
          std::copy_n(rest, n - px, to);
      }
    }
  });
}

/// Computes the accelerations of `ways` vectors of bodies by all bodies.
template <int ways> void nbodyBlock(const float *bodies, size_t n, size_t first, float *out) {
  F at[3][ways], total[3][ways] = {};
  for (int way = 0; way < ways; ++way)
    for (int lane = 0; lane < lanes; ++lane)
      for (int c = 0; c < 3; ++c)
        at[c][way][lane] = bodies[(first + size_t(way * lanes + lane)) * 4 + size_t(c)];
  for (size_t j = 0; j < n; ++j) {
    const float *other = bodies + j * 4;
    for (int way = 0; way < ways; ++way) {
      F dx = other[0] - at[0][way], dy = other[1] - at[1][way], dz = other[2] - at[2][way];
      F r = inverseSqrt(dx * dx + (dy * dy + (dz * dz + 0.01f)));
      F weight = (other[3] * r) * (r * r);
      total[0][way] += dx * weight;
      total[1][way] += dy * weight;
      total[2][way] += dz * weight;
    }
  }
  for (int way = 0; way < ways; ++way)
    for (int lane = 0; lane < lanes; ++lane) {
      float *to = out + (first + size_t(way * lanes + lane)) * 4;
      for (int c = 0; c < 3; ++c)
        to[c] = total[c][way][lane];
      to[3] = 0;
    }
}

void nbody(const Problem &p, Pointers buffers, Team &team) {
  const float *bodies = as<float>(buffers[0]);
  float *out = as<float>(buffers[1]);
  size_t n = p.n;
  team.each(n / (2 * lanes), 2, [=](size_t begin, size_t end) {
    for (size_t block = begin; block < end; ++block)
      nbodyBlock<2>(bodies, n, block * 2 * lanes, out);
  });
}

/// Uses eight tables, so that an addition never waits for an earlier one to the same count.
void histogram(const Problem &p, Pointers buffers, Team &team) {
  const uint64_t *words = as<const uint64_t>(buffers[0]);
  uint32_t *counts = as<uint32_t>(buffers[1]);
  team.each(p.n / 2, 1 << 18, [=](size_t begin, size_t end) {
    uint32_t tables[8][256] = {};
    for (size_t i = begin; i < end; ++i) {
      uint64_t word = words[i];
      for (int byte = 0; byte < 8; ++byte)
        ++tables[byte][(word >> (8 * byte)) & 255];
    }
    for (int value = 0; value < 256; ++value) {
      uint32_t sum = 0;
      for (auto &table : tables)
        sum += table[value];
      std::atomic_ref(counts[value]).fetch_add(sum, std::memory_order_relaxed);
    }
  });
}

void scan(const Problem &p, Pointers buffers, Team &team) {
  const uint32_t *x = as<uint32_t>(buffers[0]);
  uint32_t *y = as<uint32_t>(buffers[1]);
  team.each(p.n / 1024, 32, [=](size_t begin, size_t end) {
    for (size_t block = begin; block < end; ++block) {
      U before = {};
      for (size_t i = block * 1024; i < (block + 1) * 1024; i += lanes) {
        U within = runningSum(load<U>(x + i));
        store(y + i, within + before);
        before += within[lanes - 1];
      }
    }
  });
}

void empty(const Problem &, Pointers, Team &team) {
  team.everywhere([] {});
}

} // namespace

std::string_view nativeWidth() {
  return lanes == 16 ? "16 lanes" : lanes == 8 ? "8 lanes" : "4 lanes";
}

NativeKernel nativeKernel(std::string_view name) {
  static const std::pair<std::string_view, NativeKernel> table[] = {
      {"saxpy", saxpy},
      {"sum16", sums<4096>},
      {"sum", sums<256>},
      {"matmul", nativeMatmul},
      {"matmul_tiled", nativeMatmul},
      {"matmul_cooperative", nativeMatmul},
      {"matmul_bf16", nativeBrainMatmul()},
      {"matmul_int8", nativeByteMatmul()},
      {"softmax", softmax},
      {"mandelbrot", mandelbrot},
      {"nbody", nbody},
      {"histogram", histogram},
      {"scan", scan},
      {"empty", empty}};
  for (const auto &[known, kernel] : table)
    if (known == name)
      return kernel;
  return nullptr;
}

} // namespace pumice::bench

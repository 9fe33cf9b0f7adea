//===- Problem.cpp - sizes, grids and data of the CPU benchmark -------------===//
#include "bench/cpu/Problem.h"

#include "bench/cpu/Reference.h"
#include "bench/cpu/kernels/OpenClSources.inc"
#include "bench/cpu/kernels/barriers.comp.h"
#include "bench/cpu/kernels/empty.comp.h"
#include "bench/cpu/kernels/histogram.comp.h"
#include "bench/cpu/kernels/mandelbrot.comp.h"
#include "bench/cpu/kernels/matmul.comp.h"
#include "bench/cpu/kernels/matmul_bf16.mlir.h"
#include "bench/cpu/kernels/matmul_cooperative.mlir.h"
#include "bench/cpu/kernels/matmul_int8.mlir.h"
#include "bench/cpu/kernels/matmul_tiled.comp.h"
#include "bench/cpu/kernels/nbody.comp.h"
#include "bench/cpu/kernels/saxpy.comp.h"
#include "bench/cpu/kernels/scan.comp.h"
#include "bench/cpu/kernels/softmax.comp.h"
#include "bench/cpu/kernels/sum.comp.h"
#include "bench/cpu/kernels/sum16.comp.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

namespace pumice::bench {
namespace {

/// Makes the same numbers on every machine and for every peer.
class Random {
public:
  uint32_t bits() {
    state += 0x9e3779b97f4a7c15u;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return uint32_t(z >> 32);
  }
  /// Returns a number between -1 and 1.
  float real() { return float(int32_t(bits())) * 0x1p-31f; }

private:
  uint64_t state = 7;
};

Bytes ofWords(size_t count, const std::function<uint32_t()> &word) {
  std::vector<uint32_t> words(count);
  std::ranges::generate(words, word);
  Bytes bytes(count * 4);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

struct Maker {
  bool quick;
  Random random;

  Bytes reals(size_t count) {
    return ofWords(count, [&] { return std::bit_cast<uint32_t>(random.real()); });
  }
  Bytes words(size_t count) {
    return ofWords(count, [&] { return random.bits(); });
  }
  static Bytes zeros(size_t count) { return Bytes(count * 4); }
  /// Fills a buffer that the kernel overwrites completely with a value that it would not write.
  static Bytes unset(size_t count) { return Bytes(count * 4, std::byte{0xCD}); }

  void saxpy(Problem &p) {
    p.n = quick ? 5000 : 16 << 20;
    p.size = std::to_string(p.n) + " f32";
    p.launch = {{(p.n + 255) / 256, 1, 1}, {p.n, std::bit_cast<uint32_t>(0.75f)}};
    p.buffers = {reals(p.n), reals(p.n)};
    p.output = 1;
  }
  void sums(Problem &p, uint32_t perGroup) {
    p.n = quick ? 5000 : 16 << 20;
    p.size = std::to_string(p.n) + " f32";
    uint32_t groups = (p.n + perGroup - 1) / perGroup;
    p.launch = {{groups, 1, 1}, {p.n}};
    p.buffers = {reals(p.n), unset(groups)};
    p.output = 1;
  }
  void matmul(Problem &p, uint32_t n) {
    p.n = n;
    p.size = std::to_string(n) + "³ f32";
    p.launch = {{p.n / 16, p.n / 16, 1}, {p.n}};
    p.workgroup = {16, 16, 1};
    size_t count = size_t(p.n) * p.n;
    p.buffers = {reals(count), reals(count), unset(count)};
    p.output = 2;
  }
  /// Makes the problem. A subgroup computes 64 × 64 elements.
  void matmulCooperative(Problem &p) {
    matmul(p, quick ? 128 : 1024);
    p.launch.groups = {p.n / 64, p.n / 64, 1};
    p.workgroup = {16, 1, 1};
  }
  void matmulNarrow(Problem &p, const char *type, uint32_t size) {
    matmulCooperative(p);
    p.size = std::to_string(p.n) + "³ " + type;
    size_t count = size_t(p.n) * p.n;
    p.buffers = {words(count * size / 4), words(count * size / 4), unset(count)};
    if (size == 1)
      return;
    // bf16 between 1 and 2, or the negatives: random bits except for the exponent.
    for (size_t i : {0, 1})
      for (size_t at = 1; at < p.buffers[i].size(); at += 2) {
        p.buffers[i][at] = (p.buffers[i][at] & std::byte{0x80}) | std::byte{0x3f};
        p.buffers[i][at - 1] |= std::byte{0x80};
      }
  }
  void softmax(Problem &p) {
    p.n = quick ? 16 : 4096;
    p.size = std::to_string(p.n) + " rows of 1024";
    p.launch = {{p.n, 1, 1}, {1024}};
    p.buffers = {reals(p.n * 1024), unset(p.n * 1024)};
    p.output = 1;
  }
  void mandelbrot(Problem &p) {
    p.n = quick ? 64 : 1024;
    p.size = std::to_string(p.n) + "², 256 steps";
    p.launch = {{p.n / 16, p.n / 16, 1}, {p.n}};
    p.workgroup = {16, 16, 1};
    p.buffers = {unset(size_t(p.n) * p.n)};
    p.output = 0;
  }
  void nbody(Problem &p) {
    p.n = quick ? 256 : 4096;
    p.size = std::to_string(p.n) + " bodies";
    p.launch = {{p.n / 256, 1, 1}, {p.n}};
    p.buffers = {reals(p.n * 4), unset(p.n * 4)};
    p.output = 1;
  }
  void histogram(Problem &p) {
    uint32_t bytes = quick ? 65536 : 16 << 20;
    p.n = bytes / 4;
    p.size = std::to_string(bytes) + " bytes";
    p.launch = {{p.n / 4096, 1, 1}, {p.n}};
    p.buffers = {words(p.n), zeros(256)};
    p.output = 1;
  }
  void scan(Problem &p) {
    p.n = quick ? 8192 : 1 << 20;
    p.size = std::to_string(p.n) + " u32";
    p.launch = {{p.n / 1024, 1, 1}, {p.n}};
    p.buffers = {words(p.n), unset(p.n)};
    p.output = 1;
  }
};

struct Entry {
  std::string_view name;
  std::span<const uint32_t> spirv;
  void (*fill)(Problem &, Maker &);
  std::string (*whyWrong)(const Problem &, const Bytes &);
};

const Entry entries[] = {
    {"saxpy", saxpySpirv, [](Problem &p, Maker &m) { m.saxpy(p); }, wrongSaxpy},
    {"sum16", sum16Spirv, [](Problem &p, Maker &m) { m.sums(p, 4096); }, wrongSums},
    {"sum", sumSpirv, [](Problem &p, Maker &m) { m.sums(p, 256); }, wrongSums},
    {"matmul", matmulSpirv, [](Problem &p, Maker &m) { m.matmul(p, m.quick ? 64 : 512); },
     wrongMatmul},
    {"matmul_tiled", matmul_tiledSpirv,
     [](Problem &p, Maker &m) { m.matmul(p, m.quick ? 64 : 1024); }, wrongMatmul},
    {"matmul_cooperative", matmul_cooperativeSpirv,
     [](Problem &p, Maker &m) { m.matmulCooperative(p); }, wrongMatmul},
    {"matmul_bf16", matmul_bf16Spirv, [](Problem &p, Maker &m) { m.matmulNarrow(p, "bf16", 2); },
     wrongBrainMatmul},
    {"matmul_int8", matmul_int8Spirv, [](Problem &p, Maker &m) { m.matmulNarrow(p, "int8", 1); },
     wrongByteMatmul},
    {"softmax", softmaxSpirv, [](Problem &p, Maker &m) { m.softmax(p); }, wrongSoftmax},
    {"mandelbrot", mandelbrotSpirv, [](Problem &p, Maker &m) { m.mandelbrot(p); }, wrongMandelbrot},
    {"nbody", nbodySpirv, [](Problem &p, Maker &m) { m.nbody(p); }, wrongNbody},
    {"histogram", histogramSpirv, [](Problem &p, Maker &m) { m.histogram(p); }, wrongHistogram},
    {"scan", scanSpirv, [](Problem &p, Maker &m) { m.scan(p); }, wrongScan},
    {"barriers", barriersSpirv,
     [](Problem &p, Maker &) {
       p.launch = {{1, 1, 1}, {500}};
       p.buffers = {Maker::unset(256)};
     },
     wrongBarriers},
    {"empty", emptySpirv, [](Problem &p, Maker &) { p.workgroup = {64, 1, 1}; },
     [](const Problem &, const Bytes &) { return std::string(); }},
    // One workgroup of matmul, so that the first launch is nearly all preparation.
    {"first", matmulSpirv,
     [](Problem &p, Maker &m) {
       p.name = "matmul";
       m.matmul(p, 16);
     },
     wrongMatmul},
};

} // namespace

std::span<const std::string_view> comparedKernels() {
  static constexpr std::string_view names[] = {
      "saxpy",   "sum16",      "sum",   "matmul",    "matmul_tiled", "matmul_cooperative",
      "softmax", "mandelbrot", "nbody", "histogram", "scan"};
  return names;
}

Result<Problem> makeProblem(std::string_view name, bool quick) {
  auto entry = std::ranges::find(entries, name, &Entry::name);
  if (entry == std::end(entries))
    return Status(StatusCode::NotFound, "there is no kernel '" + std::string(name) + "'");
  Problem problem;
  problem.name = name;
  problem.spirv = entry->spirv;
  problem.workgroup = {256, 1, 1};
  Maker maker{quick, {}};
  entry->fill(problem, maker);
  problem.openCl = openClSource(problem.name);
  problem.whyWrong = entry->whyWrong;
  return problem;
}

} // namespace pumice::bench

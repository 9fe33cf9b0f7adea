//===- Reference.cpp - expected results of the CPU benchmark's kernels ------===//
#include "bench/cpu/Reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

namespace pumice::bench {
namespace {

template <typename T> std::span<const T> view(const Bytes &bytes) {
  return {reinterpret_cast<const T *>(bytes.data()), bytes.size() / sizeof(T)};
}

std::string say(size_t index, double found, double expected) {
  return "element " + std::to_string(index) + " is " + std::to_string(found) + ", not " +
         std::to_string(expected);
}

/// Checks that values are `expected(i)` within `relative` of its size, or `absolute`.
template <typename Expected>
std::string compare(std::span<const float> found, double relative, double absolute,
                    Expected expected) {
  for (size_t i = 0; i < found.size(); ++i) {
    double right = expected(i);
    // The comparison is negated, so that NaN counts as wrong.
    if (!(std::abs(found[i] - right) <= relative * std::abs(right) + absolute))
      return say(i, found[i], right);
  }
  return "";
}

template <typename Expected>
std::string compareWords(std::span<const uint32_t> found, Expected expected) {
  for (size_t i = 0; i < found.size(); ++i)
    if (uint32_t right = expected(i); found[i] != right)
      return say(i, found[i], right);
  return "";
}

/// Returns the number of steps until a point leaves the circle. With `fused`, contracts the
/// expression, as a compiler may.
uint32_t mandelbrotSteps(float cx, float cy, bool fused) {
  float x = 0, y = 0;
  uint32_t count = 0;
  while (count < 256 && x * x + y * y <= 4.0f) {
    float next = fused ? std::fma(x, x, std::fma(-y, y, cx)) : x * x - y * y + cx;
    y = fused ? std::fma(2 * x, y, cy) : 2 * x * y + cy;
    x = next;
    ++count;
  }
  return count;
}

} // namespace

std::string wrongSaxpy(const Problem &p, const Bytes &output) {
  auto x = p.as<float>(0), y = p.as<float>(1);
  double a = std::bit_cast<float>(p.launch.push[1]);
  return compare(view<float>(output), 1e-6, 1e-6, [&](size_t i) { return a * x[i] + y[i]; });
}

std::string wrongSums(const Problem &p, const Bytes &output) {
  auto x = p.as<float>(0);
  size_t groups = p.launch.groups[0], each = p.n > groups * 256 ? 4096 : 256;
  return compare(view<float>(output), 1e-5, 1e-4, [&](size_t group) {
    double sum = 0;
    for (size_t i = group * each; i < std::min<size_t>(p.n, (group + 1) * each); ++i)
      sum += x[i];
    return sum;
  });
}

/// Calls `wrong(i, row)` to check row i of the result against the expected one.
template <typename T, typename Sum>
static std::string
wrongProduct(const Problem &p, double (*number)(T),
             const std::function<std::string(size_t, std::span<const Sum>)> &wrong) {
  size_t n = p.n;
  auto a = p.as<T>(0), b = p.as<T>(1);
  std::vector<Sum> row(n);
  for (size_t i = 0; i < n; ++i) {
    std::ranges::fill(row, Sum(0));
    for (size_t k = 0; k < n; ++k)
      for (size_t j = 0; j < n; ++j)
        row[j] += Sum(number(a[i * n + k])) * Sum(number(b[k * n + j]));
    if (std::string why = wrong(i, row); !why.empty())
      return "row " + std::to_string(i) + ", " + why;
  }
  return "";
}

std::string wrongMatmul(const Problem &p, const Bytes &output) {
  auto c = view<float>(output);
  return wrongProduct<float, double>(
      p, [](float x) { return double(x); },
      [&](size_t i, std::span<const double> row) {
        return compare(c.subspan(i * p.n, p.n), 1e-5, 1e-4, [&](size_t j) { return row[j]; });
      });
}

std::string wrongBrainMatmul(const Problem &p, const Bytes &output) {
  auto c = view<float>(output);
  return wrongProduct<uint16_t, double>(
      p, [](uint16_t x) { return double(std::bit_cast<float>(uint32_t(x) << 16)); },
      [&](size_t i, std::span<const double> row) {
        return compare(c.subspan(i * p.n, p.n), 1e-5, 1e-3, [&](size_t j) { return row[j]; });
      });
}

std::string wrongByteMatmul(const Problem &p, const Bytes &output) {
  auto c = view<uint32_t>(output);
  return wrongProduct<int8_t, int64_t>(
      p, [](int8_t x) { return double(x); },
      [&](size_t i, std::span<const int64_t> row) {
        return compareWords(c.subspan(i * p.n, p.n), [&](size_t j) { return uint32_t(row[j]); });
      });
}

std::string wrongSoftmax(const Problem &p, const Bytes &output) {
  size_t columns = p.launch.push[0];
  auto x = p.as<float>(0);
  for (size_t row = 0; row < p.n; ++row) {
    auto in = x.subspan(row * columns, columns);
    double largest = *std::ranges::max_element(in), sum = 0;
    for (float value : in)
      sum += std::exp(value - largest);
    std::string wrong = compare(view<float>(output).subspan(row * columns, columns), 1e-5, 0,
                                [&](size_t i) { return std::exp(in[i] - largest) / sum; });
    if (!wrong.empty())
      return "row " + std::to_string(row) + ", " + wrong;
  }
  return "";
}

std::string wrongMandelbrot(const Problem &p, const Bytes &output) {
  auto found = view<uint32_t>(output);
  size_t n = p.n, different = 0;
  std::string first;
  for (size_t py = 0; py < n; ++py)
    for (size_t px = 0; px < n; ++px) {
      float cx = -2.0f + 3.0f * float(px) / float(n), cy = -1.5f + 3.0f * float(py) / float(n);
      uint32_t steps = found[py * n + px], plain = mandelbrotSteps(cx, cy, false);
      if (steps == plain || steps == mandelbrotSteps(cx, cy, true))
        continue;
      if (!different++)
        first = say(py * n + px, steps, plain);
    }
  // A compiler may fuse some operations, which changes the count of points on the edge.
  return different <= n * n / 100 ? "" : std::to_string(different) + " points differ: " + first;
}

std::string wrongNbody(const Problem &p, const Bytes &output) {
  auto bodies = p.as<float>(0);
  std::vector<double> expected(p.n * 4);
  for (size_t i = 0; i < p.n; ++i)
    for (size_t j = 0; j < p.n; ++j) {
      double d[3], square = 0.01f;
      for (size_t c = 0; c < 3; ++c) {
        d[c] = double(bodies[j * 4 + c]) - bodies[i * 4 + c];
        square += d[c] * d[c];
      }
      double weight = bodies[j * 4 + 3] / (square * std::sqrt(square));
      for (size_t c = 0; c < 3; ++c)
        expected[i * 4 + c] += d[c] * weight;
    }
  // Each sum has thousands of terms of both signs, some with absolute values of 100 and more.
  return compare(view<float>(output), 1e-4, 2e-2, [&](size_t i) { return expected[i]; });
}

std::string wrongHistogram(const Problem &p, const Bytes &output) {
  std::vector<uint32_t> counts(256);
  for (std::byte value : p.buffers[0])
    ++counts[size_t(value)];
  return compareWords(view<uint32_t>(output), [&](size_t i) { return counts[i]; });
}

std::string wrongScan(const Problem &p, const Bytes &output) {
  auto x = p.as<uint32_t>(0);
  uint32_t sum = 0;
  return compareWords(view<uint32_t>(output), [&](size_t i) {
    sum = (i % 1024 ? sum : 0) + x[i];
    return sum;
  });
}

std::string wrongBarriers(const Problem &p, const Bytes &output) {
  std::vector<uint32_t> values(256), next(256);
  for (uint32_t lane = 0; lane < 256; ++lane)
    values[lane] = lane;
  for (uint32_t k = 0; k < p.launch.push[0]; ++k) {
    for (uint32_t lane = 0; lane < 256; ++lane)
      next[lane] = values[(lane + 1) & 255] + k;
    values.swap(next);
  }
  return compareWords(view<uint32_t>(output), [&](size_t i) { return values[i]; });
}

} // namespace pumice::bench

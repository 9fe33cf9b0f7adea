//===- softmax.cpp - launch an exported Triton kernel -----------------------===//
// The header comes from softmax.py. Each call chooses the specialisation that fits its arguments.
//
//   softmax [DEVICE]
//===-------------------------------------------------------------------------===//
#include "softmax.hpp"

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

/// Returns the number of wrong values in the softmax of `rows` rows.
size_t wrongValues(const std::vector<float> &x, const std::vector<float> &found, int columns) {
  size_t wrong = 0;
  for (size_t row = 0; row < x.size(); row += static_cast<size_t>(columns)) {
    double sum = 0;
    for (int c = 0; c < columns; ++c)
      sum += std::exp(x[row + static_cast<size_t>(c)]);
    for (int c = 0; c < columns; ++c) {
      size_t i = row + static_cast<size_t>(c);
      wrong += !(std::fabs(found[i] - std::exp(x[i]) / sum) < 1e-6);
    }
  }
  return wrong;
}

pumice::Status run(const pumice::Device &device, int rows, int columns) {
  static const softmax::Kernels kernels = softmax::Kernels::load(device).value();
  std::vector<float> x(static_cast<size_t>(rows * columns)), found(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i % 13) / 4;
  const uint64_t bytes = x.size() * sizeof(float);
  pumice::Queue queue = device.createQueue().value();
  pumice::Buffer in = device.createBuffer(bytes).value(), out = device.createBuffer(bytes).value();
  if (auto status = queue.upload(in, x.data(), bytes); !status)
    return status;
  if (auto status = kernels.softmax(queue, out, in, rows, columns); !status)
    return status;
  if (auto status = queue.download(found.data(), out, bytes); !status)
    return status;
  if (auto status = queue.finish(); !status)
    return status;
  std::printf("softmax of %d x %d on %s: %zu values are wrong\n", rows, columns, device.info().name,
              wrongValues(x, found, columns));
  return PUMICE_OK;
}

} // namespace

int main(int argc, char **argv) {
  auto device = pumice::Device::open(argc > 1 ? argv[1] : nullptr);
  if (!device) {
    std::fprintf(stderr, "softmax: %s\n", device.error().what());
    return 1;
  }
  for (int columns : {64, 100, 781, 5000})
    if (auto status = run(*device, 50, columns); !status)
      std::printf("%s\n", status.error().what());
}

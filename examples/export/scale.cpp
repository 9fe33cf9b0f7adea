//===- scale.cpp - launch an exported kernel in C++ -------------------------===//
// The header comes from `pumice export examples/scale.mlir`. The kernel is a function with types,
// so a wrong argument is an error of the C++ compiler.
//
//   scale [DEVICE]
//===-------------------------------------------------------------------------===//
#include "scale.hpp"

#include <cstdio>
#include <vector>

namespace {

/// Computes x *= 3. Each workgroup of the kernel has 64 invocations.
pumice::Status run(const pumice::Device &device, std::vector<float> &values) {
  auto kernels = scale::Kernels::load(device);
  if (!kernels)
    return kernels.error();
  const uint64_t bytes = values.size() * sizeof(float);
  pumice::Queue queue = device.createQueue().value();
  pumice::Buffer x = device.createBuffer(bytes).value();
  if (auto status = queue.upload(x, values.data(), bytes); !status)
    return status;
  const auto groups = static_cast<uint32_t>(values.size() / 64);
  if (auto status = kernels->scale(queue, {groups, 1, 1}, x, 3.0f); !status)
    return status;
  if (auto status = queue.download(values.data(), x, bytes); !status)
    return status;
  return queue.finish();
}

} // namespace

int main(int argc, char **argv) {
  auto device = pumice::Device::open(argc > 1 ? argv[1] : nullptr);
  if (!device) {
    std::fprintf(stderr, "scale: %s\n", device.error().what());
    return 1;
  }
  std::vector<float> values(64 * 1000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i);
  if (auto status = run(*device, values); !status) {
    std::fprintf(stderr, "scale: %s\n", status.error().what());
    return 1;
  }
  size_t wrong = 0;
  for (size_t i = 0; i < values.size(); ++i)
    wrong += values[i] != 3.0f * static_cast<float>(i);
  std::printf("scale on %s: %zu of %zu values are right\n", device->info().name,
              values.size() - wrong, values.size());
  return wrong != 0;
}

//===- run_file.cpp - launch a kernel from a .pumice file -------------------===//
// Shows what a product ships: the file, this program and libpumice. It needs no compiler, no Python
// and no LLVM.
//
//   pumice compile examples/scale.mlir -o scale.pumice --target TARGET
//   run_file scale.pumice [DEVICE]
//===-------------------------------------------------------------------------===//
#include <pumice/pumice.hpp>

#include <cstdio>
#include <vector>

namespace {

/// Computes x *= 3 with the kernel `scale`, whose workgroups have 64 invocations.
pumice::Status scale(const pumice::Device &device, const pumice::Function &function,
                     std::vector<float> &values) {
  const uint64_t bytes = values.size() * sizeof(float);
  pumice::Queue queue = device.createQueue().value();
  pumice::Buffer x = device.createBuffer(bytes).value();
  if (auto status = queue.upload(x, values.data(), bytes); !status)
    return status;
  const auto groups = static_cast<uint32_t>(values.size() / 64);
  if (auto status = queue.launch(function, {groups, 1, 1}, x, 3.0f); !status)
    return status;
  if (auto status = queue.download(values.data(), x, bytes); !status)
    return status;
  return queue.finish();
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: run_file FILE.pumice [DEVICE]\n");
    return 2;
  }
  auto device = pumice::Device::open(argc > 2 ? argv[2] : nullptr);
  if (!device) {
    std::fprintf(stderr, "run_file: %s\n", device.error().what());
    return 1;
  }
  auto executable = device->loadFile(argv[1]);
  if (!executable) {
    std::fprintf(stderr, "run_file: %s\n", executable.error().what());
    return 1;
  }
  pumice::Function function = executable->function("scale").value();

  std::vector<float> values(64 * 1000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i);
  if (auto status = scale(*device, function, values); !status) {
    std::fprintf(stderr, "run_file: %s\n", status.error().what());
    return 1;
  }
  size_t wrong = 0;
  for (size_t i = 0; i < values.size(); ++i)
    wrong += values[i] != 3.0f * static_cast<float>(i);
  std::printf("scale on %s: %zu of %zu values are right\n", device->info().name,
              values.size() - wrong, values.size());
  return wrong != 0;
}

//===- share.cpp - one kernel, every device, and memory that others own -----===//
// Compiles a kernel once, for all devices of this machine and for one elsewhere. Runs it on each
// device, on the program's own memory, and on a tensor in the form that other libraries pass
// (DLPack).
//
//   share [TARGET]      TARGET: one more to compile for; rdna3 without it
//===-------------------------------------------------------------------------===//
#include <pumice/pumice.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr char kernel[] = R"(
gpu.module @kernels {
  gpu.func @add_one(%x: memref<?xi32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.global_id x
    %one = arith.constant 1 : i32
    %old = memref.load %x[%i] : memref<?xi32>
    %new = arith.addi %old, %one : i32
    memref.store %new, %x[%i] : memref<?xi32>
    gpu.return
  }
}
)";
constexpr size_t count = 4096, bytes = count * sizeof(int32_t);

template <typename T> T need(pumice::Result<T> result, const char *what) {
  if (!result) {
    std::fprintf(stderr, "share: %s: %s\n", what, result.error().what());
    std::exit(1);
  }
  return std::move(result).value();
}

void need(const pumice::Status &status, const char *what) {
  if (!status) {
    std::fprintf(stderr, "share: %s: %s\n", what, status.error().what());
    std::exit(1);
  }
}

/// A tensor in the device's memory. An array library would import it through its `__dlpack__`.
pumice::Tensor newTensor(const pumice::Device &device) {
  pumice::Buffer buffer = need(device.createBuffer(bytes, PUMICE_MEMORY_HOST), "buffer");
  pumice::TensorLayout layout;
  layout.type = pumice::TensorLayout::typeOf<int32_t>();
  layout.shape = {64, count / 64};
  return need(buffer.toTensor(layout), "tensor"); // the tensor keeps the buffer
}

/// Returns how many elements are correct after the kernel has run `times` times on zeros in `x`.
size_t countRight(const pumice::Device &device, const pumice::Function &addOne,
                  const pumice::Buffer &x, int32_t times) {
  pumice::Queue queue = need(device.createQueue(), "queue");
  need(queue.fill(x, 0), "fill");
  for (int32_t i = 0; i < times; ++i)
    need(queue.launch(addOne, {count / 64, 1, 1}, x), "launch");
  std::atomic<bool> done{false};
  need(queue.onDone([&](const pumice::Status &how) { done = bool(how); }), "onDone");
  std::vector<int32_t> values(count);
  need(queue.download(values.data(), x, bytes), "download");
  need(queue.finish(), "finish");
  size_t right = 0;
  for (int32_t value : values)
    right += done && value == times;
  return right;
}

/// Whether all results are correct.
bool runOn(const pumice::Device &device, const std::string &file) {
  pumice::Executable executable = need(device.load(file.data(), file.size()), "load");
  pumice::Function addOne = need(executable.function(), "function");
  bool right = true;
  auto say = [&](const char *what, size_t values) {
    std::printf("%s: %s: %zu of %zu values are right\n", device.info().name, what, values, count);
    right &= values == count;
  };

  alignas(4096) static int32_t memory[count];
  bool released = false;
  if (auto own = device.importHost(memory, bytes, [&] { released = true; }))
    say("memory of the program", countRight(device, addOne, *own, 3));
  else // not every device can use the memory; a buffer works with a copy
    released = true;
  if (!released)
    std::printf("%s: it keeps memory that nobody uses\n", device.info().name);

  pumice::Tensor tensor = newTensor(device);
  if (auto shared = device.importTensor(std::move(tensor)))
    say("a tensor", countRight(device, addOne, *shared, 5));
  else
    std::printf("%s: a tensor: %s\n", device.info().name, shared.error().what());
  return right && released;
}

} // namespace

int main(int argc, char **argv) {
  pumice::DeviceList list = need(pumice::DeviceList::make(), "devices");
  pumice::CompileOptions options;
  options.sourceName = "share.mlir";
  options.targets = {argc > 1 ? argv[1] : "rdna3"};
  options.diagnostics = [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
  };
  for (const pumice_device_info &info : list)
    options.devices.push_back(need(pumice::Device::open(info.id), info.id));
  std::string file = need(pumice::compile(kernel, options), "compile");
  std::printf("compiled for %zu devices and %s\n", list.size(), options.targets[0].c_str());
  bool right = true;
  for (const pumice::Device &device : options.devices)
    right &= runOn(device, file);
  return !right;
}

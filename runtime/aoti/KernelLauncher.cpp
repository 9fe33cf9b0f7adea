//===- KernelLauncher.cpp - launches kernels of AOTInductor's packages ------===//
// PyTorch compiles a model with Triton kernels for the CPU to a package. The package's code opens
// each kernel's shared object and one launcher. It calls the launcher's `run_from_nativert` with
// the grid, the addresses of the arguments, and the kernel's symbol. This library is that launcher.
// It contains the whole runtime, so that a package needs no other file of Pumice.
//===-------------------------------------------------------------------------===//
#include "runtime/aoti/OpenMp.h"
#include "runtime/aoti/PackagedKernel.h"

#define PUMICE_THROW // the package's code reports exceptions as its own errors
#include "include/pumice/pumice.hpp"

#include <memory>
#include <string>
#include <vector>

using namespace pumice;

namespace pumice::aoti {

/// The first address of the buffer of all memory. No memory is at lower addresses.
constexpr uint64_t firstAddress = 4096, allBytes = uint64_t{1} << 56;

/// The device, and all memory of the process as one buffer, since the sizes of tensors are unknown.
struct Host {
  Host() { useThreadsOfOpenMp(); }

  Device device = Device::open("cpu").value();
  Buffer memory = device.importHost(reinterpret_cast<void *>(firstAddress), allBytes).value();

  static const Host &get() {
    static const Host *made = new Host; // launches may run while the process exits
    return *made;
  }
};

/// Returns a queue that only this thread uses, so that a failure there affects no other thread.
const Queue &queueOfThread() {
  thread_local Queue queue = Host::get().device.createQueue().value();
  return queue;
}

class LoadedKernel {
public:
  explicit LoadedKernel(const PackagedKernel &packaged)
      : executable(
            Host::get().device.load(packaged.executable(), packaged.executableBytes).value()),
        function(executable.function().value()) {
    for (uint32_t i = 0; i < packaged.argumentCount; ++i) {
      pumice_argument_info info = executable.argument(0, i).value();
      parameters.push_back(
          {packaged.slots()[i], info.kind == PUMICE_ARGUMENT_BUFFER, info.element_bytes});
    }
  }

  /// Returns the kernel, which the first call loads. If several threads load it, one result stays.
  static const LoadedKernel &of(PackagedKernel &packaged) {
    if (LoadedKernel *known = packaged.loaded.load(std::memory_order_acquire)) [[likely]]
      return *known;
    if (packaged.magic != PackagedKernel::expectedMagic)
      throw Error::of(PUMICE_INVALID_ARGUMENT,
                      "the kernel in the package was not made by this version of Pumice: export "
                      "the model again");
    auto made = std::make_unique<LoadedKernel>(packaged);
    LoadedKernel *known = nullptr;
    if (packaged.loaded.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel))
      return *made.release(); // lives as long as the process, as the package's shared objects do
    return *known;
  }

  void launch(const pumice_launch_options &options, void **given) const {
    std::vector<Argument> arguments;
    arguments.reserve(parameters.size());
    for (const Parameter &parameter : parameters)
      arguments.push_back(argument(parameter, given[parameter.slot]));
    const Queue &queue = queueOfThread();
    queue.launch(function, options, arguments).value();
    queue.finish().value();
  }

private:
  struct Parameter {
    uint32_t slot;
    bool isBuffer;
    uint32_t bytes;
  };

  /// Returns an argument for `given`: the address of a tensor, or of a number. Integers have 64
  /// bits, of which the kernel takes the low ones, and floats have the kernel's type.
  static Argument argument(const Parameter &parameter, const void *given) {
    if (parameter.isBuffer) {
      auto address = reinterpret_cast<uint64_t>(given);
      // An empty tensor has no address, and no kernel accesses it.
      return Argument(Host::get().memory, address < firstAddress ? 0 : address - firstAddress);
    }
    return pumice_argument_scalar(given, parameter.bytes);
  }

  Executable executable;
  Function function;
  std::vector<Parameter> parameters;
};

} // namespace pumice::aoti

/// Launches a kernel, and returns when its results are in memory. PyTorch always passes 1 as the
/// number of threads. Kernels run on OpenMP's threads, whose number is OMP_NUM_THREADS.
extern "C" __attribute__((visibility("default"))) void
run_from_nativert(uint32_t x, uint32_t y, uint32_t z, int, void **arguments, void *kernel) {
  auto &packaged = *static_cast<aoti::PackagedKernel *>(kernel);
  aoti::LoadedKernel::of(packaged).launch(pumice_groups(x, y, z), arguments);
}

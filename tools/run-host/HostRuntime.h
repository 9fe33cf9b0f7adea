//===- HostRuntime.h - the functions that compiled host code calls ----------===//
// Performs the gpu operations of a host program on one device. An async token is a stream: a queue,
// on which everything runs in order. `gpu.wait async` without operands starts a new one, up to a
// small number. Operations that are not async run on the first, after everything else, and block.
// Not thread-safe, since a host program has one thread.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/host/HostSites.h"
#include "compiler/host/Program.h"
#include "runtime/hal/Executable.h"
#include "tools/run-host/BareKernel.h"
#include "tools/run-host/HostMemory.h"
#include "tools/run-host/Memref.h"
#include "tools/run/Profile.h"

namespace pumice::run {

struct HostOptions {
  bool separateMemory = false; // behaves as on a discrete GPU
  bool profiling = false;
  uint32_t printBytes = hal::Dispatch{}.printBytes; // size of the buffer for a kernel's output
};

struct HostTally {
  Tally launches;
  Tally copies; // copies that the program requested
};

class HostRuntime {
public:
  /// Makes kernels ready. Errors name the kernel.
  static Result<std::unique_ptr<HostRuntime>> create(Ref<hal::Device> device,
                                                     const std::vector<host::Kernel> &kernels,
                                                     std::vector<host::Site> sites,
                                                     const HostOptions &options);

  /// Performs one call of host code, and returns its token. The error names the place in the
  /// source.
  Result<void *> perform(size_t site, void *const *operands, void *const *tokens, int64_t count);

  /// Waits for everything.
  Status finish();
  /// Prepares these bytes of the host for a use by the host or by a queue. Finishes copies into
  /// them, and drops temporary regions that hold only some of them. Callers must not keep a region
  /// across the call.
  Status settle(const std::byte *begin, uint64_t bytes);
  /// Destroys the queues. From here on nothing writes to the program's memory, even if `finish`
  /// fails. Nothing can be performed any more.
  void dropQueues() { streams.clear(); }
  ~HostRuntime() { dropQueues(); }

  HostMemory &memory() { return *known; }
  /// Reads device memory that the host does not see. Errors: those of the work.
  Status read(std::byte *to, const Region &region, const std::byte *from, uint64_t bytes);

  /// Checks the sizes of an allocation before it is made. `sizes` is null if they are not known.
  /// Errors: InvalidArgument.
  Status checkSizes(size_t site, const int64_t *sizes) const;

  /// Returns "file.mlir:12:3". The text lives as long as the runtime.
  const char *placeOf(size_t site) const { return sites[site].location.c_str(); }
  const HostTally &tally() const { return counted; }
  Result<std::vector<QueueProfile>> takeProfile();

private:
  struct Stream {
    Ref<hal::Queue> queue;
    Ref<hal::Timeline> timeline;
    uint64_t value = 0;
    bool pending = false;
    uint32_t after = 0; // bits of the streams that this stream's work waits for
  };
  /// Bytes of the host that a copy on a stream will write, but only when the host waits.
  struct Landing {
    const std::byte *begin = nullptr, *end = nullptr;
    size_t stream = 0;
  };
  struct LaunchedKernel {
    std::string symbol;
    Ref<hal::Executable> executable; // shared by all kernels of one file
    std::string entryPoint;
    const executable::EntryPoint *packaged = nullptr;
    std::unique_ptr<BareKernel> bare;
  };
  struct BufferArgument;

  HostRuntime() = default;
  Result<size_t> makeStream();
  Result<size_t> begin(const host::Site &site, std::span<void *const> tokens);
  Status order(size_t later, size_t earlier);
  Status touch(Region &region, bool writes, size_t stream);
  Status finishStreams(uint32_t set);
  Status settle(const Memref &memref); // `memref` must have elements
  Status settleLandings(const std::byte *begin, const std::byte *end);
  Result<void *> wait(const host::Site &site, std::span<void *const> tokens);
  Status act(const host::Site &site, void *const *operands, size_t stream);

  Status launch(const host::Site &site, void *const *operands, size_t stream);
  Status findBuffers(std::vector<BufferArgument> &buffers);
  Status prepare(const host::Site &site, BufferArgument &buffer, executable::Access access,
                 size_t stream);
  Status launchPackaged(const host::Site &site, LaunchedKernel &kernel, void *const *operands,
                        std::vector<BufferArgument> &buffers, size_t stream);
  Status launchBare(const host::Site &site, LaunchedKernel &kernel, void *const *operands,
                    std::vector<BufferArgument> &buffers, size_t stream);

  // HostTransfers.cpp
  Status copy(const host::Site &site, void *const *operands, size_t stream);
  Status copyRun(std::byte *to, const std::byte *from, uint64_t bytes, size_t stream, bool &lands);
  Status fill(const host::Site &site, void *const *operands, size_t stream);
  Status fillRun(std::byte *to, uint64_t elements, const std::byte *value, uint64_t bytes,
                 size_t stream);

  Ref<hal::Device> device;
  std::vector<host::Site> sites;
  std::vector<LaunchedKernel> kernels;
  std::vector<Stream> streams;
  std::vector<Landing> landings;
  size_t nextStream = 1;
  std::unique_ptr<HostMemory> known;
  Ref<hal::Buffer> nothing; // for memrefs without elements
  bool profiling = false;
  uint32_t printBytes = 0;
  HostTally counted;
};

/// Checks a memref. Errors: InvalidArgument if it reaches beyond the address space.
Status checkFits(const Memref &memref);

/// A memref argument of a launch, and the buffer found for it.
struct HostRuntime::BufferArgument {
  size_t index = 0; // the argument's index
  Memref memref;
  std::byte *begin = nullptr; // the first of the bytes that it may access
  uint64_t bytes = 0;
  Region *region = nullptr; // null for an argument without elements
};

} // namespace pumice::run

//===- Batch.h - recorded work ----------------------------------------------===//
// A list of commands in order. It copies the data that they read, and keeps the objects that they
// use alive. Batches reuse the memory of their lists, so that recording a launch allocates nothing.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/cpu/Kernel.h"
#include "runtime/hal/HostTimeline.h"
#include "runtime/hal/Queue.h"

#include <atomic>
#include <memory>

namespace pumice::cpu_driver {

struct Command {
  enum class Kind : uint8_t { Dispatch, Copy, Fill, Callback, Wait, Signal };
  static constexpr uint32_t noRecord = UINT32_MAX;

  Kind kind = Kind::Dispatch;
  bool joins = false;         // may run together with the dispatches before it (Overlap)
  bool lands = false;         // writes to the caller's memory
  uint32_t record = noRecord; // an index in Batch::records
  // Dispatch
  const CpuKernel *kernel = nullptr;
  uint32_t groups[3] = {1, 1, 1};
  uint32_t globalOffset[3] = {0, 0, 0};
  uint32_t dimensions = 3;
  hal::Buffer *printed = nullptr;
  uint32_t memory = noRecord; // an index in Batch::queries
  // Depends on the kind. Dispatch: the position in Batch::data of the bindings, behind which the
  // push constants follow. Fill: the pattern. Callback: the index in Batch::callbacks.
  uint32_t data = 0;
  // Copy and Fill
  std::byte *to = nullptr;
  const std::byte *from = nullptr;
  uint64_t bytes = 0;
  // Wait and Signal
  hal::HostTimeline *timeline = nullptr;
  uint64_t value = 0;
};

class Batch {
public:
  ~Batch() { reset(); }

  std::vector<Command> commands;
  std::vector<hal::ProfileRecord> records;
  std::vector<std::function<void(const Status &)>> callbacks;
  std::vector<hal::ArgumentMemoryQuery> queries;
  double nanoseconds = 0; // estimated duration
  /// Downloads from this command on are dropped. Another thread may set this while the batch runs.
  std::atomic<size_t> landsUpTo = SIZE_MAX;

  /// Keeps `object` alive until `reset`. Does nothing if the object is among those kept most
  /// recently.
  void keep(const RefCounted *object) {
    size_t from = kept.size() > lately ? kept.size() - lately : 0;
    for (size_t i = kept.size(); i > from; --i)
      if (kept[i - 1] == object)
        return;
    object->retain();
    kept.push_back(object);
  }

  /// Reserves zeroed memory in `data`, aligned for any scalar.
  uint32_t addData(size_t bytes) {
    size_t at = data.size();
    data.resize(at + (bytes + 15) / 16);
    return static_cast<uint32_t>(at * sizeof(Piece));
  }
  std::byte *dataAt(uint32_t offset) { return reinterpret_cast<std::byte *>(data.data()) + offset; }

  /// Takes ownership of the data of an upload, which `allocateMemory` returned. `reset` frees it.
  void addStaging(void *memory) { staging.push_back(memory); }

  /// Releases everything. Objects whose last reference the batch held are destroyed.
  void reset();

private:
  static constexpr size_t lately = 8;
  struct alignas(16) Piece {
    std::byte bytes[16] = {};
  };
  std::vector<Piece> data;
  std::vector<const RefCounted *> kept;
  std::vector<void *> staging;
};

} // namespace pumice::cpu_driver

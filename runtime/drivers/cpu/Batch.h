//===- Batch.h - recorded work ------------------------------------------------===//
// Commands in order, with what they read copied and what they use kept. Lists keep their memory
// from batch to batch: recording a launch allocates nothing.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/cpu/Kernel.h"
#include "runtime/hal/Queue.h"

#include <atomic>
#include <memory>

namespace pumice::cpu_driver {

class CpuTimeline;

struct Command {
  enum class Kind : uint8_t { Dispatch, Copy, Fill, Callback, Wait, Signal };
  static constexpr uint32_t noRecord = UINT32_MAX;

  Kind kind = Kind::Dispatch;
  bool joins = false;         // it may run beside the dispatches right before it: Overlap
  bool lands = false;         // it writes into the caller's memory
  uint32_t record = noRecord; // in Batch::records
  // Dispatch
  const CpuKernel *kernel = nullptr;
  uint32_t groups[3] = {1, 1, 1};
  uint32_t globalOffset[3] = {0, 0, 0};
  uint32_t dimensions = 3;
  hal::Buffer *printed = nullptr;
  uint32_t memory = noRecord; // in Batch::queries
  // Dispatch: its bindings, then its push constants, from this byte of Batch::data on. Fill: the
  // pattern. Callback: its number.
  uint32_t data = 0;
  // Copy and Fill
  std::byte *to = nullptr;
  const std::byte *from = nullptr;
  uint64_t bytes = 0;
  // Wait and Signal
  CpuTimeline *timeline = nullptr;
  uint64_t value = 0;
};

class Batch {
public:
  ~Batch() { reset(); }

  std::vector<Command> commands;
  std::vector<hal::ProfileRecord> records;
  std::vector<std::function<void(const Status &)>> callbacks;
  std::vector<hal::ArgumentMemoryQuery> queries;
  double nanoseconds = 0; // what it is thought to take
  /// From this command on, what would land is given up. Set while the batch may run.
  std::atomic<size_t> landsUpTo = SIZE_MAX;

  /// Keeps `object` alive until `reset`. Skips objects that were among the last ones kept.
  void keep(const RefCounted *object) {
    size_t from = kept.size() > lately ? kept.size() - lately : 0;
    for (size_t i = kept.size(); i > from; --i)
      if (kept[i - 1] == object)
        return;
    object->retain();
    kept.push_back(object);
  }

  /// Room in `data`; aligned for any scalar, all zeros.
  uint32_t addData(size_t bytes) {
    size_t at = data.size();
    data.resize(at + (bytes + 15) / 16);
    return static_cast<uint32_t>(at * sizeof(Piece));
  }
  std::byte *dataAt(uint32_t offset) { return reinterpret_cast<std::byte *>(data.data()) + offset; }

  /// Memory of `allocateMemory` that holds what an upload brought: freed by `reset`.
  void addStaging(void *memory) { staging.push_back(memory); }

  /// Lets go of everything; whatever that destroys is destroyed here.
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

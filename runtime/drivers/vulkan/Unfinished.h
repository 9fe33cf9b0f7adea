//===- Unfinished.h - unfinished work of a lost device ----------------------===//
// Batches note which kernels they launch with which buffers. When a device is lost, the notes of
// unfinished batches name the kernels and buffers that may be the cause. Noting a launch takes only
// a few stores.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Queue.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <vector>

namespace pumice::vulkan {

/// A buffer of an unfinished launch, described as plain data.
struct Suspect {
  std::string kernel, argument; // no argument: only the buffer is known
  uint64_t address = 0, bytes = 0;
  bool isWritten = false;
};

/// Notes the launches of one batch: the kernel of a launch, then its buffers, and so on. The
/// objects live until the batch is done.
class LaunchNotes {
public:
  void add(const hal::Kernel *kernel, std::span<const hal::BufferUse> uses) {
    size_t end = used + 1 + uses.size();
    if (end > objects.size()) [[unlikely]]
      grow(end);
    const void **object = objects.data() + used;
    uint16_t *mark = marks.data() + used;
    *object++ = kernel;
    *mark++ = kernelMark;
    for (const hal::BufferUse &use : uses) {
      *object++ = use.buffer;
      *mark++ = static_cast<uint16_t>((use.argument & noArgument) |
                                      (executable::writes(use.access) ? writtenMark : 0));
    }
    used = end;
  }
  /// Adds the launches of another list.
  void add(const LaunchNotes &others) {
    if (used + others.used > objects.size())
      grow(used + others.used);
    std::copy_n(others.objects.data(), others.used, objects.data() + used);
    std::copy_n(others.marks.data(), others.used, marks.data() + used);
    used += others.used;
  }
  void clear() { used = 0; }

private:
  friend class Unfinished;
  static constexpr uint16_t noArgument = 0x3fff, writtenMark = 0x4000, kernelMark = 0x8000;
  [[gnu::cold]] void grow(size_t atLeast) {
    objects.resize(2 * atLeast + 64);
    marks.resize(objects.size());
  }

  std::vector<const void *> objects; // a hal::Kernel if its mark says so, else a hal::Buffer
  std::vector<uint16_t> marks;       // for each object: the number of an argument, or a mark
  size_t used = 0;
  std::chrono::steady_clock::time_point submitted;
};

/// The buffer at an address.
struct AddressRange {
  uint64_t address = 0, bytes = 0;
};

/// Facts about a device at the time of its loss.
struct LossContext {
  std::vector<Suspect> suspects;     // in launch order
  std::vector<std::string> kernels;  // unfinished kernels, without duplicates
  std::vector<AddressRange> buffers; // all live buffers, sorted by address
  std::chrono::duration<double> oldest{
      -1}; // the time since the oldest unfinished submission; negative: unknown
};

/// The unfinished batches of a device. The mutex is held only briefly, and while it is held, no
/// other mutex is taken.
class Unfinished {
public:
  /// Adds a batch that was submitted. It stays in the list until it is removed.
  void add(LaunchNotes &notes);
  void remove(const LaunchNotes &notes);
  /// Notes that some work has ended, even if its batch has not been removed yet.
  void moved();
  /// Returns the time since a submitted batch last ended, or 0 if no submitted batch is left.
  std::chrono::steady_clock::duration standstill();

  void addBuffer(uint64_t address, uint64_t bytes);
  void removeBuffer(uint64_t address);

  LossContext context();

private:
  std::mutex mutex;
  std::vector<const LaunchNotes *> batches;
  /// The time when a batch last ended, or when the first batch was added.
  std::chrono::steady_clock::time_point lastMoved;
  std::map<uint64_t, uint64_t> buffers; // maps addresses to sizes
};

} // namespace pumice::vulkan

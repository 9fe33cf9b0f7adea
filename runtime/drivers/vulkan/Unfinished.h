//===- Unfinished.h - what a lost device had not finished ---------------------===//
// Batches note which kernels they launch, and with which buffers. When a device is lost, the notes
// of those that are not done say whose access it may have been. To note a launch costs a few
// stores.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Queue.h"

#include <chrono>
#include <map>
#include <mutex>
#include <vector>

namespace pumice::vulkan {

/// A buffer of an unfinished launch, as plain data.
struct Suspect {
  std::string kernel, argument; // no argument: where nobody named it
  uint64_t address = 0, bytes = 0;
  bool isWritten = false;
};

/// Of one batch. Kernels and buffers live as long as it is not done.
class LaunchNotes {
public:
  void add(const hal::Kernel *kernel, std::span<const hal::BufferUse> uses) {
    size_t first = buffers.size();
    buffers.resize(first + uses.size());
    std::copy(uses.begin(), uses.end(), buffers.begin() + static_cast<ptrdiff_t>(first));
    launches.push_back({kernel, buffers.size()});
  }
  void clear() {
    launches.clear();
    buffers.clear();
  }

private:
  friend class Unfinished;
  struct Launch {
    const hal::Kernel *kernel;
    size_t buffersEnd; // of those in `buffers` that are its own
  };
  std::vector<Launch> launches;
  std::vector<hal::BufferUse> buffers;
  std::chrono::steady_clock::time_point submitted;
};

/// What is at an address.
struct AddressRange {
  uint64_t address = 0, bytes = 0;
};

/// What is known of a device at the moment at which it is lost.
struct LossContext {
  std::vector<Suspect> suspects;     // in the order of their launches
  std::vector<std::string> kernels;  // unfinished ones, each once
  std::vector<AddressRange> buffers; // all that live, by address
  std::chrono::duration<double> oldest{
      -1}; // since the oldest of that work was submitted; < 0: none
};

/// Of a device. Its mutex is held for moments, and no other one under it.
class Unfinished {
public:
  /// The batch is on the device, until it is removed.
  void add(LaunchNotes &notes);
  void remove(const LaunchNotes &notes);

  void addBuffer(uint64_t address, uint64_t bytes);
  void removeBuffer(uint64_t address);

  LossContext context();

private:
  std::mutex mutex;
  std::vector<const LaunchNotes *> batches;
  std::map<uint64_t, uint64_t> buffers; // bytes by address
};

} // namespace pumice::vulkan

//===- MockWork.h - the device-level half of the mock Vulkan driver ---------===//
// Memory is the host's, objects are counted numbers, and nothing is computed. Submitted work is
// done when someone waits for it or submits more. A device that is to be lost takes its first work
// and never ends it. It reports the loss only at the next submission, as drivers do.
//===-------------------------------------------------------------------------===//
#pragma once

#include "MockDevices.h"

#include <vulkan/vk_icd.h>

#include <atomic>
#include <memory>
#include <mutex>

namespace mock {

/// The target of a dispatchable handle. The loader writes its table over the first word.
struct Handle {
  uintptr_t loader = ICD_LOADER_MAGIC;
};

struct OpenDevice;
struct Queue : Handle {
  OpenDevice *device = nullptr;
};
/// The value of a semaphore or a fence.
struct Counter {
  std::atomic<uint64_t> value;
};
struct Signal {
  Counter *counter;
  uint64_t value;
};
/// How a device's work ends: the device takes none, is lost, hangs, or does it when someone waits.
enum class Ending { noWork, never, hangs, whenWaited };

struct OpenDevice : Handle {
  explicit OpenDevice(Ending ending) : ending(ending) {
    for (Queue &queue : queues)
      queue.device = this;
  }
  Queue queues[64];
  const Ending ending;
  std::atomic<bool> lost = false;
  std::mutex mutex;
  std::vector<std::unique_ptr<Handle>> commands; // command buffers, whatever pool they are from
  std::vector<Signal> signals;                   // of submissions that are not done yet
};

/// A function of devices, queues or command buffers; null for those that it lacks.
PFN_vkVoidFunction findWork(const char *name);

} // namespace mock

//===- MockWork.h - the device-level half of the mock Vulkan driver ---------===//
// Memory is the host's, objects are counted numbers, and nothing is computed. What is submitted is
// done when someone sleeps until it is, or submits more. A device that is to be lost takes its
// first work, never ends it, and says that it was lost only to who submits something else, as
// drivers do.
//===-------------------------------------------------------------------------===//
#pragma once

#include "MockDevices.h"

#include <vulkan/vk_icd.h>

#include <atomic>
#include <memory>
#include <mutex>

namespace mock {

/// What a dispatchable handle points to: the loader writes its table over the first word.
struct Handle {
  uintptr_t loader = ICD_LOADER_MAGIC;
};

struct OpenDevice;
struct Queue : Handle {
  OpenDevice *device = nullptr;
};
/// Of a semaphore or a fence.
struct Counter {
  std::atomic<uint64_t> value;
};
struct Signal {
  Counter *counter;
  uint64_t value;
};
/// What becomes of a device's work: it takes none, is lost by it, is at it for ever, or does it
/// when someone sleeps.
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

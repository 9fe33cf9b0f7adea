//===- MockWork.h - the device-level half of the mock Vulkan driver ---------===//
// Device memory is host memory, and nothing is computed. Handles of objects without state are
// increasing numbers. Submitted work finishes when someone waits for it or submits more. A device
// that is set up to be lost accepts its first work, but never finishes it. Waits for its fences and
// semaphores time out. The next submission reports the loss, as with real drivers.
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
/// The fate of submitted work. noWork: the device accepts none. never: the work does not end, and
/// the device is lost. hangs: calls do not return. whenWaited: the work is done when someone waits
/// for it.
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
  std::vector<std::unique_ptr<Handle>> commands; // command buffers of all pools
  std::vector<Signal> signals;                   // of submissions that are not done yet
};

/// Returns a function of devices, queues or command buffers, or null if it is missing.
PFN_vkVoidFunction findWork(const char *name);

} // namespace mock

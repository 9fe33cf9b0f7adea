//===- MockWork.h - the device-level half of the mock Vulkan driver ---------===//
// Memory is the host's, objects are counted numbers, and what is submitted is done at once: nothing
// is computed. One that is to be lost takes its first work, never ends it, and says that it was
// lost only to who submits something else, as drivers do.
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
struct OpenDevice : Handle {
  explicit OpenDevice(bool toBeLost) : toBeLost(toBeLost) {
    for (Queue &queue : queues)
      queue.device = this;
  }
  Queue queues[64];
  const bool toBeLost;
  std::atomic<bool> lost = false;
  std::mutex mutex;
  std::vector<std::unique_ptr<Handle>> commands; // command buffers, whatever pool they are from
};

/// A function of devices, queues or command buffers; null for those that it lacks.
PFN_vkVoidFunction findWork(const char *name);

} // namespace mock

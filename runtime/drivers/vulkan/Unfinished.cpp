//===- Unfinished.cpp - what a lost device had not finished -------------------===//
#include "runtime/drivers/vulkan/Unfinished.h"

#include <algorithm>

namespace pumice::vulkan {

void Unfinished::add(LaunchNotes &notes) {
  std::lock_guard lock(mutex);
  notes.submitted = std::chrono::steady_clock::now();
  batches.push_back(&notes);
}

void Unfinished::remove(const LaunchNotes &notes) {
  std::lock_guard lock(mutex);
  std::erase(batches, &notes);
}

void Unfinished::addBuffer(uint64_t address, uint64_t bytes) {
  if (address == 0)
    return;
  std::lock_guard lock(mutex);
  buffers[address] = bytes;
}

void Unfinished::removeBuffer(uint64_t address) {
  if (address == 0)
    return;
  std::lock_guard lock(mutex);
  buffers.erase(address);
}

LossContext Unfinished::context() {
  std::lock_guard lock(mutex);
  LossContext context;
  for (const auto &[address, bytes] : buffers)
    context.buffers.push_back({address, bytes});
  auto now = std::chrono::steady_clock::now();
  for (const LaunchNotes *notes : batches) {
    context.oldest = std::max<decltype(context.oldest)>(context.oldest, now - notes->submitted);
    size_t next = 0;
    for (const LaunchNotes::Launch &launch : notes->launches) {
      const std::string &kernel = launch.kernel->label();
      if (std::ranges::find(context.kernels, kernel) == context.kernels.end())
        context.kernels.push_back(kernel);
      for (; next < launch.buffersEnd; ++next) {
        const hal::BufferUse &use = notes->buffers[next];
        context.suspects.push_back({kernel, launch.kernel->argumentName(use.argument),
                                    use.buffer->deviceAddress(), use.buffer->bytes(),
                                    executable::writes(use.access)});
      }
    }
  }
  return context;
}

} // namespace pumice::vulkan

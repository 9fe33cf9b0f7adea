//===- Unfinished.cpp - lists the unfinished work of a lost device ----------===//
#include "runtime/drivers/vulkan/Unfinished.h"

#include <algorithm>

namespace pumice::vulkan {

void Unfinished::add(LaunchNotes &notes) {
  std::lock_guard lock(mutex);
  notes.submitted = std::chrono::steady_clock::now();
  if (batches.empty())
    lastMoved = notes.submitted;
  batches.push_back(&notes);
}

void Unfinished::remove(const LaunchNotes &notes) {
  std::lock_guard lock(mutex);
  std::erase(batches, &notes);
  lastMoved = std::chrono::steady_clock::now();
}

void Unfinished::moved() {
  std::lock_guard lock(mutex);
  lastMoved = std::chrono::steady_clock::now();
}

std::chrono::steady_clock::duration Unfinished::standstill() {
  std::lock_guard lock(mutex);
  return batches.empty() ? std::chrono::steady_clock::duration::zero()
                         : std::chrono::steady_clock::now() - lastMoved;
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
    const hal::Kernel *kernel = nullptr;
    for (size_t i = 0; i < notes->used; ++i) {
      uint16_t mark = notes->marks[i];
      if (mark & LaunchNotes::kernelMark) {
        kernel = static_cast<const hal::Kernel *>(notes->objects[i]);
        if (std::ranges::find(context.kernels, kernel->label()) == context.kernels.end())
          context.kernels.push_back(kernel->label());
        continue;
      }
      const auto *buffer = static_cast<const hal::Buffer *>(notes->objects[i]);
      context.suspects.push_back(
          {kernel->label(), kernel->argumentName(mark & LaunchNotes::noArgument),
           buffer->deviceAddress(), buffer->bytes(), (mark & LaunchNotes::writtenMark) != 0});
    }
  }
  return context;
}

} // namespace pumice::vulkan

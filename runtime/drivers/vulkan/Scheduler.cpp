//===- Scheduler.cpp - chooses the next batch to submit ---------------------===//
#include "runtime/drivers/vulkan/Scheduler.h"

#include "runtime/drivers/vulkan/Timeline.h"

#include <algorithm>

namespace pumice::vulkan {

void Scheduler::pump(std::vector<Ref<Stream>> streams) {
  // `seen` ends the loop if streams wait for each other in a cycle. After each submitted batch, all
  // streams are visited again.
  std::vector<Stream *> seen;
  while (!streams.empty()) {
    Ref<Stream> stream = std::move(streams.back());
    streams.pop_back();
    if (std::ranges::find(seen, stream.get()) != seen.end())
      continue;
    if (stream->submitReady(streams))
      seen.clear();
    seen.push_back(stream.get());
  }
  changed.notify_all();
}

} // namespace pumice::vulkan

//===- Printing.cpp - printf buffers of launches ----------------------------===//
#include "runtime/hal/Printing.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace pumice::hal {

Result<Ref<Buffer>> makePrintfBuffer(Device &device, uint32_t bytes) {
  if (bytes < 8)
    return Status(StatusCode::InvalidArgument,
                  "printBytes is " + std::to_string(bytes) + "; a record needs at least 8");
  Result<Ref<Buffer>> made = device.allocate(bytes & ~3u, MemoryKind::Host);
  if (!made.isOk())
    return Status(made.status()).at("the printf buffer");
  if (!(*made)->hostPointer())
    return Status(StatusCode::Internal, device.info().id + " gave host memory without a pointer");
  // Clears the whole buffer. If output is lost, the zeros mark the end of the records.
  std::memset((*made)->hostPointer(), 0, (*made)->bytes());
  return made;
}

Status printWhenDone(Queue &queue, Ref<Buffer> buffer,
                     std::shared_ptr<const std::vector<executable::PrintfFormat>> formats,
                     const PrintSink *sink) {
  auto print = [buffer = std::move(buffer), formats = std::move(formats),
                sink = sink ? *sink : PrintSink()](const Status &done) {
    // After a failure, the contents of the buffer are undefined, and the waiting caller gets the
    // error. But an invalid access ends only its own launch, and earlier output may explain it.
    if (!done.isOk() && done.code() != StatusCode::InvalidAccess)
      return;
    // Reads the count only once, because the memory may be slow, and others may write to it.
    std::vector<uint32_t> words(buffer->bytes() / 4);
    std::memcpy(words.data(), buffer->hostPointer(), sizeof(uint32_t));
    size_t used = std::min<size_t>(words[0], words.size() - 1);
    std::memcpy(words.data() + 1, buffer->hostPointer() + 4, used * 4);
    std::string text = formatPrintf(*formats, words);
    if (text.empty())
      return;
    if (sink)
      return sink(text);
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  };
  return queue.onDone(std::move(print));
}

} // namespace pumice::hal

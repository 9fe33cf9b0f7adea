//===- Printing.h - what kernels printed, as text --------------------------===//
// docs/printf.md has the form of the buffer.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Device.h"

namespace pumice::hal {

/// The text of the records in `words`, a printf buffer from its first word on. What does not fit
/// together (a buffer that the kernel damaged) is said in the text, in brackets on a line of its
/// own; so is output that found no room.
std::string formatPrintf(std::span<const executable::PrintfFormat> formats,
                         std::span<const uint32_t> words);

/// A printf buffer, all zeros, that kernels can begin to write to.
Result<Ref<Buffer>> makePrintfBuffer(Device &device, uint32_t bytes);

/// Formats `buffer` when everything before on `queue` is done, and hands the text, if there is any,
/// to `sink` (copied; null: stdout).
Status printWhenDone(Queue &queue, Ref<Buffer> buffer,
                     std::shared_ptr<const std::vector<executable::PrintfFormat>> formats,
                     const PrintSink *sink);

} // namespace pumice::hal

//===- Printing.h - formats the output of kernels -------------------------===//
// docs/printf.md has the form of the buffer.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Device.h"

namespace pumice::hal {

/// Returns the text of the records in `words`, a printf buffer from its first word on. The text
/// reports, on lines of their own in brackets, records that a kernel damaged and output that did
/// not fit.
std::string formatPrintf(std::span<const executable::PrintfFormat> formats,
                         std::span<const uint32_t> words);

/// Makes a zeroed printf buffer, which kernels can write to.
Result<Ref<Buffer>> makePrintfBuffer(Device &device, uint32_t bytes);

/// Formats `buffer` when everything before on `queue` is done. Passes the text, if there is any, to
/// `sink` (copied; null: stdout).
Status printWhenDone(Queue &queue, Ref<Buffer> buffer,
                     std::shared_ptr<const std::vector<executable::PrintfFormat>> formats,
                     const PrintSink *sink);

} // namespace pumice::hal

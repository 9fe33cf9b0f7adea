//===- Printing.h - formats the output of kernels ---------------------------===//
// docs/printf.md describes the format of the buffer.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Device.h"

namespace pumice::hal {

/// Returns the text of the records in a printf buffer. `words` begins with the first word of the
/// buffer. The text also reports records that the kernel damaged, and output that did not fit, on
/// separate lines in brackets.
std::string formatPrintf(std::span<const executable::PrintfFormat> formats,
                         std::span<const uint32_t> words);

/// Creates a zeroed printf buffer to which kernels can write.
Result<Ref<Buffer>> makePrintfBuffer(Device &device, uint32_t bytes);

/// Formats `buffer` when all earlier work on `queue` is done. Passes the text, if there is any, to
/// a copy of `sink`, or to stdout if `sink` is null.
Status printWhenDone(Queue &queue, Ref<Buffer> buffer,
                     std::shared_ptr<const std::vector<executable::PrintfFormat>> formats,
                     const PrintSink *sink);

} // namespace pumice::hal

//===- HostSlack.h - memory around what is lent to a device -----------------===//
#pragma once

#include <cstdint>

namespace pumice::python {

/// Makes all pages that hold these bytes readable, by mapping zeros at places without memory.
/// Returns false if a page cannot be read, or the system does not say. Returns true on systems
/// other than Linux, whose memory there is assumed to be readable.
bool makeReadable(uint64_t address, uint64_t bytes);

} // namespace pumice::python

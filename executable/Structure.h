//===- Structure.h - checks whether a file is well formed -------------------===//
// Checks that the generated accessors may be used on `file`: all offsets and counts are inside it
// and aligned, and strings are terminated. Validate.h checks the meaning of values.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <cstdint>
#include <span>

namespace pumice::executable {

/// Checks `file`, which must be aligned to 16 bytes in memory. The error names the first bad field.
Status checkStructure(std::span<const uint8_t> file);

} // namespace pumice::executable

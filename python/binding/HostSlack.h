//===- HostSlack.h - memory around what is lent to a device -------------------===//
#pragma once

#include <cstdint>

namespace pumice::python {

/// Makes sure that this process can read all pages that hold these bytes: where nothing is mapped,
/// zeros are from here on. False where that cannot be: something is there that may not be read, or
/// the system does not say. Systems other than Linux are taken to have readable memory there.
bool makeReadable(uint64_t address, uint64_t bytes);

} // namespace pumice::python

//===- Failures.h - keeps assertions of kernels that failed -----------------===//
// Kernels check indices by assertions. A queue delivers their text once it notices that the kernel
// is done. The next synchronization throws it, as with CUDA's device-side assertions.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <string>

namespace pumice::vk {

/// Keeps the text of an assertion that failed.
void keepFailure(std::string text);

/// Takes the output of a plan's kernel (pumice_launch_options::print). Keeps failed assertions, and
/// writes the rest to stdout. `name` points to the operator's name, a std::string that stays alive.
void takeOutput(void *name, const char *text, size_t bytes);

/// Throws the assertions that have failed since the last call, if there are any.
void raiseFailures();

} // namespace pumice::vk

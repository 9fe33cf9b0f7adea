//===- Problem.h - the kernels of the CPU benchmark -------------------------===//
// A problem is a kernel with its data, its grid and a check of its output. It is the same for every
// peer.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace pumice::bench {

using Bytes = std::vector<std::byte>;

/// One launch of a problem's kernel.
struct Launch {
  std::array<uint32_t, 3> groups{1, 1, 1};
  std::vector<uint32_t> push; // the scalars, which follow the buffers
};

struct Problem {
  std::string name, size;
  std::span<const uint32_t> spirv;
  std::string_view openCl; // the source, which has a kernel of this name
  std::array<uint32_t, 3> workgroup{1, 1, 1};
  Launch launch;
  uint32_t n = 0;             // from the table of sizes
  std::vector<Bytes> buffers; // their contents before a checked launch
  size_t output = 0;          // the buffer that the kernel writes
  /// Describes an error in the output of one `launch`, or returns an empty text.
  std::string (*whyWrong)(const Problem &, const Bytes &output) = nullptr;

  template <typename T> std::span<const T> as(size_t buffer) const {
    return {reinterpret_cast<const T *>(buffers[buffer].data()),
            buffers[buffer].size() / sizeof(T)};
  }
};

/// Returns the kernels that have a native counterpart, in the order of the table.
std::span<const std::string_view> comparedKernels();

/// Makes one of these problems, or "barriers", "empty" or "first". Errors: NotFound. `quick` makes
/// it as small as possible.
Result<Problem> makeProblem(std::string_view name, bool quick);

} // namespace pumice::bench

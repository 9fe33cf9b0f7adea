//===- MslLayout.h - how MSL takes its arguments ----------------------------===//
// MSL states buffer indices in attributes, and no size of a threadgroup. So an msl variant begins
// with comments that say what a launch needs:
//
//   // pumice-msl 1
//   // kernel softmax
//   // threadgroup 128 c1 1        sizes, or the function constants that give them
//   // parameters 2                the buffer index of the push constants
//   // buffer 0 set 0 binding 1    the buffer index of a descriptor
//   // sizes 30                    the buffer index of the bytes of each buffer, by index
//   // constant 1 uint 4           a function constant: its id, type and default (32 bits)
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pumice::executable {

struct MslLayout {
  struct Size {
    uint32_t threads = 1;             // the default if a constant gives it
    std::optional<uint32_t> constant; // the id of a function constant
    bool operator==(const Size &) const = default;
  };
  struct Buffer {
    uint32_t index = 0, set = 0, binding = 0;
    bool operator==(const Buffer &) const = default;
  };
  struct Constant {
    uint32_t id = 0;
    std::string type; // of MSL: "uint"
    uint64_t bits = 0;
    bool operator==(const Constant &) const = default;
  };

  std::string kernel; // the function's name in the source
  std::array<Size, 3> threadgroup;
  std::optional<uint32_t> parameters, sizes;
  std::vector<Buffer> buffers;
  std::vector<Constant> constants;

  bool operator==(const MslLayout &) const = default;
};

/// Returns the comments, which end with a line feed.
std::string mslLayoutText(const MslLayout &layout);

/// Reads the comments at the beginning of the source. Errors: DataCorrupt, which names the line.
Result<MslLayout> readMslLayout(std::string_view source);

} // namespace pumice::executable

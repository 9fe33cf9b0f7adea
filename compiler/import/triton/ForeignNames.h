//===- ForeignNames.h - finds names of dialects that TTIR may not contain ---===//
// Finds unknown dialects before MLIR's parser runs, because the parser would only report that a
// dialect is not registered. If all dialects in a text are known, the text cannot reach the parsers
// of other dialects.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pumice::triton {

struct ForeignName {
  size_t line = 1, column = 1;
  std::string name; // "ttg.local_alloc", "#ttg.blocked"
};

std::optional<ForeignName> findForeignName(std::string_view text);

} // namespace pumice::triton

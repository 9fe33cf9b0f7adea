//===- ForeignNames.h - names in TTIR text of dialects that it may not hold -===//
// Found before MLIR's parser is asked: it would say that a dialect is not registered, and text
// with only a few known dialects cannot reach other dialects' parsers.
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

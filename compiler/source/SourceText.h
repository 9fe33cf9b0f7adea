//===- SourceText.h - MLIR text that the parser would not survive -----------===//
// MLIR's parser recurses on brackets without a limit and stumbles over arrays of index. What it
// would crash on is found before it is asked.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pumice {

/// Where the text (lines and columns count from 1) cannot be given to the parser, and why.
struct TextProblem {
  size_t line, column;
  std::string what;
};

std::optional<TextProblem> findTextProblem(std::string_view text);

} // namespace pumice

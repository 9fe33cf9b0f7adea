//===- SourceText.h - finds MLIR text that would crash the parser -----------===//
// MLIR's parser recurses on brackets without a limit and fails on arrays of index. This check finds
// text that would crash the parser before the parser runs.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pumice {

/// The place in a text (line and column count from 1), and the reason why the parser cannot take
/// the text.
struct TextProblem {
  size_t line, column;
  std::string what;
};

std::optional<TextProblem> findTextProblem(std::string_view text);

} // namespace pumice

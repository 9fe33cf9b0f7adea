//===- PrintfFormat.h - the arguments that a printf format takes ------------===//
// This is plain text code, without MLIR. A conversion has the form
// `%[flags][width][.precision][length]conversion`, and `%%` prints a percent sign.
//===-------------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pumice::lower {

/// One conversion of a format that takes an argument.
struct PrintfSpecifier {
  enum class Kind { Signed, Unsigned, Character, Float, Pointer };
  Kind kind;
  /// Says whether the length modifier requires 64 bits (l, ll, j, z, t).
  bool isLong;
  /// The conversion as written in the format, for example "%-8.3f".
  std::string text;
};

struct PrintfFormat {
  std::vector<PrintfSpecifier> specifiers;
  /// Describes the error in the format; empty if there is none.
  std::string error;
};

PrintfFormat parsePrintfFormat(std::string_view format);

} // namespace pumice::lower

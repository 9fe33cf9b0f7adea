//===- CNames.h - names that C and C++ accept -------------------------------===//
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace pumice::exporting {

/// Hands out identifiers, each once. They are never keywords of C or C++, macros of the headers
/// that launchers include, or names of the C library.
class CNames {
public:
  /// Names of functions and namespaces also differ from all that those headers declare.
  explicit CNames(bool areFunctions = false) : areFunctions(areFunctions) {}
  /// Returns the identifier that is most similar to `name`.
  std::string take(std::string_view name);
  /// Reserves an identifier.
  void reserve(std::string_view name) { taken.emplace(name); }

private:
  bool areFunctions;
  std::set<std::string, std::less<>> taken;
};

/// Returns `text` as the contents of a C string literal.
std::string escaped(std::string_view text);
/// Returns `text` for a comment, which it cannot end.
std::string commented(std::string_view text);

} // namespace pumice::exporting

//===- Json.h - JSON with the position of every value -----------------------===//
// People write these files by hand, so errors have a line and a column. Numbers keep their
// spelling, so that 64-bit integers stay exact. Objects keep the order of their keys.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pumice::run::json {

enum class Kind : uint8_t { Null, Boolean, Number, String, List, Object };

struct Member;

struct Value {
  Kind kind = Kind::Null;
  bool flag = false;
  // Position of the first character. Both count from 1, and columns count bytes.
  uint32_t line = 1, column = 1;
  std::string text; // a string's contents, or a number's spelling
  std::vector<Value> items;
  std::vector<Member> members;

  /// Returns the member of this name, or null.
  const Value *find(std::string_view name) const;
};

struct Member {
  std::string name;
  Value value;
};

/// Parses JSON. Errors: InvalidArgument, "3:14: expected ',' or ']' in the list".
Result<Value> parse(std::string_view text);

/// Returns a number's spelling. For whole numbers this has no fraction and exponent: "64.0" and
/// "6.4e1" become "64".
std::string wholeText(const Value &number);

/// Returns, for example, "a list" or "the number 7".
std::string describe(const Value &value);

/// Returns `text` between quotes, with escapes, as JSON and people read it.
std::string quote(std::string_view text);

/// Returns a name for a terminal: unchanged, or quoted if it has control characters.
std::string shown(std::string_view name);

} // namespace pumice::run::json

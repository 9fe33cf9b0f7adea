//===- SourceText.cpp - finds MLIR text that would crash the parser ---------===//
#include "compiler/source/SourceText.h"

#include <cctype>

using namespace pumice;

/// The most levels of brackets. Each level takes stack in the parser, and in every recursive pass.
static constexpr size_t deepest = 1000;

static size_t skipSpaces(std::string_view text, size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])))
    ++at;
  return at;
}

/// Returns whether array<index: ...> is at this place, even with an alias of the type. The parser
/// would query the width of index.
static bool isArrayOfIndex(std::string_view text, size_t at) {
  constexpr std::string_view array = "array";
  if (text.substr(at, array.size()) != array)
    return false;
  at = skipSpaces(text, at + array.size());
  if (at >= text.size() || text[at] != '<')
    return false;
  at = skipSpaces(text, at + 1);
  return text.substr(at, 5) == "index" || text.substr(at, 1) == "!";
}

static TextProblem problemAt(std::string_view text, size_t at, std::string what) {
  size_t line = 1, start = 0;
  for (size_t i = 0; i < at; ++i)
    if (text[i] == '\n') {
      ++line;
      start = i + 1;
    }
  return {line, at - start + 1, std::move(what)};
}

std::optional<TextProblem> pumice::findTextProblem(std::string_view text) {
  size_t depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quoted) {
      if (c == '\\')
        ++i;
      else if (c == '"' || c == '\n') // a string cannot continue on the next line
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '/' && text.substr(i, 2) == "//") {
      size_t end = text.find('\n', i);
      if (end == std::string_view::npos)
        break;
      i = end;
    } else if (c == '-' && text.substr(i, 2) == "->") {
      ++i;
    } else if (c == '[' || c == '{' || c == '<' || c == '(') {
      if (++depth > deepest)
        return problemAt(text, i,
                         "brackets nest more than " + std::to_string(deepest) +
                             " deep: split the function, or shorten the attribute");
    } else if (c == ']' || c == '}' || c == '>' || c == ')') {
      depth -= depth > 0;
    } else if (c == 'a' && isArrayOfIndex(text, i)) {
      return problemAt(text, i, "an array of index: write i32 or i64 as the type of its elements");
    }
  }
  return std::nullopt;
}

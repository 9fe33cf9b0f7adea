//===- ForeignNames.cpp - finds names of dialects that TTIR may not contain -===//
#include "compiler/import/triton/ForeignNames.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace pumice::triton;

/// Returns whether TTIR may contain this operation or attribute. The part of `name` before the
/// first dot is the dialect.
static bool isKnown(StringRef name) {
  StringRef dialect = name.split('.').first;
  if (StringSwitch<bool>(dialect)
          .Cases({"arith", "cf", "math", "scf", "tt", "ub"}, true)
          .Default(false))
    return true;
  return StringSwitch<bool>(name)
      .Cases({"builtin.module", "gpu.barrier", "llvm.intr.assume", "ttg.barrier"}, true)
      .Cases({"llvm.loop_annotation", "llvm.loop_licm", "llvm.loop_unroll"}, true)
      .Default(false);
}

namespace {

class Scanner {
public:
  explicit Scanner(StringRef text) : text(text) {}

  std::optional<ForeignName> run() {
    while (at < text.size()) {
      char c = text[at];
      if (c == '"') {
        scanString();
      } else if (text.substr(at).starts_with("//")) {
        at = std::min(text.find('\n', at), text.size());
      } else if (isAlpha(c) || c == '_') {
        scanName();
      } else if (isDigit(c) || c == '%' || c == '@' || c == '^') {
        ++at; // numbers, values, symbols and blocks have no dialect
        if (at < text.size() && text[at] == '"')
          skipString();
        else
          takeWord();
      } else {
        ++at;
      }
      if (!found.name.empty())
        return found;
    }
    return std::nullopt;
  }

private:
  StringRef takeWord() {
    size_t start = at;
    while (at < text.size() &&
           (isAlnum(text[at]) || text[at] == '_' || text[at] == '.' || text[at] == '$'))
      ++at;
    return text.slice(start, at);
  }

  /// Returns the text of a string. Continues behind its closing quotation mark, or at the end of
  /// the line.
  StringRef skipString() {
    size_t start = ++at;
    while (at < text.size() && text[at] != '"' && text[at] != '\n')
      at += text[at] == '\\' ? 2 : 1;
    at = std::min(at, text.size());
    StringRef word = text.slice(start, at);
    if (at < text.size() && text[at] == '"')
      ++at;
    return word;
  }

  void scanName() {
    size_t start = at;
    StringRef word = takeWord();
    if (!word.contains('.') || isKnown(word))
      return;
    char before = start > 0 ? text[start - 1] : ' ';
    report(start, before == '#' || before == '!' ? before + word.str() : word.str());
  }

  /// "tt.reduce"(…) is the generic form of an operation, and "ttg.num-warps" = 4 is an attribute.
  void scanString() {
    size_t start = at;
    StringRef line = text.take_front(start);
    line = line.drop_front(line.rfind('\n') + 1).rtrim();
    StringRef word = skipString();
    StringRef behind = text.substr(at).ltrim();
    bool operation = behind.starts_with("(") && (line.empty() || line.ends_with("="));
    bool attribute = behind.starts_with("=");
    if ((operation || attribute) && word.contains('.') && !isKnown(word))
      report(start, word.str());
  }

  void report(size_t place, std::string name) {
    StringRef before = text.take_front(place);
    found = {before.count('\n') + 1, place - (before.rfind('\n') + 1) + 1, std::move(name)};
  }

  StringRef text;
  size_t at = 0;
  ForeignName found;
};

} // namespace

std::optional<ForeignName> pumice::triton::findForeignName(std::string_view text) {
  return Scanner(text).run();
}

//===- CNames.cpp - names that C and C++ accept -----------------------------===//
#include "compiler/export/CNames.h"

#include <cctype>
#include <cstdint>
#include <cstdio>

using namespace pumice;
using namespace pumice::exporting;

namespace {

#include "compiler/export/ReservedNames.inc"

/// Targets that CMake makes. A library cannot have their names.
constexpr std::string_view cmakeTargets[] = {
    "all",     "clean",   "depend",         "edit_cache", "help",          "install",
    "test",    "package", "package_source", "preinstall", "rebuild_cache", "ALL_BUILD",
    "INSTALL", "PACKAGE", "RUN_TESTS",      "ZERO_CHECK"};

const std::set<std::string_view> &reservedWords() {
  static const std::set<std::string_view> words = {
      // Keywords of C23 and C++26, alternative tokens, and words with a meaning in some places.
      "alignas", "alignof", "and", "and_eq", "asm", "atomic_cancel", "atomic_commit",
      "atomic_noexcept", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
      "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl",
      "concept", "const", "const_cast", "consteval", "constexpr", "constinit", "continue",
      "contract_assert", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else",
      "enum", "explicit", "export", "extern", "false", "final", "float", "for", "friend", "goto",
      "if", "import", "inline", "int", "long", "main", "module", "mutable", "namespace", "new",
      "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "override", "private",
      "protected", "public", "reflexpr", "register", "reinterpret_cast", "requires", "restrict",
      "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct",
      "switch", "synchronized", "template", "this", "thread_local", "throw", "true", "try",
      "typedef", "typeid", "typename", "typeof", "typeof_unqual", "union", "unsigned", "using",
      "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
      // Macros of compilers and of headers that programs often include, too.
      "I", "NAN", "HUGE_VAL", "INFINITY", "assert", "complex", "errno", "linux", "math_errhandling",
      "unix",
      // Macros of windows.h that kernels might use as names. It has thousands of others.
      "ABSOLUTE", "ALTERNATE", "BLACKNESS", "CALLBACK", "CONST", "DELETE", "DIFFERENCE",
      "DUPLICATE", "ERROR", "FALSE", "FAR", "IGNORE", "IN", "INFINITE", "INTERFACE", "MAXCHAR",
      "MAXINT", "MAXLONG", "MAXSHORT", "MININT", "NEAR", "OPAQUE", "OPTIONAL", "OUT", "PASCAL",
      "PLANES", "PURE", "RELATIVE", "STRICT", "TRANSPARENT", "TRUE", "VOID", "WAIT", "cdecl",
      "environ", "far", "hyper", "interface", "near", "pascal", "small",
      // Names that headers declare in the global namespace.
      "abort", "abs", "acos", "acosh", "alloca", "asin", "asinh", "atan", "atan2", "atanh", "atof",
      "atoi", "bsearch", "calloc", "cbrt", "ceil", "clock", "copysign", "cos", "cosh", "div", "erf",
      "erfc", "exit", "exp", "exp2", "expm1", "fabs", "fdim", "floor", "fma", "fmax", "fmin",
      "fmod", "fputs", "free", "frexp", "gamma", "getc", "getenv", "gets", "hypot", "ilogb",
      "index", "j0", "j1", "jn", "labs", "ldexp", "ldiv", "lgamma", "link", "log", "log10", "log1p",
      "log2", "logb", "lrint", "lround", "malloc", "memchr", "memcmp", "memcpy", "memmove",
      "memset", "modf", "nan", "nearbyint", "nextafter", "perror", "pipe", "pow", "printf",
      "pumice", "puts", "qsort", "raise", "rand", "random", "read", "realloc", "remainder",
      "remove", "remquo", "rename", "rindex", "rint", "round", "scalb", "scalbln", "scalbn",
      "select", "signal", "significand", "sin", "sinh", "size_t", "sleep", "snprintf", "sqrt",
      "srand", "std", "strcat", "strchr", "strcmp", "strcpy", "strlen", "strstr", "system", "tan",
      "tanh", "tgamma", "time", "trunc", "truncate", "unlink", "wait", "write", "y0", "y1", "yn"};
  return words;
}

/// Returns whether a function, namespace or library with this name would collide with another.
bool isGlobal(const std::string &name) {
  static const std::set<std::string_view> names = [] {
    std::set<std::string_view> all(std::begin(globalNames), std::end(globalNames));
    all.insert(std::begin(cmakeTargets), std::end(cmakeTargets));
    return all;
  }();
  return names.contains(name);
}

/// Returns whether an identifier with this name would mean something else.
bool isReserved(const std::string &name) {
  static const std::set<std::string_view> macros(std::begin(macroNames), std::end(macroNames));
  return reservedWords().contains(name) || macros.contains(name);
}

/// Returns whether the name has the form of names that headers of C or Pumice declare.
bool hasReservedForm(std::string_view name) {
  return name.ends_with("_t") || name.starts_with("PUMICE_") || name.starts_with("pumice_");
}

} // namespace

std::string CNames::take(std::string_view name) {
  std::string made;
  for (char c : name) {
    bool fits = std::isalnum(static_cast<unsigned char>(c)) && static_cast<unsigned char>(c) < 128;
    if (fits)
      made += c;
    else if (!made.empty() && made.back() != '_') // two underscores would be reserved
      made += '_';
  }
  while (!made.empty() && made.back() == '_')
    made.pop_back();
  if (made.empty())
    made = "unnamed";
  if (std::isdigit(static_cast<unsigned char>(made.front())))
    made.insert(0, "k");
  auto collides = [this](const std::string &tried) {
    return taken.contains(tried) || isReserved(tried) || (areFunctions && isGlobal(tried));
  };
  if (isReserved(made) || hasReservedForm(made) || (areFunctions && isGlobal(made)))
    made.insert(0, "a_");
  std::string tried = made;
  for (size_t number = 2; collides(tried); ++number)
    tried = made + "_" + std::to_string(number);
  taken.insert(tried);
  return tried;
}

std::string exporting::escaped(std::string_view text) {
  std::string made;
  for (char c : text) {
    auto byte = static_cast<uint8_t>(c);
    if (byte >= ' ' && byte < 127 && c != '"' && c != '\\' && c != '?') {
      made += c;
      continue;
    }
    char octal[5];
    std::snprintf(octal, sizeof octal, "\\%03o", byte);
    made += octal;
  }
  return made;
}

/// Returns the bytes of a character that changes the direction of text, or 0.
static size_t directionMark(std::string_view text) {
  static constexpr std::string_view marks[] = {"\xd8\x9c",     "\xe2\x80\x8e", "\xe2\x80\x8f",
                                               "\xe2\x80\xaa", "\xe2\x80\xab", "\xe2\x80\xac",
                                               "\xe2\x80\xad", "\xe2\x80\xae", "\xe2\x81\xa6",
                                               "\xe2\x81\xa7", "\xe2\x81\xa8", "\xe2\x81\xa9"};
  for (std::string_view mark : marks)
    if (text.starts_with(mark))
      return mark.size();
  return 0;
}

std::string exporting::commented(std::string_view text) {
  std::string made;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (size_t bytes = directionMark(text.substr(i))) { // compilers warn about it
      i += bytes - 1;
      continue;
    }
    if (c == '\n' || c == '\r')
      made += ' ';
    else if (c == '/' && !made.empty() && (made.back() == '*' || made.back() == '/'))
      made += " /";
    else if (c == '*' && !made.empty() && made.back() == '/')
      made += " *"; // gcc warns about a comment in a comment
    else if (c != '\\')
      made += c;
  }
  return made;
}

//===- PrintfFormat.cpp - the arguments that a printf format needs ----------===//
#include "compiler/lower/memory/PrintfFormat.h"

#include <algorithm>

using namespace pumice::lower;
using Kind = PrintfSpecifier::Kind;

static size_t skip(std::string_view text, size_t at, std::string_view set) {
  return std::min(text.find_first_not_of(set, at), text.size());
}

/// Reads one specifier that starts at `at`. Returns its end, or 0 with `error` set.
static size_t parseOne(std::string_view format, size_t at, PrintfFormat &result) {
  size_t end = skip(format, at + 1, "-+ #0");
  end = skip(format, end, "0123456789");
  if (end < format.size() && format[end] == '.')
    end = skip(format, end + 1, "0123456789");
  size_t lengthAt = end;
  end = skip(format, end, "hljztL");
  std::string_view length = format.substr(lengthAt, end - lengthAt);
  std::string text(format.substr(at, end < format.size() ? end + 1 - at : end - at));
  auto refuse = [&](const char *why) {
    result.error = "'" + text + "' " + why;
    return size_t(0);
  };
  if (end == format.size())
    return refuse("ends before its conversion: write %% for a percent sign");
  char conversion = format[end];
  if (conversion == '*')
    return refuse("takes its width from an argument: write the width into the format");
  bool isLong = !length.empty() && length[0] != 'h' && length != "L";
  if (length.size() > 2 || (length.size() == 2 && length != "ll" && length != "hh"))
    return refuse("has an unknown length: use h, hh, l, ll, j, z or t");
  auto add = [&](Kind kind) {
    result.specifiers.push_back({kind, isLong, text});
    return end + 1;
  };
  switch (conversion) {
  case 'd':
  case 'i':
    return length == "L" ? refuse("has a length of floats: use ll") : add(Kind::Signed);
  case 'u':
  case 'x':
  case 'X':
  case 'o':
    return length == "L" ? refuse("has a length of floats: use ll") : add(Kind::Unsigned);
  case 'c':
    return length.empty() ? add(Kind::Character) : refuse("has a length: use %c");
  case 'p':
    return length.empty() ? add(Kind::Pointer) : refuse("has a length: use %p");
  case 'f':
  case 'F':
  case 'e':
  case 'E':
  case 'g':
  case 'G':
  case 'a':
  case 'A':
    return length.empty() || length == "l" ? add(Kind::Float)
                                           : refuse("has no such length: use none");
  case 's':
    return refuse("prints a string, which kernels do not have: write the text into the format");
  default:
    return refuse("is not a conversion: use d, i, u, x, X, o, c, p, f, e, g, a or %%");
  }
}

PrintfFormat pumice::lower::parsePrintfFormat(std::string_view format) {
  PrintfFormat result;
  if (size_t zero = format.find('\0'); zero != std::string_view::npos)
    result.error =
        "a zero byte at position " + std::to_string(zero) + " would end it: leave it out";
  size_t at = result.error.empty() ? 0 : format.size();
  while ((at = format.find('%', at)) != std::string_view::npos) {
    if (at + 1 < format.size() && format[at + 1] == '%') {
      at += 2;
      continue;
    }
    at = parseOne(format, at, result);
    if (!result.error.empty())
      break;
  }
  return result;
}

//===- PrintfFormat.cpp - records of gpu.printf as text ---------------------===//
// Trusts neither the words nor the formats. The words come from a kernel that may write anywhere,
// and the formats come from a file. Each conversion is rebuilt for snprintf, with the length and
// type of the value.
//===-------------------------------------------------------------------------===//
#include "runtime/hal/Printing.h"

#include "executable/FieldPath.h"
#include "support/EnglishText.h"

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cstdio>

using namespace pumice::executable;

namespace pumice::hal {
namespace {

constexpr int widest = 4095; // the length of one conversion that C guarantees

/// One conversion of a format, which begins with %.
struct Conversion {
  std::string flags;
  int width = -1, precision = -1; // -1: not given
  char letter = 0;                // 0: not a conversion
  size_t length = 1;              // the number of characters in the format
};

int number(std::string_view text, size_t &at) {
  int value = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
    value = std::min(value * 10 + (text[at] - '0'), widest);
  return value;
}

Conversion parse(std::string_view text) {
  Conversion c;
  size_t at = 1;
  for (; at < text.size() && std::string_view("-+ #0").find(text[at]) != std::string_view::npos;
       ++at)
    if (c.flags.find(text[at]) == std::string::npos)
      c.flags += text[at];
  if (at < text.size() && text[at] >= '1' && text[at] <= '9')
    c.width = number(text, at);
  if (at < text.size() && text[at] == '.')
    c.precision = number(text, ++at);
  while (at < text.size() && std::string_view("hlzjtL").find(text[at]) != std::string_view::npos)
    ++at;
  if (at < text.size() &&
      std::string_view("%diouxXcpfFeEgGaA").find(text[at]) != std::string_view::npos) {
    c.letter = text[at];
    c.length = at + 1;
  }
  return c;
}

bool isFloat(ElementType type) { return type >= ElementType::f8 && type <= ElementType::f64; }

/// Returns the number of 32-bit words of an argument in a record. Kernels extend arguments to whole
/// words.
size_t wordsOf(ElementType type) {
  return type == ElementType::i64 || type == ElementType::index || type == ElementType::f64 ? 2 : 1;
}

struct Value {
  ElementType type = ElementType::i32;
  uint64_t bits = 0;

  int64_t asSigned() const {
    return wordsOf(type) == 2 ? static_cast<int64_t>(bits)
                              : static_cast<int32_t>(static_cast<uint32_t>(bits));
  }
  double asDouble() const {
    if (!isFloat(type))
      return static_cast<double>(asSigned());
    return type == ElementType::f64
               ? std::bit_cast<double>(bits)
               : static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
};

template <typename T> void append(std::string &out, const std::string &conversion, T value) {
  int length = std::snprintf(nullptr, 0, conversion.c_str(), value);
  if (length <= 0)
    return;
  size_t before = out.size();
  out.resize(before + static_cast<size_t>(length) + 1);
  std::snprintf(out.data() + before, static_cast<size_t>(length) + 1, conversion.c_str(), value);
  out.pop_back(); // removes the terminating zero of snprintf
}

void print(std::string &out, const Conversion &c, const Value &value) {
  std::string conversion = "%" + c.flags;
  if (c.width >= 0)
    conversion += std::to_string(c.width);
  if (c.precision >= 0)
    conversion += "." + std::to_string(c.precision);
  switch (c.letter) {
  case 'd':
  case 'i':
    return append(out, conversion + PRId64, value.asSigned());
  case 'c':
    return append(out, conversion + 'c', static_cast<int>(value.bits & 0xff));
  case 'p': // C libraries print pointers in different forms
    return append(out, "%#" + conversion.substr(1) + PRIx64, value.bits);
  case 'o':
    return append(out, conversion + PRIo64, value.bits);
  case 'u':
    return append(out, conversion + PRIu64, value.bits);
  case 'x':
    return append(out, conversion + PRIx64, value.bits);
  case 'X':
    return append(out, conversion + PRIX64, value.bits);
  default:
    return append(out, conversion + c.letter, value.asDouble());
  }
}

/// Prints one record. `words` contains the words of the arguments of `format`.
void printRecord(std::string &out, const PrintfFormat &format, std::span<const uint32_t> words) {
  std::string_view text = format.format;
  size_t argument = 0, word = 0;
  while (!text.empty()) {
    size_t percent = std::min(text.find('%'), text.size());
    out += text.substr(0, percent);
    text.remove_prefix(percent);
    if (text.empty())
      return;
    Conversion c = parse(text);
    if (c.letter == '%') {
      out += '%';
    } else if (c.letter == 0 || argument >= format.arguments.size()) {
      out += text.substr(0, c.length); // no argument, so it is printed unchanged
    } else {
      Value value{format.arguments[argument++], words[word++]};
      if (wordsOf(value.type) == 2)
        value.bits |= uint64_t{words[word++]} << 32;
      print(out, c, value);
    }
    text.remove_prefix(c.length);
  }
}

/// Adds a line of the runtime among those of the kernel.
template <typename... Parts> void note(std::string &out, const Parts &...parts) {
  if (!out.empty() && out.back() != '\n')
    out += '\n';
  out += concat("[gpu.printf: ", parts..., "]\n");
}

} // namespace

std::string formatPrintf(std::span<const PrintfFormat> formats, std::span<const uint32_t> words) {
  std::string out;
  if (words.empty())
    return out;
  uint64_t wanted = words[0], room = words.size() - 1;
  size_t end = 1 + static_cast<size_t>(std::min(wanted, room));
  for (size_t at = 1; at < end;) {
    uint32_t size = words[at] >> 16, id = words[at] & 0xffff;
    if (wanted > room && (size == 0 || size > end - at))
      break; // this record and all later ones had no room
    if (size == 0 || size > end - at) {
      note(out, "word ", at, " says that its record has ", size, " words; ", end - at,
           " are left: the buffer is damaged");
      break;
    }
    auto format = std::ranges::find(formats, id, &PrintfFormat::id);
    size_t expected = 1;
    if (format != formats.end())
      for (ElementType type : format->arguments)
        expected += wordsOf(type);
    if (format == formats.end())
      note(out, "the kernel has no format ", id, ", which word ", at, " names");
    else if (size != expected)
      note(out, "the record at word ", at, " has ", size, " words; format ", id, " takes ",
           expected);
    else
      printRecord(out, *format, words.subspan(at + 1, size - 1));
    at += size;
  }
  if (wanted > room)
    note(out, "output was lost: the kernel wrote ", counted(wanted * 4 + 4, "byte"),
         ", the buffer has ", words.size() * 4, "; launch with one of ", wanted * 4 + 4,
         " or more (--print-bytes; print_bytes in C; set_printf_fifo_size in Triton)");
  return out;
}

} // namespace pumice::hal

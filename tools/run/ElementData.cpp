//===- ElementData.cpp - typed numbers in buffers, from and to text ---------===//
#include "tools/run/ElementData.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace pumice::run {
namespace {

struct TypeInfo {
  const char *name;
  Type type;
  uint32_t bytes;
  bool isFloat, isSigned;
  int mantissaBits; // the number of stored bits
  int minExponent;  // the exponent of the smallest normal number
};

constexpr TypeInfo types[] = {
    {"i1", Type::i1, 1, false, false, 0, 0},      {"i8", Type::i8, 1, false, true, 0, 0},
    {"u8", Type::u8, 1, false, false, 0, 0},      {"i16", Type::i16, 2, false, true, 0, 0},
    {"u16", Type::u16, 2, false, false, 0, 0},    {"i32", Type::i32, 4, false, true, 0, 0},
    {"u32", Type::u32, 4, false, false, 0, 0},    {"i64", Type::i64, 8, false, true, 0, 0},
    {"u64", Type::u64, 8, false, false, 0, 0},    {"f16", Type::f16, 2, true, true, 10, -14},
    {"bf16", Type::bf16, 2, true, true, 7, -126}, {"f32", Type::f32, 4, true, true, 23, -126},
    {"f64", Type::f64, 8, true, true, 52, -1022},
};

const TypeInfo &info(Type type) { return types[static_cast<size_t>(type)]; }

uint64_t loadBits(Type type, const uint8_t *bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, info(type).bytes);
  return bits;
}

int64_t signExtend(uint64_t bits, uint32_t bytes) {
  unsigned shift = 64 - 8 * bytes;
  return static_cast<int64_t>(bits << shift) >> shift;
}

double toDouble(Type type, uint64_t bits) {
  switch (type) {
  case Type::f16:
    return std::bit_cast<_Float16>(static_cast<uint16_t>(bits));
  case Type::bf16:
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  case Type::f32:
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  default:
    return std::bit_cast<double>(bits);
  }
}

/// Rounds to nearest even. Values for bf16 are rounded once, from the double.
uint64_t fromDouble(Type type, double value) {
  switch (type) {
  case Type::f16:
    return std::bit_cast<uint16_t>(static_cast<_Float16>(value));
  case Type::bf16: {
    if (std::isnan(value))
      return 0x7fc0;
    // Rounds to f32 with round-to-odd first, whose sticky bit keeps the second rounding correct.
    float narrow = static_cast<float>(value);
    uint32_t bits = std::bit_cast<uint32_t>(narrow);
    if (static_cast<double>(narrow) != value && !std::isinf(narrow)) {
      if (std::fabs(static_cast<double>(narrow)) > std::fabs(value))
        --bits;
      bits |= 1;
    }
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  }
  case Type::f32:
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  default:
    return std::bit_cast<uint64_t>(value);
  }
}

/// Returns the distance between neighbours of `type` around `value`.
double ulpOf(Type type, double value) {
  const TypeInfo &t = info(type);
  int exponent = value == 0 ? t.minExponent : std::max(std::ilogb(value), t.minExponent);
  return std::ldexp(1.0, exponent - t.mantissaBits);
}

bool near(Type type, double actual, double expected, Tolerance tolerance) {
  if (std::isnan(actual) || std::isnan(expected))
    return std::isnan(actual) && std::isnan(expected);
  if (actual == expected)
    return true;
  if (std::isinf(actual) || std::isinf(expected))
    return false;
  double allowed = std::max({tolerance.absolute, tolerance.relative * std::fabs(expected),
                             tolerance.ulps * ulpOf(type, expected)});
  return std::fabs(actual - expected) <= allowed;
}

bool consume(std::string_view &text, std::string_view prefix) {
  bool found = text.starts_with(prefix);
  text.remove_prefix(found ? prefix.size() : 0);
  return found;
}

Status wrong(const std::string &message) { return Status(StatusCode::InvalidArgument, message); }

Status parseText(Type type, std::string_view text, uint64_t &bits) {
  const TypeInfo &t = info(type);
  std::string whole(text);
  if (consume(text, "0x")) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits, 16);
    if (error != std::errc() || end != text.data() + text.size())
      return wrong("'" + whole + "' is not a number");
    if (t.bytes < 8 && bits >> 8 * t.bytes)
      return wrong(whole + " does not fit " + t.name);
    return Status::ok();
  }
  bool negative = consume(text, "-");
  double value;
  if (text == "nan")
    value = std::numeric_limits<double>::quiet_NaN();
  else if (text == "inf")
    value = std::numeric_limits<double>::infinity();
  else
    return wrong("'" + whole + "' is neither nan, inf, -inf nor 0x and hexadecimal digits");
  if (!t.isFloat)
    return wrong("'" + whole + "' is not an integer");
  bits = fromDouble(type, negative ? -value : value);
  return Status::ok();
}

std::string realText(double value) {
  auto bits = std::bit_cast<std::array<uint8_t, 8>>(value);
  return printElement(Type::f64, bits.data());
}

std::string numberText(const Number &number) {
  if (auto *text = std::get_if<std::string>(&number))
    return *text;
  if (auto *integer = std::get_if<int64_t>(&number))
    return std::to_string(*integer);
  if (auto *large = std::get_if<uint64_t>(&number))
    return std::to_string(*large);
  return realText(std::get<double>(number));
}

Status integerBits(Type type, const Number &number, uint64_t &bits) {
  const TypeInfo &t = info(type);
  unsigned width = 8 * t.bytes;
  if (auto *integer = std::get_if<int64_t>(&number)) {
    bits = static_cast<uint64_t>(*integer);
    // Signed and unsigned readings of the bits are accepted: -1 and 255 are the same i8.
    bool fits = width == 64 ||
                (*integer >= -(int64_t(1) << (width - 1)) && *integer < (int64_t(1) << width));
    return fits ? Status::ok() : wrong(std::to_string(*integer) + " does not fit " + t.name);
  }
  if (auto *large = std::get_if<uint64_t>(&number)) {
    bits = *large;
    return width == 64 || *large >> width == 0
               ? Status::ok()
               : wrong(std::to_string(*large) + " does not fit " + t.name);
  }
  double real = std::get<double>(number);
  bool isWhole = real == std::trunc(real);
  if (!isWhole || std::fabs(real) >= 0x1p63)
    return wrong(realText(real) + " does not fit " + t.name +
                 (isWhole ? "" : ", which takes whole numbers"));
  return integerBits(type, static_cast<int64_t>(real), bits);
}

double asDouble(const Number &number) {
  if (auto *integer = std::get_if<int64_t>(&number))
    return static_cast<double>(*integer);
  if (auto *large = std::get_if<uint64_t>(&number))
    return static_cast<double>(*large);
  return std::get<double>(number);
}

Status floatBits(Type type, double value, uint64_t &bits) {
  bits = fromDouble(type, value);
  if (std::isfinite(value) && std::isinf(toDouble(type, bits))) {
    return wrong(realText(value) + " does not fit " + info(type).name +
                 "; infinity is written \"inf\" or \"-inf\"");
  }
  return Status::ok();
}

} // namespace

Result<Type> parseType(std::string_view name) {
  for (const TypeInfo &t : types)
    if (name == t.name)
      return t.type;
  return Status(StatusCode::InvalidArgument,
                "'" + std::string(name) +
                    "' is not an element type; expected i1, i8 to i64, "
                    "u8 to u64, f16, bf16, f32, f64");
}

uint32_t byteSize(Type type) { return info(type).bytes; }

std::string_view typeName(Type type) { return info(type).name; }

bool isFloat(Type type) { return info(type).isFloat; }

Status appendNumber(std::vector<uint8_t> &bytes, Type type, const Number &number) {
  uint64_t bits = 0;
  Status status;
  if (auto *text = std::get_if<std::string>(&number))
    status = parseText(type, *text, bits);
  else if (info(type).isFloat)
    status = floatBits(type, asDouble(number), bits);
  else
    status = integerBits(type, number, bits);
  if (type == Type::i1 && (!status.isOk() || bits > 1))
    return wrong(numberText(number) + " is not an i1; give 0, 1, true or false");
  PUMICE_RETURN_IF_ERROR(std::move(status));
  const auto *first = reinterpret_cast<const uint8_t *>(&bits);
  bytes.insert(bytes.end(), first, first + info(type).bytes);
  return Status::ok();
}

std::string printElement(Type type, const uint8_t *bytes) {
  uint64_t bits = loadBits(type, bytes);
  const TypeInfo &t = info(type);
  if (!t.isFloat)
    return t.isSigned ? std::to_string(signExtend(bits, t.bytes)) : std::to_string(bits);
  double value = toDouble(type, bits);
  if (std::isnan(value))
    return "nan"; // of either sign
  char text[40];
  // Writes all digits of whole numbers: the fewest digits of 30 would be 3e+01.
  if (value == std::trunc(value) && std::fabs(value) < 1e15) {
    std::snprintf(text, sizeof text, "%.0f", value);
    return text;
  }
  int digits = type == Type::f64 ? 17 : type == Type::f32 ? 9 : 5;
  // The fewest digits that read back as the same number.
  for (int n = 1; n <= digits; ++n) {
    std::snprintf(text, sizeof text, "%.*g", n, value);
    if (fromDouble(type, std::strtod(text, nullptr)) == bits)
      break;
  }
  return text;
}

std::string printElements(Type type, std::span<const uint8_t> bytes, size_t most) {
  size_t count = bytes.size() / byteSize(type);
  // Shows both ends, since errors are often in the last block.
  size_t head = count <= most ? count : most - most / 2, tail = count <= most ? count : most / 2;
  std::string text = "[";
  for (size_t i = 0; i < count; ++i) {
    if (i == head && head < count) {
      text += i ? ", ..." : "...";
      i = count - tail;
    }
    if (i < count)
      text += (i ? ", " : "") + printElement(type, bytes.data() + i * byteSize(type));
  }
  return text + "]";
}

Status compareElements(Type type, std::span<const uint8_t> actual,
                       std::span<const uint8_t> expected, Tolerance tolerance) {
  const TypeInfo &t = info(type);
  if (expected.size() > actual.size())
    return Status(StatusCode::InvalidArgument, std::to_string(expected.size() / t.bytes) +
                                                   " elements are expected of a buffer of " +
                                                   std::to_string(actual.size() / t.bytes));
  size_t count = expected.size() / t.bytes, differing = 0;
  std::string first;
  for (size_t i = 0; i < count; ++i) {
    const uint8_t *a = actual.data() + i * t.bytes, *e = expected.data() + i * t.bytes;
    bool same = std::memcmp(a, e, t.bytes) == 0;
    if (!same && t.isFloat)
      same = near(type, toDouble(type, loadBits(type, a)), toDouble(type, loadBits(type, e)),
                  tolerance);
    if (same)
      continue;
    if (differing++ < 3)
      first += (first.empty() ? "element " : "; element ") + std::to_string(i) + " is " +
               printElement(type, a) + ", expected " + printElement(type, e);
  }
  if (differing == 0)
    return Status::ok();
  return Status(StatusCode::DataCorrupt, first + " (" + std::to_string(differing) + " of " +
                                             std::to_string(count) + " differ)");
}

} // namespace pumice::run

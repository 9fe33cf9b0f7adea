//===- ElementData.h - typed numbers in buffers, from and to JSON -----------===//
#pragma once

#include "support/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace pumice::run {

enum class Type : uint8_t { i1, i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64 };

/// Parses the name of a type. An i1 takes one byte, which is 0 or 1.
Result<Type> parseType(std::string_view name);
uint32_t byteSize(Type type);

/// Returns, for example, "f16".
std::string_view typeName(Type type);
bool isFloat(Type type);

/// A number in its written form. Texts are for numbers that JSON lacks: "nan", "inf", "-inf", and
/// bit patterns such as "0x7fc00000".
using Number = std::variant<int64_t, uint64_t, double, std::string>;

/// Appends `number` as one element. Errors: InvalidArgument if it does not fit.
Status appendNumber(std::vector<uint8_t> &bytes, Type type, const Number &number);

/// Formats the element at `bytes` for people.
std::string printElement(Type type, const uint8_t *bytes);

/// Formats elements: "[1, 2, 3]". If there are more than `most`, shows the first and last ones
/// around "...".
std::string printElements(Type type, std::span<const uint8_t> bytes, size_t most = SIZE_MAX);

/// Limits the difference of a float from its expected value. Integers, and floats without any
/// limit, are compared exactly. (But NaN equals NaN, and the zeros equal each other.)
struct Tolerance {
  double absolute = 0, relative = 0, ulps = 0;
};

/// Returns ok, or an error with the first elements that differ: "element 3 is 5, expected 4 (2 of
/// 64 differ)".
Status compareElements(Type type, std::span<const uint8_t> actual,
                       std::span<const uint8_t> expected, Tolerance tolerance);

} // namespace pumice::run

//===- Names.cpp - the names of the enumerations' values --------------------===//
#include "executable/Names.h"

namespace pumice::executable {

// The last value of an enumeration is named here. If the enumeration grows but the list of names
// does not, the build fails.
#define PUMICE_NAMES(Enum, last, ...)                                                              \
  static constexpr std::string_view names##Enum[] = {__VA_ARGS__};                                 \
  static_assert(std::size(names##Enum) == static_cast<size_t>(Enum::last) + 1);                    \
  std::span<const std::string_view> namesOf(Enum) { return names##Enum; }                          \
  std::string_view toString(Enum value) {                                                          \
    return isKnown(value) ? names##Enum[static_cast<size_t>(value)] : "unknown";                   \
  }

PUMICE_NAMES(ElementType, opaque, "i1", "i4", "i8", "i16", "i32", "i64", "index", "f8", "bf16",
             "f16", "f32", "f64", "opaque")
PUMICE_NAMES(ArgumentKind, Scalar, "buffer", "scalar")
PUMICE_NAMES(Access, ReadWrite, "none", "read", "write", "read-write")
PUMICE_NAMES(VariantKind, Native, "vulkan-spirv", "opencl-spirv", "msl", "native")
PUMICE_NAMES(FieldSource, PrintfWords, "buffer-address", "buffer-offset", "buffer-extent",
             "buffer-stride", "scalar", "printf-address", "dynamic-memory-bytes", "buffer-length",
             "printf-words")
PUMICE_NAMES(ParameterPlace, DescribedBuffer, "none", "push-constants", "addressed-buffer",
             "described-buffer")
PUMICE_NAMES(BindingSource, Printf, "argument", "parameters", "printf")

#undef PUMICE_NAMES

std::string subgroupOperationNames(uint32_t bits) {
  static constexpr std::string_view names[] = {
      "basic",     "vote", "arithmetic",  "ballot", "shuffle",         "shuffle-relative",
      "clustered", "quad", "partitioned", "rotate", "rotate-clustered"};
  std::string text;
  for (uint32_t bit = 0; bit < 32; ++bit)
    if (bits >> bit & 1) {
      text += text.empty() ? "" : ", ";
      text += bit < std::size(names) ? std::string(names[bit]) : "bit " + std::to_string(bit);
    }
  return text;
}

uint32_t naturalBytes(ElementType type) {
  switch (type) {
  case ElementType::i1:
  case ElementType::i4:
  case ElementType::i8:
  case ElementType::f8:
    return 1;
  case ElementType::i16:
  case ElementType::bf16:
  case ElementType::f16:
    return 2;
  case ElementType::i32:
  case ElementType::f32:
    return 4;
  case ElementType::i64:
  case ElementType::f64:
    return 8;
  case ElementType::index:
  case ElementType::opaque:
    break;
  }
  return 0;
}

} // namespace pumice::executable

//===- SpirvBinary.h - small edits of a serialized module -------------------===//
// Edits the words of a module, to express what MLIR's spirv dialect cannot. Each edit finds its
// place by a name, and leaves all other words unchanged.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace pumice::spirv {

class SpirvBinary {
public:
  explicit SpirvBinary(std::vector<uint32_t> words) : words(std::move(words)) {}

  /// Returns the id to which OpName gives the name `name`.
  std::optional<uint32_t> idOf(std::string_view name) const;

  /// Decorates `id` as the built-in WorkgroupSize. Its three constants take precedence over
  /// LocalSize.
  void decorateWorkgroupSize(uint32_t id);

  /// Variable `id` must point to an array. Turns the length of the array into the specialization
  /// constant `specId`, with the current length as the default. Returns false if `id` is not such a
  /// variable.
  bool specializeArrayLength(uint32_t id, uint32_t specId);

  /// Turns the specialization constant `scope` into a constant, and each conversion of it into a
  /// reading of the clock of that scope. OpReadClockKHR has the same operands as OpUConvert.
  void readClocks(uint32_t scope);

  std::vector<uint32_t> take() && { return std::move(words); }

private:
  /// Returns the offset of the first instruction behind the header that satisfies `test`.
  template <typename Test> std::optional<size_t> find(Test test) const;
  void insert(size_t at, std::vector<uint32_t> instruction);
  size_t endOfAnnotations() const;

  std::vector<uint32_t> words;
};

} // namespace pumice::spirv

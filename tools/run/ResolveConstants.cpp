//===- ResolveConstants.cpp - specialization constants of a launch file -----===//
#include "support/EnglishText.h"
#include "tools/run/Resolve.h"

#include <charconv>
#include <cstring>

namespace pumice::run {
using namespace executable;

namespace {
const SpirvSpecConstant *findConstant(const SpirvModule &module, const std::string &key) {
  uint32_t id = 0;
  auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
  bool byId = error == std::errc() && end == key.data() + key.size();
  for (const SpirvSpecConstant &constant : module.specConstants)
    if (byId ? constant.id == id : !key.empty() && constant.name == key)
      return &constant;
  return nullptr;
}

std::string constantsText(const SpirvModule &module) {
  std::string text;
  for (const SpirvSpecConstant &constant : module.specConstants)
    text += (text.empty() ? "" : ", ") + std::to_string(constant.id) + " (" +
            (constant.name.empty() ? "" : constant.name + " ") +
            executable::typeName(constant.scalar, constant.bytes) + ")";
  return text.empty() ? "the module has none" : "there are " + text;
}
} // namespace

Result<std::vector<hal::SpecializationConstant>>
resolveConstants(const SpirvModule &module, const std::vector<SpecializationSpec> &wishes) {
  std::vector<hal::SpecializationConstant> constants;
  for (const SpecializationSpec &given : wishes) {
    const SpirvSpecConstant *constant = findConstant(module, given.key);
    if (!constant)
      return given.place.error("there is no specialization constant " + json::quote(given.key) +
                                   "; " + constantsText(module),
                               StatusCode::NotFound);
    bool isBool = constant->scalar == SpirvScalar::Bool;
    std::optional<Type> type = isBool ? Type::u32 : elementType(constant->scalar, constant->bytes);
    // Vulkan represents booleans as words.
    std::optional<Type> wanted = isBool && given.type == Type::i1 ? type : given.type;
    if (wanted && type && byteSize(*wanted) != byteSize(*type))
      return given.place.of("type").error(
          "the constant is " +
          withArticle(executable::typeName(constant->scalar, constant->bytes)) +
          ", the type given is " + std::string(typeName(*wanted)));
    std::vector<uint8_t> bytes;
    const Place &place = given.place.of("value");
    PUMICE_RETURN_IF_ERROR(
        appendScalar(bytes, wanted.value_or(type.value_or(Type::i32)), given.value, place));
    hal::SpecializationConstant value{constant->id, uint32_t(bytes.size()), 0};
    std::memcpy(&value.bits, bytes.data(), bytes.size());
    if (isBool && value.bits > 1)
      return place.error("the constant is a bool; give true or false");
    for (const hal::SpecializationConstant &other : constants)
      if (other.id == value.id)
        return given.place.error("specialization constant " + std::to_string(value.id) +
                                 " is given twice");
    constants.push_back(value);
  }
  return constants;
}

} // namespace pumice::run

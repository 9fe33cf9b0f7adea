//===- SpirvTools.cpp - SPIR-V as text, and whether it is valid -------------===//
#include "tools/run/SpirvTools.h"

#include "executable/SpirvDebugWords.h"

#include <spirv-tools/libspirv.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace pumice::run {
namespace {
using Context = std::unique_ptr<spv_context_t, void (*)(spv_context)>;

/// Removes debug information that this validator is too old to know.
std::vector<uint32_t> wordsOf(std::span<const uint8_t> spirv) {
  std::vector<uint32_t> words(spirv.size() / sizeof(uint32_t));
  std::memcpy(words.data(), spirv.data(), words.size() * sizeof(uint32_t));
  return executable::withKnownDebugWords(words);
}

std::string take(spv_diagnostic diagnostic) {
  std::string why = diagnostic ? diagnostic->error : "unknown error";
  spvDiagnosticDestroy(diagnostic);
  while (!why.empty() && (why.back() == '\n' || why.back() == ' '))
    why.pop_back();
  std::ranges::replace(why, '\n', ' '); // keeps the instruction on the error's line
  return why;
}

/// OpenCL 2.2 supports versions up to 1.2. Only the general rules are known for newer ones.
spv_target_env openClEnvironment(const executable::SpirvModule &module) {
  switch (module.versionMinor) {
  case 0:
  case 1:
  case 2:
    return SPV_ENV_OPENCL_2_2;
  case 3:
    return SPV_ENV_UNIVERSAL_1_3;
  case 4:
    return SPV_ENV_UNIVERSAL_1_4;
  case 5:
    return SPV_ENV_UNIVERSAL_1_5;
  default:
    return SPV_ENV_UNIVERSAL_1_6;
  }
}

/// Returns the oldest Vulkan version with rules for the module. Newer ones only allow more.
spv_target_env environmentOf(const executable::SpirvModule &module) {
  if (module.openCl)
    return openClEnvironment(module);
  switch (module.versionMinor) {
  case 0:
  case 1:
  case 2:
  case 3:
    return SPV_ENV_VULKAN_1_1;
  case 4:
    return SPV_ENV_VULKAN_1_1_SPIRV_1_4;
  case 5:
    return SPV_ENV_VULKAN_1_2;
  default:
    return SPV_ENV_VULKAN_1_3;
  }
}
} // namespace

Result<std::string> disassemble(std::span<const uint8_t> spirv) {
  std::vector<uint32_t> words = wordsOf(spirv);
  Context context(spvContextCreate(SPV_ENV_UNIVERSAL_1_6), spvContextDestroy);
  spv_text text = nullptr;
  spv_diagnostic diagnostic = nullptr;
  uint32_t options = SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES | SPV_BINARY_TO_TEXT_OPTION_INDENT |
                     SPV_BINARY_TO_TEXT_OPTION_NO_HEADER;
  spv_result_t result =
      spvBinaryToText(context.get(), words.data(), words.size(), options, &text, &diagnostic);
  if (result != SPV_SUCCESS)
    return Status(StatusCode::Unsupported,
                  "cannot disassemble: " + take(diagnostic) +
                      " (the SPIRV-Tools here may be older than the module)");
  std::string assembly(text->str, text->length);
  spvTextDestroy(text);
  return assembly;
}

/// Returns spirv-val's message, or an empty text for a valid module.
static std::string judge(const std::vector<uint32_t> &words, spv_target_env environment) {
  Context context(spvContextCreate(environment), spvContextDestroy);
  std::unique_ptr<spv_validator_options_t, void (*)(spv_validator_options)> options(
      spvValidatorOptionsCreate(), spvValidatorOptionsDestroy);
  // Devices may have these features. The runtime checks this.
  spvValidatorOptionsSetScalarBlockLayout(options.get(), true);
  spvValidatorOptionsSetWorkgroupScalarBlockLayout(options.get(), true);
  spvValidatorOptionsSetAllowLocalSizeId(options.get(), true);
  spv_const_binary_t binary{words.data(), words.size()};
  spv_diagnostic diagnostic = nullptr;
  spv_result_t result = spvValidateWithOptions(context.get(), options.get(), &binary, &diagnostic);
  if (result == SPV_SUCCESS) {
    spvDiagnosticDestroy(diagnostic);
    return std::string();
  }
  return take(diagnostic);
}

Result<std::string> validate(std::span<const uint8_t> spirv,
                             const executable::SpirvModule &module) {
  std::vector<uint32_t> words = wordsOf(spirv);
  std::string why = judge(words, environmentOf(module));
  // The capability needs an extension of OpenCL, which the device may have. The rest of the module
  // has not been judged.
  if (why.find("is not allowed by OpenCL") != std::string::npos)
    why = judge(words, SPV_ENV_UNIVERSAL_1_6);
  if (why.empty())
    return std::string();
  // Capabilities come first in a module. So a capability that the validator does not know is the
  // first error.
  if (why.starts_with("Invalid capability operand") ||
      why.find("unknown extension") != std::string::npos)
    return "spirv-val cannot judge this module, which is newer than it: " + why;
  return Status(StatusCode::DataCorrupt, "spirv-val rejects the module: " + why);
}

bool isDamage(std::string_view message) {
  // LLVM's SPIR-V backend makes the first four, and drivers accept them. Drivers know more
  // capabilities and versions than spirv-val, and report those that they lack.
  static constexpr std::string_view harmless[] = {
      "Invalid instruction OpConstantNull", // null events with an operand too many
      "to index into a structure must be an OpConstant",
      "OpConstantComposite Constituent", // pointers, whose types differ
      "printf: expected Format data type",
      "requires one of these capabilities",
      "Invalid SPIR-V binary version",
  };
  return std::ranges::none_of(harmless, [&](std::string_view sign) {
    return message.find(sign) != std::string_view::npos;
  });
}

Status validateVariants(const executable::Executable &contents) {
  for (size_t i = 0; i < contents.variants.size(); ++i) {
    const executable::Variant &variant = contents.variants[i];
    bool isOpenCl = variant.kind == executable::VariantKind::OpenclSpirv;
    if (variant.kind != executable::VariantKind::VulkanSpirv && !isOpenCl)
      continue;
    std::string place = "variants[" + std::to_string(i) + "].code";
    Result<executable::SpirvModule> module = executable::reflectSpirv(variant.code);
    if (!module.isOk())
      return Status(module.status()).at(place);
    Result<std::string> judged = validate(variant.code, *module);
    if (!judged.isOk() && (!isOpenCl || isDamage(judged.status().message())))
      return Status(judged.status()).at(place);
  }
  return Status::ok();
}

} // namespace pumice::run

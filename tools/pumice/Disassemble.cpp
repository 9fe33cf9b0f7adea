//===- Disassemble.cpp - SPIR-V words as text -------------------------------===//
#include "tools/pumice/Disassemble.h"

#include <spirv-tools/libspirv.h>

#include <cstring>
#include <memory>
#include <vector>

using namespace pumice;

Result<std::string> tools::disassemble(std::span<const uint8_t> spirv) {
  std::vector<uint32_t> words(spirv.size() / sizeof(uint32_t));
  std::memcpy(words.data(), spirv.data(), words.size() * sizeof(uint32_t));
  std::unique_ptr<spv_context_t, void (*)(spv_context)> context(
      spvContextCreate(SPV_ENV_UNIVERSAL_1_6), spvContextDestroy);
  spv_text text = nullptr;
  spv_diagnostic diagnostic = nullptr;
  uint32_t options = SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES | SPV_BINARY_TO_TEXT_OPTION_INDENT |
                     SPV_BINARY_TO_TEXT_OPTION_NO_HEADER;
  spv_result_t result =
      spvBinaryToText(context.get(), words.data(), words.size(), options, &text, &diagnostic);
  if (result != SPV_SUCCESS) {
    std::string why = diagnostic ? diagnostic->error : "unknown error";
    spvDiagnosticDestroy(diagnostic);
    return Status(StatusCode::Unsupported,
                  "cannot disassemble: " + why +
                      " (the SPIRV-Tools here may be older than the module)");
  }
  std::string assembly(text->str, text->length);
  spvTextDestroy(text);
  return assembly;
}

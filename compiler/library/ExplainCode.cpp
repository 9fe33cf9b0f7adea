//===- ExplainCode.cpp - shows the code in an executable as text ------------===//
#include "compiler/library/ExplainCode.h"

#include "compiler/cpu/native/CompileNative.h"
#include "executable/Executable.h"

#include <spirv-tools/libspirv.hpp>

#include <algorithm>
#include <cstring>

using namespace pumice;
using namespace pumice::library;

static Result<std::vector<uint8_t>> disassemble(const std::vector<uint32_t> &words) {
  std::string text, problem;
  spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
  tools.SetMessageConsumer(
      [&](spv_message_level_t, const char *, const spv_position_t &place, const char *message) {
        problem = "word " + std::to_string(place.index) + ": " + message;
      });
  if (!tools.Disassemble(words, &text,
                         SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES |
                             SPV_BINARY_TO_TEXT_OPTION_INDENT |
                             SPV_BINARY_TO_TEXT_OPTION_NO_HEADER))
    return Status(StatusCode::Unsupported,
                  "this build's SPIRV-Tools cannot disassemble the code: " + problem);
  return std::vector<uint8_t>(text.begin(), text.end());
}

Result<std::vector<uint8_t>> library::explainCode(std::span<const uint8_t> bytes, CodeForm form,
                                                  std::string &diagnostics) {
  PUMICE_TRY(executable::Executable contents, executable::read(bytes));
  using executable::VariantKind;
  auto find = [&](VariantKind kind) {
    return std::ranges::find(contents.variants, kind, &executable::Variant::kind);
  };
  auto variant = find(VariantKind::VulkanSpirv);
  if (variant == contents.variants.end())
    variant = find(VariantKind::OpenclSpirv);
  if (variant == contents.variants.end() || variant->interfaces.empty())
    return Status(StatusCode::NotFound, "the executable has no variant that is SPIR-V");
  std::vector<uint32_t> words(variant->code.size() / 4);
  std::memcpy(words.data(), variant->code.data(), words.size() * 4);
  if (form == CodeForm::Spirv)
    return disassemble(words);
  const executable::Interface &interface = variant->interfaces.front();
  cpu::NativeRequest wanted;
  wanted.words = words;
  wanted.entryPoint = interface.symbol;
  wanted.label = interface.entryPoint;
  wanted.requiredSubgroupSize = interface.requiredSubgroupSize;
  wanted.emit.form =
      form == CodeForm::LlvmIr ? cpu::NativeForm::OptimizedLlvmIr : cpu::NativeForm::Assembly;
  return cpu::compileNative(wanted, diagnostics);
}

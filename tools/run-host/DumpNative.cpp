//===- DumpNative.cpp - writes the CPU device's code to files ---------------===//
#include "tools/run-host/DumpNative.h"

#include "compiler/cpu/native/CompileNative.h"
#include "runtime/hal/Kernel.h"

#include <cstring>
#include <filesystem>

using namespace pumice;
using namespace pumice::run;

void DumpNative::watch(hal::Device &device) {
  if (folder.empty() || device.info().driver != "cpu")
    return;
  device.onKernel([this](const hal::KernelSource &source) {
    if (failure.isOk())
      failure = write(source);
  });
}

/// Returns the request that the device makes for a kernel. The device keeps only the shared object.
static cpu::NativeRequest requestOf(const hal::KernelSource &source,
                                    std::span<const uint32_t> words) {
  cpu::NativeRequest wanted;
  wanted.words = words;
  wanted.entryPoint = source.symbol;
  wanted.label = source.label;
  for (const hal::SpecializationConstant &constant : source.constants)
    wanted.constants[constant.id] = constant.bits;
  wanted.workgroupSize = source.workgroupSize;
  wanted.requiredSubgroupSize = source.requiredSubgroupSize;
  wanted.robustAccess = source.robustAccess;
  return wanted;
}

/// Converts the name of a kernel in the program, "@module::@kernel", to "module.kernel".
static std::string fileName(std::string label) {
  std::erase_if(label, [](char c) { return c == '@' || c == '"'; });
  for (size_t at; (at = label.find("::")) != std::string::npos;)
    label.replace(at, 2, ".");
  return label;
}

Status DumpNative::write(const hal::KernelSource &source) {
  std::filesystem::path place = std::filesystem::path(folder) / "native";
  std::error_code error;
  std::filesystem::create_directories(place, error);
  if (error)
    return Status(StatusCode::InvalidArgument,
                  "cannot make the folder '" + place.string() + "': " + error.message());
  std::string label = source.label.empty() ? source.symbol : source.label;
  std::string file = (place / names.take(fileName(std::move(label)))).string();
  if (source.kind == executable::VariantKind::Native)
    return writeFile(file + ".so", source.code);
  std::vector<uint32_t> words(source.code.size() / 4);
  std::memcpy(words.data(), source.code.data(), words.size() * 4);
  cpu::NativeRequest wanted = requestOf(source, words);
  constexpr std::pair<cpu::NativeForm, const char *> forms[] = {
      {cpu::NativeForm::LlvmMlir, ".llvm.mlir"},
      {cpu::NativeForm::OptimizedLlvmIr, ".ll"},
      {cpu::NativeForm::Assembly, ".s"}};
  for (auto [form, ending] : forms) {
    wanted.emit.form = form;
    std::string diagnostics;
    PUMICE_TRY(std::vector<uint8_t> text, cpu::compileNative(wanted, diagnostics));
    PUMICE_RETURN_IF_ERROR(writeFile(file + ending, text));
  }
  return Status::ok();
}

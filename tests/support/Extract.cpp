//===- Extract.cpp - the variants of an executable as files -----------------===//
#include "tests/support/Extract.h"

#include "executable/Executable.h"
#include "tests/support/Files.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace json = llvm::json;
using namespace pumice::executable;

namespace pumice::tests {
Status extractVariants(const std::string &executable, const std::string &folder) {
  Result<std::vector<uint8_t>> bytes = readFile(executable);
  if (!bytes.isOk())
    return bytes.status();
  Result<Executable> contents = executable::read(*bytes);
  if (!contents.isOk())
    return Status(contents.status()).at(executable);
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return Status(StatusCode::Internal, folder + ": " + error.message());

  json::Array variants;
  for (const Variant &variant : contents->variants) {
    bool spirv =
        variant.kind == VariantKind::VulkanSpirv || variant.kind == VariantKind::OpenclSpirv;
    std::string file = std::to_string(variants.size()) + (spirv ? ".spv" : ".bin");
    PUMICE_RETURN_IF_ERROR(
        writeFile(folder + "/" + file, variant.code.data(), variant.code.size()));
    json::Array symbols;
    for (const Interface &interface : variant.interfaces)
      symbols.push_back(interface.symbol);
    variants.push_back(json::Object{{"file", file},
                                    {"kind", std::string(toString(variant.kind))},
                                    {"target", variant.target},
                                    {"targetEnv", variant.targetEnv},
                                    {"entryPoints", std::move(symbols)}});
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}\n", json::Value(std::move(variants)));
  return writeFile(folder + "/variants.json", text.data(), text.size());
}

} // namespace pumice::tests

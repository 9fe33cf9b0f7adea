//===- NativeEmission.cpp - pumice compile: SPIR-V as native code -----------===//
#include "tools/pumice/NativeEmission.h"

#include "compiler/cpu/native/CompileNative.h"
#include "compiler/package/ImportSpirv.h"
#include "compiler/source/SourceFile.h"
#include "executable/SpirvWords.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <map>

using namespace pumice;

static const std::map<std::string, cpu::NativeForm> &forms() {
  static const std::map<std::string, cpu::NativeForm> known = {
      {"llvm-mlir", cpu::NativeForm::LlvmMlir},
      {"llvm-ir", cpu::NativeForm::OptimizedLlvmIr},
      {"asm", cpu::NativeForm::Assembly},
      {"native", cpu::NativeForm::SharedObject}};
  return known;
}

bool tools::isNativeEmission(const std::string &emit) { return forms().contains(emit); }

static Result<std::vector<uint32_t>> readWords(const std::string &path) {
  PUMICE_TRY(std::unique_ptr<llvm::MemoryBuffer> buffer, readSource(path));
  llvm::StringRef bytes = buffer->getBuffer();
  if (!package::looksLikeSpirv(bytes))
    return Status(
        StatusCode::InvalidArgument,
        "'" + path +
            "' is not a SPIR-V module, from which native code is made; for MLIR, write one with "
            "--emit spirv first");
  std::span code(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
  if (auto module = executable::SpirvWords::of(code, executable::FieldPath::input(path));
      !module.isOk())
    return module.status();
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

Status tools::emitNativeCode(const NativeEmission &request) {
  if (request.targets.size() > 1)
    return Status(StatusCode::InvalidArgument,
                  "--emit " + request.emit + " is for one processor; " +
                      std::to_string(request.targets.size()) + " targets are given");
  cpu::NativeRequest wanted;
  PUMICE_TRY(wanted.cpu, cpu::namedCpu(request.targets.empty() ? "host" : request.targets.front()));
  PUMICE_TRY(std::vector<uint32_t> words, readWords(request.input));
  wanted.words = words;
  wanted.label = request.input;
  wanted.entryPoint = request.entryPoint;
  wanted.robustAccess = request.robustAccess;
  wanted.emit.form = forms().at(request.emit);
  std::string diagnostics;
  Result<std::vector<uint8_t>> code = cpu::compileNative(wanted, diagnostics);
  llvm::errs() << diagnostics;
  if (!code.isOk())
    return code.status();
  std::error_code error;
  std::string path = request.output.empty() ? "-" : request.output;
  llvm::ToolOutputFile file(path, error, llvm::sys::fs::OF_None);
  if (error)
    return Status(StatusCode::InvalidArgument, "cannot write '" + path + "': " + error.message());
  file.os().write(reinterpret_cast<const char *>(code->data()), code->size());
  file.os().flush();
  if (std::error_code lost = file.os().error()) {
    file.os().clear_error();
    return Status(StatusCode::ResourceExhausted, "cannot write '" + path + "': " + lost.message());
  }
  file.keep();
  return Status::ok();
}

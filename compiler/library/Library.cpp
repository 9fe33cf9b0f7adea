//===- Library.cpp - the compiler's interface to the runtime ----------------===//
// Defines the only C function that libpumice looks up. Its arguments are plain structures.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/native/CompileNative.h"
#include "compiler/cpu/native/SourceLines.h"
#include "compiler/dialect/vk/JsonTarget.h"
#include "compiler/export/Export.h"
#include "compiler/library/CompileSource.h"
#include "compiler/library/ExplainCode.h"
#include "compiler/passes/Progress.h"
#include "compiler/shader/ShaderToKernel.h"
#include "support/CompilerInterface.h"
#include "support/Version.h"

#include <algorithm>
#include <cstring>
#include <new>

using namespace pumice;
namespace side = pumice::compiler_interface;

namespace {

struct Owner {
  std::string message, diagnostics;
  std::vector<uint8_t> executable;
};

std::string_view view(const side::Text &text) { return {text.data, text.size}; }
side::Text text(std::string_view from) { return {from.data(), from.size()}; }

/// Returns the result to the caller, and keeps it alive until `release`.
void answer(Owner *owner, Result<std::vector<uint8_t>> bytes, side::Response *response) {
  response->owner = owner;
  if (bytes.isOk())
    owner->executable = std::move(*bytes);
  owner->message = bytes.status().message();
  response->code = static_cast<int32_t>(bytes.status().code());
  response->message = text(owner->message);
  response->diagnostics = text(owner->diagnostics);
  response->executable = {reinterpret_cast<const char *>(owner->executable.data()),
                          owner->executable.size()};
}

/// Passes the names of stages on to the caller's listener, if it gave one.
class Forward final : public ProgressListener {
public:
  explicit Forward(const side::Progress &progress) : progress(progress) {}
  void reached(llvm::StringRef stage) override {
    if (progress.reached)
      progress.reached(progress.user, {stage.data(), stage.size()});
  }

private:
  side::Progress progress;
};

void compile(const side::Request *request, side::Response *response) {
  Forward stages(request->progress);
  library::CompileRequest wanted;
  wanted.source = view(request->source);
  wanted.sourceName = view(request->sourceName);
  wanted.kind = static_cast<library::SourceKind>(request->kind);
  for (size_t i = 0; i < request->targetCount; ++i)
    wanted.targets.push_back(view(request->targets[i]));
  wanted.options.addressing = static_cast<Addressing>(request->addressing);
  wanted.options.indexBits = request->indexBits;
  wanted.options.requireNativeMatrices = request->nativeMatrices;
  wanted.viaLlvm = request->route == side::Route::Llvm;
  if (request->stage)
    wanted.stage = [request](std::string_view name, std::string_view said) {
      request->stage(request->stageUser, text(name), text(said));
    };

  auto *owner = new Owner;
  answer(owner, library::compileSource(wanted, owner->diagnostics), response);
}

void compileNative(const side::NativeRequest *request, side::Response *response) {
  Forward stages(request->progress);
  auto *owner = new Owner;
  if (request->code.size % 4 != 0) {
    answer(owner,
           Status(StatusCode::InvalidArgument, "SPIR-V size must be a multiple of 4 bytes, got " +
                                                   std::to_string(request->code.size)),
           response);
    return;
  }
  std::vector<uint32_t> words(request->code.size / 4); // the caller's bytes may not be aligned
  if (!words.empty())
    std::memcpy(words.data(), request->code.data, request->code.size);
  cpu::NativeRequest wanted;
  wanted.words = words;
  wanted.entryPoint = view(request->entryPoint);
  wanted.label = view(request->label);
  for (size_t i = 0; i < request->constantCount; ++i)
    wanted.constants[request->constants[i].id] = request->constants[i].bits;
  std::copy_n(request->workgroupSize, 3, wanted.workgroupSize.begin());
  wanted.requiredSubgroupSize = request->requiredSubgroupSize;
  wanted.robustAccess = request->robustAccess;
  wanted.cpu = cpu::cpuOf(view(request->cpu), view(request->features));
  answer(owner, cpu::compileNative(wanted, owner->diagnostics), response);
}

void compileShader(const side::ShaderRequest *request, side::Response *response) {
  Forward stages(request->progress);
  auto *owner = new Owner;
  Result<target::TargetEnv> target = vk::readTargetJson(view(request->target));
  if (!target.isOk()) {
    answer(owner, target.status(), response);
    return;
  }
  std::vector<uint32_t> words(request->code.size / 4); // the caller's bytes may not be aligned
  if (!words.empty())
    std::memcpy(words.data(), request->code.data, words.size() * 4);
  shader::KernelRequest wanted;
  wanted.words = words;
  wanted.entryPoint = view(request->entryPoint);
  wanted.label = view(request->label);
  for (size_t i = 0; i < request->constantCount; ++i)
    wanted.constants[request->constants[i].id] = request->constants[i].bits;
  for (size_t i = 0; i < request->slotCount; ++i) {
    const side::ShaderSlot &slot = request->slots[i];
    wanted.slots.push_back({slot.set, slot.binding, slot.element});
  }
  wanted.pushConstantBytes = request->pushConstantBytes;
  wanted.requiredSubgroupSize = request->requiredSubgroupSize;
  wanted.robustAccess = request->robustAccess;
  wanted.target = std::move(*target);
  answer(owner, shader::shaderToKernel(wanted, owner->diagnostics), response);
}

void explain(side::Text executable, side::CodeForm form, side::Response *response) {
  auto *owner = new Owner;
  std::span bytes(reinterpret_cast<const uint8_t *>(executable.data), executable.size);
  answer(owner,
         library::explainCode(bytes, static_cast<library::CodeForm>(form), owner->diagnostics),
         response);
}

void lineOf(side::Text sharedObject, uint64_t address, side::Response *response) {
  std::string line = cpu::sourceLineOf({sharedObject.data, sharedObject.size}, address);
  answer(new Owner, std::vector<uint8_t>(line.begin(), line.end()), response);
}

void exportFiles(side::Text plan, const side::Text *executables, size_t count,
                 void (*file)(void *user, side::Text name, side::Text bytes), void *user,
                 side::Response *response) {
  std::vector<std::span<const uint8_t>> inputs;
  for (size_t i = 0; i < count; ++i)
    inputs.emplace_back(reinterpret_cast<const uint8_t *>(executables[i].data),
                        executables[i].size);
  auto files = exporting::exportFiles(view(plan), inputs);
  if (files.isOk())
    for (const exporting::File &one : *files)
      file(user, text(one.name),
           {reinterpret_cast<const char *>(one.bytes.data()), one.bytes.size()});
  auto *owner = new Owner;
  if (files.isOk())
    answer(owner, std::vector<uint8_t>(), response);
  else
    answer(owner, files.status(), response);
}

void release(side::Response *response) {
  delete static_cast<Owner *>(response->owner);
  *response = side::Response();
}

static_assert(std::string_view(side::shaderKernelName) == shader::kernelName);
static_assert(int(side::SourceKind::Mlir) == int(library::SourceKind::Mlir) &&
              int(side::SourceKind::Spirv) == int(library::SourceKind::Spirv) &&
              int(side::CodeForm::Assembly) == int(library::CodeForm::Assembly) &&
              int(side::Addressing::Physical) == int(Addressing::Physical) &&
              int(side::Addressing::Descriptors) == int(Addressing::Descriptors));

} // namespace

extern "C" __attribute__((visibility("default"))) const side::Interface *
pumice_compiler_interface(uint32_t version) {
  static const side::Interface interface{side::version,  text("Pumice " PUMICE_VERSION_TEXT),
                                         &compile,       &release,
                                         &compileNative, &explain,
                                         &lineOf,        &exportFiles,
                                         &compileShader};
  return version == side::version ? &interface : nullptr;
}

//===- Library.cpp - the compiler as the runtime sees it ---------------------===//
// The one C function that libpumice looks up, and nothing but plain structures behind it.
//===-------------------------------------------------------------------------===//
#include "compiler/library/CompileSource.h"
#include "runtime/support/CompilerInterface.h"

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

void compile(const side::Request *request, side::Response *response) {
  library::CompileRequest wanted;
  wanted.source = view(request->source);
  wanted.sourceName = view(request->sourceName);
  wanted.kind = static_cast<library::SourceKind>(request->kind);
  for (size_t i = 0; i < request->targetCount; ++i)
    wanted.targets.push_back(view(request->targets[i]));
  wanted.options.addressing = static_cast<Addressing>(request->addressing);
  wanted.options.indexBits = request->indexBits;
  wanted.options.requireNativeMatrices = request->nativeMatrices;

  auto *owner = new Owner;
  Result<std::vector<uint8_t>> bytes = library::compileSource(wanted, owner->diagnostics);
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

void release(side::Response *response) {
  delete static_cast<Owner *>(response->owner);
  *response = side::Response();
}

static_assert(int(side::SourceKind::Mlir) == int(library::SourceKind::Mlir) &&
              int(side::SourceKind::Spirv) == int(library::SourceKind::Spirv) &&
              int(side::Addressing::Physical) == int(Addressing::Physical) &&
              int(side::Addressing::Descriptors) == int(Addressing::Descriptors));

} // namespace

extern "C" __attribute__((visibility("default"))) const side::Interface *
pumice_compiler_interface(uint32_t version) {
  static const side::Interface interface{side::version, text("Pumice " PUMICE_VERSION), &compile,
                                         &release};
  return version == side::version ? &interface : nullptr;
}

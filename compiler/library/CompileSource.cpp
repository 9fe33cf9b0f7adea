//===- CompileSource.cpp - text or SPIR-V in memory into an executable's bytes ===//
#include "compiler/library/CompileSource.h"

#include "compiler/Registration.h"
#include "compiler/dialect/vk/JsonTarget.h"
#include "compiler/dialect/vk/SelectTarget.h"
#include "compiler/driver/Compile.h"
#include "compiler/package/ImportSpirv.h"
#include "compiler/passes/Progress.h"
#include "compiler/source/DiagnosticPrinter.h"
#include "compiler/source/ParseText.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::library;

namespace {

/// The registry is made only once, because filling it takes longer than compiling a small kernel.
const DialectRegistry &dialects() {
  static const DialectRegistry *registry = [] {
    auto *made = new DialectRegistry; // never destroyed; other threads may still compile at exit
    registerDialects(*made);
    return made;
  }();
  return *registry;
}

bool isSpirv(const CompileRequest &request) {
  if (request.kind != SourceKind::Automatic)
    return request.kind == SourceKind::Spirv;
  return package::looksLikeSpirv(request.source);
}

Result<target::TargetEnv> targetOf(MLIRContext *context, std::string_view text) {
  size_t start = text.find_first_not_of(" \t\r\n");
  if (start != std::string_view::npos && text[start] == '{')
    return vk::readTargetJson(text);
  return vk::resolveTarget(context, text);
}

FailureOr<executable::Executable> compileMlir(MLIRContext *context, llvm::SourceMgr &sources,
                                              const CompileRequest &request,
                                              const std::vector<target::TargetEnv> &targets) {
  // The text is copied, because MLIR's parser requires a terminating zero.
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(StringRef(request.source),
                                                                  StringRef(request.sourceName)),
                             llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseText(sources, ParserConfig(context));
  if (!module)
    return failure();
  CompileOptions options;
  options.kernel = request.options;
  options.viaLlvm = request.viaLlvm;
  if (request.stage)
    options.configure = [&](PassManager &pm) { watchStages(pm, request.stage); };
  return compile(*module, targets, options);
}

} // namespace

Result<std::vector<uint8_t>> library::compileSource(const CompileRequest &request,
                                                    std::string &diagnostics) {
  // Kernels are small, so threads would cost more than they save.
  MLIRContext context(dialects(), MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false); // the source line is more useful
  std::vector<target::TargetEnv> targets;
  for (size_t i = 0; i < request.targets.size(); ++i) {
    Result<target::TargetEnv> target = targetOf(&context, request.targets[i]);
    if (!target.isOk())
      return Status(target.status()).at("target " + std::to_string(i));
    targets.push_back(std::move(*target));
  }
  bool spirv = isSpirv(request);
  reachStage("reading the source");
  // MLIR's bytecode reader, unlike its text parser, crashes on damaged files.
  if (!spirv && request.source.starts_with("ML\xefR"))
    return Status(StatusCode::Unsupported,
                  "the source is MLIR bytecode; give its text, which mlir-opt prints");

  llvm::raw_string_ostream out(diagnostics);
  llvm::SourceMgr sources;
  DiagnosticPrinter handler(sources, &context, out);
  FailureOr<executable::Executable> compiled = failure();
  if (spirv)
    compiled = package::importSpirv(
        &context, {reinterpret_cast<const uint8_t *>(request.source.data()), request.source.size()},
        request.sourceName, targets);
  else
    compiled = compileMlir(&context, sources, request, targets);
  if (failed(compiled))
    return Status(StatusCode::InvalidArgument, "compilation failed");
  return executable::write(*compiled);
}

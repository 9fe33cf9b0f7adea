//===- ReadSpirvFuzzer.cpp - reads any words, or reports an error -----------===//
#include "compiler/import/spirv/Passes.h"
#include "compiler/import/spirv/ReadSpirv.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

#include <cstdlib>
#include <cstring>
#include <optional>

using namespace pumice::spirv_import;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // A context keeps types forever, so the fuzzer creates a new context from time to time.
  static std::optional<mlir::MLIRContext> context;
  static size_t runs = 0;
  static size_t errors = 0;
  if (runs++ % 1000 == 0) {
    context.emplace(mlir::MLIRContext::Threading::DISABLED);
    context->getDiagEngine().registerHandler([](mlir::Diagnostic &) {
      ++errors;
      return mlir::success();
    });
  }
  std::vector<uint32_t> words(size / sizeof(uint32_t));
  if (!words.empty())
    std::memcpy(words.data(), data, words.size() * sizeof(uint32_t));
  errors = 0;
  auto module = readSpirv(&*context, words, {});
  if (mlir::failed(module)) {
    if (errors != 1)
      std::abort();
    return 0;
  }
  if (mlir::failed(mlir::verify(**module)))
    std::abort();
  mlir::PassManager passes(&*context);
  passes.enableVerifier(true);
  passes.addPass(createInlineSpirvCalls());
  errors = 0;
  if (mlir::failed(passes.run(**module)) && errors != 1)
    std::abort();
  return 0;
}

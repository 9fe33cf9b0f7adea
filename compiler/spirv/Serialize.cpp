//===- Serialize.cpp - converts a spirv.module to words ---------------------===//
#include "compiler/spirv/Serialize.h"

#include "compiler/gen/IntelInstructions.h"
#include "compiler/spirv/SourceLines.h"
#include "compiler/spirv/SpirvBinary.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Target/SPIRV/Serialization.h"

using namespace mlir;

static FailureOr<std::vector<uint32_t>> toWords(mlir::spirv::ModuleOp module, bool withLines) {
  SmallVector<uint32_t, 0> words;
  if (!withLines) {
    if (failed(mlir::spirv::serialize(module, words)))
      return failure();
    return std::vector<uint32_t>(words.begin(), words.end());
  }
  pumice::spirv::NumberedLines lines(module);
  mlir::spirv::SerializationOptions options;
  options.emitDebugInfo = true;
  if (failed(mlir::spirv::serialize(module, words, options)))
    return failure();
  return lines.resolve({words.begin(), words.end()});
}

FailureOr<std::vector<uint32_t>> pumice::spirv::serialize(mlir::spirv::ModuleOp module,
                                                          bool withLines) {
  FailureOr<std::vector<uint32_t>> words = toWords(module, withLines);
  if (failed(words))
    return failure();
  SpirvBinary binary(pumice::gen::writeIntelInstructions(std::move(*words)));
  if (module.lookupSymbol("workgroup_size"))
    binary.decorateWorkgroupSize(*binary.idOf("workgroup_size"));
  if (module.lookupSymbol(dynamicMemoryName) &&
      !binary.specializeArrayLength(*binary.idOf(dynamicMemoryName), dynamicMemorySpecId))
    return module.emitError() << "cannot make the length of '" << dynamicMemoryName
                              << "' a specialization constant";
  for (auto constant : module.getOps<mlir::spirv::SpecConstantOp>())
    if (constant.getSymName().starts_with(clockScopeName))
      binary.readClocks(*binary.idOf(constant.getSymName()));
  return std::move(binary).take();
}

//===- Serialize.cpp - spirv.module to words --------------------------------===//
#include "compiler/spirv/Serialize.h"

#include "compiler/spirv/SpirvBinary.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Target/SPIRV/Serialization.h"

using namespace mlir;

FailureOr<std::vector<uint32_t>> pumice::spirv::serialize(mlir::spirv::ModuleOp module) {
  SmallVector<uint32_t, 0> words;
  if (failed(mlir::spirv::serialize(module, words)))
    return failure();
  SpirvBinary binary(std::vector<uint32_t>(words.begin(), words.end()));
  if (module.lookupSymbol("workgroup_size"))
    binary.decorateWorkgroupSize(*binary.idOf("workgroup_size"));
  if (module.lookupSymbol(dynamicMemoryName) &&
      !binary.specializeArrayLength(*binary.idOf(dynamicMemoryName), dynamicMemorySpecId))
    return module.emitError() << "cannot make the length of '" << dynamicMemoryName
                              << "' a specialization constant";
  return std::move(binary).take();
}

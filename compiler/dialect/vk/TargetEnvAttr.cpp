//===- TargetEnvAttr.cpp - parsing, printing and checking #vk.target_env ----===//
#include "compiler/dialect/vk/VkDialect.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::vk;

Attribute TargetEnvAttr::parse(AsmParser &parser, Type) { return {}; }
void TargetEnvAttr::print(AsmPrinter &printer) const {}
LogicalResult TargetEnvAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, uint32_t,
                                    uint32_t, uint32_t, ArrayAttr, DictionaryAttr) {
  return success();
}
FailureOr<target::TargetEnv> vk::lookupTarget(Operation *op) { return failure(); }

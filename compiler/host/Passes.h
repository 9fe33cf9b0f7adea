//===- Passes.h - host programs and the kernels that they launch ------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace mlir {
class OpPassManager;
namespace LLVM {
class LLVMDialect;
}
} // namespace mlir

namespace pumice::host {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/host/Passes.h.inc"

/// Appends the passes that lower a host module without kernels to LLVM's dialect.
void buildHostPipeline(mlir::OpPassManager &pm);

/// Registers `pumice-host-pipeline` for pumice-opt.
void registerHostPipeline();

} // namespace pumice::host

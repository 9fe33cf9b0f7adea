//===- EmitNative.h - the llvm dialect → LLVM IR → a shared object ----------===//
#pragma once

#include "compiler/cpu/native/NativeCpu.h"
#include "support/Status.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <vector>

namespace pumice::cpu {

enum class NativeForm { LlvmMlir, LlvmIr, OptimizedLlvmIr, Assembly, Object, SharedObject };

struct EmitOptions {
  NativeForm form = NativeForm::SharedObject;
  unsigned optimization = 2; // 0 to 3
};

/// Makes LLVM's targets known that a NativeCpu may name; all that LLVM has would be half of the
/// library. Thread-safe.
void prepareTargets();

/// A module of the llvm dialect with one kernel (NativeInfo.h), as text or bytes. The
/// result exports a NativeKernelInfo (executable/NativeCode.h). Thread-safe.
Result<std::vector<uint8_t>> emitNative(mlir::ModuleOp module, const NativeCpu &cpu,
                                        const EmitOptions &options = {});

} // namespace pumice::cpu

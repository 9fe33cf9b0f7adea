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

/// Registers the LLVM targets that a NativeCpu may name. With all of LLVM's targets, the library
/// would be twice as large. Thread-safe.
void prepareTargets();

/// Compiles a module of the llvm dialect with one kernel (NativeInfo.h) to text or bytes. The
/// result exports a NativeKernelInfo (executable/NativeCode.h). Thread-safe.
Result<std::vector<uint8_t>> emitNative(mlir::ModuleOp module, const NativeCpu &cpu,
                                        const EmitOptions &options = {});

} // namespace pumice::cpu

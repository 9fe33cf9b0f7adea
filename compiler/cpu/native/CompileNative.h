//===- CompileNative.h - START HERE: from SPIR-V to native code -------------===//
// `buildCpuPipeline` lists all lowering steps in order. docs/cpu-compiler.md describes what each
// step may rely on.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/native/EmitNative.h"

#include <array>
#include <map>
#include <span>

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace pumice::cpu {

/// Appends the passes that lower spirv functions, flat or structured, to SIMD code in the llvm
/// dialect. Vectors have `lanes` elements. `features` are the processor's features, in LLVM's
/// spelling. With `robustAccess`, accesses through descriptors stay inside the bound buffers.
void buildCpuPipeline(mlir::OpPassManager &pm, unsigned lanes, llvm::StringRef features,
                      bool robustAccess = false);

/// Registers the pipeline in pumice-opt as `pumice-spirv-to-cpu`.
void registerCpuPipeline();

/// Registers the dialects of all steps from SPIR-V to native code, and their translations to LLVM
/// IR.
void registerNativeDialects(mlir::DialectRegistry &registry);

struct NativeRequest {
  std::span<const uint32_t> words;                // SPIR-V; need not be valid
  std::string entryPoint;                         // empty: the only entry point
  std::string label;                              // the name of the source in diagnostics
  std::map<uint32_t, uint64_t> constants;         // specialization constants: the bits by SpecId
  std::array<uint32_t, 3> workgroupSize{0, 0, 0}; // used if the code leaves the size open
  uint32_t requiredSubgroupSize = 0;              // 0: the processor's lanes
  bool robustAccess = false;                      // accesses stay inside the bound descriptors
  NativeCpu cpu = hostCpu();
  EmitOptions emit;
};

/// Compiles SPIR-V to a shared object. `diagnostics` gets all messages, and the returned error
/// summarizes them. Thread-safe.
Result<std::vector<uint8_t>> compileNative(const NativeRequest &request, std::string &diagnostics);

} // namespace pumice::cpu

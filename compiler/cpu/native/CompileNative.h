//===- CompileNative.h - START HERE: from SPIR-V to native code -------------===//
// `buildCpuPipeline` is the whole lowering as one readable list; docs/cpu-compiler.md says what
// each step may rely on.
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

/// Appends the passes from spirv functions, flat or structured, to SIMD code in the llvm dialect.
/// The code uses vectors of `lanes`, on a processor with `features` as LLVM writes them. With
/// `robustAccess`, accesses through descriptors stay inside the bound buffers.
void buildCpuPipeline(mlir::OpPassManager &pm, unsigned lanes, llvm::StringRef features,
                      bool robustAccess = false);

/// Makes it known to pumice-opt as `pumice-spirv-to-cpu`.
void registerCpuPipeline();

/// Registers the dialects of every step from SPIR-V to native code, and how LLVM IR comes of them.
void registerNativeDialects(mlir::DialectRegistry &registry);

struct NativeRequest {
  std::span<const uint32_t> words;                // SPIR-V; not validated before
  std::string entryPoint;                         // its name in the code; empty: there is one only
  std::string label;                              // what diagnostics call the source
  std::map<uint32_t, uint64_t> constants;         // specialization: bits by SpecId
  std::array<uint32_t, 3> workgroupSize{0, 0, 0}; // for what the code leaves open; 0: its own
  uint32_t requiredSubgroupSize = 0;              // 0: the processor's lanes
  bool robustAccess = false;                      // accesses stay inside what descriptors bind
  NativeCpu cpu = hostCpu();
  EmitOptions emit;
};

/// Everything that was said goes to `diagnostics`; a failure's message is its summary. Thread-safe.
Result<std::vector<uint8_t>> compileNative(const NativeRequest &request, std::string &diagnostics);

} // namespace pumice::cpu

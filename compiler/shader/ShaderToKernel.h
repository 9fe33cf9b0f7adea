//===- ShaderToKernel.h - a Vulkan compute shader as an OpenCL kernel -------===//
// The steps up to scalar code are those of the CPU device: compiler/cpu/from_spirv resolves
// layouts, descriptors, push constants, specialization constants and GLSL.std.450. LLVM's SPIR-V
// backend writes the module.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace llvm {
class Module;
}
namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace pumice::shader {

/// The name of the kernel in the new module.
inline constexpr char kernelName[] = "pumice_shader";

struct KernelRequest {
  std::span<const uint32_t> words;        // SPIR-V with a GLCompute entry point; need not be valid
  std::string entryPoint;                 // its name in the code
  std::string label;                      // the name of the source in diagnostics
  std::map<uint32_t, uint64_t> constants; // specialization constants: the bits by SpecId
  uint32_t requiredSubgroupSize = 0;      // 0: as the target prefers
  bool robustAccess = false;              // accesses stay inside the bound buffers
  std::vector<std::array<uint32_t, 3>> slots; // set, binding and element
  uint64_t pushConstantBytes = 0;
  target::TargetEnv target;
};

/// Compiles a shader to a module with one kernel. Its arguments are an address and a length (u64)
/// for each slot, in order, then the push constants as u64 words, up to `pushConstantBytes`.
/// `diagnostics` gets all messages, and the returned error summarizes them. Thread-safe.
Result<std::vector<uint8_t>> shaderToKernel(const KernelRequest &request, std::string &diagnostics);

/// Appends the passes from spirv functions to kernels of the llvm dialect.
struct PipelineOptions {
  unsigned lanes = 16;
  bool fixedSubgroups = false, robustAccess = false, floatAdd = false;
  bool listArguments = false; // OpenCL kernels keep their parameters
  uint64_t pushConstantBytes = 0;
  std::vector<std::array<uint32_t, 3>> slots;
};
/// The dialects of the pipeline.
const mlir::DialectRegistry &dialectsOfKernels();
void buildKernelPipeline(mlir::OpPassManager &pm, const PipelineOptions &options);

/// Finds address spaces, and turns variables into values.
void simplify(llvm::Module &module);

/// Registers the pipeline in pumice-opt as `pumice-shader-to-kernel`.
void registerKernelPipeline();

} // namespace pumice::shader

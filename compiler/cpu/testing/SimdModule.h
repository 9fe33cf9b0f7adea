//===- SimdModule.h - runs lane kernels on this machine ---------------------===//
// Runs kernels that tests give as text. The kernels pass through pumice-lanes-to-simd and MLIR's
// lowerings to LLVM. They are optimized and compiled in this process, and called as
// executable/NativeCode.h describes. A slow interpreter, which executes one invocation after the
// other, gives the expected results.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/NativeCode.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace pumice::cpu::testing {

/// The memory that a launch reads and writes. Buffer i is bound at set 0, binding i.
struct LaunchMemory {
  std::vector<std::vector<uint32_t>> buffers;
  std::vector<uint32_t> pushConstants;
};

/// Options for compiling kernels.
struct SimdWidth {
  unsigned lanes;
  unsigned registerLanes = lanes; // vectors are split into registers of this many lanes
  bool mayWiden = false;          // a kernel that cannot observe it may get more lanes
};

class SimdModule {
public:
  /// `kernels` are func.func operations with lane.kernel. The test fails if they cannot be
  /// compiled.
  SimdModule(const std::string &kernels, SimdWidth width);
  SimdModule(const std::string &kernels, unsigned lanes) : SimdModule(kernels, SimdWidth{lanes}) {}
  ~SimdModule();

  /// Runs `groups` workgroups. Returns the kernel's result.
  uint32_t run(const std::string &name, std::array<uint32_t, 3> groups, LaunchMemory &memory,
               const uint32_t *cancel = nullptr) const;

private:
  struct State;
  std::unique_ptr<State> state;
};

/// Executes a kernel one invocation at a time, as the dialect defines it. Supports only 32-bit
/// integers, f32, i64 and addresses. Subgroup operations are not supported, because their results
/// depend on the width.
void interpret(const std::string &kernels, const std::string &name, std::array<uint32_t, 3> groups,
               LaunchMemory &memory);

} // namespace pumice::cpu::testing

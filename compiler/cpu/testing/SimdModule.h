//===- SimdModule.h - runs lane kernels on this machine -------------------===//
// Runs kernels given as text, for tests. They pass through pumice-lanes-to-simd and MLIR's
// lowerings to LLVM, are optimised and compiled in process, and are called as described in
// executable/NativeCode.h. A slow interpreter that executes one invocation after the other gives
// the expected results.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/NativeCode.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace pumice::cpu::testing {

/// The memory that a launch reads and writes; buffer i is bound at set 0, binding i.
struct LaunchMemory {
  std::vector<std::vector<uint32_t>> buffers;
  std::vector<uint32_t> pushConstants;
};

/// Options for compiling kernels.
struct SimdWidth {
  unsigned lanes;
  unsigned registerLanes = lanes; // vectors are split to this many lanes
  bool mayWiden = false;          // kernels that cannot observe it get more lanes
};

class SimdModule {
public:
  /// `kernels` are func.func operations with lane.kernel. If this fails, the test fails.
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

/// Executes a kernel one invocation at a time, by the dialect's definition. Supports only 32-bit
/// integers, f32, i64 and addresses. It has no subgroup operations, since their results depend on
/// the width.
void interpret(const std::string &kernels, const std::string &name, std::array<uint32_t, 3> groups,
               LaunchMemory &memory);

} // namespace pumice::cpu::testing

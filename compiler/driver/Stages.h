//===- Stages.h - a kernel's text at stages that readers want to see ------===//
#pragma once

#include <functional>
#include <string_view>

namespace mlir {
class PassManager;
}

namespace pumice {

/// Takes a stage's name and its text. If a stage has several texts (kernels, targets), they follow
/// each other.
using TakeStage = std::function<void(std::string_view stage, std::string_view text)>;

/// Passes these stages to `take` while the passes of `pm` run, in this order:
///   tiles   kernels of Triton on whole tensors, with their layouts
///   loops   the same, in loops over pieces that registers hold
///   lanes   what one lane computes: as people write kernels
///   gpu     after every lowering but that to SPIR-V
///   spirv   the spirv dialect
void watchStages(mlir::PassManager &pm, const TakeStage &take);

} // namespace pumice

//===- Stages.h - the text of a kernel at stages of its lowering ------------===//
#pragma once

#include <functional>
#include <string_view>

namespace mlir {
class PassManager;
}

namespace pumice {

/// Takes a stage's name and its text. If a stage has several texts, one for each kernel or target,
/// it is called for each of them.
using TakeStage = std::function<void(std::string_view stage, std::string_view text)>;

/// Passes the text of these stages to `take` while the passes of `pm` run. In order, they are:
///
///   tiles   kernels of Triton on whole tensors, with their layouts
///   loops   the same, in loops over pieces that registers hold
///   lanes   the code of one lane, as people write kernels
///   gpu     the code before its conversion to SPIR-V
///   spirv   the spirv dialect
void watchStages(mlir::PassManager &pm, const TakeStage &take);

} // namespace pumice

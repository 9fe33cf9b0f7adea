//===- ValidateSpirv.cpp - validates a module for a target ------------------===//
#include "compiler/import/spirv/ValidateSpirv.h"

#include "executable/SpirvDebugWords.h"

#include <spirv-tools/libspirv.hpp>

#include <algorithm>

using namespace pumice;
using namespace pumice::spirv_import;
using target::Feature;

/// Extensions that the distribution's SPIRV-Tools 2023.1 does not know. It would reject every
/// module that uses them.
static constexpr std::string_view newerExtensions[] = {"SPV_KHR_bfloat16",
                                                       "SPV_KHR_cooperative_matrix",
                                                       "SPV_KHR_expect_assume",
                                                       "SPV_KHR_float_controls2",
                                                       "SPV_KHR_maximal_reconvergence",
                                                       "SPV_KHR_quad_control",
                                                       "SPV_KHR_subgroup_rotate",
                                                       "SPV_NV_cooperative_matrix2",
                                                       "SPV_EXT_replicated_composites",
                                                       "SPV_INTEL_2d_block_io",
                                                       "SPV_INTEL_subgroup_matrix_multiply_"
                                                       "accumulate",
                                                       "SPV_KHR_relaxed_extended_instruction"};

/// Returns the rules for a module of OpenCL. SPIRV-Tools know those of OpenCL up to SPIR-V 1.2, and
/// without extensions. The general rules hold for all others.
static spv_target_env openClEnvironment(const target::TargetEnv &target) {
  bool isPlain = target.spirvMinor <= 2 &&
                 std::ranges::none_of(target.extensions, [](const std::string &name) {
                   return name.starts_with("cl_") && name != "cl_khr_fp64";
                 });
  if (isPlain)
    return SPV_ENV_OPENCL_2_2;
  constexpr spv_target_env general[] = {
      SPV_ENV_UNIVERSAL_1_0, SPV_ENV_UNIVERSAL_1_1, SPV_ENV_UNIVERSAL_1_2, SPV_ENV_UNIVERSAL_1_3,
      SPV_ENV_UNIVERSAL_1_4, SPV_ENV_UNIVERSAL_1_5, SPV_ENV_UNIVERSAL_1_6};
  return general[std::min<size_t>(target.spirvMinor, std::size(general) - 1)];
}

static spv_target_env environmentOf(const target::TargetEnv &target) {
  if (target.isOpenCl())
    return openClEnvironment(target);
  if (target.atLeast(1, 3))
    return SPV_ENV_VULKAN_1_3;
  if (target.atLeast(1, 2))
    return SPV_ENV_VULKAN_1_2;
  bool spirv14 = target.spirvMinorVersion() == 4;
  if (target.atLeast(1, 1))
    return spirv14 ? SPV_ENV_VULKAN_1_1_SPIRV_1_4 : SPV_ENV_VULKAN_1_1;
  return SPV_ENV_VULKAN_1_0;
}

Validation spirv_import::validateSpirv(std::span<const uint32_t> words,
                                       std::span<const std::string> extensions,
                                       const target::TargetEnv &target) {
  Validation result;
  for (const std::string &extension : extensions)
    if (std::ranges::find(newerExtensions, extension) != std::end(newerExtensions)) {
      result.valid = true;
      result.skipped = "it uses " + extension + ", which this build's SPIRV-Tools does not know";
      return result;
    }
  spvtools::SpirvTools tools(environmentOf(target));
  if (!tools.IsValid()) {
    result.problem = "SPIRV-Tools has no rules for this version";
    return result;
  }
  tools.SetMessageConsumer(
      [&](spv_message_level_t, const char *, const spv_position_t &position, const char *message) {
        result.problem += (result.problem.empty() ? "" : "; ") +
                          (position.index ? "word " + std::to_string(position.index) + ": " : "") +
                          message;
      });
  spvtools::ValidatorOptions options;
  options.SetScalarBlockLayout(target.has(Feature::scalarBlockLayout));
  options.SetUniformBufferStandardLayout(target.has(Feature::uniformBufferStandardLayout));
  options.SetAllowLocalSizeId(target.has(Feature::maintenance4));
  std::vector<uint32_t> known = executable::withKnownDebugWords(words);
  result.valid = tools.Validate(known.data(), known.size(), options);
  if (!result.valid && result.problem.empty())
    result.problem = "no reason given";
  return result;
}

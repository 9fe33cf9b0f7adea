//===- TargetEnv.cpp - what a Vulkan device can do, as plain data -----------===//
#include "compiler/target/TargetEnv.h"

namespace pumice::target {

uint32_t TargetEnv::spirvMinorVersion() const {
  if (atLeast(1, 3))
    return 6;
  if (atLeast(1, 2))
    return 5;
  if (hasExtension("VK_KHR_spirv_1_4"))
    return 4;
  return atLeast(1, 1) ? 3 : 0;
}

static constexpr std::string_view featureNames[] = {
#define PUMICE_FEATURE(name, ...) #name,
#include "compiler/target/Features.def"
};

std::string_view nameOf(Feature feature) { return featureNames[static_cast<size_t>(feature)]; }

std::optional<Feature> findFeature(std::string_view name) {
  for (size_t i = 0; i < featureCount; ++i)
    if (featureNames[i] == name)
      return static_cast<Feature>(i);
  return std::nullopt;
}

} // namespace pumice::target

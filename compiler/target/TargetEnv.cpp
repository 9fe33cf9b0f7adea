//===- TargetEnv.cpp - the features of a Vulkan device, as plain data -------===//
#include "compiler/target/TargetEnv.h"

#include "compiler/target/Tables.h"

namespace pumice::target {

uint32_t TargetEnv::spirvMinorVersion() const {
  return executable::newestSpirvMinor(versionMajor, versionMinor, hasExtension("VK_KHR_spirv_1_4"));
}

void TargetEnv::complete() {
  if (limits.minSubgroupSize == 0)
    limits.minSubgroupSize = limits.subgroupSize;
  if (limits.maxSubgroupSize == 0)
    limits.maxSubgroupSize = limits.subgroupSize;
}

std::string listOfProcessors() {
  std::string text;
  for (std::string_view name : processors)
    (text += text.empty() ? "" : name == std::end(processors)[-1] ? " and " : ", ") += name;
  return text;
}

std::string_view nameOf(Feature feature) { return infoOf(feature).name; }

std::optional<Feature> findFeature(std::string_view name) {
  for (const FeatureInfo &info : allFeatures())
    if (info.name == name)
      return featureOf(info);
  return std::nullopt;
}

std::optional<Workaround> findWorkaround(std::string_view name) {
  for (const WorkaroundInfo &info : allWorkarounds())
    if (info.name == name)
      return info.workaround;
  return std::nullopt;
}

std::string describe(const TargetEnv &env) {
  return env.name.empty() ? "the target" : "target '" + env.name + "'";
}

std::string needs(const TargetEnv &env, std::string_view what) {
  return (findFeature(what) ? "needs the feature " : "needs ") + std::string(what) + ", which " +
         describe(env) + " lacks";
}

std::string needs(const TargetEnv &env, Feature feature) { return needs(env, nameOf(feature)); }

} // namespace pumice::target

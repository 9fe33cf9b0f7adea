//===- TargetEnv.cpp - the features of a device, as plain data --------------===//
#include "compiler/target/TargetEnv.h"

#include "compiler/target/Tables.h"
#include "executable/OpenclNeeds.h"

namespace pumice::target {

uint32_t TargetEnv::spirvMinorVersion() const {
  if (isOpenCl())
    return spirvMinor;
  return executable::newestSpirvMinor(versionMajor, versionMinor, hasExtension("VK_KHR_spirv_1_4"));
}

void TargetEnv::complete() {
  if (limits.minSubgroupSize == 0)
    limits.minSubgroupSize = limits.subgroupSize;
  if (limits.maxSubgroupSize == 0)
    limits.maxSubgroupSize = limits.subgroupSize;
  if (!isOpenCl())
    return;
  features.reset();
  for (std::string_view name : executable::openclFeatures(extensions))
    if (std::optional<Feature> feature = findFeature(name))
      set(*feature);
  limits.subgroupFeatures = executable::openclSubgroupOperations(extensions);
  // A size may be required by every kernel, or by none.
  limits.requiredSubgroupSizeStages = has(Feature::subgroupSizeControl) ? computeStage : 0;
}

std::string_view nameOf(Api api) { return api == Api::OpenCl ? "OpenCL" : "Vulkan"; }

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
  if (env.isOpenCl() && findFeature(what)) {
    std::string extensions = executable::openclBringsFeature(what);
    return extensions.empty() ? "needs " + std::string(what) + ", which OpenCL does not have"
                              : "needs " + extensions + ", which " + describe(env) + " lacks";
  }
  return (findFeature(what) ? "needs the feature " : "needs ") + std::string(what) + ", which " +
         describe(env) + " lacks";
}

std::string needs(const TargetEnv &env, Feature feature) { return needs(env, nameOf(feature)); }

} // namespace pumice::target

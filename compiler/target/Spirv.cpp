//===- Spirv.cpp - SPIR-V declarations that an environment allows -----------===//
#include "compiler/target/Spirv.h"

#include "compiler/target/Tables.h"
#include "executable/OpenclNeeds.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace pumice::target {

/// Capabilities that every Vulkan device with compute shaders supports.
static constexpr std::string_view baseCapabilities[] = {"Matrix", "Shader"};

static bool isAvailable(const TargetEnv &env, const ExtensionInfo &info) {
  return env.hasExtension(info.name) ||
         executable::hasBuiltIn(env.versionMajor, env.versionMinor, info.core);
}

static void sortUnique(std::vector<std::string_view> &names) {
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

static bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::vector<std::string_view> spirvCapabilities(const TargetEnv &env) {
  if (env.isOpenCl())
    return executable::openclCapabilities(env.extensions);
  std::vector<std::string_view> result(std::begin(baseCapabilities), std::end(baseCapabilities));
  for (const FeatureInfo &info : allFeatures())
    if (env.has(featureOf(info)))
      for (std::string_view capability : splitWords(info.capabilities))
        result.push_back(capability);
  for (const SubgroupOperationInfo &info : allSubgroupOperations())
    if (!info.capability.empty() && env.hasSubgroup(info.bit))
      result.push_back(info.capability);
  sortUnique(result);
  return result;
}

bool allowsCapability(const TargetEnv &env, std::string_view capability) {
  if (env.isOpenCl())
    return contains(executable::openclCapabilities(env.extensions), capability);
  return contains(baseCapabilities, capability) ||
         std::ranges::any_of(featuresFor(capability), [&](Feature f) { return env.has(f); }) ||
         std::ranges::any_of(allSubgroupOperations(), [&](const SubgroupOperationInfo &info) {
           return info.capability == capability && env.hasSubgroup(info.bit);
         });
}

std::vector<std::string_view> spirvExtensions(const TargetEnv &env) {
  if (env.isOpenCl())
    return executable::openclSpirvExtensions(env.extensions);
  std::vector<std::string_view> result;
  for (const ExtensionInfo &info : allExtensions())
    if (!info.spirvExtension.empty() && isAvailable(env, info))
      result.push_back(info.spirvExtension);
  sortUnique(result);
  return result;
}

bool allowsSpirvExtension(const TargetEnv &env, std::string_view extension) {
  return contains(spirvExtensions(env), extension);
}

std::string whatBringsCapability(const TargetEnv &env, std::string_view capability) {
  return env.isOpenCl() ? executable::openclBringsCapability(capability)
                        : executable::whatBringsCapability(capability);
}

std::string whatBringsSpirvExtension(const TargetEnv &env, std::string_view extension) {
  return env.isOpenCl() ? executable::openclBringsSpirvExtension(extension)
                        : executable::whatBringsSpirvExtension(extension);
}

std::string whatBringsSubgroupOperation(const TargetEnv &env, uint32_t bit) {
  return env.isOpenCl() ? executable::openclBringsSubgroupOperation(bit)
                        : executable::subgroupOperationText(bit);
}

std::vector<Feature> featuresFor(std::string_view capability) {
  // Splits the column only once, because every capability of every module is looked up here.
  static const std::multimap<std::string_view, Feature> table = [] {
    std::multimap<std::string_view, Feature> result;
    for (const FeatureInfo &info : allFeatures())
      for (std::string_view word : splitWords(info.capabilities))
        result.emplace(word, featureOf(info));
    return result;
  }();
  std::vector<Feature> result;
  auto [first, last] = table.equal_range(capability);
  std::transform(first, last, std::back_inserter(result), [](auto &entry) { return entry.second; });
  return result;
}

std::optional<Feature> featureFor(std::string_view capability) {
  std::vector<Feature> features = featuresFor(capability);
  return features.empty() ? std::nullopt : std::optional(features.front());
}

} // namespace pumice::target

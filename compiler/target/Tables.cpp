//===- Tables.cpp - the tables of features, limits and extensions -----------===//
#include "compiler/target/Tables.h"

#include <algorithm>

namespace pumice::target {

static constexpr FeatureInfo features[] = {
#define PUMICE_FEATURE_AS(name, member, structure, extensions, core, capabilities, spirv,          \
                          spirvCore)                                                               \
  {Feature::name, #name, #member, structure, extensions, core, capabilities, spirv, spirvCore},
#define PUMICE_FEATURE(name, ...) PUMICE_FEATURE_AS(name, name, __VA_ARGS__)
#include "compiler/target/Features.def"
};

static constexpr WorkaroundInfo workarounds[] = {
#define PUMICE_WORKAROUND(name, driver, id) {Workaround::name, #name, driver, id},
#include "compiler/target/Workarounds.def"
};

static constexpr bool Always = true, Different = false;
static constexpr LimitInfo limits[] = {
#define PUMICE_LIMIT(type, name, defaultValue, structure, members, printed)                        \
  {#name, structure, members, printed, &Limits::name},
#include "compiler/target/Limits.def"
};

static constexpr SubgroupOperationInfo subgroupOperations[] = {
    {SubgroupBasic, "basic", "GroupNonUniform"},
    {SubgroupVote, "vote", "GroupNonUniformVote"},
    {SubgroupArithmetic, "arithmetic", "GroupNonUniformArithmetic"},
    {SubgroupBallot, "ballot", "GroupNonUniformBallot"},
    {SubgroupShuffle, "shuffle", "GroupNonUniformShuffle"},
    {SubgroupShuffleRelative, "shuffle relative", "GroupNonUniformShuffleRelative"},
    {SubgroupClustered, "clustered", "GroupNonUniformClustered"},
    {SubgroupQuad, "quad", "GroupNonUniformQuad"},
    {SubgroupPartitionedNV, "partitioned", "GroupNonUniformPartitionedNV"},
    // The capability of these two comes with the feature shaderSubgroupRotate.
    {SubgroupRotate, "rotate", ""},
    {SubgroupRotateClustered, "rotate clustered", ""},
};

std::span<const FeatureInfo> allFeatures() { return features; }
const FeatureInfo &infoOf(Feature feature) { return features[static_cast<size_t>(feature)]; }
std::span<const WorkaroundInfo> allWorkarounds() { return workarounds; }
std::span<const LimitInfo> allLimits() { return limits; }
std::span<const SubgroupOperationInfo> allSubgroupOperations() { return subgroupOperations; }

const LimitInfo *findLimit(std::string_view name) {
  for (const LimitInfo &info : limits)
    if (info.name == name)
      return &info;
  return nullptr;
}

std::vector<std::string_view> splitWords(std::string_view words) {
  std::vector<std::string_view> result;
  while (!words.empty()) {
    size_t end = words.find_first_of(" \t\n\r");
    if (std::string_view word = words.substr(0, end); !word.empty())
      result.push_back(word);
    words.remove_prefix(end == std::string_view::npos ? words.size() : end + 1);
  }
  return result;
}

static std::vector<ExtensionInfo> collectExtensions() {
  std::vector<ExtensionInfo> all = {
#define PUMICE_EXTENSION(name, core, spirv) {#name, core, spirv},
#include "compiler/target/Extensions.def"
  };
  for (const FeatureInfo &info : features)
    for (std::string_view extension : splitWords(info.extensions))
      all.push_back({extension, info.core, info.spirvExtension});
  // An entry without a SPIR-V extension is only kept where it is the extension's only one.
  auto key = [](const ExtensionInfo &info) { return std::pair(info.name, info.spirvExtension); };
  std::sort(all.begin(), all.end(), [&](auto &a, auto &b) { return key(a) < key(b); });
  all.erase(std::unique(all.begin(), all.end(), [&](auto &a, auto &b) { return key(a) == key(b); }),
            all.end());
  std::vector<ExtensionInfo> result;
  for (size_t i = 0; i < all.size(); ++i)
    if (!all[i].spirvExtension.empty() || i + 1 == all.size() || all[i + 1].name != all[i].name)
      result.push_back(all[i]);
  return result;
}

std::span<const ExtensionInfo> allExtensions() {
  static const std::vector<ExtensionInfo> all = collectExtensions();
  return all;
}

bool isKnownExtension(std::string_view name) {
  return std::ranges::any_of(allExtensions(), [&](auto &info) { return info.name == name; });
}

} // namespace pumice::target

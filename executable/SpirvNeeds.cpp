//===- SpirvNeeds.cpp - the parts of Vulkan that SPIR-V declarations need ---===//
#include "executable/SpirvNeeds.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace pumice::executable {
namespace {

constexpr FeatureInfo features[] = {
#define PUMICE_FEATURE_AS(name, member, structure, extensions, core, capabilities, spirv,          \
                          spirvCore)                                                               \
  {#name, #member, structure, extensions, core, capabilities, spirv, spirvCore},
#define PUMICE_FEATURE(name, ...) PUMICE_FEATURE_AS(name, name, __VA_ARGS__)
#include "executable/Features.def"
};

constexpr SubgroupOperationInfo subgroupOperations[] = {
    {1u << 0, "basic", "GroupNonUniform"},
    {1u << 1, "vote", "GroupNonUniformVote"},
    {1u << 2, "arithmetic", "GroupNonUniformArithmetic"},
    {1u << 3, "ballot", "GroupNonUniformBallot"},
    {1u << 4, "shuffle", "GroupNonUniformShuffle"},
    {1u << 5, "shuffle relative", "GroupNonUniformShuffleRelative"},
    {1u << 6, "clustered", "GroupNonUniformClustered"},
    {1u << 7, "quad", "GroupNonUniformQuad"},
    {1u << 8, "partitioned", "GroupNonUniformPartitionedNV"},
    // The feature shaderSubgroupRotate provides the capability of both rotate operations.
    {1u << 9, "rotate", ""},
    {1u << 10, "rotate clustered", ""},
};

/// For these capabilities, Vulkan's table lists neither a feature nor an extension.
constexpr std::string_view alwaysThere[] = {"Matrix",      "Shader",     "InputAttachment",
                                            "Sampled1D",   "Image1D",    "SampledBuffer",
                                            "ImageBuffer", "ImageQuery", "DerivativeControl"};

struct Capability {
  std::string_view name;
  uint32_t number;
};
constexpr Capability capabilities[] = {
// Sorted by number:
#define PUMICE_CAPABILITY(name, number) {#name, number},
#include "executable/Capabilities.def"
};

std::vector<ExtensionInfo> collectExtensions() {
  std::vector<ExtensionInfo> all = {
#define PUMICE_EXTENSION(name, core, spirv, capabilities) {#name, core, spirv, capabilities},
#include "executable/Extensions.def"
  };
  for (const FeatureInfo &info : features)
    for (std::string_view extension : splitWords(info.extensions))
      all.push_back({extension, info.core, info.spirvExtension, ""});
  // An entry without a SPIR-V extension is kept only if it is the only entry of the Vulkan
  // extension.
  auto key = [](const ExtensionInfo &info) { return std::pair(info.name, info.spirvExtension); };
  // Entries that provide capabilities come first.
  std::ranges::sort(all, {}, [](const ExtensionInfo &info) {
    return std::tuple(info.name, info.spirvExtension, info.capabilities.empty());
  });
  all.erase(std::unique(all.begin(), all.end(), [&](auto &a, auto &b) { return key(a) == key(b); }),
            all.end());
  std::vector<ExtensionInfo> result;
  for (size_t i = 0; i < all.size(); ++i)
    if (!all[i].spirvExtension.empty() || i + 1 == all.size() || all[i + 1].name != all[i].name)
      result.push_back(all[i]);
  return result;
}

std::string joinAlternatives(const std::vector<std::string> &names) {
  std::string result;
  for (const std::string &name : names)
    result += (result.empty() ? "" : " or ") + name;
  return result;
}

bool holdsWord(std::string_view words, std::string_view wanted) {
  return std::ranges::any_of(splitWords(words), [&](auto word) { return word == wanted; });
}

void addExtension(std::vector<std::string> &names, const ExtensionInfo &info) {
  names.push_back(extensionOrVersion(info.name));
}

} // namespace

std::span<const FeatureInfo> allFeatures() { return features; }
std::span<const SubgroupOperationInfo> allSubgroupOperations() { return subgroupOperations; }

std::span<const ExtensionInfo> allExtensions() {
  static const std::vector<ExtensionInfo> all = collectExtensions();
  return all;
}

static const ExtensionInfo *findExtension(std::string_view name) {
  auto found = std::ranges::lower_bound(allExtensions(), name, {}, &ExtensionInfo::name);
  return found != allExtensions().end() && found->name == name ? &*found : nullptr;
}

bool isKnownExtension(std::string_view name) { return findExtension(name); }

uint32_t promotedIn(std::string_view extension) {
  const ExtensionInfo *info = findExtension(extension);
  return info ? info->core : never;
}

std::string extensionOrVersion(std::string_view extension) {
  uint32_t core = promotedIn(extension);
  return std::string(extension) + (core == never ? "" : " or Vulkan 1." + std::to_string(core));
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

std::string subgroupOperationText(uint32_t bit) {
  std::string_view name = "unknown";
  for (const SubgroupOperationInfo &info : subgroupOperations)
    if (info.bit == bit)
      name = info.name;
  return "subgroup operation '" + std::string(name) + "' (subgroupFeatures bit " +
         std::to_string(std::countr_zero(bit)) + ")";
}

std::string whatBringsCapability(std::string_view capability) {
  std::vector<std::string> names;
  for (const FeatureInfo &info : features)
    if (holdsWord(info.capabilities, capability))
      names.emplace_back(info.name);
  for (const SubgroupOperationInfo &info : subgroupOperations)
    if (info.capability == capability)
      names.push_back(subgroupOperationText(info.bit));
  for (const ExtensionInfo &info : allExtensions())
    if (holdsWord(info.capabilities, capability))
      addExtension(names, info);
  return joinAlternatives(names);
}

std::string whatBringsSpirvExtension(std::string_view extension) {
  std::vector<std::string> names;
  for (const ExtensionInfo &info : allExtensions())
    if (info.spirvExtension == extension)
      addExtension(names, info);
  return joinAlternatives(names);
}

bool isAlwaysThere(std::string_view capability) {
  return std::ranges::find(alwaysThere, capability) != std::end(alwaysThere);
}

std::string_view capabilityName(uint32_t number) {
  auto found = std::ranges::lower_bound(capabilities, number, {}, &Capability::number);
  return found != std::end(capabilities) && found->number == number ? found->name
                                                                    : std::string_view();
}

uint32_t newestSpirvMinor(uint32_t major, uint32_t minor, bool hasSpirv14) {
  if (major > 1 || minor >= 3)
    return 6;
  if (minor == 2)
    return 5;
  if (hasSpirv14)
    return 4;
  return minor == 1 ? 3 : 0;
}

} // namespace pumice::executable

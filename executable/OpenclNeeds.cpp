//===- OpenclNeeds.cpp - the parts of OpenCL that kernels need --------------===//
#include "executable/OpenclNeeds.h"

#include "executable/SpirvNeeds.h"

#include <algorithm>

namespace pumice::executable {
namespace {

constexpr OpenclInfo lines[] = {
#define PUMICE_OPENCL(name, features, subgroups, capabilities, spirvExtension)                     \
  {name, features, subgroups, capabilities, spirvExtension},
#include "executable/OpenclExtensions.def"
};

bool isListed(const OpenclInfo &info, const OpenclNames &extensions) {
  return info.name.empty() || extensions.contains(info.name);
}

/// Returns the words of a column in all lines that the extensions provide.
std::vector<std::string_view> collect(const OpenclNames &extensions,
                                      std::string_view OpenclInfo::*column) {
  std::vector<std::string_view> result;
  for (const OpenclInfo &info : lines)
    if (isListed(info, extensions))
      for (std::string_view word : splitWords(info.*column))
        result.push_back(word);
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

/// Joins the names of the lines that satisfy `test`.
template <typename Test> std::string namesOf(Test test) {
  std::string result;
  for (const OpenclInfo &info : lines)
    if (!info.name.empty() && test(info))
      (result += result.empty() ? "" : " or ") += info.name;
  return result;
}

bool holds(std::string_view words, std::string_view wanted) {
  return std::ranges::any_of(splitWords(words), [&](auto word) { return word == wanted; });
}

} // namespace

std::span<const OpenclInfo> allOpencl() { return lines; }

bool looksLikeOpencl(std::string_view name) {
  for (std::string_view prefix : {"cl_", "cles_", "__opencl_c_", "CL_DEVICE_SVM_"})
    if (name.starts_with(prefix) && name.size() > prefix.size())
      return std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
      });
  return false;
}

std::vector<std::string_view> openclFeatures(const OpenclNames &extensions) {
  return collect(extensions, &OpenclInfo::features);
}

uint32_t openclSubgroupOperations(const OpenclNames &extensions) {
  uint32_t result = 0;
  for (const OpenclInfo &info : lines)
    if (isListed(info, extensions))
      result |= info.subgroupOperations;
  return result;
}

std::vector<std::string_view> openclCapabilities(const OpenclNames &extensions) {
  return collect(extensions, &OpenclInfo::capabilities);
}

std::vector<std::string_view> openclSpirvExtensions(const OpenclNames &extensions) {
  return collect(extensions, &OpenclInfo::spirvExtension);
}

std::string openclBringsFeature(std::string_view feature) {
  return namesOf([&](const OpenclInfo &info) { return holds(info.features, feature); });
}
std::string openclBringsSubgroupOperation(uint32_t bit) {
  return namesOf([&](const OpenclInfo &info) { return (info.subgroupOperations & bit) != 0; });
}
std::string openclBringsCapability(std::string_view capability) {
  return namesOf([&](const OpenclInfo &info) { return holds(info.capabilities, capability); });
}
std::string openclBringsSpirvExtension(std::string_view extension) {
  return namesOf([&](const OpenclInfo &info) { return info.spirvExtension == extension; });
}

} // namespace pumice::executable

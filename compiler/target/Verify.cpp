//===- Verify.cpp - checks that an environment is consistent ----------------===//
#include "compiler/target/MatrixText.h"
#include "compiler/target/Tables.h"
#include "executable/OpenclNeeds.h"

#include <algorithm>

namespace pumice::target {
namespace {

template <typename... Parts> Status fail(const Parts &...parts) {
  std::string message;
  (message.append(parts), ...);
  return Status(StatusCode::InvalidArgument, std::move(message));
}

std::string text(uint64_t value) { return std::to_string(value); }

/// Returns whether a name has the form of VK_KHR_8bit_storage: VK_, a vendor in capitals, and a
/// name in lower case.
bool looksLikeExtension(std::string_view name) {
  if (!name.starts_with("VK_"))
    return false;
  std::string_view rest = name.substr(3);
  size_t underscore = rest.find('_');
  if (underscore == 0 || underscore == std::string_view::npos || underscore + 1 == rest.size())
    return false;
  for (char c : rest.substr(0, underscore))
    if (!(c >= 'A' && c <= 'Z'))
      return false;
  for (char c : rest.substr(underscore + 1))
    if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && !(c >= 'A' && c <= 'Z') && c != '_')
      return false;
  return true;
}

const std::string &textOf(const std::string &name) { return name; }
std::string textOf(const auto &entry) { return toString(entry); }

bool isPowerOfTwo(uint32_t value) { return value && !(value & (value - 1)); }

Status verifyExtensions(const TargetEnv &env) {
  for (const std::string &name : env.extensions)
    if (env.isOpenCl() && !executable::looksLikeOpencl(name))
      return fail("'", name,
                  "' is not the name of an OpenCL extension; expected one such as cl_khr_fp16, an "
                  "optional feature such as __opencl_c_fp64, or CL_DEVICE_SVM_COARSE_GRAIN_BUFFER");
    else if (!env.isOpenCl() && !looksLikeExtension(name))
      return fail(
          "'", name,
          "' is not the name of a Vulkan extension; expected one such as VK_KHR_8bit_storage");
  return Status::ok();
}

Status verifySubgroups(const TargetEnv &env) {
  const Limits &limits = env.limits;
  const uint32_t most = env.isOpenCl() ? 4096 : 128; // PoCL 6.0 has sizes up to 512
  auto checkSize = [most](std::string_view what, uint32_t size) {
    if (!isPowerOfTwo(size) || size > most)
      return fail(what, " = ", text(size), ": must be a power of two from 1 to ", text(most));
    return Status::ok();
  };
  PUMICE_RETURN_IF_ERROR(checkSize("subgroupSize", limits.subgroupSize));
  PUMICE_RETURN_IF_ERROR(checkSize("minSubgroupSize", limits.minSubgroupSize));
  PUMICE_RETURN_IF_ERROR(checkSize("maxSubgroupSize", limits.maxSubgroupSize));
  if (limits.minSubgroupSize > limits.subgroupSize || limits.subgroupSize > limits.maxSubgroupSize)
    return fail("subgroupSize = ", text(limits.subgroupSize),
                ": must lie within minSubgroupSize = ", text(limits.minSubgroupSize),
                " and maxSubgroupSize = ", text(limits.maxSubgroupSize));
  uint32_t known = 0;
  for (const SubgroupOperationInfo &info : allSubgroupOperations())
    known |= info.bit;
  if (uint32_t unknown = limits.subgroupFeatures & ~known)
    return fail("subgroupFeatures = ", text(limits.subgroupFeatures), ": the bits ", text(unknown),
                " are not known VkSubgroupFeatureFlagBits; the sum of the known ones is ",
                text(known));
  if (limits.subgroupFeatures && !env.isOpenCl() && !env.atLeast(1, 1))
    return fail("subgroupFeatures = ", text(limits.subgroupFeatures),
                ": subgroup operations need Vulkan 1.1; raise the version or leave them out");
  return Status::ok();
}

Status verifyPositive(std::string_view name, uint64_t value) {
  return value ? Status::ok() : fail(name, " = 0: must be at least 1");
}
Status verifyPositive(std::string_view name, const Size3 &sizes) {
  for (uint32_t size : sizes)
    if (size == 0)
      return fail(name, " = [", text(sizes[0]), ", ", text(sizes[1]), ", ", text(sizes[2]),
                  "]: each size must be at least 1");
  return Status::ok();
}

Status verifySizes(const TargetEnv &env) {
  for (const LimitInfo &info : allLimits())
    if (!info.mayBeZero)
      PUMICE_RETURN_IF_ERROR(std::visit(
          [&](auto member) { return verifyPositive(info.name, env.limits.*member); }, info.member));
  const Limits &limits = env.limits;
  if (limits.maxPushConstantsSize % 4)
    return fail("maxPushConstantsSize = ", text(limits.maxPushConstantsSize),
                ": must be a multiple of 4");
  uint64_t alignment = limits.minStorageBufferOffsetAlignment;
  if (!alignment || (alignment & (alignment - 1)))
    return fail("minStorageBufferOffsetAlignment = ", text(alignment), ": must be a power of two");
  auto checkIndependence = [](std::string_view name, uint32_t value) {
    return value <= 2
               ? Status::ok()
               : fail(name, " = ", text(value), ": must be 0 (32-bit only), 1 (all) or 2 (none)");
  };
  PUMICE_RETURN_IF_ERROR(
      checkIndependence("denormBehaviorIndependence", limits.denormBehaviorIndependence));
  return checkIndependence("roundingModeIndependence", limits.roundingModeIndependence);
}

/// Returns a text such as "VK_KHR_a or VK_EXT_b or Vulkan 1.2".
std::string whatBrings(const FeatureInfo &info) {
  std::string result;
  for (std::string_view extension : splitWords(info.extensions))
    (result += result.empty() ? "" : " or ") += extension;
  if (info.core != never)
    result += " or Vulkan 1." + text(info.core);
  return result;
}

bool isBrought(const TargetEnv &env, const FeatureInfo &info) {
  if (info.core != never && env.atLeast(1, info.core))
    return true;
  for (std::string_view extension : splitWords(info.extensions))
    if (env.hasExtension(extension))
      return true;
  return false;
}

/// A feature that has no effect without another feature.
struct Rule {
  Feature feature, needed;
};
constexpr Rule rules[] = {
    {Feature::variablePointers, Feature::variablePointersStorageBuffer},
    {Feature::vulkanMemoryModelDeviceScope, Feature::vulkanMemoryModel},
    {Feature::computeFullSubgroups, Feature::subgroupSizeControl},
    {Feature::shaderSubgroupRotateClustered, Feature::shaderSubgroupRotate},
    {Feature::shaderBFloat16DotProduct, Feature::shaderBFloat16Type},
    {Feature::shaderBFloat16CooperativeMatrix, Feature::shaderBFloat16Type},
    // SPV_KHR_cooperative_matrix requires that modules declare the Vulkan memory model.
    {Feature::cooperativeMatrix, Feature::vulkanMemoryModel},
    {Feature::shaderBFloat16CooperativeMatrix, Feature::cooperativeMatrix},
    {Feature::workgroupMemoryExplicitLayout8BitAccess, Feature::workgroupMemoryExplicitLayout},
    {Feature::workgroupMemoryExplicitLayout16BitAccess, Feature::workgroupMemoryExplicitLayout},
};

/// Checks an OpenCL device. Its features follow from its extensions, so none can be without one.
Status verifyOpenCl(const TargetEnv &env) {
  if (env.versionMajor < 2 || env.versionMajor > 3)
    return fail("version ", text(env.versionMajor), ".", text(env.versionMinor),
                ": OpenCL accepts SPIR-V from 2.0 (with cl_khr_il_program) to 3.x");
  if (env.spirvMinor > 6)
    return fail(spirvMinorKey, " = ", text(env.spirvMinor), ": SPIR-V 1.6 is the newest version");
  if (env.addressBits != 64)
    return fail(addressBitsKey, " = ", text(env.addressBits),
                ": only devices with addresses of 64 bits are known");
  uint32_t operations = env.limits.subgroupFeatures;
  uint32_t newer = operations & ~uint32_t{SubgroupBasic};
  if (newer && !(operations & SubgroupBasic))
    return fail(
        "extensions: subgroup operations need cl_khr_subgroups; add that, or leave them out");
  if (newer && env.spirvMinor < 3)
    return fail(spirvMinorKey, " = ", text(env.spirvMinor),
                ": subgroup operations need SPIR-V 1.3; raise the version, or leave them out");
  return Status::ok();
}

Status verifyFeatures(const TargetEnv &env) {
  if (env.isOpenCl())
    return verifyOpenCl(env);
  for (const FeatureInfo &info : allFeatures())
    if (env.has(featureOf(info)) && !isBrought(env, info))
      return fail(info.name, ": this feature needs ", whatBrings(info),
                  "; add that, or leave the feature out");
  for (const Rule &rule : rules)
    if (env.has(rule.feature) && !env.has(rule.needed))
      return fail(nameOf(rule.feature), ": this feature needs ", nameOf(rule.needed),
                  "; add that, or leave the feature out");
  return Status::ok();
}

Status verifyMatrices(const TargetEnv &env) {
  auto check = [&](std::string_view key, Feature feature, const auto &list) {
    if (!list.empty() && !env.has(feature))
      return fail(key, ": these need the feature ", nameOf(feature),
                  "; add that, or leave them out");
    for (const auto &entry : list)
      if (Status status = verify(entry); !status.isOk())
        return std::move(status).at(key);
    return Status::ok();
  };
  PUMICE_RETURN_IF_ERROR(check(matricesKey, Feature::cooperativeMatrix, env.cooperativeMatrices));
  PUMICE_RETURN_IF_ERROR(
      check(matricesNVKey, Feature::cooperativeMatrixNV, env.cooperativeMatricesNV));
  return check(fragmentMapsKey, Feature::cooperativeMatrix, env.fragmentMaps);
}

Status verifyProcessors(const TargetEnv &env) {
  for (const std::string &name : env.nativeCode)
    if (std::ranges::find(processors, name) == std::end(processors))
      return fail(nativeCodeKey, ": there is no processor '", name, "'; there are ",
                  listOfProcessors());
  return Status::ok();
}

/// Checks that a list has no duplicates, because variants and matrix shapes are made from its
/// entries.
Status verifyNoneTwice(std::string_view key, const auto &list) {
  for (auto entry = list.begin(); entry != list.end(); ++entry)
    if (std::find(list.begin(), entry, *entry) != entry)
      return fail(key, ": '", textOf(*entry), "' occurs twice; remove one");
  return Status::ok();
}

} // namespace

void dropUnsupportedFeatures(TargetEnv &env) {
  if (env.isOpenCl())
    return;
  for (const FeatureInfo &info : allFeatures())
    if (env.has(featureOf(info)) && !isBrought(env, info))
      env.set(featureOf(info), false);
  for (const Rule &rule : rules)
    if (!env.has(rule.needed))
      env.set(rule.feature, false);
}

Status verify(const TargetEnv &env) {
  if (!env.isOpenCl() && env.versionMajor != 1)
    return fail("version ", text(env.versionMajor), ".", text(env.versionMinor),
                ": only Vulkan 1.x is known");
  if (!env.isOpenCl() && env.spirvMinor)
    return fail(spirvMinorKey, ": Vulkan's version decides the version of SPIR-V; leave this out");
  PUMICE_RETURN_IF_ERROR(verifyExtensions(env));
  PUMICE_RETURN_IF_ERROR(verifySubgroups(env));
  PUMICE_RETURN_IF_ERROR(verifySizes(env));
  PUMICE_RETURN_IF_ERROR(verifyFeatures(env));
  PUMICE_RETURN_IF_ERROR(verifyMatrices(env));
  PUMICE_RETURN_IF_ERROR(verifyProcessors(env));
  PUMICE_RETURN_IF_ERROR(verifyNoneTwice(matricesKey, env.cooperativeMatrices));
  PUMICE_RETURN_IF_ERROR(verifyNoneTwice(matricesNVKey, env.cooperativeMatricesNV));
  PUMICE_RETURN_IF_ERROR(verifyNoneTwice(fragmentMapsKey, env.fragmentMaps));
  return verifyNoneTwice(nativeCodeKey, env.nativeCode);
}

} // namespace pumice::target

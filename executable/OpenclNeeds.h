//===- OpenclNeeds.h - the parts of OpenCL that kernels need ----------------===//
// OpenclExtensions.def as an array. A device lists extensions, and kernels need features. In OpenCL
// an extension is a feature, so the features of a device follow from its extensions. The compiler
// derives them for a target, and the runtime for a device.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pumice::executable {

/// One line of OpenclExtensions.def, where the columns are explained.
struct OpenclInfo {
  std::string_view name, features;
  uint32_t subgroupOperations;
  std::string_view capabilities, spirvExtension;
};
std::span<const OpenclInfo> allOpencl();

/// The names that a device or a target lists: extensions (cl_khr_fp16), optional features of OpenCL
/// C (__opencl_c_fp64), and capabilities of shared virtual memory (CL_DEVICE_SVM_ATOMICS).
using OpenclNames = std::set<std::string, std::less<>>;

/// Returns whether a name has one of these forms.
bool looksLikeOpencl(std::string_view name);

/// Returns the features that a device with these extensions gives to kernels, by the names of
/// Features.def. The result is sorted and has no duplicates.
std::vector<std::string_view> openclFeatures(const OpenclNames &extensions);

/// Returns the subgroup operations of such a device, as bits of VkSubgroupFeatureFlagBits.
uint32_t openclSubgroupOperations(const OpenclNames &extensions);

/// Return what modules for such a device may declare. The results are sorted.
std::vector<std::string_view> openclCapabilities(const OpenclNames &extensions);
std::vector<std::string_view> openclSpirvExtensions(const OpenclNames &extensions);

/// Return the extensions that provide something, for messages: "cl_khr_fp64 or __opencl_c_fp64". An
/// empty text means that nothing in OpenCL provides it.
std::string openclBringsFeature(std::string_view feature);
std::string openclBringsSubgroupOperation(uint32_t bit);
std::string openclBringsCapability(std::string_view capability);
std::string openclBringsSpirvExtension(std::string_view extension);

} // namespace pumice::executable

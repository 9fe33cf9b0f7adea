//===- TargetEnv.h - the features of a device, as plain data ----------------===//
// All that the compiler knows of a device: its API and version, extensions, limits, features,
// cooperative-matrix shapes. It depends on neither MLIR nor Vulkan. Code generation, the
// requirements of executables and the runtime's descriptions of devices all use this struct. Names
// are those of the Vulkan specification, for OpenCL's devices too: there, the features follow from
// the extensions (OpenclExtensions.def). Features.def lists the features, Limits.def the limits,
// and Workarounds.def the driver bugs that code must avoid. docs/targets.md is the manual.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pumice::target {

/// Boolean device features, named as in Vulkan's structures: Feature::shaderFloat16.
enum class Feature : uint16_t {
#define PUMICE_FEATURE(name, ...) name,
#include "executable/Features.def"
};
inline constexpr size_t featureCount = 0
#define PUMICE_FEATURE(name, ...) +1
#include "executable/Features.def"
    ;

/// The known bugs of a target's driver (Workarounds.def).
enum class Workaround : uint16_t {
#define PUMICE_WORKAROUND(name, ...) name,
#include "compiler/target/Workarounds.def"
};
inline constexpr size_t workaroundCount = 0
#define PUMICE_WORKAROUND(name, ...) +1
#include "compiler/target/Workarounds.def"
    ;

/// The bits of VkSubgroupFeatureFlagBits, as in the attribute's `subgroupFeatures`.
enum SubgroupOperation : uint32_t {
  SubgroupBasic = 1u << 0,
  SubgroupVote = 1u << 1,
  SubgroupArithmetic = 1u << 2,
  SubgroupBallot = 1u << 3,
  SubgroupShuffle = 1u << 4,
  SubgroupShuffleRelative = 1u << 5,
  SubgroupClustered = 1u << 6,
  SubgroupQuad = 1u << 7,
  SubgroupPartitionedNV = 1u << 8,
  SubgroupRotate = 1u << 9,
  SubgroupRotateClustered = 1u << 10,
};

/// The API through which kernels run. It decides the flavour of SPIR-V.
enum class Api : uint8_t { Vulkan, OpenCl };

enum class ComponentType : uint8_t { f16, f32, f64, bf16, s8, s16, s32, s64, u8, u16, u32, u64 };
enum class MatrixScope : uint8_t { Subgroup, Workgroup, Device, QueueFamily };
enum class MatrixUse : uint8_t { A, B, Accumulator };

/// One entry of vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR: result = a(m×k) · b(k×n) + c.
/// Its text, such as "16x16x16 f16 f16 f32 f32 subgroup", begins with m×n×k, and ends with
/// `saturating` if that applies.
struct CooperativeMatrixShape {
  uint32_t m = 0, n = 0, k = 0;
  ComponentType a = ComponentType::f16, b = ComponentType::f16;
  ComponentType c = ComponentType::f32, result = ComponentType::f32;
  MatrixScope scope = MatrixScope::Subgroup;
  bool saturating = false;
  friend bool operator==(const CooperativeMatrixShape &, const CooperativeMatrixShape &) = default;
};

/// The places where a device keeps the elements of a fragment, as a probe measured them. The map is
/// linear over F2. Each bit of a component number c and of a lane number l has a base, which is a
/// (row, column). Component c of lane l holds the element at the XOR of the bases of all set bits.
/// The text is "accumulator 16x16 f32 subgroup components (0,1) (0,8) lanes (1,0) (2,0) (4,0)".
struct FragmentMap {
  using Base = std::array<uint32_t, 2>;
  MatrixUse use = MatrixUse::Accumulator;
  uint32_t rows = 0, columns = 0;
  ComponentType type = ComponentType::f32;
  MatrixScope scope = MatrixScope::Subgroup;
  std::vector<Base> components, lanes;
  friend bool operator==(const FragmentMap &, const FragmentMap &) = default;
};

/// Three sizes, in the order x, y, z.
using Size3 = std::array<uint32_t, 3>;

/// The integer limits, with one member each: env.limits.maxComputeSharedMemorySize. Units are those
/// of Vulkan.
struct Limits {
#define PUMICE_LIMIT(type, name, defaultValue, ...) type name = defaultValue;
#include "compiler/target/Limits.def"
  friend bool operator==(const Limits &, const Limits &) = default;
};

struct TargetEnv {
  Api api = Api::Vulkan;
  uint32_t versionMajor = 1, versionMinor = 0, revision = 0;
  /// For OpenCL: the newest version of SPIR-V that the device accepts, 1.<spirvMinor>. For Vulkan,
  /// the version decides.
  uint32_t spirvMinor = 0;
  /// For OpenCL: the bits of an address.
  uint32_t addressBits = 64;
  /// Vulkan device extensions, by name: "VK_KHR_cooperative_matrix". For OpenCL, see
  /// `executable::OpenclNames`.
  std::set<std::string, std::less<>> extensions;
  Limits limits;
  std::bitset<featureCount> features;
  std::bitset<workaroundCount> workarounds;
  /// The shapes of VK_KHR_cooperative_matrix. If a device has only VK_NV_cooperative_matrix, the
  /// second list has its shapes.
  std::vector<CooperativeMatrixShape> cooperativeMatrices, cooperativeMatricesNV;
  /// Fragment maps that were measured on a device. The list is empty if the environment does not
  /// describe a real device.
  std::vector<FragmentMap> fragmentMaps;
  /// Processors for which native code is added to the SPIR-V, out of `processors`. The list is
  /// empty for GPUs.
  std::vector<std::string> nativeCode;
  /// The instruction set of a device that is a CPU ("x86-64-v4"); empty for GPUs.
  std::string architecture;
  /// The name for messages ("rdna3", or the name of a device). No decision depends on it.
  std::string name;

  bool has(Feature feature) const { return features[static_cast<size_t>(feature)]; }
  void set(Feature feature, bool on = true) { features[static_cast<size_t>(feature)] = on; }
  bool needs(Workaround workaround) const { return workarounds[static_cast<size_t>(workaround)]; }
  void set(Workaround workaround, bool on = true) {
    workarounds[static_cast<size_t>(workaround)] = on;
  }
  bool isOpenCl() const { return api == Api::OpenCl; }
  bool hasExtension(std::string_view extension) const { return extensions.contains(extension); }
  /// Returns whether a subgroup is a SIMD register. Then neighbouring lanes should access
  /// neighbouring elements, which is one vector access. If each lane accessed several neighbouring
  /// elements instead, the lanes would be apart in memory.
  bool isCpu() const { return !architecture.empty() || !nativeCode.empty(); }
  /// Returns whether compute shaders may use this subgroup operation.
  bool hasSubgroup(uint32_t op) const {
    return (limits.subgroupFeatures & op) && (limits.subgroupSupportedStages & computeStage);
  }
  /// Returns whether a pipeline may request a subgroup size between minSubgroupSize and
  /// maxSubgroupSize.
  bool canRequireSubgroupSize() const {
    return has(Feature::subgroupSizeControl) && (limits.requiredSubgroupSizeStages & computeStage);
  }
  bool atLeast(uint32_t major, uint32_t minor) const {
    return versionMajor > major || (versionMajor == major && versionMinor >= minor);
  }
  /// Returns the SPIR-V version of modules for this target, as {1, minor}.
  uint32_t spirvMinorVersion() const;

  /// Fills in values that manually written data may omit (minSubgroupSize, maxSubgroupSize), and
  /// the features of an OpenCL device, which its extensions determine.
  void complete();
  friend bool operator==(const TargetEnv &, const TargetEnv &) = default;

  /// VK_SHADER_STAGE_COMPUTE_BIT, in the limits that are sets of stages.
  static constexpr uint32_t computeStage = 0x20;
};

/// Checks a complete environment for contradictions. Examples are a feature without its extension
/// or version, sizes of zero, and a subgroup size outside its range. The message names the value
/// and a correction.
Status verify(const TargetEnv &env);

/// Clears features that `verify` would reject. Devices report some features that their version and
/// listed extensions do not provide, and code must not use these.
void dropUnsupportedFeatures(TargetEnv &env);

/// The names that `TargetEnv::nativeCode` may contain. A name without a system is for Linux.
inline constexpr std::string_view processors[] = {
    "x86-64-v2",         "x86-64-v3",         "x86-64-v4",         "aarch64",
    "x86-64-v2-windows", "x86-64-v3-windows", "x86-64-v4-windows", "aarch64-macos"};
/// Returns the list of processors for messages: "x86-64-v2, x86-64-v3, ... and aarch64-macos".
std::string listOfProcessors();

/// The keys of `TargetEnv::nativeCode` and `TargetEnv::architecture` in the attribute and in JSON.
inline constexpr std::string_view nativeCodeKey = "nativeCode", architectureKey = "architecture";

/// The keys of `TargetEnv::api`, `TargetEnv::spirvMinor` and `TargetEnv::addressBits`.
inline constexpr std::string_view apiKey = "api", spirvMinorKey = "spirvMinor",
                                  addressBitsKey = "addressBits";
/// Returns "Vulkan" or "OpenCL".
std::string_view nameOf(Api api);

/// These functions convert a feature to its Vulkan name, and back.
std::string_view nameOf(Feature feature);
std::optional<Feature> findFeature(std::string_view name);
std::optional<Workaround> findWorkaround(std::string_view name);

/// Returns "target 'rdna3'" for messages, or "the target" for an environment without a name.
std::string describe(const TargetEnv &env);

/// Returns the text with which all errors report a missing feature: "needs the feature shaderInt64,
/// which target 'rdna3' lacks". `what` is the name of a feature, or other words. For OpenCL, the
/// text names the extensions that provide the feature: "needs cl_khr_fp64, which ...".
std::string needs(const TargetEnv &env, std::string_view what);
std::string needs(const TargetEnv &env, Feature feature);

} // namespace pumice::target

//===- Facts.h - what OpenCL reports about a device -------------------------===//
// Plain data, read once. Deciding whether and how to use a device needs only this, so these
// decisions are tested without a device.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/OpenclNeeds.h"
#include "runtime/drivers/opencl/Api.h"
#include "runtime/hal/DeviceInfo.h"
#include "support/Status.h"

#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace pumice::opencl_driver {

/// How kernels reach memory by address, best first.
enum class Addressing : uint8_t {
  Usm,       // unified shared memory, an extension by Intel
  FineSvm,   // shared virtual memory that the host may access at any time
  CoarseSvm, // shared virtual memory that the host maps before it accesses it
  Buffers,   // buffer objects: the driver turns addresses in arguments into a buffer and an offset
};
/// Returns a name as in PUMICE_OPENCL_MEMORY: "usm", "svm", "coarse-svm" or "buffers".
std::string_view toString(Addressing addressing);

struct Version {
  uint32_t major = 0, minor = 0;
  auto operator<=>(const Version &) const = default;
};

struct DeviceFacts {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  std::string platformName, name, vendor, driverVersion;
  Version version;                    // of OpenCL
  std::vector<Version> spirvVersions; // empty: the device takes no SPIR-V
  // Names as in executable/OpenclExtensions.def: extensions, optional features of OpenCL C, and
  // capabilities of shared virtual memory.
  executable::OpenclNames extensions;
  cl_bitfield type = 0;
  bool available = true, littleEndian = true, sharesHostMemory = false;
  uint32_t addressBits = 64;
  uint64_t memoryBytes = 0, maxBufferBytes = 0, workgroupMemoryBytes = 0;
  uint64_t maxWorkgroupInvocations = 1, maxParameterBytes = 1024;
  std::array<uint64_t, 3> maxWorkgroupSize{1, 1, 1};
  uint32_t bufferAlignmentBits = 1024;       // of the offset of a part of a buffer object
  uint64_t halfConfig = 0, doubleConfig = 0; // 0: the device lacks the type
  uint64_t svm = 0;
  uint64_t hostUsm = 0, deviceUsm = 0, sharedUsm = 0;
  bool hasUsmFunctions = false;
  uint32_t maxSubgroups = 0;           // in a workgroup; 0: there are no subgroups
  std::vector<uint64_t> subgroupSizes; // that a kernel may require, ascending; empty: not known
};

/// Asks for all facts. Errors: those of clGetDeviceInfo for facts that every device has.
Result<DeviceFacts> readFacts(const Functions &cl, cl_platform_id platform, cl_device_id device);

/// Parses "SPIR-V_1.0 SPIR-V_1.2", the text of CL_DEVICE_IL_VERSION. Ignores other languages.
std::vector<Version> parseSpirvVersions(std::string_view text);
/// Returns the optional features that the atomics of floats of `bits` bits are, such as
/// "__opencl_c_ext_fp32_local_atomic_add". `abilities` is
/// CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT or the like.
std::vector<std::string> floatAtomicFeatures(unsigned bits, uint64_t abilities);
/// Parses a text such as "OpenCL 3.0 PoCL".
Version parseVersion(std::string_view text);

/// Returns ok if the driver can use the device. Errors: Unsupported, with the missing property.
Status isUsable(const DeviceFacts &facts);

/// Returns the best way to address memory on this device, or the way that `requested`
/// (PUMICE_OPENCL_MEMORY) names. Errors: InvalidArgument for an unknown name, Unsupported if the
/// device lacks the way.
Result<Addressing> chooseAddressing(const DeviceFacts &facts, std::string_view requested = {});

/// Describes the device for the HAL, without an id.
hal::DeviceInfo describe(const DeviceFacts &facts, Addressing addressing, bool compiles = false);

} // namespace pumice::opencl_driver

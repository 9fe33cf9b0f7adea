//===- Facts.cpp - what OpenCL reports about a device -----------------------===//
#include "runtime/drivers/opencl/Facts.h"

#include "runtime/drivers/opencl/Call.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace pumice::opencl_driver {
namespace {

std::vector<std::string> wordsOf(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    size_t end = std::min(text.find(' '), text.size());
    if (end > 0)
      words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

/// Reads "1.2" from the start of a text. Returns 0.0 if there are no two numbers.
Version versionAt(std::string_view text) {
  Version version;
  const char *end = text.data() + text.size();
  auto major = std::from_chars(text.data(), end, version.major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.')
    return {};
  if (std::from_chars(major.ptr + 1, end, version.minor).ec != std::errc())
    return {};
  return version;
}

/// Asks one device. Optional facts are 0 or empty if the device does not know them. The first
/// failure of another question is kept.
class Reader {
public:
  Reader(const Functions &cl, cl_device_id device) : cl(cl), device(device) {}

  template <typename T> T number(cl_uint what) {
    T value = 0;
    keep(PUMICE_CL(cl, clGetDeviceInfo, device, what, sizeof value, &value, nullptr));
    return value;
  }
  template <typename T> T optional(cl_uint what) {
    T value = 0;
    if (PUMICE_CL(cl, clGetDeviceInfo, device, what, sizeof value, &value, nullptr) != CL_SUCCESS)
      return 0;
    return value;
  }
  std::vector<char> bytes(cl_uint what, bool isOptional = false) {
    size_t size = 0;
    cl_int result = PUMICE_CL(cl, clGetDeviceInfo, device, what, 0, nullptr, &size);
    std::vector<char> found(result == CL_SUCCESS ? size : 0);
    if (!found.empty())
      result = PUMICE_CL(cl, clGetDeviceInfo, device, what, found.size(), found.data(), nullptr);
    if (result != CL_SUCCESS)
      found.clear();
    if (!isOptional)
      keep(result);
    return found;
  }
  std::string text(cl_uint what, bool isOptional = false) {
    std::vector<char> found = bytes(what, isOptional);
    std::string text(found.begin(), std::ranges::find(found, '\0'));
    text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }
  std::vector<uint64_t> sizes(cl_uint what, bool isOptional = false) {
    std::vector<char> found = bytes(what, isOptional);
    std::vector<uint64_t> numbers;
    for (size_t at = 0; at + sizeof(size_t) <= found.size(); at += sizeof(size_t)) {
      size_t number = 0;
      std::copy_n(found.data() + at, sizeof number, reinterpret_cast<char *>(&number));
      numbers.push_back(number);
    }
    return numbers;
  }
  /// Returns the names of a list of names with versions, if the device knows the list.
  std::vector<std::string> names(cl_uint what) {
    std::vector<char> found = bytes(what, true);
    std::vector<std::string> list;
    for (size_t at = 0; at + sizeof(cl_name_version) <= found.size();
         at += sizeof(cl_name_version)) {
      cl_name_version entry;
      std::memcpy(&entry, found.data() + at, sizeof entry);
      list.emplace_back(entry.name, strnlen(entry.name, sizeof entry.name));
    }
    return list;
  }
  const Status &failure() const { return first; }

private:
  void keep(cl_int result) {
    if (first.isOk())
      first = toStatus(result, "clGetDeviceInfo");
  }

  const Functions &cl;
  cl_device_id device;
  Status first;
};

std::string platformText(const Functions &cl, cl_platform_id platform, cl_uint what) {
  size_t size = 0;
  if (PUMICE_CL(cl, clGetPlatformInfo, platform, what, 0, nullptr, &size) != CL_SUCCESS)
    return {};
  std::string text(size, '\0');
  if (PUMICE_CL(cl, clGetPlatformInfo, platform, what, size, text.data(), nullptr) != CL_SUCCESS)
    return {};
  return text.substr(0, text.find('\0'));
}

void readLimits(Reader &ask, DeviceFacts &facts) {
  facts.addressBits = ask.number<cl_uint>(CL_DEVICE_ADDRESS_BITS);
  facts.memoryBytes = ask.number<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE);
  facts.maxBufferBytes = ask.number<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  facts.workgroupMemoryBytes = ask.number<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE);
  facts.maxWorkgroupInvocations = ask.number<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE);
  facts.maxParameterBytes = ask.number<size_t>(CL_DEVICE_MAX_PARAMETER_SIZE);
  facts.bufferAlignmentBits = ask.number<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN);
  std::vector<uint64_t> sizes = ask.sizes(CL_DEVICE_MAX_WORK_ITEM_SIZES);
  std::copy_n(sizes.begin(), std::min<size_t>(sizes.size(), 3), facts.maxWorkgroupSize.begin());
}

void addAll(DeviceFacts &facts, const std::vector<std::string> &names) {
  facts.extensions.insert(names.begin(), names.end());
}

void readAbilities(Reader &ask, DeviceFacts &facts) {
  bool half = facts.extensions.contains("cl_khr_fp16");
  facts.halfConfig = half ? ask.optional<cl_ulong>(CL_DEVICE_HALF_FP_CONFIG) : 0;
  facts.doubleConfig = ask.optional<cl_ulong>(CL_DEVICE_DOUBLE_FP_CONFIG);
  if (facts.extensions.contains("cl_ext_float_atomics")) {
    addAll(facts, floatAtomicFeatures(
                      16, ask.optional<cl_ulong>(CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT)));
    addAll(facts, floatAtomicFeatures(
                      32, ask.optional<cl_ulong>(CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT)));
    addAll(facts, floatAtomicFeatures(
                      64, ask.optional<cl_ulong>(CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT)));
  }
  addAll(facts, ask.names(CL_DEVICE_OPENCL_C_FEATURES));
  facts.svm = ask.optional<cl_ulong>(CL_DEVICE_SVM_CAPABILITIES);
  for (auto [bit, name] :
       {std::pair(CL_DEVICE_SVM_COARSE_GRAIN_BUFFER, "CL_DEVICE_SVM_COARSE_GRAIN_BUFFER"),
        std::pair(CL_DEVICE_SVM_FINE_GRAIN_BUFFER, "CL_DEVICE_SVM_FINE_GRAIN_BUFFER"),
        std::pair(CL_DEVICE_SVM_FINE_GRAIN_SYSTEM, "CL_DEVICE_SVM_FINE_GRAIN_SYSTEM"),
        std::pair(CL_DEVICE_SVM_ATOMICS, "CL_DEVICE_SVM_ATOMICS")})
    if (facts.svm & bit)
      facts.extensions.insert(name);
  if (facts.extensions.contains("cl_intel_unified_shared_memory")) {
    facts.hostUsm = ask.optional<cl_ulong>(CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL);
    facts.deviceUsm = ask.optional<cl_ulong>(CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL);
    facts.sharedUsm = ask.optional<cl_ulong>(CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL);
  }
  facts.maxSubgroups = ask.optional<cl_uint>(CL_DEVICE_MAX_NUM_SUB_GROUPS);
  if (facts.extensions.contains("cl_intel_required_subgroup_size"))
    facts.subgroupSizes = ask.sizes(CL_DEVICE_SUB_GROUP_SIZES_INTEL, true);
  std::ranges::sort(facts.subgroupSizes);
}

} // namespace

std::string_view toString(Addressing addressing) {
  switch (addressing) {
  case Addressing::Usm:
    return "usm";
  case Addressing::FineSvm:
    return "svm";
  case Addressing::CoarseSvm:
    return "coarse-svm";
  case Addressing::Buffers:
    break;
  }
  return "buffers";
}

std::vector<Version> parseSpirvVersions(std::string_view text) {
  constexpr std::string_view prefix = "SPIR-V_";
  std::vector<Version> versions;
  for (const std::string &word : wordsOf(text))
    if (word.starts_with(prefix))
      if (Version version = versionAt(std::string_view(word).substr(prefix.size())); version.major)
        versions.push_back(version);
  std::ranges::sort(versions);
  return versions;
}

std::vector<std::string> floatAtomicFeatures(unsigned bits, uint64_t abilities) {
  std::vector<std::string> names;
  for (unsigned shift : {0u, 16u}) { // workgroup memory has its own bits
    std::string prefix =
        "__opencl_c_ext_fp" + std::to_string(bits) + (shift ? "_local_atomic_" : "_global_atomic_");
    uint64_t here = abilities >> shift;
    if (here & CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT)
      names.push_back(prefix + "load_store");
    if (here & CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT)
      names.push_back(prefix + "add");
    if (here & CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT)
      names.push_back(prefix + "min_max");
  }
  return names;
}

Version parseVersion(std::string_view text) {
  constexpr std::string_view prefix = "OpenCL ";
  return text.starts_with(prefix) ? versionAt(text.substr(prefix.size())) : Version{};
}

Result<DeviceFacts> readFacts(const Functions &cl, cl_platform_id platform, cl_device_id device) {
  Reader ask(cl, device);
  DeviceFacts facts;
  facts.platform = platform;
  facts.device = device;
  facts.platformName = platformText(cl, platform, CL_PLATFORM_NAME);
  facts.name = ask.text(CL_DEVICE_NAME);
  facts.vendor = ask.text(CL_DEVICE_VENDOR);
  facts.driverVersion = ask.text(CL_DRIVER_VERSION);
  facts.version = parseVersion(ask.text(CL_DEVICE_VERSION));
  for (std::string &extension : wordsOf(ask.text(CL_DEVICE_EXTENSIONS)))
    facts.extensions.insert(std::move(extension));
  facts.spirvVersions = parseSpirvVersions(ask.text(CL_DEVICE_IL_VERSION, true));
  facts.type = ask.number<cl_bitfield>(CL_DEVICE_TYPE);
  facts.available = ask.number<cl_bool>(CL_DEVICE_AVAILABLE) != 0;
  facts.littleEndian = ask.number<cl_bool>(CL_DEVICE_ENDIAN_LITTLE) != 0;
  facts.sharesHostMemory = ask.optional<cl_bool>(CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
  readLimits(ask, facts);
  readAbilities(ask, facts);
  PUMICE_RETURN_IF_ERROR(ask.failure());
  return facts;
}

Status isUsable(const DeviceFacts &facts) {
  std::string missing;
  if (!facts.available)
    missing = "it is not available";
  else if (facts.spirvVersions.empty())
    missing = "it takes no SPIR-V (CL_DEVICE_IL_VERSION names none); its OpenCL driver was built "
              "without it, or is too old";
  else if (facts.addressBits != 64)
    missing = "its addresses have " + std::to_string(facts.addressBits) + " bits; expected 64";
  else if (!facts.littleEndian)
    missing = "it is big-endian";
  if (missing.empty())
    return Status::ok();
  return Status(StatusCode::Unsupported, facts.name + " (" + facts.platformName + "): " + missing);
}

Result<Addressing> chooseAddressing(const DeviceFacts &facts, std::string_view requested) {
  constexpr Addressing all[] = {Addressing::Usm, Addressing::FineSvm, Addressing::CoarseSvm,
                                Addressing::Buffers};
  auto has = [&](Addressing addressing) {
    switch (addressing) {
    case Addressing::Usm:
      return facts.hasUsmFunctions && facts.hostUsm && facts.deviceUsm;
    case Addressing::FineSvm:
      return (facts.svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0;
    case Addressing::CoarseSvm:
      return (facts.svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) != 0;
    case Addressing::Buffers:
      break;
    }
    return true;
  };
  if (requested.empty())
    return *std::ranges::find_if(all, has);
  const auto *named =
      std::ranges::find_if(all, [&](Addressing each) { return toString(each) == requested; });
  if (named == std::end(all))
    return Status(StatusCode::InvalidArgument, "PUMICE_OPENCL_MEMORY is '" +
                                                   std::string(requested) +
                                                   "'; expected usm, svm, coarse-svm or buffers");
  if (!has(*named))
    return Status(StatusCode::Unsupported, "PUMICE_OPENCL_MEMORY is '" + std::string(requested) +
                                               "', which " + facts.name + " lacks");
  return *named;
}

} // namespace pumice::opencl_driver

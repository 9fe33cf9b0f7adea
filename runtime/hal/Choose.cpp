//===- Choose.cpp - chooses a variant and a device --------------------------===//
#include "runtime/hal/Choose.h"

#include "executable/FieldPath.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <tuple>

using namespace pumice::executable;

namespace pumice::hal {
namespace {

const Interface *interfaceOf(const Variant &variant, const EntryPoint &entry, size_t &index) {
  for (index = 0; index < variant.interfaces.size(); ++index)
    if (variant.interfaces[index].entryPoint == entry.name)
      return &variant.interfaces[index];
  return nullptr;
}

/// Counts the requirements of a variant, which shows how much of a device it uses.
size_t countRequirements(const Requirements &r) {
  return r.extensions.size() + r.features.size() + r.cooperativeMatrices.size() +
         static_cast<size_t>(std::popcount(r.subgroupOperations)) + !r.measuredMaps.empty();
}

/// Returns a key for sorting. A better variant has a lower key. Requirements and versions are
/// compared within an API only, since OpenCL counts its own.
auto order(const DeviceInfo &device, const Variant &variant) {
  const Requirements &r = variant.requirements;
  bool native = variant.kind == VariantKind::Native;
  int level = native ? architectureLevel(r.architecture) : 0;
  auto kind = std::ranges::find(device.kinds, variant.kind) - device.kinds.begin();
  return std::make_tuple(!native, -level, kind, -static_cast<int64_t>(countRequirements(r)),
                         -static_cast<int64_t>(r.versionMajor),
                         -static_cast<int64_t>(r.versionMinor));
}

/// Returns a text such as "vulkan-spirv for 'rdna3'".
std::string nameOf(const Variant &variant, size_t index) {
  return concat("variant ", index, " (", toString(variant.kind),
                variant.target.empty() ? "" : " for '" + variant.target + "'", ")");
}

/// Measures how well a device suits a file, by the variants that it would run. `native` means that
/// all of them are native code. The numbers are sums over the entry points of the file.
struct Fit {
  bool native = true;
  size_t requirements = 0;
  uint64_t version = 0;
};

Result<Fit> fitOf(const DeviceInfo &device, const Executable &contents) {
  Fit fit;
  for (size_t i = 0; i < contents.entryPoints.size(); ++i) {
    PUMICE_TRY(Choice choice, chooseVariant(device, contents, i));
    const Variant &variant = contents.variants[choice.variant];
    fit.native &= variant.kind == VariantKind::Native;
    fit.requirements += countRequirements(variant.requirements);
    fit.version +=
        uint64_t{variant.requirements.versionMajor} << 16 | variant.requirements.versionMinor;
  }
  return fit;
}

bool isVulkanOnCpu(const DeviceInfo &device) {
  return device.kind == DeviceKind::Cpu &&
         std::ranges::find(device.kinds, VariantKind::Native) == device.kinds.end();
}

/// Returns whether only a request by name chooses the device: a processor through OpenCL. Pumice's
/// own CPU device runs on it, too.
bool needsRequest(const DeviceInfo &device) {
  return device.kind == DeviceKind::Cpu && device.isOpenCl();
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }

/// Returns whether `part` begins at the start of a word of letters and digits in `name`. The case
/// of letters does not matter.
bool hasWordsOf(std::string_view name, std::string_view part) {
  for (size_t at = 0; at + part.size() <= name.size(); ++at) {
    bool inside = at > 0 && (isLetter(name[at - 1]) || isDigit(name[at - 1]));
    if (!inside && std::ranges::equal(name.substr(at, part.size()), part, {}, lower, lower))
      return true;
  }
  return false;
}

/// Returns whether `request` is specific enough to name a device by a part of its name. One or two
/// letters occur in too many names.
bool isPartOfAName(std::string_view request) {
  constexpr size_t shortest = 3;
  return request.size() >= shortest && std::ranges::any_of(request, isLetter);
}

/// Returns the index that a request states if it consists of digits, and nothing otherwise.
std::optional<size_t> placeOf(std::string_view request) {
  if (request.empty() || !std::ranges::all_of(request, isDigit))
    return std::nullopt;
  size_t place = 0;
  auto [end, error] = std::from_chars(request.data(), request.data() + request.size(), place);
  return error == std::errc() ? place : SIZE_MAX;
}

} // namespace

Result<Choice> chooseVariant(const DeviceInfo &device, const Executable &contents,
                             size_t entryPoint, bool specialized) {
  const EntryPoint &entry = contents.entryPoints[entryPoint];
  std::optional<Choice> best;
  std::string reasons;
  for (size_t v = 0; v < contents.variants.size(); ++v) {
    const Variant &variant = contents.variants[v];
    size_t index = 0;
    const Interface *interface = interfaceOf(variant, entry, index);
    Status fits =
        interface ? meets(device, variant, entry, *interface)
                  : Status(StatusCode::Unsupported, "has no code for '" + entry.name + "'");
    if (fits.isOk() && specialized && variant.kind == VariantKind::Native)
      fits = Status(
          StatusCode::Unsupported,
          "native code cannot be specialized: constants keep their defaults, and accesses are not "
          "checked");
    if (!fits.isOk()) {
      reasons += concat("\n  ", nameOf(variant, v), ": ", fits.message());
      continue;
    }
    if (!best || order(device, variant) < order(device, contents.variants[best->variant]))
      best = Choice{v, index};
  }
  if (best)
    return *best;
  return Status(StatusCode::Unsupported,
                concat(device.id, " (", device.name, ") cannot run any variant of '", entry.name,
                       "'", reasons.empty() ? "; the file has none" : ":" + reasons));
}

int score(const DeviceInfo &device) {
  switch (device.kind) {
  case DeviceKind::Discrete:
    return 6;
  case DeviceKind::Integrated:
    return 5;
  case DeviceKind::Virtual: // a GPU in a virtual machine
    return 4;
  case DeviceKind::Other:
    return 3;
  case DeviceKind::Cpu:
    break;
  }
  if (isVulkanOnCpu(device))
    return 1;
  // Without a compiler, our CPU device can run only few files.
  return device.kinds.size() > 1 ? 2 : 0;
}

Result<size_t> chooseDevice(std::span<const DeviceInfo> devices, const Executable &contents) {
  if (devices.empty())
    return Status(StatusCode::NotFound, "there is no device");
  using Rank = std::tuple<bool, bool, int, size_t, uint64_t>; // a greater rank is better
  std::optional<size_t> best;
  Rank bestRank;
  std::string reasons;
  for (size_t i = 0; i < devices.size(); ++i) {
    if (needsRequest(devices[i])) {
      reasons += concat("\n", devices[i].id, " (", devices[i].name,
                        ") is a CPU that OpenCL reports; it is used only if the request names it");
      continue;
    }
    Result<Fit> fit = fitOf(devices[i], contents);
    if (!fit.isOk()) {
      reasons += "\n" + fit.status().message();
      continue;
    }
    Rank rank(!isVulkanOnCpu(devices[i]), fit->native, score(devices[i]), fit->requirements,
              fit->version);
    if (!best || rank > bestRank)
      best = i, bestRank = rank;
  }
  if (best)
    return *best;
  return Status(StatusCode::Unsupported, "no device can run this executable:" + reasons);
}

Result<size_t> findDevice(std::span<const DeviceInfo> devices, std::string_view request) {
  auto bestOf = [&](auto &&matches) {
    std::optional<size_t> best;
    for (size_t i = 0; i < devices.size(); ++i)
      if (matches(devices[i]) && (!best || score(devices[i]) > score(devices[*best])))
        best = i;
    return best;
  };
  if (!request.empty() &&
      std::ranges::all_of(request, [](char c) { return c == ' ' || c == '\t'; }))
    return Status(
        StatusCode::InvalidArgument,
        concat("'", request,
               "' is blank; give the name of a device, or an empty text for the best device"));
  std::optional<size_t> found;
  if (request.empty())
    found = bestOf([](const DeviceInfo &device) { return !needsRequest(device); });
  if (std::optional<size_t> place = placeOf(request); place && *place < devices.size())
    found = place;
  if (!found && !request.empty())
    found = bestOf([&](const DeviceInfo &device) { return device.id == request; });
  if (!found && !request.empty())
    found = bestOf([&](const DeviceInfo &device) { return device.driver == request; });
  if (!found && isPartOfAName(request))
    found = bestOf([&](const DeviceInfo &device) { return hasWordsOf(device.name, request); });
  if (found)
    return *found;
  if (devices.empty())
    return Status(StatusCode::NotFound, "there is no device");
  std::string known;
  for (const DeviceInfo &device : devices)
    known += concat("\n  ", device.id, " (", device.name, ")");
  return Status(StatusCode::NotFound,
                request.empty() ? "no device is chosen by itself; name one of these:" + known
                                : concat("no device is called '", request, "'; there are:", known));
}

} // namespace pumice::hal

//===- DevicesCommand.cpp - pumice devices ----------------------------------===//
#include "support/JsonWriter.h"
#include "tools/arguments/Arguments.h"
#include "tools/pumice/Commands.h"
#include "tools/pumice/Targets.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <array>

using namespace pumice;
using namespace pumice::tools;

namespace {

const Command command = {
    "devices",
    "",
    "List the devices of this machine and what they can do",
    "The first column is what '--device', PUMICE_DEVICE and '--target device:ID' take. They "
    "also\n"
    "accept a device's position in this list, from 0; a driver's name (its best device); words of "
    "a\n"
    "device's name, or the beginning of one (three characters or more, with a letter).\n"
    "Drivers and devices that cannot be used are listed below the table, with the reason.\n\n"
    "examples:\n"
    "  pumice devices\n"
    "  pumice target-env --device vulkan:0\n"
    "  pumice compile softmax.mlir -o softmax.pumice --target device:vulkan:0",
    {{"--json", "", "everything that is known about each device, as JSON"}}};

/// A word for each feature that kernels may need, in the order of the table.
struct Ability {
  const char *word, *feature;
};
constexpr Ability abilities[] = {
    {"f16", "shaderFloat16"},
    {"bf16", "shaderBFloat16Type"},
    {"f64", "shaderFloat64"},
    {"i8", "shaderInt8"},
    {"i16", "shaderInt16"},
    {"i64", "shaderInt64"},
    {"8-bit storage", "storageBuffer8BitAccess"},
    {"16-bit storage", "storageBuffer16BitAccess"},
    {"addresses", "bufferDeviceAddress"},
    {"i64 atomics", "shaderBufferInt64Atomics"},
    {"float atomics", "shaderBufferFloat32AtomicAdd"},
    {"dot products", "shaderIntegerDotProduct"},
    {"memory model", "vulkanMemoryModel"},
    {"timelines", "timelineSemaphore"},
};

std::string bytesText(uint64_t bytes) {
  constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit)
    value /= 1024;
  return llvm::formatv(value < 10 && unit ? "{0:F1} {1}" : "{0:F0} {1}", value, units[unit]).str();
}

std::string versionText(const hal::DeviceInfo &device) {
  return llvm::formatv("{0}.{1}.{2}", device.versionMajor, device.versionMinor,
                       device.versionPatch);
}

std::string subgroupText(const hal::DeviceLimits &limits) {
  if (limits.subgroupSizeControl && limits.minSubgroupSize != limits.maxSubgroupSize)
    return llvm::formatv("{0} ({1}-{2})", limits.subgroupSize, limits.minSubgroupSize,
                         limits.maxSubgroupSize);
  return std::to_string(limits.subgroupSize);
}

std::string abilitiesText(const hal::DeviceInfo &device) {
  std::string text;
  auto add = [&](const std::string &word) { text += (text.empty() ? "" : ", ") + word; };
  for (const Ability &ability : abilities)
    if (device.features.contains(ability.feature))
      add(ability.word);
  if (size_t shapes = device.cooperativeMatrices.size())
    add("cooperative matrices (" + std::to_string(shapes) + ")");
  if (device.limits.hostImportAlignment)
    add("host memory in place");
  if (device.limits.timestampNanoseconds > 0)
    add("timestamps");
  return text.empty() ? "32-bit arithmetic only" : text;
}

void printTable(const std::vector<hal::DeviceInfo> &devices) {
  using Row = std::array<std::string, 7>;
  std::vector<Row> rows = {{"id", "device", "kind", "memory", "subgroup", "Vulkan", "driver"}};
  for (const hal::DeviceInfo &device : devices) {
    std::string driver = device.driverName;
    driver += (driver.empty() ? "" : " ") + device.driverVersion;
    std::string version =
        device.isOpenCl()
            ? llvm::formatv("OpenCL {0}.{1}", device.versionMajor, device.versionMinor).str()
            : versionText(device);
    rows.push_back({device.id, device.name, std::string(hal::toString(device.kind)),
                    bytesText(device.memoryBytes), subgroupText(device.limits), version, driver});
  }
  std::array<size_t, 7> widths{};
  for (const Row &row : rows)
    for (size_t i = 0; i + 1 < row.size(); ++i) // no padding after the last one
      widths[i] = std::max(widths[i], row[i].size() + 2);
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t i = 0; i < rows[r].size(); ++i)
      llvm::outs() << rows[r][i]
                   << std::string(widths[i] - std::min(widths[i], rows[r][i].size()), ' ');
    llvm::outs() << "\n";
    if (r > 0)
      llvm::outs() << "  " << abilitiesText(devices[r - 1]) << "\n";
  }
}

void writeLimits(JsonWriter &json, const hal::DeviceInfo &device) {
  json.key("limits").beginObject();
  for (const auto &[name, values] : device.namedLimits)
    if (values.size() == 1)
      json.member(name, values[0]);
    else
      json.list(name, values);
  json.end();
}

/// Writes the members in the order of their names.
void writeDevice(JsonWriter &json, const hal::DeviceInfo &device) {
  json.beginObject();
  if (!device.architecture.empty())
    json.member("architecture", device.architecture);
  json.member("bufferAddresses", device.bufferAddresses);
  json.list("cooperativeMatrices", device.cooperativeMatrices);
  json.member("driver", device.driver).member("driverName", device.driverName);
  json.member("driverVersion", device.driverVersion);
  json.list("extensions", device.extensions).list("features", device.features);
  json.member("hostImportAlignment", device.limits.hostImportAlignment).member("id", device.id);
  json.member("kind", hal::toString(device.kind));
  writeLimits(json, device);
  json.member("maxBufferBytes", device.limits.maxBufferBytes);
  json.member("memoryBytes", device.memoryBytes).member("name", device.name);
  if (device.isOpenCl())
    json.member("openCl", versionText(device));
  json.member("timestampNanoseconds", device.limits.timestampNanoseconds);
  json.member("vendor", device.vendor);
  if (!device.isOpenCl())
    json.member("vulkan", versionText(device));
  json.end();
}

void printJson(const DeviceList &list) {
  JsonWriter json;
  json.beginObject();
  json.list("devices", list.devices, [&](const auto &device) { writeDevice(json, device); });
  json.list("problems", list.problems, [&](const auto &problem) {
    json.beginObject().member("driver", problem.first);
    json.member("reason", problem.second.message()).end();
  });
  json.end();
  llvm::outs() << json.take() << "\n";
}

} // namespace

int tools::devicesCommand(int argc, char **argv) {
  Result<Arguments> arguments = Arguments::parse(command, argc, argv);
  if (!arguments.isOk())
    return usageError(command, arguments.status());
  if (arguments->wantsHelp()) {
    llvm::outs() << helpText(command);
    return 0;
  }
  DeviceList list = listDevices();
  if (arguments->has("--json")) {
    printJson(list);
    return 0;
  }
  if (list.devices.empty())
    llvm::outs() << "no devices\n";
  else
    printTable(list.devices);
  for (const auto &[driver, problem] : list.problems)
    llvm::outs() << "not usable: " << driver << ": " << problem.message() << "\n";
  return 0;
}

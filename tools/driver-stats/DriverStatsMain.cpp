//===- DriverStatsMain.cpp - the child that asks a driver about a pipeline --===//
#include "tools/driver-stats/DriverStatistics.h"

#include "support/JsonWriter.h"
#include "support/Platform.h"
#include "tools/arguments/Arguments.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <utility>

using namespace pumice::vulkan;

namespace pumice::tools {
namespace {

constexpr uint64_t mostModuleBytes = uint64_t(256) << 20; // the same limit as for sources

const Command command{
    "driver-stats",
    "INPUT.spv",
    "Create a compute pipeline on a Vulkan device, and print what its driver reports as JSON",
    "The options describe the module's interface, which the pipeline needs. 'pumice compile\n"
    "--stats' does this for every kernel, with the right options. INPUT.spv may be '-' for\n"
    "standard input.\n\n"
    "examples:\n"
    "  pumice compile scale.mlir --emit spirv -o scale.spv --target rdna2\n"
    "  RADV_FORCE_FAMILY=navi21 pumice driver-stats scale.spv --entry scale --push-constants 20\n"
    "  pumice driver-stats saxpy.spv --push-constants 8 --buffer 0.0 --buffer 0.1 --device "
    "llvmpipe",
    {{"--entry", "NAME", "the entry point; the default is 'main'"},
     {"--push-constants", "BYTES", "size of the push-constant block; the default is 0"},
     {"--buffer", "SET.BINDING", "a storage buffer", true},
     {"--constant", "ID:BYTES:BITS", "a specialization constant", true},
     {"--subgroup-size", "N", "required subgroup size"},
     {"--full-subgroups", "", "require full subgroups"},
     {"--device", "TEXT",
      "the first device whose name contains TEXT; the default is the loader's first device"}},
    1,
    1};

Status wrongForm(llvm::StringRef option, llvm::StringRef value, llvm::StringRef expected) {
  return Status(StatusCode::InvalidArgument,
                (option + " must be " + expected + ", got '" + value + "'").str());
}

Result<PipelineRequest> readRequest(const Arguments &arguments) {
  PipelineRequest request;
  request.symbol = arguments.value("--entry", "main");
  request.fullSubgroups = arguments.has("--full-subgroups");
  for (auto [option, into] : {std::pair("--push-constants", &request.pushConstantBytes),
                              std::pair("--subgroup-size", &request.requiredSubgroupSize)})
    if (std::string value = arguments.value(option, "0");
        llvm::StringRef(value).getAsInteger(10, *into))
      return wrongForm(option, value, "a number");
  for (const std::string &value : arguments.values("--buffer")) {
    BufferSlot slot;
    auto [set, binding] = llvm::StringRef(value).split('.');
    if (set.getAsInteger(10, slot.set) || binding.getAsInteger(10, slot.binding))
      return wrongForm("--buffer", value, "SET.BINDING, such as 0.1");
    request.buffers.push_back(slot);
  }
  for (const std::string &value : arguments.values("--constant")) {
    SpecializationConstant constant;
    auto [id, rest] = llvm::StringRef(value).split(':');
    auto [bytes, bits] = rest.split(':');
    if (id.getAsInteger(10, constant.id) || bytes.getAsInteger(10, constant.bytes) ||
        bits.getAsInteger(0, constant.bits) || constant.bytes > 8)
      return wrongForm("--constant", value, "ID:BYTES:BITS with at most 8 bytes, such as 3:4:64");
    request.constants.push_back(constant);
  }
  return request;
}

Result<PipelineReport> ask(const std::string &file, const std::string &deviceName,
                           PipelineRequest request) {
  std::string bytes;
  PUMICE_RETURN_IF_ERROR(
      readInput(file, mostModuleBytes, [&](std::string_view part) { bytes += part; }));
  request.spirv.resize(bytes.size() / sizeof(uint32_t));
  std::memcpy(request.spirv.data(), bytes.data(), request.spirv.size() * sizeof(uint32_t));
  Result<std::unique_ptr<BareDevice>> device = BareDevice::open(deviceName);
  if (!device.isOk())
    return device.status();
  return pipelineStatistics(**device, request);
}

/// Writes the members in the order of their names.
void writeExecutable(JsonWriter &json, const ExecutableStatistics &executable) {
  auto number = [&](std::string_view name, std::optional<uint64_t> value) {
    if (value)
      json.member(name, *value);
  };
  json.beginObject();
  number("codeBytes", executable.codeBytes);
  number("instructions", executable.instructions);
  json.member("name", executable.name);
  number("scalarRegisters", executable.scalarRegisters);
  number("scratchBytes", executable.scratchBytes);
  number("spilledScalarRegisters", executable.spilledScalarRegisters);
  number("spilledVectorRegisters", executable.spilledVectorRegisters);
  json.list("statistics", executable.all, [&](const Statistic &statistic) {
    json.beginObject().member("description", statistic.description);
    json.member("name", statistic.name).member("text", statistic.text);
    json.member("value", statistic.value).end();
  });
  json.member("subgroupSize", executable.subgroupSize);
  number("vectorRegisters", executable.vectorRegisters);
  number("workgroupMemoryBytes", executable.workgroupMemoryBytes);
  json.end();
}

std::string toJson(const PipelineReport &report) {
  JsonWriter json;
  json.beginObject().member("device", report.device);
  json.list("executables", report.executables,
            [&](const ExecutableStatistics &one) { writeExecutable(json, one); });
  json.end();
  return json.take() + "\n";
}

} // namespace

int driverStatsMain(int argc, char **argv) {
  Result<Arguments> arguments = Arguments::parse(command, argc, argv);
  if (!arguments.isOk())
    return usageError(command, arguments.status());
  if (arguments->wantsHelp()) {
    llvm::outs() << helpText(command);
    return 0;
  }
  Result<PipelineRequest> request = readRequest(*arguments);
  if (!request.isOk())
    return usageError(command, request.status());
  Result<PipelineReport> report =
      ask(arguments->positional().front(), arguments->value("--device"), std::move(*request));
  if (report.isOk()) {
    llvm::outs() << toJson(*report);
    return 0;
  }
  JsonWriter json;
  json.beginObject().key("error").beginObject();
  json.member("code", static_cast<int>(report.status().code()));
  json.member("message", report.status().message()).end().end();
  llvm::outs() << json.take() << "\n";
  return failed(command, report.status());
}

} // namespace pumice::tools

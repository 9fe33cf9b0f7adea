//===- DriverStatsMain.cpp - the child that asks a driver about a pipeline --===//
#include "tools/driver-stats/DriverStatistics.h"

#include "support/Platform.h"
#include "tools/arguments/Arguments.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <utility>

namespace json = llvm::json;
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

void printWellKnown(json::Object &into, const ExecutableStatistics &statistics) {
  auto put = [&](const char *key, std::optional<uint64_t> value) {
    if (value)
      into[key] = static_cast<int64_t>(*value);
  };
  put("vectorRegisters", statistics.vectorRegisters);
  put("scalarRegisters", statistics.scalarRegisters);
  put("spilledVectorRegisters", statistics.spilledVectorRegisters);
  put("spilledScalarRegisters", statistics.spilledScalarRegisters);
  put("workgroupMemoryBytes", statistics.workgroupMemoryBytes);
  put("scratchBytes", statistics.scratchBytes);
  put("codeBytes", statistics.codeBytes);
  put("instructions", statistics.instructions);
}

json::Value toJson(const PipelineReport &report) {
  json::Array executables;
  for (const ExecutableStatistics &one : report.executables) {
    json::Object executable{{"name", one.name}, {"subgroupSize", one.subgroupSize}};
    printWellKnown(executable, one);
    json::Array all;
    for (const Statistic &statistic : one.all)
      all.push_back(json::Object{{"name", statistic.name},
                                 {"description", statistic.description},
                                 {"text", statistic.text},
                                 {"value", statistic.value}});
    executable["statistics"] = std::move(all);
    executables.push_back(std::move(executable));
  }
  return json::Object{{"device", report.device}, {"executables", std::move(executables)}};
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
    llvm::outs() << llvm::formatv("{0:2}\n", toJson(*report));
    return 0;
  }
  llvm::outs() << llvm::formatv(
      "{0:2}\n", json::Value(json::Object{
                     {"error", json::Object{{"code", static_cast<int>(report.status().code())},
                                            {"message", report.status().message()}}}}));
  return failed(command, report.status());
}

} // namespace pumice::tools

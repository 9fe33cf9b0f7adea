//===- DriverStatsMain.cpp - the child that asks a driver about a pipeline --===//
#include "tools/driver-stats/DriverStatistics.h"

#include "support/Platform.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

namespace json = llvm::json;
using namespace pumice::vulkan;

namespace pumice::tools {
namespace {

constexpr uint64_t mostModuleBytes = uint64_t(256) << 20; // the same limit as for sources

constexpr const char *help =
    "usage: driver-stats FILE.spv [options]\n"
    "Creates a compute pipeline on the first Vulkan device and prints what its driver reports.\n"
    "  --entry NAME             the entry point (main)\n"
    "  --push-constants BYTES   size of the push-constant block\n"
    "  --buffer SET.BINDING     a storage buffer; repeated\n"
    "  --constant ID:BYTES:BITS a specialization constant; repeated\n"
    "  --subgroup-size N        required subgroup size\n"
    "  --full-subgroups         require full subgroups\n"
    "  --device TEXT            the first device whose name holds TEXT\n";

Status parse(int argc, char **argv, std::string &file, std::string &device,
             PipelineRequest &request) {
  request.symbol = "main";
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef option = argv[i];
    auto bad = [&](llvm::StringRef value) {
      return Status(StatusCode::InvalidArgument,
                    option.str() + ": '" + value.str() + "' is not of the form that --help shows");
    };
    if (option == "--full-subgroups") {
      request.fullSubgroups = true;
      continue;
    }
    if (!option.starts_with("--")) {
      file = option.str();
      continue;
    }
    if (++i == argc)
      return Status(StatusCode::InvalidArgument, option.str() + " needs a value");
    llvm::StringRef value = argv[i];
    if (option == "--entry") {
      request.symbol = value.str();
    } else if (option == "--device") {
      device = value.str();
    } else if (option == "--push-constants") {
      if (value.getAsInteger(10, request.pushConstantBytes))
        return bad(value);
    } else if (option == "--subgroup-size") {
      if (value.getAsInteger(10, request.requiredSubgroupSize))
        return bad(value);
    } else if (option == "--buffer") {
      BufferSlot slot;
      auto [set, binding] = value.split('.');
      if (set.getAsInteger(10, slot.set) || binding.getAsInteger(10, slot.binding))
        return bad(value);
      request.buffers.push_back(slot);
    } else if (option == "--constant") {
      SpecializationConstant constant;
      auto [id, rest] = value.split(':');
      auto [bytes, bits] = rest.split(':');
      if (id.getAsInteger(10, constant.id) || bytes.getAsInteger(10, constant.bytes) ||
          bits.getAsInteger(0, constant.bits) || constant.bytes > 8)
        return bad(value);
      request.constants.push_back(constant);
    } else {
      return Status(StatusCode::InvalidArgument, "unknown option " + option.str());
    }
  }
  if (file.empty())
    return Status(StatusCode::InvalidArgument, "no input file was given");
  return Status::ok();
}

Result<PipelineReport> ask(int argc, char **argv) {
  std::string file, deviceName;
  PipelineRequest request;
  PUMICE_RETURN_IF_ERROR(parse(argc, argv, file, deviceName, request));
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
  if (argc > 1 && llvm::StringRef(argv[1]) == "--help") {
    llvm::outs() << help;
    return 0;
  }
  Result<PipelineReport> report = ask(argc, argv);
  if (report.isOk()) {
    llvm::outs() << llvm::formatv("{0:2}\n", toJson(*report));
    return 0;
  }
  llvm::outs() << llvm::formatv(
      "{0:2}\n", json::Value(json::Object{
                     {"error", json::Object{{"code", static_cast<int>(report.status().code())},
                                            {"message", report.status().message()}}}}));
  llvm::errs() << "error: " << report.status().message() << "\n";
  return 1;
}

} // namespace pumice::tools

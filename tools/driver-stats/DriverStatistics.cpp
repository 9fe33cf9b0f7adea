//===- DriverStatistics.cpp - statistics from a driver in its own process ---===//
#include "tools/driver-stats/DriverStatistics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

extern char **environ;

namespace json = llvm::json;
using namespace pumice::vulkan;

namespace pumice::tools {
namespace {

constexpr const char *systemRadv = "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json";

/// Returns our environment, overridden by the driver's choice.
std::vector<std::string> environmentFor(const DriverChoice &driver) {
  std::vector<std::string> environment;
  std::string libraries = driver.libraryFolder;
  for (char **entry = environ; *entry; ++entry) {
    llvm::StringRef text = *entry;
    bool replaced = (!driver.icdFile.empty() && (text.starts_with("VK_DRIVER_FILES=") ||
                                                 text.starts_with("VK_ICD_FILENAMES="))) ||
                    (!driver.family.empty() && text.starts_with("RADV_FORCE_FAMILY="));
    if (text.consume_front("LD_LIBRARY_PATH=") && !libraries.empty()) {
      libraries += ":" + text.str();
      continue;
    }
    if (!replaced)
      environment.emplace_back(*entry);
  }
  if (!libraries.empty())
    environment.push_back("LD_LIBRARY_PATH=" + libraries);
  if (!driver.family.empty())
    environment.push_back("RADV_FORCE_FAMILY=" + driver.family);
  if (!driver.icdFile.empty()) {
    environment.push_back("VK_DRIVER_FILES=" + driver.icdFile);
    environment.push_back("VK_ICD_FILENAMES=" + driver.icdFile); // loaders before 1.3.234
  }
  return environment;
}

std::vector<std::string> argumentsFor(const std::string &program, const std::string &file,
                                      const DriverChoice &driver, const PipelineRequest &request) {
  std::vector<std::string> arguments{program, "driver-stats", file, "--push-constants",
                                     std::to_string(request.pushConstantBytes)};
  auto add = [&](const char *option, std::string value) {
    arguments.push_back(option);
    arguments.push_back(std::move(value));
  };
  if (!request.symbol.empty()) // 'main' without it
    add("--entry", request.symbol);
  if (!driver.device.empty())
    add("--device", driver.device);
  for (const BufferSlot &slot : request.buffers)
    add("--buffer", std::to_string(slot.set) + "." + std::to_string(slot.binding));
  for (const SpecializationConstant &constant : request.constants)
    add("--constant", std::to_string(constant.id) + ":" + std::to_string(constant.bytes) + ":" +
                          std::to_string(constant.bits));
  if (request.requiredSubgroupSize)
    add("--subgroup-size", std::to_string(request.requiredSubgroupSize));
  if (request.fullSubgroups)
    arguments.push_back("--full-subgroups");
  return arguments;
}

std::optional<uint64_t> wellKnown(const json::Object &o, llvm::StringRef key) {
  if (auto value = o.getInteger(key))
    return static_cast<uint64_t>(*value);
  return std::nullopt;
}

ExecutableStatistics fromJson(const json::Object &o) {
  ExecutableStatistics one;
  one.name = o.getString("name").value_or("").str();
  one.subgroupSize = static_cast<uint32_t>(o.getInteger("subgroupSize").value_or(0));
  one.vectorRegisters = wellKnown(o, "vectorRegisters");
  one.scalarRegisters = wellKnown(o, "scalarRegisters");
  one.spilledVectorRegisters = wellKnown(o, "spilledVectorRegisters");
  one.spilledScalarRegisters = wellKnown(o, "spilledScalarRegisters");
  one.workgroupMemoryBytes = wellKnown(o, "workgroupMemoryBytes");
  one.scratchBytes = wellKnown(o, "scratchBytes");
  one.codeBytes = wellKnown(o, "codeBytes");
  one.instructions = wellKnown(o, "instructions");
  if (const json::Array *all = o.getArray("statistics"))
    for (const json::Value &value : *all)
      if (const json::Object *s = value.getAsObject())
        one.all.push_back({s->getString("name").value_or("").str(),
                           s->getString("description").value_or("").str(),
                           s->getString("text").value_or("").str(),
                           s->getNumber("value").value_or(0)});
  return one;
}

Result<PipelineReport> parseReport(llvm::StringRef text) {
  llvm::Expected<json::Value> root = json::parse(text);
  if (!root) {
    llvm::consumeError(root.takeError());
    return Status(StatusCode::Internal, "driver-stats did not print JSON");
  }
  const json::Object *o = root->getAsObject();
  if (const json::Object *error = o ? o->getObject("error") : nullptr) {
    int64_t code = error->getInteger("code").value_or(0);
    bool known = code > 0 && code <= static_cast<int64_t>(StatusCode::Internal);
    return Status(known ? static_cast<StatusCode>(code) : StatusCode::Internal,
                  error->getString("message").value_or("").str());
  }
  PipelineReport report;
  if (o)
    report.device = o->getString("device").value_or("").str();
  if (const json::Array *executables = o ? o->getArray("executables") : nullptr)
    for (const json::Value &value : *executables)
      if (const json::Object *executable = value.getAsObject())
        report.executables.push_back(fromJson(*executable));
  return report;
}

std::string lastLine(const std::string &file) {
  auto contents = llvm::MemoryBuffer::getFile(file);
  if (!contents)
    return {};
  llvm::StringRef text = (*contents)->getBuffer().rtrim();
  return text.rsplit('\n').second.empty() ? text.str() : text.rsplit('\n').second.str();
}

} // namespace

Result<DriverChoice> nullDriverFor(std::string_view architecture, const std::string &mesa25Folder) {
  auto family = llvm::find_if(
      nullFamilies(), [&](const NullFamily &one) { return architecture == one.architecture; });
  if (family == nullFamilies().end())
    return Status(StatusCode::NotFound,
                  "no null device for the architecture '" + std::string(architecture) + "'");
  std::string newer = mesa25Folder + "/icd/radeon_icd.json";
  if (family->mesa25 && !mesa25Folder.empty() && llvm::sys::fs::exists(newer))
    return DriverChoice{std::string("RADV ") + family->mesa25 + " (Mesa 25)",
                        newer,
                        family->mesa25,
                        mesa25Folder + "/lib",
                        {}};
  if (!family->mesa22)
    return Status(StatusCode::NotFound, std::string(architecture) +
                                            " needs Mesa 25: setup/mesa25.sh unpacks it privately");
  if (!llvm::sys::fs::exists(systemRadv))
    return Status(StatusCode::NotFound, "RADV is not installed (package mesa-vulkan-drivers)");
  return DriverChoice{std::string("RADV ") + family->mesa22, systemRadv, family->mesa22, {}, {}};
}

PipelineRequest requestFor(const executable::Variant &variant,
                           const executable::Interface &interface) {
  PipelineRequest request;
  request.spirv.resize(variant.code.size() / sizeof(uint32_t));
  std::memcpy(request.spirv.data(), variant.code.data(), request.spirv.size() * sizeof(uint32_t));
  request.symbol = interface.symbol;
  if (interface.place == executable::ParameterPlace::PushConstants)
    request.pushConstantBytes = interface.parameterBytes;
  else if (interface.place == executable::ParameterPlace::AddressedBuffer)
    request.pushConstantBytes = sizeof(uint64_t);
  for (const executable::DescriptorBinding &binding : interface.bindings)
    request.buffers.push_back({binding.set, binding.binding, false});
  request.requiredSubgroupSize = interface.requiredSubgroupSize;
  request.fullSubgroups = interface.fullSubgroups;
  return request;
}

Result<PipelineReport> driverStatistics(const DriverChoice &driver, const PipelineRequest &request,
                                        const std::string &program) {
  std::string self =
      program.empty()
          ? llvm::sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&driverStatsMain))
          : program;
  llvm::SmallString<128> folder;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("pumice-stats", folder))
    return Status(StatusCode::Internal, "no temporary folder: " + error.message());
  auto cleanUp = llvm::scope_exit([&] { llvm::sys::fs::remove_directories(folder); });
  std::string module = (folder + "/module.spv").str(), out = (folder + "/out").str(),
              err = (folder + "/err").str();
  {
    std::error_code error;
    llvm::raw_fd_ostream file(module, error);
    if (error)
      return Status(StatusCode::Internal, module + ": " + error.message());
    file.write(reinterpret_cast<const char *>(request.spirv.data()),
               request.spirv.size() * sizeof(uint32_t));
  }

  std::vector<std::string> arguments = argumentsFor(self, module, driver, request);
  std::vector<std::string> environment = environmentFor(driver);
  std::vector<llvm::StringRef> argumentRefs(arguments.begin(), arguments.end());
  std::vector<llvm::StringRef> environmentRefs(environment.begin(), environment.end());
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), llvm::StringRef(out),
                                                llvm::StringRef(err)};
  constexpr unsigned seconds = 120;
  std::string message;
  int status = llvm::sys::ExecuteAndWait(self, argumentRefs, environmentRefs, redirects, seconds, 0,
                                         &message);
  std::string place = driver.name.empty() ? "driver" : driver.name;
  if (status != 0 && status != 1)
    return Status(StatusCode::Internal, place + ": the driver crashed or ran out of time" +
                                            (message.empty() ? "" : " (" + message + ")") + ": " +
                                            lastLine(err));
  auto answer = llvm::MemoryBuffer::getFile(out);
  if (!answer)
    return Status(StatusCode::Internal, out + ": " + answer.getError().message());
  Result<PipelineReport> report = parseReport((*answer)->getBuffer());
  if (!report.isOk())
    return Status(report.status()).at(place);
  return report;
}

} // namespace pumice::tools

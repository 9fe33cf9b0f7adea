//===- TargetEnvCommand.cpp - pumice target-env -----------------------------===//
// Prints a target as text that can be edited and passed back. The target comes from a triple, a
// file, or text.
//===-------------------------------------------------------------------------===//
#include "support/JsonWriter.h"
#include "tools/arguments/Arguments.h"
#include "tools/pumice/Commands.h"
#include "tools/pumice/Targets.h"

#include "compiler/dialect/vk/JsonTarget.h"
#include "compiler/dialect/vk/SelectTarget.h"
#include "compiler/target/Triples.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace pumice;
using namespace pumice::tools;
using namespace pumice::target;

namespace {

const Command command = {
    "target-env",
    "",
    "Print a target environment as the attribute that '--target' takes",
    "Give exactly one of --triple, --vulkaninfo, --profile, --device, --target and --list. A\n"
    "profile file with several profiles is given as FILE:PROFILE.\n\n"
    "examples:\n"
    "  pumice target-env --list\n"
    "  pumice target-env --triple rdna3\n"
    "  vulkaninfo -j && pumice target-env --vulkaninfo VP_VULKANINFO_*.json > my-gpu.mlir\n"
    "  pumice compile softmax.mlir -o softmax.pumice --target my-gpu.mlir\n"
    "  pumice target-env --device vulkan:0 --json > this-gpu.json",
    {{"--triple", "NAME", "a named target"},
     {"--vulkaninfo", "FILE", "the output of 'vulkaninfo -j'"},
     {"--profile", "FILE", "a Khronos profile in JSON"},
     {"--device", "ID", "a device of this machine, as 'pumice devices --help' says"},
     {"--target", "TARGET", "anything that '--target' of the other commands takes"},
     {"--list", "", "all named targets"},
     {"--json", "", "print JSON, which '--target' takes as well"}}};

/// Reads NAME:PROFILE, unless the whole text is a file's name.
Result<TargetEnv> readJsonFile(mlir::MLIRContext *context, const std::string &name) {
  Result<TargetEnv> env = vk::readTargetFile(context, name);
  if (size_t colon = name.rfind(':'); !env.isOk() && colon != std::string::npos) {
    Result<TargetEnv> chosen =
        vk::readTargetFile(context, name.substr(0, colon), name.substr(colon + 1));
    if (chosen.isOk() || chosen.status().code() != StatusCode::NotFound)
      return chosen;
  }
  return env;
}

Result<TargetEnv> readTarget(mlir::MLIRContext *context, const Arguments &arguments) {
  if (arguments.has("--triple"))
    return lookupTriple(arguments.value("--triple"));
  for (const char *option : {"--vulkaninfo", "--profile"})
    if (arguments.has(option))
      return readJsonFile(context, arguments.value(option));
  if (arguments.has("--device"))
    return targetOfDevice(arguments.value("--device"));
  return resolveTarget(context, arguments.value("--target"));
}

void printList(bool asJson) {
  if (asJson) {
    JsonWriter json;
    json.beginArray();
    for (const TripleInfo &info : allTriples()) {
      std::string version =
          std::to_string(info.majorVersion) + "." + std::to_string(info.minorVersion);
      json.beginObject().member("description", info.description).member("name", info.name);
      json.member(info.api == Api::OpenCl ? "opencl" : "vulkan", version).end();
    }
    json.end();
    llvm::outs() << json.take() << "\n";
    return;
  }
  for (const TripleInfo &info : allTriples())
    llvm::outs() << llvm::formatv(
        "{0,-24}{1}  {2}\n", llvm::StringRef(info.name.data(), info.name.size()),
        apiVersionOf(info), llvm::StringRef(info.description.data(), info.description.size()));
}

} // namespace

int tools::targetEnvCommand(int argc, char **argv) {
  Result<Arguments> arguments = Arguments::parse(command, argc, argv);
  if (!arguments.isOk())
    return usageError(command, arguments.status());
  if (arguments->wantsHelp()) {
    llvm::outs() << helpText(command);
    return 0;
  }
  int sources = 0;
  for (const char *option :
       {"--triple", "--vulkaninfo", "--profile", "--device", "--target", "--list"})
    sources += arguments->has(option);
  if (sources != 1)
    return usageError(command, Status(StatusCode::InvalidArgument,
                                      "give exactly one of --triple, --vulkaninfo, --profile, "
                                      "--device, --target and --list"));
  bool asJson = arguments->has("--json");
  if (arguments->has("--list")) {
    printList(asJson);
    return 0;
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.getOrLoadDialect<vk::VkDialect>();
  Result<TargetEnv> env = readTarget(&context, *arguments);
  if (!env.isOk())
    return failed(command, env.status());
  if (asJson)
    llvm::outs() << vk::toJson(*env) << "\n";
  else
    llvm::outs() << vk::toAttr(&context, *env) << "\n";
  return 0;
}

//===- RunCommand.cpp - pumice run ------------------------------------------===//
// What is run depends on what it is given; each kind of input has a function of its own.
//===-------------------------------------------------------------------------===//
#include "tools/pumice/Arguments.h"
#include "tools/pumice/Commands.h"
#include "tools/run/RunLaunch.h"

#include <charconv>
#include <cstdio>

using namespace pumice;
using namespace pumice::tools;

namespace {

const Command command{
    "run",
    "[KERNEL.spv|KERNEL.pumice]",
    "Run kernels on a device, as a launch file says, and check what they leave in memory",
    "The launch file names buffers, what they hold, how they are bound, how much is run, and what\n"
    "must come out. KERNEL is what its dispatches run unless they name another file. Its form:\n"
    "docs/run.md, and launch.schema.json for editors. '-' is standard input.\n\n"
    "The exit status is 0 when all went well, 1 when something is not as expected, 2 when "
    "something\n"
    "could not be run.\n\n"
    "examples:\n"
    "  glslangValidator -V saxpy.comp -o saxpy.spv\n"
    "  pumice run saxpy.spv --launch saxpy.json\n"
    "  pumice run saxpy.spv --launch saxpy.json --device vulkan:1 --profile --dump out",
    {{"--launch", "FILE", "the launch file"},
     {"--device", "ID", "'vulkan:0', or part of a name; else PUMICE_DEVICE, else the best"},
     {"--repeat", "N", "run everything N times, and print the time that one run took"},
     {"--profile", "", "print a table of kernels and their times, and write a Chrome trace"},
     {"--trace", "FILE", "where --profile writes the trace; 'pumice-trace.json' without it"},
     {"--dump", "DIR", "write code, reflection, the resolved launch and results into DIR"},
     {"--no-validate", "", "do not ask spirv-val about SPIR-V before it is run"},
     {"--skip-unsupported", "", "what the device cannot do is no error"}},
    0,
    1};

Result<run::RunOptions> readOptions(const Arguments &arguments) {
  run::RunOptions options;
  if (!arguments.positional().empty())
    options.input = arguments.positional().front();
  options.launchFile = arguments.value("--launch");
  options.device = arguments.value("--device");
  options.dumpFolder = arguments.value("--dump");
  options.traceFile = arguments.value("--trace");
  options.profile = arguments.has("--profile") || arguments.has("--trace");
  options.validate = !arguments.has("--no-validate");
  options.skipUnsupported = arguments.has("--skip-unsupported");
  if (arguments.has("--repeat")) {
    std::string text = arguments.value("--repeat");
    uint32_t count = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size() || count == 0)
      return Status(StatusCode::InvalidArgument,
                    "--repeat takes a number from 1 on, not '" + text + "'");
    options.repeat = count;
  }
  if (options.launchFile.empty())
    return Status(StatusCode::InvalidArgument,
                  "what shall be launched? give --launch FILE; docs/run.md has examples");
  return options;
}

} // namespace

int tools::runCommand(int argc, char **argv) {
  auto arguments = Arguments::parse(command, argc, argv);
  if (!arguments.isOk())
    return usageError(command, arguments.status());
  if (arguments->wantsHelp()) {
    std::fputs(helpText(command).c_str(), stdout);
    return 0;
  }
  auto options = readOptions(*arguments);
  if (!options.isOk())
    return usageError(command, options.status());
  return run::runLaunch(*options);
}

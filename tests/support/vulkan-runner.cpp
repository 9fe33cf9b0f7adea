//===- vulkan-runner.cpp - runs compiled kernels on the Vulkan device at hand -===//
//   vulkan-runner run.json [--device NAME] [--allow-unsupported] [--repeat N]
//   vulkan-runner --extract FOLDER file.pumice      the variants' code, and variants.json
//   vulkan-runner --devices                         what a run would use
// A development tool of the tests: one line a case, "PASS name" or "FAIL name: reason"; exit status
// 0 all passed, 1 some did not, 2 nothing could be run. The loader's variables choose the driver.
//===-------------------------------------------------------------------------===//
#include "tests/support/Extract.h"
#include "tests/support/Files.h"
#include "tests/support/Runner.h"

#include "llvm/Support/Path.h"

#include <cstdio>

using namespace pumice;

namespace {

struct Options {
  std::vector<std::string> runFiles;
  std::string device, extractTo;
  bool allowUnsupported = false, listDevices = false;
};

int usage() {
  std::fprintf(stderr, "usage: vulkan-runner run.json... [--device NAME] [--allow-unsupported]\n"
                       "       vulkan-runner --extract FOLDER file.pumice\n"
                       "       vulkan-runner --devices\n");
  return 2;
}

int fail(const Status &status) {
  std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return 2;
}

bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    bool hasValue = i + 1 < argc;
    if (argument == "--device" && hasValue)
      options.device = argv[++i];
    else if (argument == "--extract" && hasValue)
      options.extractTo = argv[++i];
    else if (argument == "--allow-unsupported")
      options.allowUnsupported = true;
    else if (argument == "--devices")
      options.listDevices = true;
    else if (argument.starts_with("--"))
      return false;
    else
      options.runFiles.emplace_back(argument);
  }
  return options.listDevices || !options.runFiles.empty();
}

struct Totals {
  unsigned passed = 0, failed = 0, skipped = 0;
};

Status runFile(const std::string &name, tests::Runner &runner, const Options &options,
               Totals &totals) {
  Result<std::vector<uint8_t>> text = tests::readFile(name);
  if (!text.isOk())
    return text.status();
  std::string folder = llvm::sys::path::parent_path(name).str();
  Result<std::vector<tests::Case>> cases =
      tests::parseRunFile({reinterpret_cast<const char *>(text->data()), text->size()}, folder);
  if (!cases.isOk())
    return Status(cases.status()).at(name);
  for (const tests::Case &test : *cases) {
    std::string printed;
    Status status = runner.run(test, printed);
    std::fputs(printed.c_str(), stdout);
    bool skip = options.allowUnsupported && status.code() == StatusCode::Unsupported;
    ++(status.isOk() ? totals.passed : skip ? totals.skipped : totals.failed);
    if (status.isOk())
      std::printf("PASS %s\n", test.name.c_str());
    else
      std::printf("%s %s: %s\n", skip ? "SKIP" : "FAIL", test.name.c_str(),
                  status.message().c_str());
    if (status.code() == StatusCode::DeviceLost)
      return status;
  }
  return Status::ok();
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options))
    return usage();
  if (!options.extractTo.empty()) {
    Status done = tests::extractVariants(options.runFiles.front(), options.extractTo);
    return done.isOk() ? 0 : fail(done);
  }
  Result<std::unique_ptr<vulkan::BareDevice>> device = vulkan::BareDevice::open(options.device);
  if (!device.isOk())
    return fail(device.status());
  if (options.listDevices) {
    const vulkan::BareDevice &d = **device;
    std::printf("%s: Vulkan %u.%u, subgroup %u (%u to %u), buffer addresses %s\n",
                d.properties.deviceName, VK_API_VERSION_MAJOR(d.properties.apiVersion),
                VK_API_VERSION_MINOR(d.properties.apiVersion), d.subgroupSize, d.minSubgroupSize,
                d.maxSubgroupSize, d.bufferDeviceAddress ? "yes" : "no");
    return 0;
  }
  tests::Runner runner(**device);
  Totals totals;
  for (const std::string &name : options.runFiles)
    if (Status status = runFile(name, runner, options, totals); !status.isOk())
      return fail(status);
  std::printf("%u passed, %u failed, %u skipped\n", totals.passed, totals.failed, totals.skipped);
  return totals.failed ? 1 : 0;
}

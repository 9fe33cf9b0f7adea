//===- Main.cpp - ConformanceTest -------------------------------------------===//
//   ConformanceTest [--device ID] [--if-present FILE] [--report FILE] [gtest's options]
// Runs the suite on the device ID ("vulkan:1"), on all of a driver ("vulkan"), or, with neither
// that nor PUMICE_DEVICE, on every device there is. Where FILE does not exist (a driver's library
// or ICD file), says so and exits with 77: skipped. --list-devices names the devices.
//===-------------------------------------------------------------------------===//
#include "runtime/hal/conformance/Conformance.h"
#include "runtime/hal/conformance/Report.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

using namespace pumice;
using namespace pumice::hal::conformance;

namespace {

constexpr int skipped = 77; // SKIP_RETURN_CODE in CMakeLists.txt

struct Options {
  std::string device, ifPresent, report;
  bool listDevices = false;
};

/// Our options, taken out of the arguments; false where one lacks its value.
bool takeOptions(int &count, char **arguments, Options &options) {
  int kept = 1;
  for (int i = 1; i < count; ++i) {
    std::string *value = !std::strcmp(arguments[i], "--device")       ? &options.device
                         : !std::strcmp(arguments[i], "--if-present") ? &options.ifPresent
                         : !std::strcmp(arguments[i], "--report")     ? &options.report
                                                                      : nullptr;
    if (value && i + 1 == count) {
      std::fprintf(stderr, "%s needs a value\n", arguments[i]);
      return false;
    }
    if (value)
      *value = arguments[++i];
    else if (!std::strcmp(arguments[i], "--list-devices"))
      options.listDevices = true;
    else
      arguments[kept++] = arguments[i];
  }
  count = kept;
  return true;
}

} // namespace

int main(int count, char **arguments) {
  Options options;
  if (const char *named = std::getenv("PUMICE_DEVICE"))
    options.device = named;
  if (!takeOptions(count, arguments, options))
    return EXIT_FAILURE;
  if (!options.ifPresent.empty() && !std::filesystem::exists(options.ifPresent)) {
    std::printf("skipped: there is no %s\n", options.ifPresent.c_str());
    return skipped;
  }
  if (Status chosen = chooseDevices(options.device); !chosen.isOk()) {
    std::fprintf(stderr, "%s\n", chosen.toString().c_str());
    return EXIT_FAILURE;
  }
  for (const DeviceUnderTest &device : devicesUnderTest())
    std::printf("%s: %s, %s %s\n", device.info.id.c_str(), device.info.name.c_str(),
                device.info.driverName.c_str(), device.info.driverVersion.c_str());
  if (options.listDevices)
    return EXIT_SUCCESS;
  std::printf("PUMICE_SEED=%u\n", seedOfRun());
  testing::InitGoogleTest(&count, arguments);
  if (!options.report.empty())
    testing::UnitTest::GetInstance()->listeners().Append(
        makeReport(options.report).release()); // which owns it
  return RUN_ALL_TESTS();
}

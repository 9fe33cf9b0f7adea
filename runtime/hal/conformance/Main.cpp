//===- Main.cpp - ConformanceTest -------------------------------------------===//
//   ConformanceTest [--device ID] [--if-present FILE]... [--absent-because FILE] [--report FILE]
//                   [gtest's options]
// Runs the suite on the device ID ("vulkan:1"), or on all devices of a driver ("vulkan"). Without
// --device and PUMICE_DEVICE, it runs on all devices. An --if-present FILE is a driver's library or
// ICD file. If that file does not exist, the program prints the first line of the --absent-because
// FILE, or else what is missing, and exits with 77 (skipped). --list-devices lists the devices.
//===-------------------------------------------------------------------------===//
#include "runtime/hal/conformance/Conformance.h"
#include "runtime/hal/conformance/Report.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

using namespace pumice;
using namespace pumice::hal::conformance;

namespace {

constexpr int skipped = 77; // SKIP_RETURN_CODE in CMakeLists.txt

struct Options {
  std::string device, absentBecause, report;
  std::vector<std::string> needed; // the files of --if-present
  bool listDevices = false;
};

/// Removes our options from the arguments. Returns false if the value of an option is missing.
bool takeOptions(int &count, char **arguments, Options &options) {
  int kept = 1;
  for (int i = 1; i < count; ++i) {
    std::string_view name = arguments[i];
    std::string *value = name == "--device"           ? &options.device
                         : name == "--if-present"     ? &options.needed.emplace_back()
                         : name == "--absent-because" ? &options.absentBecause
                         : name == "--report"         ? &options.report
                                                      : nullptr;
    if (value && i + 1 == count) {
      std::fprintf(stderr, "%s needs a value\n", arguments[i]);
      return false;
    }
    if (value)
      *value = arguments[++i];
    else if (name == "--list-devices")
      options.listDevices = true;
    else
      arguments[kept++] = arguments[i];
  }
  count = kept;
  return true;
}

/// Returns the reason why the suite cannot run here, or an empty text.
std::string whyAbsent(const Options &options) {
  for (const std::string &file : options.needed) {
    if (std::filesystem::exists(file))
      continue;
    std::string reason;
    std::getline(std::ifstream(options.absentBecause), reason);
    return reason.empty() ? "there is no " + file : reason;
  }
  return {};
}

} // namespace

int main(int count, char **arguments) {
  Options options;
  if (const char *named = std::getenv("PUMICE_DEVICE"))
    options.device = named;
  if (!takeOptions(count, arguments, options))
    return EXIT_FAILURE;
  if (std::string why = whyAbsent(options); !why.empty()) {
    std::printf("skipped: %s\n", why.c_str());
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
        makeReport(options.report).release()); // takes ownership
  return RUN_ALL_TESTS();
}

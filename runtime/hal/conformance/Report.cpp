//===- Report.cpp - what a run found, for docs/devices.md -------------------===//
#include "runtime/hal/conformance/Report.h"

#include "runtime/hal/conformance/Devices.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

namespace pumice::hal::conformance {

static std::string jsonText(std::string_view text) {
  std::string result = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\')
      (result += '\\') += static_cast<char>(c);
    else if (c < 0x20)
      result += ' ';
    else
      result += static_cast<char>(c);
  }
  return result + '"';
}

/// What the first skip said; without the place, which gtest puts in front.
static std::string skipReason(const testing::TestResult &result) {
  for (int i = 0; i < result.total_part_count(); ++i)
    if (result.GetTestPartResult(i).skipped())
      return result.GetTestPartResult(i).message();
  return {};
}

namespace {

class Report final : public testing::EmptyTestEventListener {
public:
  explicit Report(std::string path) : path(std::move(path)), tests(devicesUnderTest().size()) {}

private:
  void OnTestEnd(const testing::TestInfo &info) override {
    const testing::TestResult &result = *info.result();
    std::string name = info.name();
    size_t slash = name.find('/');
    std::string outcome = result.Skipped() ? "skipped" : result.Passed() ? "passed" : "failed";
    std::string line = "{\"area\": " + jsonText(info.test_suite_name()) +
                       ", \"name\": " + jsonText(name.substr(0, slash)) +
                       ", \"outcome\": " + jsonText(outcome);
    if (result.Skipped())
      line += ", \"reason\": " + jsonText(skipReason(result));
    for (size_t i = 0; i < tests.size(); ++i) {
      std::string id = devicesUnderTest()[i].info.id;
      if (size_t colon = id.find(':'); colon != std::string::npos)
        id[colon] = '_';
      if (slash != std::string::npos && name.substr(slash + 1) == id)
        tests[i].push_back(line + "}");
    }
  }

  void OnTestProgramEnd(const testing::UnitTest &) override {
    std::ofstream out(path);
    out << "{\"devices\": [";
    for (size_t i = 0; i < tests.size(); ++i) {
      const DeviceInfo &info = devicesUnderTest()[i].info;
      out << (i ? ",\n" : "\n") << "{\"id\": " << jsonText(info.id)
          << ", \"name\": " << jsonText(info.name)
          << ", \"driverName\": " << jsonText(info.driverName)
          << ", \"driverVersion\": " << jsonText(info.driverVersion) << ",\n \"tests\": [";
      for (size_t j = 0; j < tests[i].size(); ++j)
        out << (j ? ",\n  " : "\n  ") << tests[i][j];
      out << "]}";
    }
    out << "\n]}\n";
    if (!out.flush())
      std::fprintf(stderr, "cannot write '%s'\n", path.c_str());
  }

  std::string path;
  std::vector<std::vector<std::string>> tests; // JSON objects, beside the devices
};

} // namespace

std::unique_ptr<testing::TestEventListener> makeReport(std::string path) {
  return std::make_unique<Report>(std::move(path));
}

} // namespace pumice::hal::conformance

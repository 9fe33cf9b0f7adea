//===- Report.cpp - writes the results of a run for docs/devices.md ---------===//
#include "runtime/hal/conformance/Report.h"

#include "runtime/hal/conformance/Devices.h"
#include "support/JsonWriter.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

namespace pumice::hal::conformance {

/// Returns the message of the first skip, without the source location that gtest prepends.
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
  struct Test {
    std::string area, name, outcome, reason;
  };

  void OnTestEnd(const testing::TestInfo &info) override {
    const testing::TestResult &result = *info.result();
    std::string name = info.name();
    size_t slash = name.find('/');
    Test test{info.test_suite_name(), name.substr(0, slash),
              result.Skipped()  ? "skipped"
              : result.Passed() ? "passed"
                                : "failed",
              result.Skipped() ? skipReason(result) : ""};
    for (size_t i = 0; i < tests.size(); ++i) {
      std::string id = devicesUnderTest()[i].info.id;
      if (size_t colon = id.find(':'); colon != std::string::npos)
        id[colon] = '_';
      if (slash != std::string::npos && name.substr(slash + 1) == id)
        tests[i].push_back(test);
    }
  }

  void OnTestProgramEnd(const testing::UnitTest &) override {
    JsonWriter json;
    json.beginObject().key("devices").beginArray();
    for (size_t i = 0; i < tests.size(); ++i) {
      const DeviceInfo &info = devicesUnderTest()[i].info;
      json.beginObject().member("id", info.id).member("name", info.name);
      json.member("driverName", info.driverName).member("driverVersion", info.driverVersion);
      json.key("tests").beginArray();
      for (const Test &test : tests[i]) {
        json.beginObject(JsonWriter::Inline).member("area", test.area).member("name", test.name);
        json.member("outcome", test.outcome);
        if (test.outcome == "skipped")
          json.member("reason", test.reason);
        json.end();
      }
      json.end().end();
    }
    std::ofstream out(path);
    out << json.end().end().take() << "\n";
    if (!out.flush())
      std::fprintf(stderr, "cannot write '%s'\n", path.c_str());
  }

  std::string path;
  std::vector<std::vector<Test>> tests; // for each device under test
};

} // namespace

std::unique_ptr<testing::TestEventListener> makeReport(std::string path) {
  return std::make_unique<Report>(std::move(path));
}

} // namespace pumice::hal::conformance

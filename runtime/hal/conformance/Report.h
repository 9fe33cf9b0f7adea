//===- Report.h - writes the results of a run, for docs/devices.md --------===//
#pragma once

#include <memory>
#include <string>

namespace testing {
class TestEventListener;
}

namespace pumice::hal::conformance {

/// Writes a JSON file when the run ends. It lists each device under test with its description. Each
/// test has its outcome ("passed", "failed", "skipped") and the reason of a skip.
std::unique_ptr<testing::TestEventListener> makeReport(std::string path);

} // namespace pumice::hal::conformance

//===- Report.h - writes the results of a run, for docs/devices.md ----------===//
#pragma once

#include <memory>
#include <string>

namespace testing {
class TestEventListener;
}

namespace pumice::hal::conformance {

/// Writes a JSON file at the end of the run. It lists each device under test with its description.
/// For each test, it has the outcome ("passed", "failed", "skipped"), and the reason if the test
/// was skipped.
std::unique_ptr<testing::TestEventListener> makeReport(std::string path);

} // namespace pumice::hal::conformance

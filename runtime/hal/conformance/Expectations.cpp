//===- Expectations.cpp - what drivers cannot do, with reasons --------------===//
#include "runtime/hal/conformance/Expectations.h"

namespace pumice::hal::conformance {

// A new driver only needs lines for tests that it does not pass.
static constexpr Expectation expectations[] = {
    {ExpectationKind::CanNever, "null", "", "", "*", "the null driver has no devices to run on"},
    {ExpectationKind::CanNever, "metal", "", "", "Prints.*",
     "translated code has no instructions that print; kernels print by gpu.printf"},
    {ExpectationKind::CanNever, "metal", "", "", "Limits.LargestWorkgroupMemory",
     "Metal itself measures the memory of a threadgroup when it makes a pipeline"},
    {ExpectationKind::CanNever, "metal", "", "", "Kernels.ArraysOfDescriptors",
     "variants in Metal's language have no arrays of descriptors"},
    {ExpectationKind::CanNever, "metal", "", "", "Kernels.MatrixFragmentsAreMeasured",
     "translated code cannot take elements out of matrices"},
};

static bool matches(std::string_view pattern, std::string_view text) {
  if (pattern.ends_with('*'))
    return text.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == text;
}

const Expectation *expectationOf(const DeviceInfo &info, std::string_view test) {
  for (const Expectation &expectation : expectations)
    if (expectation.driver == info.driver &&
        (expectation.driverName.empty() || expectation.driverName == info.driverName) &&
        info.driverVersion.starts_with(expectation.driverVersion) &&
        matches(expectation.test, test))
      return &expectation;
  return nullptr;
}

} // namespace pumice::hal::conformance

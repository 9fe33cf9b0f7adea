//===- Expectations.h - tests that drivers do not pass, with reasons ------===//
// There are three lists, which are never mixed. A test itself skips features that a device need not
// have (NEEDS in Conformance.h). The lists here name what a driver can never do, and its current
// bugs.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/DeviceInfo.h"

namespace pumice::hal::conformance {

enum class ExpectationKind : uint8_t {
  CanNever,     // the driver cannot do it by its nature: the test is not run
  KnownFailure, // a bug: the test runs and must fail; it must be removed from the list when it
                // passes
  KnownCrash,   // a bug that ends the process: the test is not run
};

struct Expectation {
  ExpectationKind kind;
  std::string_view driver;        // DeviceInfo::driver
  std::string_view driverName;    // DeviceInfo::driverName; empty: any
  std::string_view driverVersion; // what DeviceInfo::driverVersion starts with; empty: any
  std::string_view test;          // "Copies.*", "Fills.Large"
  std::string_view reason;
};

/// Returns the expectation for `test` ("Copies.Large") on this device, or null if the test must
/// pass.
const Expectation *expectationOf(const DeviceInfo &info, std::string_view test);

} // namespace pumice::hal::conformance

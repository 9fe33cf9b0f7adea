//===- Expectations.h - tests that drivers do not pass, with reasons --------===//
// Three kinds of exceptions are kept apart. A test itself skips features that a device may lack
// (NEEDS in Conformance.h). The kinds below are what a driver can never do, and its current bugs.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/DeviceInfo.h"

namespace pumice::hal::conformance {

enum class ExpectationKind : uint8_t {
  CanNever,     // impossible for the driver by its nature: not run
  KnownFailure, // a bug: the test runs and must fail. If it passes, remove it from the list
  KnownCrash,   // a bug that ends the process: not run
};

struct Expectation {
  ExpectationKind kind;
  std::string_view driver;        // DeviceInfo::driver
  std::string_view driverName;    // empty: any name
  std::string_view driverVersion; // the start of DeviceInfo::driverVersion; empty: any
  std::string_view test;          // "Copies.*", "Fills.Large"
  std::string_view reason;
};

/// Returns the expectation for `test` ("Copies.Large") on this device, or null if the test must
/// pass.
const Expectation *expectationOf(const DeviceInfo &info, std::string_view test);

} // namespace pumice::hal::conformance

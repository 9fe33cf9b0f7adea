//===- Expectations.h - what drivers do not do, with reasons ----------------===//
// There are three lists, which are never mixed. A test itself skips what a device need not have
// (NEEDS in Conformance.h). The lists here name what a driver can never do, and what it does wrong
// today.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/DeviceInfo.h"

namespace pumice::hal::conformance {

enum class ExpectationKind : uint8_t {
  CanNever,     // by its nature: the test is not run
  KnownFailure, // a bug: the test runs and must fail; one that passes must leave the list
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

//===- FakeOpenCl.h - an OpenCL of host memory, for tests -------------------===//
// Functions in place of the loader's. The fake has one platform with one device, whose memory is
// the host's. It runs work when it is enqueued. A kernel adds 1 to each word of its first argument,
// as far as the grid reaches. It counts its live objects, so that tests notice leaks.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/opencl/Facts.h"

#include <string>

namespace pumice::opencl_driver::test {

/// Tells the fake which device to be. Tests set this before they create a driver.
struct FakeOptions {
  Addressing addressing = Addressing::Usm; // the best way that it has
  std::string spirvVersions = "SPIR-V_1.0 SPIR-V_1.2";
  cl_bitfield type = CL_DEVICE_TYPE_GPU;
  bool finishes = true; // whether work is ever done; false: events stay incomplete
  std::string buildLog; // not empty: programs do not build
};

/// Resets the fake, and returns its functions.
Functions fakeOpenCl(const FakeOptions &options = {});

/// Returns the number of objects that are not released: contexts, queues, memory, programs, kernels
/// and events.
int liveObjects();
/// Returns how often a function was called.
int callsOf(const std::string &function);
/// Returns what the last call of clSetProgramSpecializationConstant and the last clBuildProgram
/// had.
struct BuildRecord {
  std::string code;
  uint32_t constant = 0;
  size_t constantBytes = 0;
  bool fromBinary = false;
};
BuildRecord lastBuild();

} // namespace pumice::opencl_driver::test

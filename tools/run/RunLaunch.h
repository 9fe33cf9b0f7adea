//===- RunLaunch.h - pumice run --launch ------------------------------------===//
#pragma once

#include "runtime/hal/Device.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace pumice::run {

struct RunOptions {
  std::string input; // a .spv or .pumice file; empty if the launch file names them all
  std::string
      inputSource;        // what `input` was compiled from, for messages; empty if it is the source
  std::string launchFile; // "-": standard input
  std::string device;     // as Registry::open takes it; empty: PUMICE_DEVICE, else the best
  std::string dumpFolder; // empty: nothing is written
  std::string traceFile;  // the profile's; empty: a file in the dump's or the current folder
  bool profile = false, validate = true, skipUnsupported = false;
  std::function<void(hal::Device &)> opened; // called once with the device, before it has kernels
  std::optional<uint32_t> repeat;            // instead of the launch file's
  std::optional<uint32_t> printBytes;        // size of the buffer for a kernel's output
};

/// Prints the requested buffers, and PASS or FAIL for comparisons. Errors go to stderr. Returns the
/// exit status: 0, or 1 if a result differs from the expected one, or 2 if something could not run.
int runLaunch(const RunOptions &options);

} // namespace pumice::run

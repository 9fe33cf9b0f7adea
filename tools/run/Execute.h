//===- Execute.h - runs a resolved launch on one device ---------------------===//
#pragma once

#include "runtime/hal/Device.h"
#include "tools/run/Profile.h"
#include "tools/run/Resolve.h"

namespace pumice::run {

struct ExecuteOptions {
  uint32_t repeat = 1; // the number of runs of all dispatches; at least 1
  bool profile = false;
  uint32_t printBytes = hal::Dispatch{}.printBytes; // size of the buffer for a kernel's output
};

struct ExecuteResult {
  std::vector<std::vector<uint8_t>> contents; // the contents of each buffer after the first run
  std::string printed;                        // the output of gpu.printf in the first run
  std::vector<Measured> profile;              // measurements of all runs
  double secondsEach = 0;                     // average without the first run, on the host's clock
};

/// Makes buffers and kernels, runs everything, and reads every buffer back. Errors of the device
/// name their place in the launch file.
Result<ExecuteResult> execute(const ResolvedLaunch &launch, Ref<hal::Device> device,
                              const ExecuteOptions &options);

} // namespace pumice::run

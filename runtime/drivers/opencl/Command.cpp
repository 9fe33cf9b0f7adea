//===- Command.cpp - recorded work, and work that the device has ------------===//
#include "runtime/drivers/opencl/Command.h"

namespace pumice::opencl_driver {

void Command::reset() {
  kernel = nullptr;
  data.clear();
  bytes = 0;
  host = nullptr;
  then = nullptr;
  timeline = nullptr;
  kept.clear();
  lent.clear();
  record.reset();
}

bool Group::releaseQuietly() {
  if (end || signal.timeline || !waits.empty() || !staging.empty() || !measured.empty())
    return false;
  while (!kept.empty()) {
    if (!kept.back()->releaseUnlessLast())
      return false;
    (void)kept.back().detach();
    kept.pop_back();
  }
  reset();
  return true;
}

void Group::reset() {
  lastCommand = 0;
  end = {};
  failedToEnd = false;
  kept.clear();
  staging.clear();
  measured.clear();
  waits.clear();
  signal = {};
  then = nullptr;
}

} // namespace pumice::opencl_driver

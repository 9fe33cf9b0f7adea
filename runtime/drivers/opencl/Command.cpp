//===- Command.cpp - recorded work, and work that the device has ------------===//
#include "runtime/drivers/opencl/Command.h"

namespace pumice::opencl {

void Command::reset() {
  std::vector<std::byte> oldData = std::move(data);
  auto oldKept = std::move(kept);
  auto oldLent = std::move(lent);
  *this = {};
  oldData.clear();
  oldKept.clear();
  oldLent.clear();
  data = std::move(oldData);
  kept = std::move(oldKept);
  lent = std::move(oldLent);
}

} // namespace pumice::opencl

//===- CgroupQuota.h - the processor time that control groups allow ---------===//
#pragma once

#include <functional>
#include <string>

namespace pumice {

/// Returns the smallest quota among those of the process's control group and its ancestors, in
/// processors. Returns 0 if the time is unlimited. Supports versions 1 and 2. `readFile` reads
/// files below /proc and /sys, and returns an empty text for missing files.
double cgroupQuota(const std::function<std::string(const std::string &path)> &readFile);

} // namespace pumice

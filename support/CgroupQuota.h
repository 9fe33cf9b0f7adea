//===- CgroupQuota.h - the processor time that control groups allow -------===//
#pragma once

#include <functional>
#include <string>

namespace pumice {

/// Returns the smallest quota, in processors, of the process's control group and its ancestors, or
/// 0 without a limit. Supports versions 1 and 2. `readFile` reads files below /proc and /sys, and
/// returns an empty text for missing files.
double cgroupQuota(const std::function<std::string(const std::string &path)> &readFile);

} // namespace pumice

//===- CgroupQuota.h - the processor time that control groups allow -------===//
#pragma once

#include <functional>
#include <string>

namespace pumice {

/// Returns the least quota, in processors, of the process's control group and those above it; 0: no
/// bound. Supports versions 1 and 2. `readFile` reads files below /proc and /sys, and returns an
/// empty text if there is no such file.
double cgroupQuota(const std::function<std::string(const std::string &path)> &readFile);

} // namespace pumice

//===- CgroupQuota.h - how much time control groups leave a process ---------===//
#pragma once

#include <functional>
#include <string>

namespace pumice {

/// What `readFile` (empty where there is no such file) finds below /proc and /sys: the least quota,
/// in processors, of the process's control group and those above it, versions 1 and 2; 0: no bound.
double cgroupQuota(const std::function<std::string(const std::string &path)> &readFile);

} // namespace pumice

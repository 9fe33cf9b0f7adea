//===- CgroupQuota.cpp - the processor time that control groups allow -------===//
#include "support/CgroupQuota.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace pumice {
namespace {

using ReadFile = std::function<std::string(const std::string &path)>;

double least(double a, double b) { return a == 0 ? b : b == 0 ? a : a < b ? a : b; }

/// Parses a quota. "max 100000" means no limit, and "150000 100000" means one and a half
/// processors.
double quotaOf(const std::string &text) {
  char *end = nullptr;
  double quota = std::strtod(text.c_str(), &end);
  double period = std::strtod(end, nullptr);
  return quota > 0 && period > 0 ? quota / period : 0;
}

double quotaAt(const ReadFile &readFile, const std::string &folder, bool second) {
  if (second)
    return quotaOf(readFile(folder + "/cpu.max"));
  std::string quota = readFile(folder + "/cpu.cfs_quota_us");
  return quotaOf(quota + " " + readFile(folder + "/cpu.cfs_period_us"));
}

/// Returns the smallest quota of the group and of all groups above it. In a container, the paths
/// may be those of the host. In that case, only the root group can be read.
double quotaUpwards(const ReadFile &readFile, const std::string &root, std::string group,
                    bool second) {
  double result = 0;
  while (!group.empty() && group != "/") {
    result = least(result, quotaAt(readFile, root + group, second));
    group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
  return least(result, quotaAt(readFile, root, second));
}

bool names(std::string_view controllers, std::string_view name) {
  for (size_t at = 0; at <= controllers.size();) {
    size_t end = std::min(controllers.find(',', at), controllers.size());
    if (controllers.substr(at, end - at) == name)
      return true;
    at = end + 1;
  }
  return false;
}

} // namespace

double cgroupQuota(const ReadFile &readFile) {
  double result = 0;
  std::string lines = readFile("/proc/self/cgroup");
  for (size_t at = 0; at < lines.size();) {
    size_t end = std::min(lines.find('\n', at), lines.size());
    std::string_view line = std::string_view(lines).substr(at, end - at);
    at = end + 1;
    // The line is "0::/path" in version 2, and "4:cpu,cpuacct:/path" in version 1.
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos)
      continue;
    std::string_view controllers = line.substr(first + 1, second - first - 1);
    std::string group(line.substr(second + 1));
    if (controllers.empty())
      result = least(result, quotaUpwards(readFile, "/sys/fs/cgroup", group, true));
    else if (names(controllers, "cpu"))
      result = least(result, quotaUpwards(readFile, "/sys/fs/cgroup/cpu", group, false));
  }
  return result;
}

} // namespace pumice

//===- CgroupQuotaTest.cpp - control groups as files say --------------------===//
#include "support/CgroupQuota.h"

#include <gtest/gtest.h>

#include <map>

using namespace pumice;

namespace {

double quota(const std::map<std::string, std::string> &files) {
  return cgroupQuota([&](const std::string &path) {
    auto found = files.find(path);
    return found == files.end() ? std::string() : found->second;
  });
}

} // namespace

TEST(CgroupQuota, NothingThere) {
  EXPECT_EQ(quota({}), 0);
  EXPECT_EQ(quota({{"/proc/self/cgroup", "nonsense\n:\n0::\n"}}), 0);
}

TEST(CgroupQuota, SecondVersion) {
  EXPECT_EQ(quota({{"/proc/self/cgroup", "0::/a/b\n"}, {"/sys/fs/cgroup/a/b/cpu.max", "max 1\n"}}),
            0);
  EXPECT_EQ(quota({{"/proc/self/cgroup", "0::/a/b\n"},
                   {"/sys/fs/cgroup/a/b/cpu.max", "150000 100000\n"}}),
            1.5);
  // The smallest quota among the group and its ancestors applies.
  EXPECT_EQ(quota({{"/proc/self/cgroup", "0::/a/b\n"},
                   {"/sys/fs/cgroup/a/b/cpu.max", "800000 100000\n"},
                   {"/sys/fs/cgroup/a/cpu.max", "200000 100000\n"}}),
            2);
}

TEST(CgroupQuota, ContainerSeesItsRoot) {
  EXPECT_EQ(quota({{"/proc/self/cgroup", "0::/outside/path"},
                   {"/sys/fs/cgroup/cpu.max", "300000 100000\n"}}),
            3);
}

TEST(CgroupQuota, FirstVersion) {
  EXPECT_EQ(quota({{"/proc/self/cgroup", "5:memory:/x\n4:cpuacct,cpu:/x\n"},
                   {"/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "50000\n"},
                   {"/sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n"}}),
            0.5);
  EXPECT_EQ(quota({{"/proc/self/cgroup", "4:cpu:/x\n"},
                   {"/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "-1\n"},
                   {"/sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n"}}),
            0);
}

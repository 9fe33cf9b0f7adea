//===- OptionsTest.cpp - what the environment says --------------------------===//
#include "runtime/drivers/cpu/Options.h"

#include <gtest/gtest.h>

#include <map>

using namespace pumice;
using namespace pumice::cpu_driver;

namespace {

ReadVariable variables(std::map<std::string, std::string> values) {
  auto kept = std::make_shared<std::map<std::string, std::string>>(std::move(values));
  return [kept](const char *name) -> const char * {
    auto found = kept->find(name);
    return found == kept->end() ? nullptr : found->second.c_str();
  };
}

unsigned threads(std::map<std::string, std::string> values, unsigned processors, double quota = 0) {
  Result<unsigned> count = chooseThreads(variables(std::move(values)), processors, quota);
  EXPECT_TRUE(count.isOk()) << count.status().toString();
  return count.isOk() ? *count : 0;
}

} // namespace

TEST(CpuOptions, Threads) {
  EXPECT_EQ(threads({}, 8), 8u);
  EXPECT_EQ(threads({}, 8, 1.5), 2u);
  EXPECT_EQ(threads({}, 8, 0.1), 1u);
  EXPECT_EQ(threads({}, 8, 100), 8u);
  EXPECT_EQ(threads({}, 100000), mostThreads);
  EXPECT_EQ(threads({{"OMP_NUM_THREADS", "3"}}, 8, 1.5), 3u);
  EXPECT_EQ(threads({{"OMP_NUM_THREADS", "4,2"}}, 8), 4u);
  EXPECT_EQ(threads({{"OMP_NUM_THREADS", "nonsense"}}, 8), 8u);
  EXPECT_EQ(threads({{"OMP_NUM_THREADS", "0"}}, 8), 8u);
  EXPECT_EQ(threads({{"OMP_NUM_THREADS", "1024"}}, 8), 1024u);
  EXPECT_EQ(threads({{"OMP_NUM_THREADS", "99999999999"}}, 8), 8u);
  EXPECT_EQ(threads({{"OMP_NUM_THREADS", "99999999999999999999999"}}, 8), 8u);
  EXPECT_EQ(threads({{"OMP_NUM_THREADS", "3"}, {"PUMICE_CPU_THREADS", "5"}}, 8), 5u);
  EXPECT_EQ(threads({{"PUMICE_CPU_THREADS", ""}}, 8), 8u);
}

TEST(CpuOptions, ErrorsNameTheVariable) {
  for (const char *bad : {"0", "x", "4x", "-1", "1025", "99999999999999999999"}) {
    Status status = chooseThreads(variables({{"PUMICE_CPU_THREADS", bad}}), 8, 0).status();
    EXPECT_EQ(status.code(), StatusCode::InvalidArgument) << bad;
    EXPECT_NE(status.message().find(std::string("PUMICE_CPU_THREADS is '") + bad + "'"),
              std::string::npos)
        << status.message();
  }
  for (const char *name :
       {"PUMICE_CPU_PIN", "PUMICE_CPU_SPIN_US", "PUMICE_CPU_TIMEOUT_MS", "PUMICE_CPU_GUARDS"})
    EXPECT_NE(readOptions(variables({{name, "much"}})).status().message().find(name),
              std::string::npos);
}

TEST(CpuOptions, Level) {
  const std::string suffix(systemSuffix);
  HostCpu cpu{.name = "Some CPU",
              .architecture = "x86-64-v3" + suffix,
              .lanes = 8,
              .brainTiles = true,
              .fingerprint = "all that it has"};
  auto choose = [&](const char *level) {
    return chooseCpu(variables({{"PUMICE_CPU_LEVEL", level}}), cpu);
  };
  for (const HostCpu &same : {chooseCpu(variables({}), cpu).value(), choose("").value()}) {
    EXPECT_EQ(same.architecture, "x86-64-v3" + suffix);
    EXPECT_EQ(same.level, "");
    EXPECT_EQ(same.fingerprint, "all that it has");
  }
  HostCpu less = choose("x86-64-v2").value(), own = choose("x86-64-v3").value();
  EXPECT_EQ(less.architecture, "x86-64-v2" + suffix);
  EXPECT_EQ(less.level, "x86-64-v2");
  EXPECT_EQ(less.name, "Some CPU");
  EXPECT_EQ(less.lanes, 4u);
  EXPECT_FALSE(less.brainTiles);
  EXPECT_EQ(own.lanes, 8u);
  EXPECT_NE(own.fingerprint, less.fingerprint); // so that the cache keeps their code apart
  EXPECT_NE(own.fingerprint, cpu.fingerprint);
  Status more = choose("x86-64-v4").status();
  EXPECT_EQ(more.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(more.message(),
            "PUMICE_CPU_LEVEL is 'x86-64-v4': code for x86-64-v4 does not run here: "
            "this processor (Some CPU) runs x86-64-v3" +
                suffix + "; leave it empty for this processor as it is");
  for (const char *bad : {"x86-64", "x86-64-v1", "x86-64-v5", "v3", "aarch64", "3"})
    EXPECT_NE(choose(bad).status().message().find("there are x86-64-v2, x86-64-v3 and x86-64-v4"),
              std::string::npos)
        << bad;
  cpu.architecture = "aarch64";
  EXPECT_EQ(choose("x86-64-v2").status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(readOptions(variables({{"PUMICE_CPU_LEVEL", "x86-64-v9"}})).status().code(),
            StatusCode::InvalidArgument);
}

TEST(CpuOptions, TheRest) {
  Options usual = readOptions(variables({})).value();
  EXPECT_GE(usual.threads, 1u);
  EXPECT_FALSE(usual.pin);
  EXPECT_EQ(usual.timeout.count(), 0);
  EXPECT_EQ(usual.guards, Guards::None);
  EXPECT_EQ(readOptions(variables({{"PUMICE_CPU_GUARDS", "end"}})).value().guards, Guards::End);
  EXPECT_EQ(readOptions(variables({{"PUMICE_CPU_GUARDS", "begin"}})).value().guards, Guards::Begin);
  Options set = readOptions(variables({{"PUMICE_CPU_PIN", "1"},
                                       {"PUMICE_CPU_SPIN_US", "7"},
                                       {"PUMICE_CPU_TIMEOUT_MS", "250"}}))
                    .value();
  EXPECT_TRUE(set.pin);
  EXPECT_EQ(set.spin.count(), 7);
  EXPECT_EQ(set.timeout.count(), 250);
}

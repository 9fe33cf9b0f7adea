//===- OwnProcessTest.cpp - code that crashes in its own process ------------===//
#include "tools/run/OwnProcess.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <unistd.h>

using namespace pumice;
using pumice::run::inOwnProcess;

namespace {

TEST(OwnProcess, ReturnsTheResult) {
  std::string large(1 << 20, 'x'); // more than a pipe holds
  large[5] = '\0';
  Result<std::string> result = inOwnProcess("work", 60, [&] { return large; });
  ASSERT_TRUE(result.isOk()) << result.status().message();
  EXPECT_EQ(*result, large);
  Result<std::string> empty = inOwnProcess("work", 60, [] { return std::string(); });
  ASSERT_TRUE(empty.isOk()) << empty.status().message();
  EXPECT_EQ(*empty, "");
}

TEST(OwnProcess, ReturnsTheError) {
  Status status = inOwnProcess("work", 60, []() -> Result<std::string> {
                    return Status(StatusCode::Unsupported, "no doubles");
                  }).status();
  EXPECT_EQ(status.code(), StatusCode::Unsupported);
  EXPECT_EQ(status.message(), "no doubles");
}

TEST(OwnProcess, SurvivesSignals) {
  for (int signal : {SIGSEGV, SIGABRT, SIGFPE}) {
    Status status = inOwnProcess("other code", 60, [&] {
                      raise(signal);
                      return std::string("unreached");
                    }).status();
    EXPECT_EQ(status.code(), StatusCode::Internal);
    EXPECT_EQ(status.message().find("other code crashed (signal " + std::to_string(signal) + ", "),
              0u)
        << status.message();
  }
}

TEST(OwnProcess, EndsTheProcessAtTheTimeLimit) {
  EXPECT_EQ(inOwnProcess("other code", 1,
                         [] {
                           while (true)
                             pause();
                           return std::string();
                         })
                .status()
                .message(),
            "other code took more than 1 seconds");
}

TEST(OwnProcess, ReportsAMissingAnswer) {
  EXPECT_EQ(inOwnProcess("other code", 60,
                         [] {
                           _exit(0);
                           return std::string();
                         })
                .status()
                .message(),
            "other code ended its process without an answer");
}

} // namespace

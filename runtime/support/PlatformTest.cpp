//===- PlatformTest.cpp - what systems do in their own ways -----------------===//
#include "runtime/support/Platform.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace pumice;

TEST(ReadFile, ReadsAllOrSaysWhyNot) {
  std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "pumice-read-file";
  std::ofstream(file) << std::string(100000, 'x');
  Result<std::string> all = readFile(file.string(), 100000);
  ASSERT_TRUE(all.isOk()) << all.status().message();
  EXPECT_EQ(all->size(), 100000u);
  Status tooLong = readFile(file.string(), 99999).status();
  EXPECT_EQ(tooLong.code(), StatusCode::ResourceExhausted);
  EXPECT_EQ(tooLong.message(), "cannot read '" + file.string() + "': it has more than 99999 bytes");
  std::filesystem::remove(file);
  EXPECT_EQ(readFile(file.string()).status().code(), StatusCode::NotFound);
}

#ifndef _WIN32
// The memory ended before the file did.
TEST(ReadFile, StopsWhereAFileNeverEnds) {
  EXPECT_EQ(readFile("/dev/zero", 1 << 20).status().code(), StatusCode::ResourceExhausted);
}
#endif

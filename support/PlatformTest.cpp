//===- PlatformTest.cpp - functions that differ between operating systems ---===//
#include "support/Platform.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#ifndef _WIN32
#include <unistd.h>
#endif

using namespace pumice;

TEST(ReadFile, ReadsAllOrReturnsAnError) {
  std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "pumice-read-file";
  std::ofstream(file) << std::string(100000, 'x');
  Result<std::string> all = readFile(file.string(), 100000);
  ASSERT_TRUE(all.isOk()) << all.status().message();
  EXPECT_EQ(all->size(), 100000u);
  Status tooLong = readFile(file.string(), 99999).status();
  EXPECT_EQ(tooLong.code(), StatusCode::ResourceExhausted);
  EXPECT_EQ(tooLong.message(),
            "cannot read '" + file.string() +
                "': it has more than 99999 bytes, which is the most that Pumice reads");
  std::filesystem::remove(file);
  EXPECT_EQ(readFile(file.string()).status().code(), StatusCode::NotFound);
}

#ifndef _WIN32
// Such a device has no end, so reading it could only stop at the memory limit.
TEST(ReadFile, RefusesDevicesWithoutAnEnd) {
  Status status = readFile("/dev/zero").status();
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(status.message(),
            "cannot read '/dev/zero': it is a device, which may never end; name a file");
  EXPECT_EQ(*readFile("/dev/null"), "");
}

// Pipes have no size, but reading must stop at the limit.
TEST(ReadInput, ReadsPipesUpToTheLimit) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "12345678", 8), 8);
  close(ends[1]);
  std::string name = "/dev/fd/" + std::to_string(ends[0]), read;
  Status status = readInput(name, 7, [&](std::string_view part) { read += part; });
  EXPECT_EQ(status.code(), StatusCode::ResourceExhausted) << status.message();
  close(ends[0]);
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "12345678", 8), 8);
  close(ends[1]);
  name = "/dev/fd/" + std::to_string(ends[0]);
  status = readInput(name, 8, [&](std::string_view part) { read += part; });
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(read, "12345678");
  close(ends[0]);
}
#endif

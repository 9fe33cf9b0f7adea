//===- PatienceTest.cpp - calls that fail while others make them ------------===//
#include "runtime/drivers/vulkan/Patience.h"

#include <gtest/gtest.h>

namespace pumice::vulkan {
namespace {

using std::chrono::milliseconds;

TEST(Patience, RetriesTemporaryFailures) {
  int calls = 0;
  Status status = tryPatiently(milliseconds(5000), "vkCreateDevice", [&] {
    return ++calls < 4 ? VK_ERROR_INITIALIZATION_FAILED : VK_SUCCESS;
  });
  EXPECT_TRUE(status.isOk()) << status.toString();
  EXPECT_EQ(calls, 4);
}

TEST(Patience, EndsAndSaysHowLongItTook) {
  auto begin = std::chrono::steady_clock::now();
  Status status = tryPatiently(milliseconds(200), "vkCreateDevice",
                               [] { return VK_ERROR_INITIALIZATION_FAILED; });
  EXPECT_LE(std::chrono::steady_clock::now() - begin, milliseconds(2000));
  EXPECT_EQ(status.code(), StatusCode::Unsupported);
  EXPECT_NE(status.message().find("vkCreateDevice returned VK_ERROR_INITIALIZATION_FAILED"),
            std::string::npos)
      << status.message();
  EXPECT_NE(status.message().find("while other processes open the device"), std::string::npos)
      << status.message();
}

TEST(Patience, DoesNotRetryPermanentFailures) {
  int calls = 0;
  Status status = tryPatiently(milliseconds(5000), "vkCreateDevice", [&] {
    ++calls;
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  });
  EXPECT_EQ(status.code(), StatusCode::ResourceExhausted);
  EXPECT_EQ(calls, 1);
}

} // namespace
} // namespace pumice::vulkan

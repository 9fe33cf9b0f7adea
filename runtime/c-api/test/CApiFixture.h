//===- CApiFixture.h - a device, and a hand-made executable -----------------===//
#pragma once

#include "include/pumice/pumice.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pumice::capi_test {

/// Returns the bytes of a .pumice file with the kernel affine(x, y, addend) of Affine.comp.
std::vector<uint8_t> affineFile();

/// Returns the reason why a call failed, for messages of tests.
inline std::string said() { return pumice_last_error(); }

#define EXPECT_OK(call) EXPECT_EQ((call), PUMICE_OK) << pumice::capi_test::said()
#define ASSERT_OK(call) ASSERT_EQ((call), PUMICE_OK) << pumice::capi_test::said()
/// Expects that the call fails with `code`, and that its message contains `part`.
#define EXPECT_FAILS(call, code, part)                                                             \
  do {                                                                                             \
    EXPECT_EQ((call), (code)) << pumice::capi_test::said();                                        \
    EXPECT_NE(pumice::capi_test::said().find(part), std::string::npos)                             \
        << pumice::capi_test::said();                                                              \
  } while (false)

/// The base class of tests that need a device. Without a device, they are skipped, with the reason.
class OnDevice : public testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  pumice_buffer *newBuffer(uint64_t bytes, pumice_memory memory = PUMICE_MEMORY_DEVICE);
  pumice_function *affine(uint32_t workgroup, uint64_t factor = 2);
  std::vector<int32_t> contents(pumice_buffer *buffer);

  pumice_device *device = nullptr;
  pumice_queue *queue = nullptr;
  pumice_executable *executable = nullptr;
  std::vector<pumice_buffer *> buffers;     // released at the end
  std::vector<pumice_function *> functions; // released at the end
};

} // namespace pumice::capi_test

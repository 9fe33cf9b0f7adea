//===- Conformance.h - the base of all conformance tests --------------------===//
// Each test is written once, and runs on each device under test. It may rely only on what the
// headers of the HAL promise. If it needs something that a device may lack, NEEDS looks it up in
// the DeviceInfo.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/conformance/Devices.h"
#include "runtime/hal/conformance/Kernels.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>

/// Skips the test if the device lacks something that drivers may lack.
#define NEEDS(condition, reason)                                                                   \
  if (!(condition))                                                                                \
  GTEST_SKIP() << "not present: " << reason

#define ASSERT_OK(expression)                                                                      \
  do {                                                                                             \
    ::pumice::Status statusOfCall = (expression);                                                  \
    ASSERT_TRUE(statusOfCall.isOk()) << statusOfCall.toString();                                   \
  } while (false)

/// Declares or assigns `place` from `expression`, which is a Result. If the Result is a failure,
/// ends the test.
#define ASSERT_RESULT(place, expression)                                                           \
  ASSERT_RESULT_NAMED(place, expression, PUMICE_TRY_JOIN(resultOfLine, __LINE__))
#define ASSERT_RESULT_NAMED(place, expression, name)                                               \
  auto name = (expression);                                                                        \
  ASSERT_TRUE(name.isOk()) << name.status().toString();                                            \
  place = std::move(name).value()

namespace pumice::hal::conformance {

/// The base class of all tests. An area is `struct Copies : ConformanceTest {};` and a line with
/// PUMICE_CONFORMANCE_AREA. Each test opens its own device.
class ConformanceTest : public testing::TestWithParam<size_t> {
protected:
  void SetUp() override;
  void TearDown() override;

  const DeviceInfo &info() const { return device->info(); }
  const DeviceLimits &limits() const { return device->info().limits; }
  bool has(std::string_view feature) const;
  bool hasDescriptors() const { return !info().isOpenCl(); }

  /// Opens the same device a second time.
  Result<Ref<Device>> openAnother() const;

  Result<Ref<Buffer>> upload(std::span<const uint32_t> words, MemoryKind kind = MemoryKind::Device);
  Result<std::vector<uint32_t>> download(Buffer &buffer, uint64_t words = 0);

  Ref<Device> device;
  Ref<Queue> queue; // a queue of `device`

private:
  struct ExpectedFailure;
  std::shared_ptr<ExpectedFailure> expectedFailure;
};

/// Returns a name such as "vulkan_0".
std::string deviceName(const testing::TestParamInfo<size_t> &info);

#define PUMICE_CONFORMANCE_AREA(area)                                                              \
  INSTANTIATE_TEST_SUITE_P(                                                                        \
      , area, testing::Range(size_t{0}, ::pumice::hal::conformance::devicesUnderTest().size()),    \
      ::pumice::hal::conformance::deviceName);                                                     \
  GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(area)

/// Checks that `status` has this code and contains all `parts`: the place, the value, and the
/// solution.
testing::AssertionResult isError(const Status &status, StatusCode code,
                                 std::initializer_list<std::string_view> parts = {});
template <typename T>
testing::AssertionResult isError(const Result<T> &result, StatusCode code,
                                 std::initializer_list<std::string_view> parts = {}) {
  return isError(result.isOk() ? Status::ok() : result.status(), code, parts);
}

template <typename T> std::span<const std::byte> bytesOf(const T &values) {
  return std::as_bytes(std::span(values));
}
template <typename T> std::span<std::byte> writableBytesOf(T &values) {
  return std::as_writable_bytes(std::span(values));
}

/// Returns random words. The same seed gives the same words on every machine.
std::vector<uint32_t> randomWords(size_t count, uint32_t seed = 1);
std::vector<std::byte> randomBytes(size_t count, uint32_t seed = 1);

/// Returns PUMICE_SEED, or a seed that differs from run to run. A failing test prints it.
uint32_t seedOfRun();

} // namespace pumice::hal::conformance

//===- Conformance.cpp - the fixture of every conformance test --------------===//
#include "runtime/hal/conformance/Conformance.h"

#include "runtime/hal/conformance/Expectations.h"

#include <gtest/gtest-spi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace pumice::hal::conformance {

/// Holds back the failures of a test that is known to fail, while it runs.
struct ConformanceTest::ExpectedFailure {
  explicit ExpectedFailure(std::string_view reason) : reason(reason) {
    using Reporter = testing::ScopedFakeTestPartResultReporter;
    reporter = std::make_unique<Reporter>(Reporter::INTERCEPT_ALL_THREADS, &results);
  }

  std::string reason;
  testing::TestPartResultArray results;
  std::unique_ptr<testing::ScopedFakeTestPartResultReporter> reporter;
};

void ConformanceTest::SetUp() {
  const DeviceUnderTest &under = devicesUnderTest()[GetParam()];
  const testing::TestInfo &test = *testing::UnitTest::GetInstance()->current_test_info();
  std::string_view name = test.name();
  std::string place =
      std::string(test.test_suite_name()) + "." + std::string(name.substr(0, name.find('/')));
  if (const Expectation *expected = expectationOf(under.info, place)) {
    if (expected->kind == ExpectationKind::CanNever)
      GTEST_SKIP() << "can never: " << expected->reason;
    if (expected->kind == ExpectationKind::KnownCrash)
      GTEST_SKIP() << "known failure: " << expected->reason;
    expectedFailure = std::make_shared<ExpectedFailure>(expected->reason);
  }
  ASSERT_RESULT(device, under.open());
  ASSERT_RESULT(queue, device->createQueue());
}

void ConformanceTest::TearDown() {
  queue = nullptr;
  device = nullptr;
  if (!expectedFailure)
    return;
  expectedFailure->reporter.reset();
  bool failed = false;
  for (int i = 0; i < expectedFailure->results.size(); ++i)
    failed |= expectedFailure->results.GetTestPartResult(i).failed();
  if (failed)
    GTEST_SKIP() << "known failure: " << expectedFailure->reason;
  ADD_FAILURE() << "it passes, but Expectations.cpp lists it: " << expectedFailure->reason;
}

bool ConformanceTest::has(std::string_view feature) const {
  return info().features.contains(feature);
}

Result<Ref<Device>> ConformanceTest::openAnother() const {
  return devicesUnderTest()[GetParam()].open();
}

Result<Ref<Buffer>> ConformanceTest::upload(std::span<const uint32_t> words, MemoryKind kind) {
  PUMICE_TRY(Ref<Buffer> buffer, device->allocate(words.size_bytes(), kind));
  PUMICE_RETURN_IF_ERROR(queue->upload({buffer.get()}, std::as_bytes(words)));
  return buffer;
}

Result<std::vector<uint32_t>> ConformanceTest::download(Buffer &buffer, uint64_t words) {
  std::vector<uint32_t> result(words ? words : buffer.bytes() / 4);
  PUMICE_RETURN_IF_ERROR(
      queue->download(writableBytesOf(result), {&buffer, 0, result.size() * sizeof(uint32_t)}));
  PUMICE_RETURN_IF_ERROR(queue->finish());
  return result;
}

std::string deviceName(const testing::TestParamInfo<size_t> &info) {
  std::string name = devicesUnderTest()[info.param].info.id;
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

testing::AssertionResult isError(const Status &status, StatusCode code,
                                 std::initializer_list<std::string_view> parts) {
  if (status.code() != code)
    return testing::AssertionFailure()
           << "expected '" << toString(code) << "', got '" << status.toString() << "'";
  for (std::string_view part : parts)
    if (status.message().find(part) == std::string::npos)
      return testing::AssertionFailure()
             << "'" << status.message() << "' does not name '" << part << "'";
  return testing::AssertionSuccess();
}

std::vector<uint32_t> randomWords(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint32_t> words(count);
  for (uint32_t &word : words)
    word = static_cast<uint32_t>(random());
  return words;
}

std::vector<std::byte> randomBytes(size_t count, uint32_t seed) {
  std::vector<uint32_t> words = randomWords((count + 3) / 4, seed);
  std::vector<std::byte> bytes(count);
  if (count)
    std::memcpy(bytes.data(), words.data(), count);
  return bytes;
}

uint32_t seedOfRun() {
  static const uint32_t seed = [] {
    const char *given = std::getenv("PUMICE_SEED");
    return given ? static_cast<uint32_t>(std::strtoul(given, nullptr, 10)) : std::random_device{}();
  }();
  return seed;
}

} // namespace pumice::hal::conformance

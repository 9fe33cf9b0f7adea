//===- PrintTest.cpp - output of kernels ------------------------------------===//
#include "runtime/hal/conformance/BlockProgram.h"

#include <algorithm>

namespace pumice::hal::conformance {

struct Prints : ConformanceTest {
  void forEachAddressing(const std::function<void(Function &)> &test) {
    using namespace executable;
    EntryPoint entry;
    entry.name = "print";
    entry.workgroupSize = {4, 1, 1};
    entry.printfs = {{0, "%u has %.1f\n", {ElementType::i32, ElementType::f32}},
                     {1, "and %lld\n", {ElementType::i64}}};
    Interface described, addressed;
    described.place = addressed.place = ParameterPlace::PushConstants;
    described.parameterBytes = 4;
    described.fields = {{FieldSource::PrintfWords, 0, 0, 0, 4}};
    described.bindings = {{0, 0, BindingSource::Printf, 0}};
    addressed.parameterBytes = 12;
    addressed.fields = {{FieldSource::PrintfAddress, 0, 0, 0, 8},
                        {FieldSource::PrintfWords, 0, 0, 8, 4}};
    Ref<Function> function;
    if (hasDescriptors()) {
      ASSERT_RESULT(function, makeFunction(device, "PrintDescribed", entry, described));
      test(*function);
    }
    if (!info().bufferAddresses || HasFatalFailure())
      return;
    ASSERT_RESULT(function, makeFunction(device, "PrintAddressed", entry, addressed));
    test(*function);
  }

  static std::vector<std::string> sortedLines(const std::string &text) {
    std::vector<std::string> lines;
    for (size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
      lines.push_back(text.substr(at, end - at));
    std::sort(lines.begin(), lines.end());
    return lines;
  }
};
PUMICE_CONFORMANCE_AREA(Prints);

TEST_P(Prints, EveryRecordOnce) {
  forEachAddressing([&](Function &function) {
    std::string text;
    uint32_t calls = 0;
    PrintSink sink = [&](std::string_view printed) {
      text += printed;
      ++calls;
    };
    ASSERT_OK(function.launch(*queue, {.groups = {50, 1, 1}, .print = &sink}, {}));
    ASSERT_OK(queue->finish());
    EXPECT_EQ(calls, 1u);
    std::vector<std::string> expected;
    for (uint64_t i = 0; i < 200; ++i) {
      expected.push_back(std::to_string(i) + " has " + std::to_string(i / 2) +
                         (i % 2 ? ".5" : ".0"));
      expected.push_back("and " + std::to_string((uint64_t{1} << 32) + i));
    }
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(sortedLines(text), expected);
  });
}

TEST_P(Prints, LaunchesInOrder) {
  forEachAddressing([&](Function &function) {
    std::vector<size_t> lines;
    for (uint32_t i = 1; i <= 20; ++i) {
      // The caller may destroy the sink after the call.
      PrintSink sink = [&](std::string_view printed) {
        lines.push_back(sortedLines(std::string(printed)).size());
      };
      ASSERT_OK(function.launch(*queue, {.groups = {i, 1, 1}, .print = &sink}, {}));
    }
    ASSERT_OK(queue->finish());
    ASSERT_EQ(lines.size(), 20u);
    for (size_t i = 0; i < 20; ++i)
      EXPECT_EQ(lines[i], 8 * (i + 1));
  });
}

TEST_P(Prints, MoreThanTheBufferHolds) {
  forEachAddressing([&](Function &function) {
    std::string text;
    PrintSink sink = [&](std::string_view printed) { text += printed; };
    ASSERT_OK(
        function.launch(*queue, {.groups = {50, 1, 1}, .print = &sink, .printBytes = 100}, {}));
    ASSERT_OK(queue->finish());
    // 24 words hold eight records of three words. The remaining records are only counted, and the
    // text reports how many bytes were lost.
    size_t records = 0;
    for (const std::string &line : sortedLines(text))
      records += line.find(" has ") != std::string::npos || line.starts_with("and ");
    EXPECT_GE(records, 7u) << text;
    EXPECT_LE(records, 9u) << text;
    EXPECT_TRUE(
        isError(function.launch(*queue, {.groups = {1, 1, 1}, .print = &sink, .printBytes = 4}, {}),
                StatusCode::InvalidArgument, {"4", "8"}));
  });
}

TEST_P(Prints, NothingWhereNothingRuns) {
  forEachAddressing([&](Function &function) {
    uint32_t calls = 0;
    PrintSink sink = [&](std::string_view) { ++calls; };
    ASSERT_OK(function.launch(*queue, {.groups = {0, 1, 1}, .print = &sink}, {}));
    ASSERT_OK(queue->finish());
    EXPECT_EQ(calls, 0u);
  });
}

} // namespace pumice::hal::conformance

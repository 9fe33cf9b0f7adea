//===- ComparisonTest.cpp - limits, verdicts and the table ------------------===//
#include "bench/cpu/Comparison.h"

#include <gtest/gtest.h>

using namespace pumice::bench;

static const Limit *find(std::string_view measure) {
  for (const Limit &limit : limits())
    if (limit.measure == measure)
      return &limit;
  return nullptr;
}

static Row row(std::string_view measure, std::map<std::string, double> milliseconds) {
  return {.limit = find(measure), .size = "some", .milliseconds = std::move(milliseconds)};
}

TEST(Comparison, AKernelIsHeldToNativeAndToTheFastestPeer) {
  EXPECT_EQ(verdictOf(row("saxpy", {{"native", 10}, {"pumice", 10.5}, {"intel", 30}})), "then");
  EXPECT_EQ(verdictOf(row("saxpy", {{"native", 10}, {"pumice", 15}, {"intel", 40}})), "reach");
  EXPECT_EQ(verdictOf(row("saxpy", {{"native", 10}, {"pumice", 17}, {"intel", 40}})), "NO");
  // The time is within the multiple of native's, but a peer is faster.
  EXPECT_EQ(verdictOf(row("saxpy", {{"native", 10}, {"pumice", 15}, {"intel", 14}})), "NO");
  // It is within the limit, but not twice as fast as a peer. Being as fast as native is enough.
  EXPECT_EQ(verdictOf(row("matmul", {{"native", 10}, {"pumice", 25}, {"intel", 30}})), "reach");
  EXPECT_EQ(verdictOf(row("matmul", {{"native", 10}, {"pumice", 25}, {"intel", 50}})), "then");
  EXPECT_EQ(verdictOf(row("matmul", {{"native", 10}, {"pumice", 11}, {"intel", 12}})), "then");
}

TEST(Comparison, ACostIsHeldToATime) {
  EXPECT_EQ(verdictOf(row("barrier", {{"pumice", 9e-6}, {"pocl", 8e-6}})), "then");
  EXPECT_EQ(verdictOf(row("barrier", {{"pumice", 25e-6}})), "reach");
  EXPECT_EQ(verdictOf(row("barrier", {{"pumice", 31e-6}})), "NO");
  EXPECT_EQ(verdictOf(row("submit", {{"native", 1e-4}, {"pumice", 9e-4}})), "then");
}

TEST(Comparison, AWrongResultIsNeverOk) {
  Row wrong = row("scan", {{"native", 1}, {"intel", 2}});
  wrong.wrong["pumice"] = "wrong element 3 is 4, not 5";
  EXPECT_EQ(verdictOf(wrong), "NO");
  std::vector<Measurement> results = measurementsOf({wrong});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_FALSE(results[0].ok());
  EXPECT_EQ(results[0].device, "cpu:0");
  EXPECT_EQ(results[0].note, "pumice: wrong element 3 is 4, not 5");
  std::string text = tableOf({wrong}, {"native", "pumice", "intel"});
  EXPECT_NE(text.find(" wrong "), std::string::npos) << text;
  EXPECT_NE(text.find("pumice: wrong element 3 is 4, not 5"), std::string::npos) << text;
  wrong.wrong["pumice"] = "no compiler";
  EXPECT_NE(tableOf({wrong}, {"native", "pumice"}).find(" failed "), std::string::npos);
}

TEST(Comparison, AWrongPeerDoesNotCount) {
  Row results = row("scan", {{"native", 1}, {"pumice", 1.2}});
  results.wrong["intel"] = "wrong element 3 is 4, not 5";
  EXPECT_EQ(verdictOf(results), "then");
  EXPECT_TRUE(measurementsOf({results})[0].ok());
}

TEST(Comparison, TheJsonHasTheStricterLimit) {
  std::vector<Measurement> results =
      measurementsOf({row("saxpy", {{"native", 10}, {"pumice", 12}, {"intel", 14}}),
                      row("saxpy", {{"native", 10}, {"pumice", 12}, {"intel", 40}}),
                      row("saxpy", {{"native", 10}, {"intel", 40}})});
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].limit, 14);
  EXPECT_EQ(results[1].limit, 16);
  EXPECT_EQ(results[1].peers, (std::map<std::string, double>{{"native", 10}, {"intel", 40}}));
  EXPECT_TRUE(results[1].ok());
  // Without Pumice, the result is native's time, without a limit.
  EXPECT_EQ(results[2].device, "native");
  EXPECT_FALSE(results[2].limit.has_value());
}

TEST(Comparison, TheTableNamesTheFastestPeer) {
  std::string text =
      tableOf({row("saxpy", {{"native", 10}, {"pumice", 12}, {"intel", 24}, {"pocl", 30}})},
              {"native", "pumice", "intel", "pocl"});
  EXPECT_NE(text.find("12.0 ms  1.20  24.0 ms  2.40  30.0 ms  3.00         intel  2.00  reach"),
            std::string::npos)
      << text;
}

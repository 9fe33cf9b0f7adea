//===- StatusTest.cpp - Status and Result -----------------------------------===//
#include "support/Status.h"

#include <gtest/gtest.h>

using namespace pumice;

TEST(Status, SuccessSaysOk) {
  EXPECT_TRUE(Status::ok().isOk());
  EXPECT_EQ(Status::ok().toString(), "ok");
}

TEST(Status, FailureCarriesCodeAndMessage) {
  Status status(StatusCode::InvalidArgument, "buffer 3 holds 12 bytes, 16 are needed");
  EXPECT_FALSE(status.isOk());
  EXPECT_EQ(status.toString(), "invalid argument: buffer 3 holds 12 bytes, 16 are needed");
}

TEST(Status, PlacesReadOutermostFirst) {
  Status status(StatusCode::DataCorrupt, "offset 99 lies beyond the end");
  EXPECT_EQ(std::move(status).at("variant 1").message(),
            "variant 1: offset 99 lies beyond the end");
}

TEST(Result, HoldsValueOrFailure) {
  Result<int> good(7);
  ASSERT_TRUE(good.isOk());
  EXPECT_EQ(*good, 7);
  Result<int> bad(Status(StatusCode::NotFound, "no such triple"));
  ASSERT_FALSE(bad.isOk());
  EXPECT_EQ(bad.status().code(), StatusCode::NotFound);
}

static Status forward(Status status) {
  PUMICE_RETURN_IF_ERROR(std::move(status));
  return Status::ok();
}

TEST(Status, ReturnIfErrorForwardsTheFailure) {
  EXPECT_TRUE(forward(Status::ok()).isOk());
  EXPECT_EQ(forward(Status(StatusCode::DeviceLost, "gone")).code(), StatusCode::DeviceLost);
}

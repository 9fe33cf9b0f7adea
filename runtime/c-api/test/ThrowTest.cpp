//===- ThrowTest.cpp - the C++ layer that throws ----------------------------===//
// This file is compiled with exceptions and PUMICE_THROW. CppTest.cpp is part of the same program
// but is compiled without them, so its failures abort.
//===-------------------------------------------------------------------------===//
#define PUMICE_THROW
#include "pumice/pumice.hpp"

#include <gtest/gtest.h>

namespace {

TEST(Throw, AFailedValueThrowsItsError) {
  try {
    (void)pumice::Device::open("no such device").value();
    FAIL() << "nothing was thrown";
  } catch (const pumice::Error &error) {
    EXPECT_EQ(error.code, PUMICE_NOT_FOUND);
    EXPECT_NE(error.message.find("no such device"), std::string::npos) << error.message;
  }
}

} // namespace

//===- ProgramMemoryTest.cpp - who shares variables of program scope --------===//
#include "runtime/drivers/cpu/ProgramMemory.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace pumice;
using namespace pumice::cpu_driver;
using pumice::executable::NativeAddress;
using pumice::executable::NativeKernelInfo;

namespace {

const uint8_t image[24] = {1, 2, 3};
const NativeAddress addresses[] = {{8, 32}, {16, 1}};

NativeKernelInfo infoOf() {
  return {.version = executable::nativeCodeVersion,
          .programBytes = 128,
          .programImage = image,
          .programImageBytes = sizeof image,
          .programAddresses = addresses,
          .programAddressCount = 2};
}

} // namespace

TEST(ProgramMemory, BeginsAsTheCodeSays) {
  Ref<ProgramMemory> memory = programMemory(nullptr, infoOf()).value();
  auto *bytes = static_cast<uint8_t *>(memory->address());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes) % 64, 0u);
  EXPECT_EQ(std::memcmp(bytes, image, 8), 0);
  for (const NativeAddress &address : addresses) {
    uint64_t found = 0;
    std::memcpy(&found, bytes + address.offset, sizeof found);
    EXPECT_EQ(found, reinterpret_cast<uintptr_t>(bytes) + address.target);
  }
  for (size_t i = sizeof image; i < 128; ++i)
    EXPECT_EQ(bytes[i], 0) << i;
}

TEST(ProgramMemory, OneForAScope) {
  auto scope = makeRef<hal::ProgramScope>(), other = makeRef<hal::ProgramScope>();
  Ref<ProgramMemory> one = programMemory(scope.get(), infoOf()).value();
  *static_cast<uint8_t *>(one->address()) = 77;
  // Another kernel's code has equal variables, but describes them with tables at other addresses.
  uint8_t copy[sizeof image];
  std::memcpy(copy, image, sizeof image);
  NativeKernelInfo again = infoOf();
  again.programImage = copy;
  EXPECT_EQ(programMemory(scope.get(), again).value()->address(), one->address());
  EXPECT_EQ(*static_cast<uint8_t *>(one->address()), 77);
  EXPECT_NE(programMemory(other.get(), infoOf()).value()->address(), one->address());
  EXPECT_NE(programMemory(nullptr, infoOf()).value()->address(), one->address());
  // A specialization constant changed the variables' initial values, so they belong to another
  // program.
  copy[1] = 9;
  EXPECT_NE(programMemory(scope.get(), again).value()->address(), one->address());
}

TEST(ProgramMemory, NothingIsAllocatedForCodeWithoutVariables) {
  NativeKernelInfo info = infoOf();
  info.programBytes = 0;
  EXPECT_EQ(programMemory(nullptr, info).value().get(), nullptr);
  info = infoOf();
  info.version = executable::oldestNativeCode;
  EXPECT_EQ(programMemory(nullptr, info).value().get(), nullptr);
}

//===- KernelLimitsTest.cpp - code that a kernel's layout does not serve ----===//
// Tests false claims of damaged or hostile executables about their code, because drivers crash on
// them. The conformance suite tests that the limits of devices hold.
//===-------------------------------------------------------------------------===//
#include "runtime/hal/KernelLimits.h"

#include "runtime/hal/kernels/Saxpy.comp.h"
#include "runtime/hal/kernels/TwoSets.comp.h"

#include <gtest/gtest.h>

using namespace pumice;
using namespace pumice::hal;

namespace {

template <size_t words>
Status ask(const uint32_t (&code)[words], std::vector<BindingSlot> bindings, uint32_t pushBytes) {
  KernelSource source;
  source.code = {reinterpret_cast<const uint8_t *>(code), words * 4};
  source.symbol = "main";
  source.bindings = std::move(bindings);
  source.pushConstantBytes = pushBytes;
  return meetsLimits({}, source);
}

TEST(KernelLayout, MayHaveMoreThanTheCodeUses) {
  Status all = ask(saxpySpirv, {{0, 0}, {0, 1}, {0, 7}}, 16);
  EXPECT_TRUE(all.isOk()) << all.message();
  all = ask(twoSetsSpirv, {{0, 1, true}, {2, 0}}, 0);
  EXPECT_TRUE(all.isOk()) << all.message();
}

TEST(KernelLayout, LacksADescriptor) {
  Status status = ask(saxpySpirv, {{0, 0}}, 8);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(status.message(),
            "the code uses storage buffer 'Y' at set 0 binding 1, but its interface has none");
}

TEST(KernelLayout, HasADescriptorOfAnotherKind) {
  EXPECT_EQ(ask(twoSetsSpirv, {{0, 1}, {2, 0}}, 0).message(),
            "the code uses uniform buffer 'Scale' at set 0 binding 1, but its interface has a "
            "storage buffer");
  EXPECT_EQ(ask(twoSetsSpirv, {{0, 1, true}, {2, 0, true}}, 0).message(),
            "the code uses storage buffer 'Values' at set 2 binding 0, but its interface has a "
            "uniform buffer");
}

TEST(KernelLayout, LacksPushConstants) {
  EXPECT_EQ(ask(saxpySpirv, {{0, 0}, {0, 1}}, 4).message(),
            "the code has 8 bytes of push constants; its interface has 4");
}

} // namespace

//===- FixWorkgroupCountTest.cpp - modules with a fixed grid size -----------===//
// ExecutionTest.cpp runs such modules on devices.
//===-------------------------------------------------------------------------===//
#include "runtime/drivers/vulkan/FixWorkgroupCount.h"

#include "executable/SpirvWords.h"

#include <gtest/gtest.h>

#include <cstring>

namespace pumice::vulkan {
namespace {

using namespace pumice::executable::spirv;

/// Builds a module whose kernel contains the given instructions. The names below are the ids of the
/// module.
class Module {
public:
  enum : uint32_t { Word = 1, Three, In, InWord, Grid, Zero, Void, Signature, Main, Label, Free };

  explicit Module(uint32_t bits = 32) {
    // The entry point is named "main". Its interface lists the variable.
    add(OpEntryPoint, {modelGLCompute, Main, 0x6e69616d, 0, Grid});
    add(OpName, {Grid, 0x64697267, 0});
    add(OpDecorate, {Grid, BuiltIn, builtInNumWorkgroups});
    add(OpTypeInt, {Word, bits, 0});
    add(OpTypeVector, {Three, Word, 3});
    add(OpTypePointer, {In, 1, Three});
    add(OpTypePointer, {InWord, 1, Word});
    add(OpVariable, {In, Grid, 1});
    add(OpConstant, {Word, Zero, 5}); // the number 5 is also the variable's id
    add(OpTypeVoid, {Void});
    add(OpTypeFunction, {Signature, Void});
    add(OpFunction, {Void, Main, 0, Signature});
    add(OpLabel, {Label});
  }
  Module &add(uint32_t opcode, std::vector<uint32_t> operands) {
    words.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | opcode);
    words.insert(words.end(), operands.begin(), operands.end());
    return *this;
  }
  Result<FixedWorkgroupCount> fix() {
    add(253 /* OpReturn */, {});
    add(OpFunctionEnd, {});
    return fixWorkgroupCount(
        {reinterpret_cast<const uint8_t *>(words.data()), words.size() * sizeof(uint32_t)});
  }

private:
  std::vector<uint32_t> words{0x07230203, 0x00010300, 0, Free + 10, 0};
};

/// Returns the instructions as text: "71 20 1 0".
std::string textOf(const std::vector<uint32_t> &words) {
  std::string text;
  for (size_t at = 5; at < words.size();) {
    size_t count = words[at] >> 16;
    text += std::to_string(words[at] & 0xffff);
    for (size_t i = 1; i < count; ++i)
      text += " " + std::to_string(words[at + i]);
    text += "\n";
    at += count;
  }
  return text;
}

TEST(FixWorkgroupCount, LoadsTakeConstants) {
  Module module;
  module.add(OpLoad, {Module::Three, Module::Free, Module::Grid})
      .add(OpCopyObject, {Module::In, Module::Free + 1, Module::Grid})
      .add(OpAccessChain, {Module::InWord, Module::Free + 2, Module::Free + 1, Module::Zero})
      .add(OpLoad, {Module::Word, Module::Free + 3, Module::Free + 2, 0});
  Result<FixedWorkgroupCount> fixed = module.fix();
  ASSERT_TRUE(fixed.isOk()) << fixed.status().toString();
  EXPECT_EQ(fixed->firstSpecId, 0u);
  EXPECT_EQ(fixed->words[3], 25u);                        // original ids are below 21
  EXPECT_EQ(textOf(fixed->words), "15 5 9 1852399981 0\n" // the variable is gone
                                  "71 21 1 0\n71 22 1 1\n71 23 1 2\n"
                                  "21 1 32 0\n23 2 1 3\n32 3 1 2\n32 4 1 1\n"
                                  "50 1 21 1\n50 1 22 1\n50 1 23 1\n51 2 24 21 22 23\n"
                                  "43 1 6 5\n19 7\n33 8 7\n54 7 9 0 8\n248 10\n"
                                  "83 2 11 24\n" // replaces the load of the whole vector
                                  "77 1 14 24 6\n"
                                  "253\n56\n");
}

TEST(FixWorkgroupCount, SpecIdsComeAfterTheModules) {
  Module module;
  module.add(OpDecorate, {Module::Zero, SpecId, 41});
  Result<FixedWorkgroupCount> fixed = module.fix();
  ASSERT_TRUE(fixed.isOk());
  EXPECT_EQ(fixed->firstSpecId, 42u);
  Module full;
  full.add(OpDecorate, {Module::Zero, SpecId, UINT32_MAX - 3});
  EXPECT_EQ(full.fix().status().code(), StatusCode::Unsupported);
}

TEST(FixWorkgroupCount, OtherUsesAreRefused) {
  auto refused = [](Module module, const char *why) {
    Status status = module.fix().status();
    EXPECT_EQ(status.code(), StatusCode::Unsupported) << status.toString();
    EXPECT_NE(status.message().find(why), std::string::npos) << status.message();
  };
  refused(Module().add(OpCopyMemory, {Module::Free, Module::Grid}), "names NumWorkgroups");
  refused(Module().add(OpFunctionCall, {Module::Void, Module::Free, Module::Main, Module::Grid}),
          "names NumWorkgroups");
  refused(Module().add(OpExtInst, {Module::Void, Module::Free, Module::Main, 3, Module::Grid}),
          "names NumWorkgroups");
  refused(Module().add(OpAccessChain, {Module::InWord, Module::Free, Module::Grid}),
          "goes too far into NumWorkgroups");
  refused(Module(64), "gives another type to NumWorkgroups");
}

TEST(FixWorkgroupCount, InvalidModulesAreRejected) {
  const uint8_t bytes[20] = {1, 2, 3};
  EXPECT_EQ(fixWorkgroupCount(bytes).status().code(), StatusCode::DataCorrupt);
}

} // namespace
} // namespace pumice::vulkan

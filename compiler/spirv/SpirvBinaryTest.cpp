//===- SpirvBinaryTest.cpp - small edits of a serialized module -------------===//
#include "compiler/spirv/SpirvBinary.h"
#include "executable/SpirvWords.h"

#include <gtest/gtest.h>

#include <algorithm>

using pumice::spirv::SpirvBinary;
using namespace pumice::executable::spirv; // for the numbers of opcodes

namespace {

void add(std::vector<uint32_t> &words, uint32_t opcode, std::vector<uint32_t> operands) {
  words.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | opcode);
  words.insert(words.end(), operands.begin(), operands.end());
}

/// Returns a module with `uint m[1024]` and `uint n[1024]` in workgroup memory, which share an
/// array type.
std::vector<uint32_t> twoArrays() {
  std::vector<uint32_t> words = {0x07230203, 0x00010300, 0, 10, 0};
  add(words, OpName, {5, 'm'});
  add(words, OpName, {6, 'n'});
  add(words, OpTypeInt, {1, 32, 0});
  add(words, OpConstant, {1, 2, 1024});
  add(words, OpTypeArray, {3, 1, 2});
  add(words, OpTypePointer, {4, /*Workgroup*/ 4, 3});
  add(words, OpVariable, {4, 5, 4});
  add(words, OpVariable, {4, 6, 4});
  return words;
}

/// Returns the operands of every instruction with `opcode`, in order.
std::vector<std::vector<uint32_t>> all(const std::vector<uint32_t> &words, uint32_t opcode) {
  std::vector<std::vector<uint32_t>> found;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16)
    if ((words[at] & 0xffff) == opcode)
      found.emplace_back(words.begin() + at + 1, words.begin() + at + (words[at] >> 16));
  return found;
}

} // namespace

TEST(SpirvBinary, FindsIdsByTheirWholeName) {
  SpirvBinary binary(twoArrays());
  EXPECT_EQ(binary.idOf("m"), 5u);
  EXPECT_EQ(binary.idOf("n"), 6u);
  EXPECT_EQ(binary.idOf("mm"), std::nullopt);
  EXPECT_EQ(binary.idOf(""), std::nullopt);
}

TEST(SpirvBinary, DecoratesBeforeTheFirstType) {
  SpirvBinary binary(twoArrays());
  binary.decorateWorkgroupSize(2);
  std::vector<uint32_t> words = std::move(binary).take();
  auto decorations = all(words, OpDecorate);
  ASSERT_EQ(decorations.size(), 1u);
  EXPECT_EQ(decorations[0], (std::vector<uint32_t>{2, 11, 25}));
  auto decoration = std::find(words.begin(), words.end(), 4u << 16 | OpDecorate);
  auto type = std::find(words.begin(), words.end(), 4u << 16 | OpTypeInt);
  EXPECT_LT(decoration, type);
}

TEST(SpirvBinary, SpecializesOneOfTwoArraysOfTheSameType) {
  SpirvBinary binary(twoArrays());
  ASSERT_TRUE(binary.specializeArrayLength(5, 3));
  std::vector<uint32_t> words = std::move(binary).take();
  auto constants = all(words, OpSpecConstant);
  ASSERT_EQ(constants.size(), 1u);
  EXPECT_EQ(constants[0][2], 1024u);
  EXPECT_EQ(all(words, OpDecorate)[0], (std::vector<uint32_t>{constants[0][1], 1, 3}));
  auto variables = all(words, OpVariable);
  EXPECT_NE(variables[0][0], 4u) << "m has a type of its own now";
  EXPECT_EQ(variables[1][0], 4u) << "n keeps its type";
  EXPECT_GT(words[3], 12u) << "the bound covers the new ids";
}

TEST(SpirvBinary, ReadsTheClocksOfAScope) {
  constexpr uint32_t uConvert = 113, readClock = 5056;
  std::vector<uint32_t> words = {0x07230203, 0x10500, 0, 20, 0};
  auto add = [&](uint32_t opcode, std::vector<uint32_t> operands) {
    words.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | opcode);
    words.insert(words.end(), operands.begin(), operands.end());
  };
  add(OpSpecConstant, {1, 7, 1}); // the scope
  add(OpSpecConstant, {1, 8, 5}); // another constant
  add(uConvert, {2, 9, 7});
  add(uConvert, {2, 10, 8});
  SpirvBinary binary(std::move(words));
  binary.readClocks(7);
  std::vector<uint32_t> edited = std::move(binary).take();
  EXPECT_EQ(all(edited, OpConstant)[0], (std::vector<uint32_t>{1, 7, 1}));
  EXPECT_EQ(all(edited, OpSpecConstant)[0], (std::vector<uint32_t>{1, 8, 5}));
  EXPECT_EQ(all(edited, readClock)[0], (std::vector<uint32_t>{2, 9, 7}));
  EXPECT_EQ(all(edited, uConvert)[0], (std::vector<uint32_t>{2, 10, 8}));
}

TEST(SpirvBinary, RejectsTypesOtherThanArrays) {
  SpirvBinary binary(twoArrays());
  EXPECT_FALSE(binary.specializeArrayLength(1, 3));
  EXPECT_FALSE(binary.specializeArrayLength(99, 3));
}

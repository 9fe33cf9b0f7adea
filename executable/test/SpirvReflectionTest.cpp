//===- SpirvReflectionTest.cpp - what modules say, and broken ones ----------===//
// The modules are in test/spirv. Their sources are next to them, with the command that made each
// module.
//===-------------------------------------------------------------------------===//
#include "executable/SpirvConstants.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

using namespace pumice;
using namespace pumice::executable;

namespace {
std::vector<uint8_t> load(const std::string &name) {
  std::ifstream stream(std::filesystem::path(PUMICE_SPIRV_SAMPLES) / name, std::ios::binary);
  EXPECT_TRUE(stream) << name;
  return {std::istreambuf_iterator<char>(stream), {}};
}

SpirvModule reflect(const std::string &name) {
  auto module = reflectSpirv(load(name));
  EXPECT_TRUE(module.isOk()) << module.status().toString();
  return module.isOk() ? *module : SpirvModule();
}

std::string dimensions(const SpirvMember &member) {
  std::string text = typeName(member.scalar, member.bytes) + "@" + std::to_string(member.offset);
  for (const SpirvDimension &d : member.dimensions)
    text += (d.isVector ? "<" : "[") + std::to_string(d.count) + ":" + std::to_string(d.stride) +
            (d.isVector ? ">" : "]");
  return member.name + " " + text;
}

std::vector<std::string> list(const SpirvBlock &block) {
  std::vector<std::string> lines;
  for (const SpirvMember &member : block.members)
    lines.push_back(dimensions(member));
  return lines;
}

using Lines = std::vector<std::string>;

TEST(SpirvReflection, Blocks) {
  SpirvModule module = reflect("blocks.spv");
  ASSERT_EQ(module.entryPoints.size(), 1u);
  const SpirvEntryPoint &entry = module.entryPoints[0];
  EXPECT_EQ(entry.name, "main");
  EXPECT_EQ(entry.model, 5u);
  EXPECT_TRUE(entry.readsNumWorkgroups);
  EXPECT_EQ(entry.workgroupSize, (std::array<uint32_t, 3>{1, 2, 1}));
  EXPECT_EQ(entry.workgroupSizeSpecIds, (std::array<uint32_t, 3>{3, noSpecId, noSpecId}));
  EXPECT_FALSE(module.physicalAddresses);

  ASSERT_EQ(entry.descriptors.size(), 3u); // descriptors that no function uses are missing
  const SpirvDescriptor &x = entry.descriptors[0], &u = entry.descriptors[1],
                        &y = entry.descriptors[2];
  EXPECT_EQ(x.kind, DescriptorKind::StorageBuffer);
  EXPECT_EQ(x.access, Access::Read);
  EXPECT_EQ(x.block.bytes, 4u);
  EXPECT_EQ(x.block.runtimeStride, 4u);
  EXPECT_EQ(list(x.block), (Lines{"count u32@0", "x f32@4[0:4]"}));
  EXPECT_EQ(u.kind, DescriptorKind::UniformBuffer);
  EXPECT_EQ(u.binding, 1u);
  EXPECT_EQ(list(u.block),
            (Lines{"rotation f32@0[3:16]<3:4>", "rows f32@48[2:4][4:16]",
                   "inner.position f32@112[2:16]<3:4>", "inner.weight f32@124[2:16]"}));
  EXPECT_EQ(u.block.bytes, 144u);
  EXPECT_EQ(y.set, 1u);
  EXPECT_EQ(y.binding, 2u);
  EXPECT_EQ(y.access, Access::Write);
  EXPECT_EQ(y.block.name, "result");

  EXPECT_TRUE(entry.hasPushConstants);
  EXPECT_EQ(entry.pushConstants.bytes, 28u);
  EXPECT_EQ(list(entry.pushConstants),
            (Lines{"factor f32@0", "size i32@8<2:4>", "weights f32@16[3:4]"}));

  ASSERT_EQ(module.specConstants.size(), 3u);
  EXPECT_EQ(module.specConstants[0].id, 1u);
  EXPECT_EQ(module.specConstants[0].name, "offset");
  EXPECT_EQ(module.specConstants[0].scalar, SpirvScalar::Float);
  EXPECT_EQ(module.specConstants[0].defaultBits, 0x3f000000u);
  EXPECT_EQ(module.specConstants[1].id, 3u);
  EXPECT_EQ(module.specConstants[2].scalar, SpirvScalar::Bool);
  EXPECT_EQ(module.specConstants[2].defaultBits, 1u);
}

TEST(SpirvReflection, Addresses) {
  SpirvModule module = reflect("addresses.spv");
  EXPECT_TRUE(module.physicalAddresses);
  EXPECT_EQ(module.versionMinor, 5u);
  ASSERT_EQ(module.entryPoints.size(), 1u);
  EXPECT_TRUE(module.entryPoints[0].descriptors.empty());
  EXPECT_EQ(list(module.entryPoints[0].pushConstants), (Lines{"addend i32@0", "first address@8"}));
  EXPECT_EQ(module.entryPoints[0].pushConstants.bytes, 16u);
}

TEST(SpirvReflection, OpenClArguments) {
  SpirvModule module = reflect("kernels.spv");
  EXPECT_TRUE(module.openCl);
  ASSERT_EQ(module.entryPoints.size(), 2u);
  const SpirvEntryPoint &entry = module.entryPoints[0];
  EXPECT_EQ(entry.model, 6u);
  EXPECT_EQ(entry.workgroupSize, (std::array<uint32_t, 3>{0, 0, 0}));
  EXPECT_EQ(module.entryPoints[1].workgroupSize, (std::array<uint32_t, 3>{4, 2, 1}));
  EXPECT_EQ(entry.pushConstants.bytes, 100u);
  EXPECT_EQ(list(entry.pushConstants),
            (Lines{"x address@0", "c u8@8", "t workgroup memory@16", "v f32@32<3:4>",
                   "record[0] u8@48", "record[1] f32@64<3:4>", "record[2][0] u16@80[2:2]",
                   "record[2][1] f64@88", "last f32@96"}));
  ASSERT_EQ(entry.parameters.size(), 6u);
  EXPECT_EQ(entry.parameters[4], (SpirvParameter{"record", 4, 4, "", 48, 48}));
  // A vector of three has the size of four.
  EXPECT_EQ(entry.parameters[3], (SpirvParameter{"v", 3, 1, "", 32, 16}));
}

TEST(SpirvReflection, OtherDescriptors) {
  SpirvModule module = reflect("images.spv");
  ASSERT_EQ(module.entryPoints.size(), 1u);
  const std::vector<SpirvDescriptor> &found = module.entryPoints[0].descriptors;
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(toString(found[0].kind), "storage image");
  EXPECT_EQ(found[0].block.name, "picture");
  EXPECT_EQ(toString(found[1].kind), "combined image sampler");
  EXPECT_EQ(toString(found[2].kind), "storage texel buffer");
  EXPECT_EQ(found[3].kind, DescriptorKind::StorageBuffer);
  EXPECT_EQ(found[3].count, 4u);
}

TEST(SpirvReflection, EntryPointsListOnlyUsedVariables) {
  SpirvModule module = reflect("entries.spv");
  EXPECT_EQ(module.extensions, (Lines{"SPV_KHR_storage_buffer_storage_class"}));
  ASSERT_EQ(module.entryPoints.size(), 2u);
  const SpirvEntryPoint &first = module.entryPoints[0], &second = module.entryPoints[1];
  ASSERT_EQ(first.descriptors.size(), 2u);
  EXPECT_EQ(first.workgroupSize, (std::array<uint32_t, 3>{32, 1, 1}));
  EXPECT_EQ(first.workgroupSizeSpecIds[0], 4u);
  EXPECT_EQ(first.interface.size(), 2u);
  ASSERT_EQ(second.descriptors.size(), 1u); // a function that the entry point calls uses it
  EXPECT_EQ(second.descriptors[0].set, 2u); // the set comes from a decoration group
  EXPECT_EQ(second.descriptors[0].binding, 1u);
  EXPECT_EQ(second.descriptors[0].access, Access::Read);
  EXPECT_EQ(second.descriptors[0].block.bytes, 128u);
  EXPECT_EQ(second.workgroupSize[0], 4u);
}

SpirvEntryPoint specialized(const std::string &name,
                            const std::vector<SpirvConstantValue> &constants) {
  auto module = reflectSpirv(load(name), {}, constants);
  EXPECT_TRUE(module.isOk() && module->entryPoints.size() == 1) << module.status().toString();
  return module.isOk() ? module->entryPoints[0] : SpirvEntryPoint();
}

TEST(SpirvReflection, WorkgroupsAreAsConstantsMakeThem) {
  // The entry point has four arrays, and no function uses the last one.
  SpirvEntryPoint entry = specialized("workgroup.spv", {});
  EXPECT_EQ(entry.workgroupSize, (std::array<uint32_t, 3>{1, 2, 1}));
  EXPECT_EQ(entry.workgroupMemoryBytes, (9u + 2 * 12) * 4 + 8 * 16);
  EXPECT_EQ(entry.openWorkgroupMemoryBytes, (9u + 2 * 12) * 4);
  entry = specialized("workgroup.spv", {{3, 16}, {1, 10}, {2, 1}});
  EXPECT_EQ(entry.workgroupSize, (std::array<uint32_t, 3>{16, 2, 1}));
  EXPECT_EQ(entry.workgroupMemoryBytes, (21u * 16 + 10 * 12) * 4 + 8 * 16);
  entry = specialized("workgroup.spv", {{3, 0x1'0000'0010}, {1, 0x2'0000'0000}});
  EXPECT_EQ(entry.workgroupSize[0], 16u) << "bits above the type are left out";
  EXPECT_EQ(entry.openWorkgroupMemoryBytes, (16u + 2 * 12) * 4);
  entry = specialized("workgroup.spv", {{3, UINT32_MAX}, {1, INT32_MAX / 2}});
  EXPECT_GT(entry.workgroupMemoryBytes, uint64_t{1} << 48);
  EXPECT_EQ(specialized("blocks.spv", {{3, 7}}).workgroupSize[0], 7u);
  SpirvModule module = reflect("workgroup.spv");
  EXPECT_FALSE(module.emptyArray);
}

TEST(SpirvReflection, BlocksOfWorkgroupMemoryShareIt) {
  EXPECT_EQ(specialized("sharedblocks.spv", {}).workgroupMemoryBytes, 80u);
  EXPECT_EQ(specialized("sharedblocks.spv", {}).openWorkgroupMemoryBytes, 0u);
}

TEST(SpirvReflection, EmptyArraysAreReported) {
  auto emptyOf = [](std::vector<SpirvConstantValue> constants) {
    auto module = reflectSpirv(load("workgroup.spv"), {}, constants);
    EXPECT_TRUE(module.isOk() && module->emptyArray);
    return module.isOk() && module->emptyArray ? *module->emptyArray : SpirvEmptyArray();
  };
  EXPECT_EQ(emptyOf({{3, 0}}).specId, 3u);
  EXPECT_EQ(emptyOf({{3, 0}}).length, 0);
  EXPECT_EQ(emptyOf({{1, 0xfffffff8}}).specId, 1u);
  EXPECT_EQ(emptyOf({{1, 0xfffffff8}}).length, -15);
}

/// Tests each operation that can make constants. A case is {opcode, operands}, all of 32 bits.
TEST(SpirvConstants, Operations) {
  auto of = [](uint32_t opcode, std::vector<uint32_t> values, bool isSigned = true) {
    std::vector<SpirvConstant> operands;
    for (uint32_t value : values)
      operands.push_back({value, 4, isSigned});
    auto made = evaluate(opcode, operands, {.bytes = 4, .isSigned = isSigned});
    return made ? made->number() : INT64_MIN;
  };
  const uint32_t minus7 = 0xfffffff9;
  EXPECT_EQ(of(128, {3, minus7}), -4);
  EXPECT_EQ(of(130, {3, 5}, false), 0xfffffffe);
  EXPECT_EQ(of(132, {0x10000, 0x10001}), 0x10000);
  EXPECT_EQ(of(134, {minus7, 2}, false), 0x7ffffffc);
  EXPECT_EQ(of(135, {minus7, 2}), -3);
  EXPECT_EQ(of(137, {9, 4}), 1);
  EXPECT_EQ(of(138, {minus7, 4}), -3);
  EXPECT_EQ(of(139, {minus7, 4}), 1);
  EXPECT_EQ(of(139, {7, static_cast<uint32_t>(-4)}), -1);
  EXPECT_EQ(of(126, {7}), -7);
  EXPECT_EQ(of(200, {0}), -1);
  EXPECT_EQ(of(168, {0}), 1);
  EXPECT_EQ(of(169, {1, 5, 6}), 5);
  EXPECT_EQ(of(169, {0, 5, 6}), 6);
  EXPECT_EQ(of(172, {minus7, 1}), 1);
  EXPECT_EQ(of(173, {minus7, 1}), 0);
  EXPECT_EQ(of(179, {minus7, minus7}), 1);
  EXPECT_EQ(of(194, {minus7, 28}), 15);
  EXPECT_EQ(of(195, {minus7, 1}), -4);
  EXPECT_EQ(of(196, {3, 4}), 48);
  EXPECT_EQ(of(197, {5, 2}), 7);
  EXPECT_EQ(of(198, {5, 4}), 1);
  EXPECT_EQ(of(199, {5, 4}), 4);
  for (uint32_t division : {134, 135, 137, 138, 139})
    EXPECT_EQ(of(division, {1, 0}), INT64_MIN) << "has no result";
  EXPECT_EQ(of(196, {1, 64}), INT64_MIN);
  EXPECT_EQ(of(129, {1, 1}), INT64_MIN) << "of floats";
  EXPECT_EQ((SpirvConstant{.bits = 0, .bytes = 0, .isSigned = true}.number()), 0);
  // Conversions go from one width to another.
  auto widened = [](uint32_t opcode) {
    const SpirvConstant from[] = {{0xf9, 1, true}};
    return evaluate(opcode, from, {.bytes = 8, .isSigned = true})->number();
  };
  EXPECT_EQ(widened(113), 0xf9);
  EXPECT_EQ(widened(114), -7);
}

std::vector<uint8_t> bytesOf(const std::vector<uint32_t> &words) {
  std::vector<uint8_t> bytes;
  for (uint32_t word : words)
    for (int shift = 0; shift < 32; shift += 8)
      bytes.push_back(uint8_t(word >> shift));
  return bytes;
}

TEST(SpirvReflection, ErrorsNameThePlace) {
  auto error = [&](const std::vector<uint32_t> &words) {
    return reflectSpirv(bytesOf(words), FieldPath::input("kernel.spv")).status().message();
  };
  EXPECT_NE(error({1, 2, 3}).find(
                "kernel.spv: SPIR-V size must be a multiple of 4 bytes and at least 20, got 12"),
            std::string::npos);
  EXPECT_NE(error({0x07230203, 0x20000, 0, 1, 0}).find("SPIR-V version 2.0 is unsupported"),
            std::string::npos);
  EXPECT_NE(error({0x07230203, 0x10000, 0, 9, 0, 2u << 16 | 20, 1, 2u << 16 | 20, 1})
                .find("the SPIR-V instruction at word 7 defines id 1 a second time"),
            std::string::npos);
  EXPECT_NE(error({0x07230203, 0x10000, 0, 9, 0, 2u << 16 | 10, 0x41414141})
                .find("the extension's name at word 6 has no terminating zero"),
            std::string::npos);
  EXPECT_EQ(reflectSpirv(bytesOf({1, 2, 3})).status().message(),
            "SPIR-V size must be a multiple of 4 bytes and at least 20, got 12");
}

/// Two variables that alias one binding are one descriptor.
TEST(SpirvReflection, AliasedDescriptors) {
  SpirvModule module = reflect("aliases.spv");
  ASSERT_EQ(module.entryPoints.size(), 1u);
  const std::vector<SpirvDescriptor> &found = module.entryPoints[0].descriptors;
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].binding, 0u);
  EXPECT_EQ(found[0].access, Access::ReadWrite); // one variable is read, the other is written
  EXPECT_EQ(list(found[0].block), (Lines{"f f32@0[0:4]", "head u32@0", "i u32@4[0:4]"}));
  EXPECT_EQ(found[0].block.bytes, 4u);
  EXPECT_EQ(found[1].binding, 1u);
  // Both variables have the same member.
  EXPECT_EQ(list(found[1].block), (Lines{"same f32@0[0:4]"}));
  EXPECT_EQ(found[1].access, Access::ReadWrite);
}

/// A literal that happens to equal a variable's id is not a use of the variable.
TEST(SpirvReflection, LiteralsAreNotTakenForIds) {
  std::vector<uint32_t> words{0x07230203, 0x10000, 0, 1000, 0};
  words.insert(words.end(), {5u << 16 | 15, 5, 200, 'm', 4}); // OpEntryPoint "m"
  for (uint32_t variable : {3u, 4u})
    words.insert(words.end(), {4u << 16 | 71, variable, 33, variable});         // its binding
  words.insert(words.end(), {4u << 16 | 21, 10, 32, 0, 3u << 16 | 30, 11, 10}); // u32, a struct
  words.insert(words.end(), {4u << 16 | 32, 100, 12, 11});
  for (uint32_t variable : {3u, 4u})
    words.insert(words.end(), {4u << 16 | 59, 100, variable, 12});
  words.insert(words.end(), {5u << 16 | 54, 101, 200, 0, 102});
  words.insert(words.end(), {8u << 16 | 4457, 20, 300, 4, 21, 22, 3, 3});  // loads a matrix
  words.insert(words.end(), {7u << 16 | 4459, 20, 301, 300, 300, 300, 3}); // multiplies matrices
  words.insert(words.end(), {7u << 16 | 4458, 4, 301, 21, 22, 3, 3});      // stores a matrix
  words.insert(words.end(), {7u << 16 | 349, 10, 302, 21, 3, 301, 22});    // a clustered sum
  words.insert(words.end(), {6u << 16 | 342, 10, 303, 21, 3, 302});        // counts a ballot
  words.insert(words.end(), {6u << 16 | 264, 10, 304, 21, 3, 302});        // OpenCL's sum
  words.insert(words.end(), {6u << 16 | 4450, 10, 305, 302, 303, 3});      // a dot product of bytes
  words.insert(words.end(), {5u << 16 | 63, 4, 4, 3, 3});                  // copies memory
  words.insert(words.end(), {3u << 16 | 256, 306, 3});                     // OpLifetimeStart
  words.insert(words.end(), {1u << 16 | 253, 1u << 16 | 56});
  auto module = reflectSpirv(bytesOf(words));
  ASSERT_TRUE(module.isOk()) << module.status().toString();
  ASSERT_EQ(module->entryPoints[0].descriptors.size(), 1u);
  EXPECT_EQ(module->entryPoints[0].descriptors[0].binding, 4u);
}

/// Nested structs of 64 members each describe more members than fit in any memory.
TEST(SpirvReflection, NestingIsBounded) {
  std::vector<uint32_t> words{0x07230203, 0x10000, 0, 1000, 0};
  words.insert(words.end(), {5u << 16 | 15, 5, 200, 'm', 201}); // OpEntryPoint "m"
  words.insert(words.end(), {4u << 16 | 71, 201, 33, 0});       // a binding
  words.insert(words.end(), {2u << 16 | 30, 1});                // an empty struct
  for (uint32_t id = 2; id < 40; ++id) {
    words.insert(words.end(), {(2u + 64) << 16 | 30, id});
    words.insert(words.end(), 64, id - 1);
  }
  words.insert(words.end(), {4u << 16 | 32, 100, 12, 39, 4u << 16 | 59, 100, 201, 12});
  words.insert(words.end(), {5u << 16 | 54, 101, 200, 0, 102, 4u << 16 | 61, 103, 104, 201});
  words.insert(words.end(), {1u << 16 | 56});
  auto module = reflectSpirv(bytesOf(words));
  ASSERT_TRUE(module.isOk()) << module.status().toString();
  ASSERT_EQ(module->entryPoints[0].descriptors.size(), 1u);
  EXPECT_LE(module->entryPoints[0].descriptors[0].block.members.size(), size_t{1} << 16);
}

/// Matrix instructions have literals, for example flags of signed operands. A literal is not a use
/// of the variable whose id is the same number.
TEST(SpirvReflection, LiteralsAreNotTakenForUses) {
  constexpr uint32_t variable = 15, mulAdd = 4459, load = 4457, store = 4458;
  auto uses = [](std::vector<uint32_t> instruction) {
    std::vector<uint32_t> words{0x07230203, 0x10600, 0, 1000, 0};
    words.insert(words.end(), {5u << 16 | 15, 5, 200, 'm', variable}); // OpEntryPoint "m"
    words.insert(words.end(), {4u << 16 | 71, variable, 33, 0});       // a binding
    words.insert(words.end(), {3u << 16 | 22, 1, 32, 3u << 16 | 30, 2, 1});
    words.insert(words.end(), {4u << 16 | 32, 100, 12, 2, 4u << 16 | 59, 100, variable, 12});
    words.insert(words.end(), {5u << 16 | 54, 101, 200, 0, 102});
    words.insert(words.end(), instruction.begin(), instruction.end());
    words.insert(words.end(), {1u << 16 | 56});
    auto module = reflectSpirv(bytesOf(words));
    EXPECT_TRUE(module.isOk()) << module.status().toString();
    return module.isOk() ? module->entryPoints[0].descriptors.size() : 99;
  };
  EXPECT_EQ(uses({7u << 16 | mulAdd, 300, 301, 302, 303, 304, variable}), 0u);
  EXPECT_EQ(uses({7u << 16 | load, 300, 301, 302, 303, 304, variable}), 0u);
  EXPECT_EQ(uses({7u << 16 | load, 300, 301, variable, 303, 304, 0}), 1u);
  EXPECT_EQ(uses({6u << 16 | store, 302, 301, 303, 304, variable}), 0u);
  EXPECT_EQ(uses({6u << 16 | store, variable, 301, 303, 304, 0}), 1u);
}

TEST(SpirvReflection, BrokenModulesAreErrorsOrModules) {
  size_t refused = 0, accepted = 0;
  auto tryOne = [&](std::span<const uint8_t> bytes) {
    auto module = reflectSpirv(bytes);
    ++(module.isOk() ? accepted : refused);
    if (!module.isOk()) {
      EXPECT_FALSE(module.status().message().empty());
    }
  };
  for (const char *name : {"blocks.spv", "addresses.spv", "images.spv", "entries.spv",
                           "kernels.spv", "workgroup.spv", "sharedblocks.spv"}) {
    std::vector<uint8_t> good = load(name);
    for (size_t length = 0; length < good.size(); ++length)
      tryOne(std::span(good).first(length));
    for (size_t bit = 0; bit < good.size() * 8; ++bit) {
      std::vector<uint8_t> bad = good;
      bad[bit / 8] ^= uint8_t(1u << bit % 8);
      tryOne(bad);
    }
    std::mt19937 random(7);
    for (int round = 0; round < 500; ++round) {
      std::vector<uint8_t> bad = good;
      for (int change = 0; change < 8; ++change)
        bad[random() % bad.size()] = uint8_t(random());
      tryOne(bad);
    }
  }
  EXPECT_GT(refused, 0u);
  EXPECT_GT(accepted, 0u);
}
} // namespace

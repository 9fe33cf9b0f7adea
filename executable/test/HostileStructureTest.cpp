//===- HostileStructureTest.cpp - files that are no well-formed FlatBuffers -===//
// Overwrites bytes of a valid file at places that the generated accessors find. Then corrects the
// size and the checksums, so that the reader can reject only the flaw itself.
//===-------------------------------------------------------------------------===//
#include "executable/Checksums.h"
#include "executable/Executable_generated.h"
#include "executable/Validate.h"
#include "executable/test/Samples.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace pumice;
using namespace pumice::executable;
using flatbuffers::Table;
using flatbuffers::uoffset_t;
using flatbuffers::voffset_t;

namespace {
struct HostileStructure : ::testing::Test {
  std::vector<uint8_t> bytes = *write(test::realistic());
  const file::Executable &root() { return *file::GetSizePrefixedExecutable(bytes.data()); }

  /// Returns where a table keeps `field`: the value itself, or an offset to it.
  uint8_t *place(const void *table, voffset_t field) {
    auto *at = const_cast<uint8_t *>(static_cast<const Table *>(table)->GetAddressOf(field));
    EXPECT_TRUE(at);
    return at;
  }
  /// Returns what the offset at `at` points to.
  uint8_t *target(uint8_t *at) { return at + flatbuffers::ReadScalar<uoffset_t>(at); }
  void put32(uint8_t *at, uint32_t value) { flatbuffers::WriteScalar(at, value); }

  void expectError(const std::string &prefix) {
    auto result = read(bytes);
    ASSERT_FALSE(result.isOk());
    EXPECT_TRUE(result.status().message().starts_with(prefix)) << result.status().message();
  }
};
} // namespace

TEST_F(HostileStructure, NotAnExecutable) {
  bytes = {};
  expectError("size: an executable has at least 12 bytes, got 0");
  bytes.assign(100, 'x');
  expectError("identifier: bytes 8 to 11 are not 'PUMX': this is not a Pumice executable");
}

TEST_F(HostileStructure, CutShort) {
  size_t whole = bytes.size();
  bytes.resize(whole - 100);
  expectError(
      concat("size: the file was cut short: it had ", whole, " bytes and has ", whole - 100));
}

TEST_F(HostileStructure, TrailingBytes) {
  size_t whole = bytes.size();
  bytes.push_back(0);
  expectError(concat("size: the file should end after ", whole, " bytes, but has ", whole + 1));
}

TEST_F(HostileStructure, RootOutside) {
  put32(bytes.data() + 4, 0x7fffffff);
  expectError("executable: its root offset 2147483647 points outside");
  put32(bytes.data() + 4, 2); // the table would begin inside the identifier, misaligned
  expectError("executable: its table of fields lies outside the file");
}

TEST_F(HostileStructure, VersionsOfOtherTimes) {
  auto *version = place(&root(), file::Executable::VT_VERSION);
  flatbuffers::WriteScalar<uint16_t>(version, 2);
  // The layout of a newer major version is unknown, so the reader does not check its checksums.
  expectError("version: format 2." + std::to_string(formatMinor) +
              "; this build reads up to 1.x; use a newer Pumice");
  EXPECT_EQ(read(bytes).status().code(), StatusCode::Unsupported);
  flatbuffers::WriteScalar<uint16_t>(version, 0);
  expectError("version: format 0." + std::to_string(formatMinor) + " never existed");
}

TEST_F(HostileStructure, NewerMinorVersionIsRead) {
  flatbuffers::WriteScalar<uint16_t>(place(&root(), file::Executable::VT_VERSION) + 2, 7);
  ASSERT_TRUE(seal(bytes));
  auto result = read(bytes);
  ASSERT_TRUE(result.isOk()) << result.status().toString();
  EXPECT_EQ(*result, test::realistic());
}

TEST_F(HostileStructure, ValuesOfNewerMinorVersionsAreExplained) {
  Executable contents = test::realistic();
  contents.variants[0].kind = VariantKind(4);
  bytes = *encode(contents);
  flatbuffers::WriteScalar<uint16_t>(place(&root(), file::Executable::VT_VERSION) + 2, 7);
  ASSERT_TRUE(seal(bytes));
  expectError("variants[0].kind: unknown value 4; this build knows 0 vulkan-spirv, 1 opencl-spirv, "
              "2 msl, 3 native; the file has format 1.7: use a newer Pumice");
}

TEST_F(HostileStructure, FieldsMayBeAbsentOrUnknown) {
  // Makes a table with few fields and one unknown field, as a writer of another minor version
  // might.
  flatbuffers::FlatBufferBuilder builder;
  auto later = builder.CreateString("a field of format 1.9");
  file::Version version(1, 9);
  auto start = builder.StartTable();
  builder.AddStruct(file::Executable::VT_VERSION, &version);
  builder.AddElement<uint64_t>(file::Executable::VT_CHECKSUM, 0);
  builder.AddOffset(file::Executable::VT_VARIANTS + 20, later);
  flatbuffers::Offset<file::Executable> table(builder.EndTable(start));
  builder.FinishSizePrefixed(table, file::ExecutableIdentifier());
  bytes.assign(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
  ASSERT_TRUE(seal(bytes));
  auto result = read(bytes);
  ASSERT_TRUE(result.isOk()) << result.status().toString();
  EXPECT_EQ(*result, Executable());
}

TEST_F(HostileStructure, NoVersionNoChecksum) {
  flatbuffers::FlatBufferBuilder builder;
  builder.FinishSizePrefixed(
      flatbuffers::Offset<file::Executable>(builder.EndTable(builder.StartTable())),
      file::ExecutableIdentifier());
  bytes.assign(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
  expectError("version: missing");

  builder.Clear();
  file::Version version(1, 0);
  file::ExecutableBuilder executable(builder);
  executable.add_version(&version);
  builder.FinishSizePrefixed(executable.Finish(), file::ExecutableIdentifier());
  bytes.assign(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
  expectError("checksum: missing");
}

TEST_F(HostileStructure, CountsThatAreTooLarge) {
  uint8_t *entryPoints = target(place(&root(), file::Executable::VT_ENTRYPOINTS));
  put32(entryPoints, 0xffffffff);
  expectError("entryPoints: 4294967295 elements of 4 bytes at byte ");
  put32(entryPoints, 2);
  auto *argument = root().entryPoints()->Get(0)->arguments()->Get(1);
  put32(target(place(argument, file::Argument::VT_SHAPE)), 0x20000000);
  expectError("entryPoints[0].arguments[1].shape: 536870912 elements of 8 bytes at byte ");
}

TEST_F(HostileStructure, OffsetsThatPointOutside) {
  auto *interface = root().variants()->Get(0)->interfaces()->Get(0);
  put32(place(interface, file::Interface::VT_FIELDS), 0x7ffffff0);
  expectError("variants[0].interfaces[0].fields: its offset points outside the file");
  put32(place(interface, file::Interface::VT_FIELDS), 0);
  expectError("variants[0].interfaces[0].fields: its offset points outside the file");
}

TEST_F(HostileStructure, ElementThatPointsOutside) {
  uint8_t *variants = target(place(&root(), file::Executable::VT_VARIANTS));
  put32(variants + 4 + 2 * 4, 0xfffffff0);
  expectError("variants[2]: its offset points outside the file");
}

TEST_F(HostileStructure, TableOfFieldsOutside) {
  auto *location = reinterpret_cast<const uint8_t *>(root().entryPoints()->Get(1)->location());
  put32(const_cast<uint8_t *>(location), 0x70000000);
  expectError("entryPoints[1].location: its table of fields lies outside the file");
}

TEST_F(HostileStructure, TextWithoutEnd) {
  uint8_t *name = target(place(root().entryPoints()->Get(0), file::EntryPoint::VT_NAME));
  name[4 + flatbuffers::ReadScalar<uoffset_t>(name)] = 'x';
  expectError("entryPoints[0].name: its text does not end in a zero byte");
}

TEST_F(HostileStructure, SharedPartsCannotUnfold) {
  // These lists take 20 KB in the file but would take 10 MB in memory. Longer lists could exhaust
  // memory. So the reader limits the bytes that it visits to the file's size.
  flatbuffers::FlatBufferBuilder builder;
  auto name = builder.CreateString(std::string(10000, 'x'));
  auto features = builder.CreateVector(std::vector(1000, name));
  file::RequirementsBuilder requirements(builder);
  requirements.add_features(features);
  auto required = requirements.Finish();
  file::VariantBuilder variant(builder);
  variant.add_requirements(required);
  auto variants = builder.CreateVector(std::vector{variant.Finish()});
  file::Version version(1, 0);
  builder.FinishSizePrefixed(file::CreateExecutable(builder, &version, 0, 0, 0, variants),
                             file::ExecutableIdentifier());
  bytes.assign(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
  expectError("variants[0].requirements.features[1]: the parts up to here need more than the "
              "file's ");
}

TEST_F(HostileStructure, DamagedCode) {
  uint8_t *code = target(place(root().variants()->Get(2), file::Variant::VT_CODE));
  code[4 + 5] ^= 0x10;
  expectError("variants[2].code: its bytes do not match codeChecksum: the file is damaged");
}

TEST_F(HostileStructure, DamagedText) {
  target(place(&root(), file::Executable::VT_PRODUCER))[4] ^= 0x01;
  expectError("checksum: the file's bytes do not match it: the file is damaged");
}

TEST_F(HostileStructure, MisalignedCode) {
  // Moves the code and its length four bytes towards the start of the file, so that the code is
  // misaligned.
  uint8_t *at = place(root().variants()->Get(0), file::Variant::VT_CODE), *code = target(at);
  uint32_t count = flatbuffers::ReadScalar<uoffset_t>(code);
  std::memmove(code - 4, code, count + 4);
  put32(at, flatbuffers::ReadScalar<uoffset_t>(at) - 4);
  auto result = read(bytes);
  ASSERT_FALSE(result.isOk());
  EXPECT_NE(result.status().message().find("variants[0].code: starts at byte"), std::string::npos)
      << result.status().message();
}

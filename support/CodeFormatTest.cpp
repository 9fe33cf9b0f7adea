//===- CodeFormatTest.cpp - libraries of other systems, whole and damaged ---===//
#include "support/CodeImage.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace pumice;

namespace {

using Bytes = std::vector<uint8_t>;

void put(Bytes &bytes, size_t at, uint64_t value, size_t size) {
  if (bytes.size() < at + size)
    bytes.resize(at + size);
  std::memcpy(&bytes[at], &value, size);
}

constexpr size_t peHeader = 64, peOptional = peHeader + 24, peSection = peOptional + 240;
constexpr size_t peBytes = 1024;

/// Returns a DLL of one section.
Bytes dll() {
  Bytes bytes(peBytes);
  std::memcpy(&bytes[0], "MZ", 2);
  put(bytes, 60, peHeader, 4);
  std::memcpy(&bytes[peHeader], "PE", 2);
  put(bytes, peHeader + 4, 0x8664, 2);
  put(bytes, peHeader + 6, 1, 2);       // sections
  put(bytes, peHeader + 20, 240, 2);    // the optional header
  put(bytes, peHeader + 22, 0x2022, 2); // a DLL
  put(bytes, peOptional, 0x20b, 2);
  put(bytes, peSection + 16, 512, 4); // bytes in the file
  put(bytes, peSection + 20, 512, 4); // their place
  return bytes;
}

constexpr size_t machoSegment = 32, machoSignature = machoSegment + 72;

/// Returns a signed library with one segment.
Bytes dylib() {
  Bytes bytes(512);
  put(bytes, 0, 0xfeedfacf, 4);
  put(bytes, 4, 0x100000c, 4);
  put(bytes, 12, 6, 4);       // a library
  put(bytes, 16, 2, 4);       // commands
  put(bytes, 20, 72 + 16, 4); // their bytes
  put(bytes, machoSegment, 0x19, 4);
  put(bytes, machoSegment + 4, 72, 4);
  put(bytes, machoSegment + 48, 512, 8); // bytes in the file
  put(bytes, machoSignature, 0x1d, 4);
  put(bytes, machoSignature + 4, 16, 4);
  put(bytes, machoSignature + 8, 256, 4); // its place
  put(bytes, machoSignature + 12, 256, 4);
  return bytes;
}

Status pe(const Bytes &bytes) { return checkPe(bytes, Machine::X86_64); }
Status macho(const Bytes &bytes) { return checkMacho(bytes, Machine::Aarch64); }
/// Returns `bytes` with another number in it.
Bytes with(Bytes bytes, size_t at, uint64_t value, size_t size) {
  put(bytes, at, value, size);
  return bytes;
}

} // namespace

TEST(CodeFormat, WholeLibraries) {
  EXPECT_EQ(pe(dll()).toString(), "ok");
  EXPECT_EQ(macho(dylib()).toString(), "ok");
}

TEST(CodeFormat, LibrariesOfOtherSystems) {
  Status status = checkElf(dll());
  EXPECT_EQ(status.toString(),
            "unsupported: the native code is a library for Windows (PE); expected one for Linux "
            "(ELF): compile it for this system");
  EXPECT_EQ(pe(dylib()).code(), StatusCode::Unsupported);
  EXPECT_EQ(macho(dll()).code(), StatusCode::Unsupported);
  const Bytes text{'#', '!', '/', 'b', 'i', 'n'};
  for (const Status &none : {checkElf(text), pe(text), macho(text), pe({}), macho({})})
    EXPECT_EQ(none.code(), StatusCode::DataCorrupt) << none.toString();
}

TEST(CodeFormat, OtherMachines) {
  EXPECT_EQ(pe(with(dll(), peHeader + 4, 0xaa64, 2)).toString(),
            "unsupported: the native code is for AArch64; this is x86-64");
  EXPECT_EQ(macho(with(dylib(), 4, 0x1000007, 4)).toString(),
            "unsupported: the native code is for x86-64; this is AArch64");
  EXPECT_EQ(pe(with(dll(), peHeader + 4, 0x5555, 2)).toString(),
            "unsupported: the native code is for machine 0x5555; this is x86-64");
}

TEST(CodeFormat, EveryCutIsFound) {
  const Bytes windows = dll(), mac = dylib();
  for (size_t size = 0; size < windows.size(); ++size)
    EXPECT_EQ(pe(Bytes(windows.begin(), windows.begin() + size)).code(), StatusCode::DataCorrupt)
        << size;
  for (size_t size = 0; size < mac.size(); ++size)
    EXPECT_EQ(macho(Bytes(mac.begin(), mac.begin() + size)).code(), StatusCode::DataCorrupt)
        << size;
}

TEST(CodeFormat, DamagedHeaders) {
  for (const Bytes &bytes :
       {with(dll(), 60, 0xfffffff0, 4), with(dll(), peHeader, 0, 1),
        with(dll(), peHeader + 6, 0, 2), with(dll(), peHeader + 6, 0xffff, 2),
        with(dll(), peHeader + 20, 0xffff, 2), with(dll(), peHeader + 22, 2, 2),
        with(dll(), peOptional, 0x10b, 2), with(dll(), peSection + 16, 0xffffffff, 4),
        with(dll(), peSection + 20, 0xffffffff, 4)})
    EXPECT_EQ(pe(bytes).code(), StatusCode::DataCorrupt) << pe(bytes).toString();
  for (const Bytes &bytes :
       {with(dylib(), 12, 2, 4), with(dylib(), 16, 0xffffffff, 4), with(dylib(), 16, 1, 4),
        with(dylib(), 20, 0xffffffff, 4), with(dylib(), 20, 72, 4),
        with(dylib(), machoSegment + 4, 0, 4), with(dylib(), machoSegment + 4, 0xffffffff, 4),
        with(dylib(), machoSegment + 40, UINT64_MAX, 8),
        with(dylib(), machoSegment + 48, UINT64_MAX, 8), with(dylib(), machoSegment, 0x1b, 4),
        with(dylib(), machoSignature + 8, 0xffffffff, 4),
        with(dylib(), machoSignature + 12, 257, 4)})
    EXPECT_EQ(macho(bytes).code(), StatusCode::DataCorrupt) << macho(bytes).toString();
  EXPECT_EQ(macho(with(dylib(), machoSignature, 0x1b, 4)).toString(),
            "corrupt data: the native code is not a complete Mach-O file: it has no signature");
}

//===- ElfCheck.cpp - checks that a file is a whole shared object -----------===//
#include "support/CodeImage.h"

#include <bit>
#include <cstring>

namespace pumice {
namespace {

Status corrupt(std::string why) {
  return Status(StatusCode::DataCorrupt,
                "the native code is not a complete ELF file: " + std::move(why));
}

// The checked parts of the format (System V ABI, chapter "Object Files").
struct FileHeader {
  uint8_t ident[16];
  uint16_t type, machine;
  uint32_t version;
  uint64_t entry, programOffset, sectionOffset;
  uint32_t flags;
  uint16_t headerBytes, programBytes, programCount, sectionBytes, sectionCount, sectionNames;
};
static_assert(sizeof(FileHeader) == 64);

struct ProgramHeader {
  uint32_t type, flags;
  uint64_t offset, address, physicalAddress, fileBytes, memoryBytes, alignment;
};
static_assert(sizeof(ProgramHeader) == 56);

constexpr uint8_t elf64 = 2, littleEndian = 1;
constexpr uint16_t sharedObject = 3;
constexpr uint32_t loadSegment = 1, dynamicSegment = 2;

struct Machine {
  uint16_t number;
  const char *name;
};
constexpr Machine machines[] = {{62, "x86-64"}, {183, "AArch64"}, {243, "RISC-V"}, {3, "x86"},
                                {40, "Arm"},    {21, "PowerPC"},  {22, "S/390"}};
#if defined(__x86_64__) || defined(_M_X64)
constexpr uint16_t thisMachine = 62;
#elif defined(__aarch64__) || defined(_M_ARM64)
constexpr uint16_t thisMachine = 183;
#elif defined(__riscv)
constexpr uint16_t thisMachine = 243;
#else
constexpr uint16_t thisMachine = 0;
#endif

std::string machineName(uint16_t number) {
  for (const Machine &machine : machines)
    if (machine.number == number)
      return machine.name;
  return "machine " + std::to_string(number);
}

bool inside(uint64_t offset, uint64_t bytes, uint64_t total) {
  return offset <= total && bytes <= total - offset;
}

Status checkSegments(std::span<const uint8_t> bytes, const FileHeader &header) {
  bool loads = false, dynamic = false;
  for (uint16_t i = 0; i < header.programCount; ++i) {
    ProgramHeader segment;
    std::memcpy(&segment, bytes.data() + header.programOffset + i * sizeof segment, sizeof segment);
    if (segment.type != loadSegment && segment.type != dynamicSegment)
      continue;
    (segment.type == loadSegment ? loads : dynamic) = true;
    // An access to a mapping beyond the end of the file would be a bus error.
    if (!inside(segment.offset, segment.fileBytes, bytes.size()))
      return corrupt("segment " + std::to_string(i) + " ends at byte " +
                     std::to_string(segment.offset + segment.fileBytes) + ", but the file has " +
                     std::to_string(bytes.size()));
    if (segment.fileBytes > segment.memoryBytes || segment.memoryBytes > uint64_t{1} << 32 ||
        (segment.alignment & (segment.alignment - 1)))
      return corrupt("segment " + std::to_string(i) +
                     " has sizes or an alignment that contradict each other");
  }
  return loads && dynamic ? Status::ok()
                          : corrupt("it has no segment to load, or no dynamic segment");
}

} // namespace

Status checkElf(std::span<const uint8_t> bytes) {
  FileHeader header;
  if (bytes.size() < sizeof header)
    return corrupt("it has only " + std::to_string(bytes.size()) + " bytes");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.ident,
                  "\x7f"
                  "ELF",
                  4) != 0)
    return corrupt("it does not begin with ELF's magic number");
  if (header.ident[4] != elf64 || header.ident[5] != littleEndian || header.machine != thisMachine)
    return Status(StatusCode::Unsupported,
                  "the native code is for " + machineName(header.machine) +
                      (header.ident[4] == elf64 ? "" : ", 32 bits") +
                      (header.ident[5] == littleEndian ? "" : ", big endian") + "; this is " +
                      machineName(thisMachine));
  if (header.type != sharedObject)
    return corrupt("it is not a shared object");
  if (header.programBytes != sizeof(ProgramHeader) || header.programCount == 0 ||
      !inside(header.programOffset, uint64_t{header.programCount} * header.programBytes,
              bytes.size()))
    return corrupt("its program headers are not inside its " + std::to_string(bytes.size()) +
                   " bytes");
  return checkSegments(bytes, header);
}

} // namespace pumice

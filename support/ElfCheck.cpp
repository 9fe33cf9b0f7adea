//===- ElfCheck.cpp - checks that a file is a whole shared object -----------===//
#include "support/CodeFormat.h"

namespace pumice {
namespace {

using namespace code_format;

Status corrupt(std::string why) { return incomplete("ELF", std::move(why)); }

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

constexpr Number elfMachines[] = {{3, Machine::X86},
                                  {62, Machine::X86_64},
                                  {40, Machine::Arm},
                                  {183, Machine::Aarch64},
                                  {243, Machine::RiscV}};

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

Status checkElf(std::span<const uint8_t> bytes, Machine machine) {
  PUMICE_RETURN_IF_ERROR(expectFormat(bytes, "ELF"));
  FileHeader header;
  if (bytes.size() < sizeof header)
    return corrupt("it has only " + std::to_string(bytes.size()) + " bytes");
  std::memcpy(&header, bytes.data(), sizeof header);
  std::string more = header.ident[4] == elf64 ? "" : ", 32 bits";
  more += header.ident[5] == littleEndian ? "" : ", big endian";
  PUMICE_RETURN_IF_ERROR(expectMachine(header.machine, elfMachines, machine, more));
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

//===- PeCheck.cpp - checks that a file is a whole DLL for Windows ----------===//
#include "support/CodeFormat.h"

namespace pumice {
namespace {

using namespace code_format;

// The checked parts of the format (Microsoft's "PE Format").
struct PeHeader {
  uint8_t signature[4]; // "PE", 0, 0
  uint16_t machine, sectionCount;
  uint32_t time, symbolTable, symbolCount;
  uint16_t optionalBytes, characteristics;
};
static_assert(sizeof(PeHeader) == 24);

struct PeSection {
  char name[8];
  uint32_t memoryBytes, address, fileBytes, fileOffset;
  uint32_t relocations, lines;
  uint16_t relocationCount, lineCount;
  uint32_t characteristics;
};
static_assert(sizeof(PeSection) == 40);

constexpr Number peMachines[] = {{0x14c, Machine::X86},
                                 {0x8664, Machine::X86_64},
                                 {0x1c4, Machine::Arm},
                                 {0xaa64, Machine::Aarch64}};
constexpr uint64_t headerPlace = 60, leastBytes = 64; // in the header of DOS
constexpr uint16_t isLibrary = 0x2000, pe32Plus = 0x20b;

Status peIncomplete(std::string why) { return incomplete("PE", std::move(why)); }

} // namespace

Status checkPe(std::span<const uint8_t> bytes, Machine machine) {
  PUMICE_RETURN_IF_ERROR(expectFormat(bytes, "PE"));
  if (bytes.size() < leastBytes)
    return peIncomplete("it has only " + std::to_string(bytes.size()) + " bytes");
  uint64_t at = read<uint32_t>(bytes, headerPlace);
  if (!inside(at, sizeof(PeHeader) + sizeof(uint16_t), bytes.size()))
    return peIncomplete("its header at byte " + std::to_string(at) + " is not inside its " +
                        std::to_string(bytes.size()) + " bytes");
  auto header = read<PeHeader>(bytes, at);
  if (std::memcmp(header.signature, "PE\0\0", 4) != 0)
    return peIncomplete("its header does not begin with PE");
  PUMICE_RETURN_IF_ERROR(expectMachine(header.machine, peMachines, machine));
  uint64_t optional = at + sizeof header, sections = optional + header.optionalBytes;
  if (!(header.characteristics & isLibrary) || read<uint16_t>(bytes, optional) != pe32Plus)
    return peIncomplete("it is not a DLL of 64 bits");
  if (header.sectionCount == 0 ||
      !inside(sections, uint64_t{header.sectionCount} * sizeof(PeSection), bytes.size()))
    return peIncomplete("its section headers are not inside its " + std::to_string(bytes.size()) +
                        " bytes");
  for (uint16_t i = 0; i < header.sectionCount; ++i) {
    auto section = read<PeSection>(bytes, sections + i * sizeof(PeSection));
    if (!inside(section.fileOffset, section.fileBytes, bytes.size()))
      return peIncomplete("section " + std::to_string(i) + " ends at byte " +
                          std::to_string(uint64_t{section.fileOffset} + section.fileBytes) +
                          ", but the file has " + std::to_string(bytes.size()));
  }
  return Status::ok();
}

} // namespace pumice

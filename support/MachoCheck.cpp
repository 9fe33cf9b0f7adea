//===- MachoCheck.cpp - checks that a file is a whole library for macOS -----===//
#include "support/CodeFormat.h"

namespace pumice {
namespace {

using namespace code_format;

// The checked parts of the format (Apple's mach-o/loader.h).
struct MachoHeader {
  uint32_t magic, machine, submachine, type, commandCount, commandBytes, flags, reserved;
};
static_assert(sizeof(MachoHeader) == 32);

struct MachoCommand {
  uint32_t kind, bytes;
};
struct MachoSegment {
  MachoCommand command;
  char name[16];
  uint64_t address, memoryBytes, fileOffset, fileBytes;
};
static_assert(sizeof(MachoSegment) == 56);
struct MachoSignature {
  MachoCommand command;
  uint32_t fileOffset, fileBytes;
};

constexpr Number machoMachines[] = {{7, Machine::X86},
                                    {0x1000007, Machine::X86_64},
                                    {12, Machine::Arm},
                                    {0x100000c, Machine::Aarch64}};
constexpr uint32_t dynamicLibrary = 6, segmentCommand = 0x19, signatureCommand = 0x1d;

Status machoIncomplete(std::string why) { return incomplete("Mach-O", std::move(why)); }

Status checkRange(const char *what, uint64_t offset, uint64_t size, uint64_t total) {
  return inside(offset, size, total)
             ? Status::ok()
             : machoIncomplete(std::string(what) + " ends at byte " +
                               std::to_string(offset + size) + ", but the file has " +
                               std::to_string(total));
}

/// Checks the parts of the file that its commands name. Code without a signature would end the
/// process on Apple's own processors.
Status checkCommands(std::span<const uint8_t> bytes, const MachoHeader &header, Machine machine) {
  uint64_t at = sizeof header, end = at + header.commandBytes;
  bool loads = false, isSigned = false;
  for (uint32_t i = 0; i < header.commandCount; ++i) {
    auto command =
        inside(at, sizeof(MachoCommand), end) ? read<MachoCommand>(bytes, at) : MachoCommand{};
    uint64_t least = command.kind == segmentCommand     ? sizeof(MachoSegment)
                     : command.kind == signatureCommand ? sizeof(MachoSignature)
                                                        : sizeof(MachoCommand);
    if (command.bytes < least || !inside(at, command.bytes, end))
      return machoIncomplete("load command " + std::to_string(i) + " has " +
                             std::to_string(command.bytes) + " bytes");
    if (command.kind == segmentCommand) {
      auto segment = read<MachoSegment>(bytes, at);
      PUMICE_RETURN_IF_ERROR(
          checkRange("a segment", segment.fileOffset, segment.fileBytes, bytes.size()));
      loads = true;
    } else if (command.kind == signatureCommand) {
      auto signature = read<MachoSignature>(bytes, at);
      PUMICE_RETURN_IF_ERROR(
          checkRange("the signature", signature.fileOffset, signature.fileBytes, bytes.size()));
      isSigned = true;
    }
    at += command.bytes;
  }
  if (!loads)
    return machoIncomplete("it has no segment to load");
  return isSigned || machine != Machine::Aarch64 ? Status::ok()
                                                 : machoIncomplete("it has no signature");
}

} // namespace

Status checkMacho(std::span<const uint8_t> bytes, Machine machine) {
  PUMICE_RETURN_IF_ERROR(expectFormat(bytes, "Mach-O"));
  if (bytes.size() < sizeof(MachoHeader))
    return machoIncomplete("it has only " + std::to_string(bytes.size()) + " bytes");
  auto header = read<MachoHeader>(bytes, 0);
  PUMICE_RETURN_IF_ERROR(expectMachine(header.machine, machoMachines, machine));
  if (header.type != dynamicLibrary)
    return machoIncomplete("it is not a dynamic library");
  if (!inside(sizeof header, header.commandBytes, bytes.size()))
    return machoIncomplete("its load commands are not inside its " + std::to_string(bytes.size()) +
                           " bytes");
  return checkCommands(bytes, header, machine);
}

} // namespace pumice

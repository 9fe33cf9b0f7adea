//===- ArgumentMap.cpp - the memory of a launch's arguments -----------------===//
#include "runtime/drivers/cpu/ArgumentMap.h"

#include "support/CompilerLibrary.h"
#include "support/EnglishText.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace pumice::cpu_driver {
namespace {

/// A buffer of this size covers the whole memory of a process, so it does not describe any part of
/// it.
constexpr uint64_t wholeProcess = uint64_t{1} << 47;

const std::byte *parametersOf(const LaunchedArguments &launched, bool indirect) {
  const auto *block = static_cast<const std::byte *>(launched.launch.pushConstants);
  if (!indirect || !block)
    return block;
  uint64_t address = 0;
  std::memcpy(&address, block, sizeof address);
  return reinterpret_cast<const std::byte *>(address);
}

std::string hexadecimal(uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%" PRIx64, number);
  return text;
}

/// Returns the distance of an address from a range, or 0 if it is inside.
uint64_t distanceTo(const ArgumentRange &range, uint64_t address) {
  return address < range.begin ? range.begin - address
         : address < range.end ? 0
                               : address - range.end + 1;
}

/// Returns a text such as "'x' + 4160: 64 bytes past the end of its storage of 4096 bytes".
std::string placeOf(const ArgumentRange &range, uint64_t address) {
  bool before = address < range.address;
  std::string text = "'" + range.argument->name + "' " + (before ? "- " : "+ ") +
                     std::to_string(before ? range.address - address : address - range.address) +
                     ": ";
  std::string storage = "its storage of " + counted(range.end - range.begin, "byte");
  if (address < range.begin)
    return text + counted(range.begin - address, "byte") + " before " + storage;
  if (address >= range.end)
    return text + counted(address - range.end, "byte") + " past the end of " + storage;
  return text + "inside " + storage + ", which does not allow this access";
}

std::string whatHappened(const Fault &fault) {
  switch (fault.kind) {
  case Fault::Kind::Division:
    return "an integer division by zero, or one whose quotient overflows";
  case Fault::Kind::Instruction:
    return "an instruction that this processor lacks; compile the kernel for this machine";
  case Fault::Kind::Read:
  case Fault::Kind::Write:
  case Fault::Kind::Access:
    break;
  }
  std::string kind = fault.kind == Fault::Kind::Read    ? "read"
                     : fault.kind == Fault::Kind::Write ? "write"
                                                        : "access";
  return fault.hasAddress ? "invalid " + kind + " at address " + hexadecimal(fault.address)
                          : "invalid access at an address that no memory has, or that is not "
                            "aligned as the code requires";
}

} // namespace

std::vector<ArgumentRange> findArguments(const LaunchedArguments &launched) {
  std::vector<hal::ArgumentMemory> told;
  if (launched.memory && *launched.memory)
    told = (*launched.memory)();
  std::vector<ArgumentRange> found;
  for (const hal::PointerArgument &argument : launched.kernel.pointers()) {
    ArgumentRange range{.argument = &argument};
    if (argument.isSlot) {
      const executable::NativeBuffer *buffers = launched.launch.buffers;
      for (size_t i = 0; i < launched.kernel.slots().size(); ++i)
        if (launched.kernel.slots()[i] == argument.place)
          range = {&argument, reinterpret_cast<uint64_t>(buffers[i].address),
                   reinterpret_cast<uint64_t>(buffers[i].address),
                   reinterpret_cast<uint64_t>(buffers[i].address) + buffers[i].bytes};
    } else if (const std::byte *block = parametersOf(launched, argument.isIndirect)) {
      std::memcpy(&range.address, block + argument.place, sizeof range.address);
      if (auto buffer = launched.buffers.around(range.address))
        std::tie(range.begin, range.end) = std::pair(buffer->begin, buffer->end);
    }
    for (const hal::ArgumentMemory &memory : told)
      if (memory.argument == argument.number)
        std::tie(range.begin, range.end) = std::pair(memory.begin, memory.begin + memory.bytes);
    if (range.begin != range.end && range.end - range.begin < wholeProcess)
      found.push_back(range);
  }
  return found;
}

/// Returns a text such as "program (3, 0, 0)" for the number of a program.
static std::string programOf(const executable::NativeLaunch &launch, uint64_t group) {
  uint64_t width = std::max(launch.groups[0], 1u), height = std::max(launch.groups[1], 1u);
  return "program (" + std::to_string(group % width + launch.firstGroup[0]) + ", " +
         std::to_string(group / width % height + launch.firstGroup[1]) + ", " +
         std::to_string(group / width / height + launch.firstGroup[2]) + ")";
}

/// Returns whether the argument is internal. The kernel uses such arguments for its checks, and
/// callers do not pass them.
static bool isOwn(const ArgumentRange &range) {
  return std::string_view(range.argument->name).starts_with("pumice.");
}

std::string describePlace(const CpuKernel &kernel, const executable::NativeLaunch &launch,
                          uint64_t instruction, uint64_t group) {
  std::string text = "kernel '" + kernel.label() + "': ";
  if (std::string line = instruction ? kernel.lineOf(instruction) : ""; !line.empty())
    text += line + ": ";
  if (group != executable::noGroupPlace)
    text += programOf(launch, group) + ": ";
  return text;
}

Status describeFault(const CpuKernel &kernel, const executable::NativeLaunch &launch,
                     const Fault &fault, uint64_t group, std::span<const ArgumentRange> arguments) {
  std::string text = describePlace(kernel, launch, fault.instruction, group);
  text += whatHappened(fault);
  const ArgumentRange *nearest = nullptr;
  for (const ArgumentRange &range : arguments)
    if (fault.hasAddress && !isOwn(range) &&
        (!nearest || distanceTo(range, fault.address) < distanceTo(*nearest, fault.address)))
      nearest = &range;
  if (nearest)
    text += ": " + placeOf(*nearest, fault.address);
  text += "; the launch was ended there, and what it wrote is undefined";
  bool isAccess = fault.kind != Fault::Kind::Instruction && fault.kind != Fault::Kind::Division;
  return Status(isAccess ? StatusCode::InvalidAccess : StatusCode::Unsupported, std::move(text));
}

} // namespace pumice::cpu_driver

//===- Workarounds.cpp - finds modules that a driver handles wrongly --------===//
#include "runtime/hal/Workarounds.h"

#include <algorithm>
#include <unordered_set>

using namespace pumice::executable;

namespace pumice::hal {
namespace {

/// Returns whether the module uses OpBitcast to cast between pointer types.
bool castsPointers(const SpirvWords &module) {
  std::unordered_set<uint32_t> pointerTypes, pointers;
  for (SpirvInstruction instruction : module) {
    if (instruction.opcode() == spirv::OpTypePointer)
      pointerTypes.insert(instruction.operand(0));
    // If operand 0 is the id of a type, that is the result type, and operand 1 is the result.
    if (instruction.operands() < 2 || !pointerTypes.contains(instruction.operand(0)))
      continue;
    if (instruction.opcode() == spirv::OpBitcast && pointers.contains(instruction.operand(2)))
      return true;
    pointers.insert(instruction.operand(1));
  }
  return false;
}

struct Workaround {
  std::string_view name;
  bool (*isNeededBy)(const SpirvWords &module);
  std::string_view message;
};
constexpr Workaround known[] = {
    {"noPointerCasts", castsPointers,
     "the module casts pointers, which crashes this device's driver; compile it for "
     "this device, or for descriptors"},
};

} // namespace

Status keepsWorkarounds(const DeviceInfo &device, const SpirvWords &module) {
  for (const Workaround &workaround : known)
    if (std::ranges::find(device.workarounds, workaround.name) != device.workarounds.end() &&
        workaround.isNeededBy(module))
      return Status(StatusCode::Unsupported, std::string(workaround.message));
  return Status::ok();
}

} // namespace pumice::hal

//===- Kernel.h - one compiled entry point, ready to run --------------------===//
// A kernel is the level below executables: code with descriptors and push constants, without
// arguments. `Function` turns an executable's arguments into these. `pumice run --launch` uses
// kernels directly.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/Executable.h"
#include "runtime/hal/ProgramScope.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace pumice::hal {

class Device;

struct SpecializationConstant {
  uint32_t id = 0;
  uint32_t bytes = 4; // 1, 2, 4 or 8; booleans are 4
  uint64_t bits = 0;

  auto operator<=>(const SpecializationConstant &) const = default;
};

/// One descriptor that the code reads.
struct BindingSlot {
  uint32_t set = 0, binding = 0;
  bool uniform = false; // false: a storage buffer
  // In an array of descriptors; the last slot's element gives the array's length.
  uint32_t element = 0;

  auto operator<=>(const BindingSlot &) const = default;
};

/// An argument whose memory the code reaches. It says what errors call the argument, and where its
/// address is.
struct PointerArgument {
  std::string name;
  uint32_t number = 0;     // among the entry point's arguments
  uint32_t place = 0;      // the byte of the parameters that holds the address, or the slot's index
  bool isSlot = false;     // the place is an index in `bindings`
  bool isIndirect = false; // the push constants hold the address of the parameters
};

/// Describes a kernel to make. The code is only read during the call.
struct KernelSource {
  executable::VariantKind kind = executable::VariantKind::VulkanSpirv;
  std::span<const uint8_t> code;
  std::string symbol;                 // the entry point's name in the code
  std::string label;                  // for errors and profiles
  uint32_t pushConstantBytes = 0;     // a multiple of 4
  std::vector<BindingSlot> bindings;  // each set, binding and element once
  std::vector<std::string> arguments; // their names, if they are known: for errors
  std::vector<SpecializationConstant> constants;
  std::vector<PointerArgument> pointers; // for errors
  uint32_t requiredSubgroupSize = 0;     // 0: any
  bool fullSubgroups = false;
  bool robustAccess = false; // accesses through descriptors stay inside the ranges that are bound
  // The launch's values for what the code leaves open. 0: the code has its own.
  std::array<uint32_t, 3> workgroupSize{0, 0, 0};
  uint32_t dynamicMemoryBytes = 0; // of workgroup memory, in addition to the code's own
  Ref<ProgramScope> program;       // the scope whose variables the code shares; null: its own
};

class Kernel : public RefCounted {
public:
  const std::string &label() const { return name; }
  std::span<const BindingSlot> bindings() const { return slots; }
  uint32_t pushConstantBytes() const { return pushBytes; }
  std::span<const PointerArgument> pointers() const { return pointerArguments; }
  /// Returns an argument's name, or an empty text if it is unknown.
  std::string argumentName(size_t index) const {
    return index < arguments.size() ? arguments[index] : std::string();
  }
  bool isOpenCl() const { return openCl; }
  /// Returns the messages that the code prints by SPIR-V instructions, or null.
  const std::shared_ptr<const std::vector<executable::PrintfFormat>> &printfs() const {
    return formats;
  }
  Device &device() const { return *owner; }

protected:
  Kernel(Ref<Device> owner, const KernelSource &source);
  ~Kernel() override;
  std::shared_ptr<const std::vector<executable::PrintfFormat>> formats; // drivers set it

private:
  Ref<Device> owner;
  std::string name;
  std::vector<BindingSlot> slots;
  std::vector<PointerArgument> pointerArguments;
  std::vector<std::string> arguments;
  uint32_t pushBytes;
  bool openCl;
};

} // namespace pumice::hal

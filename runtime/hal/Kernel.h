//===- Kernel.h - one compiled entry point, ready to run --------------------===//
// A kernel is the level below executables: code with descriptors and push constants, but without
// arguments. `Function` turns the arguments of an executable into these. `pumice run --launch` uses
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
  // The index in an array of descriptors. The index of the array's last slot gives the length of
  // the array.
  uint32_t element = 0;

  auto operator<=>(const BindingSlot &) const = default;
};

/// An argument whose memory the code accesses: its name for errors, and where its address is.
struct PointerArgument {
  std::string name;
  uint32_t number = 0;     // the number of the argument in the entry point
  uint32_t place = 0;      // the byte in the parameters, or the index of the slot
  bool isSlot = false;     // whether `place` is an index in `bindings`
  bool isIndirect = false; // whether push constants hold the address of the parameters
};

/// Describes a kernel to create. The code is only read during the call.
struct KernelSource {
  executable::VariantKind kind = executable::VariantKind::VulkanSpirv;
  std::span<const uint8_t> code;
  std::string symbol;                 // the entry point's name in the code
  std::string label;                  // for errors and profiles
  uint32_t pushConstantBytes = 0;     // a multiple of 4
  std::vector<BindingSlot> bindings;  // no duplicates of set, binding and element
  std::vector<std::string> arguments; // the names of arguments for errors, if they are known
  std::vector<SpecializationConstant> constants;
  std::vector<PointerArgument> pointers; // for errors
  uint32_t requiredSubgroupSize = 0;     // 0: any
  bool fullSubgroups = false;
  bool robustAccess = false; // accesses through descriptors stay in the bound ranges
  // Values for what the code leaves open. 0 means that the code has its own value.
  std::array<uint32_t, 3> workgroupSize{0, 0, 0};
  uint32_t dynamicMemoryBytes = 0; // workgroup memory in addition to the code's own
  Ref<ProgramScope> program;       // the scope of the code's variables; null: a separate one
};

class Kernel : public RefCounted {
public:
  const std::string &label() const { return name; }
  std::span<const BindingSlot> bindings() const { return slots; }
  uint32_t pushConstantBytes() const { return pushBytes; }
  std::span<const PointerArgument> pointers() const { return pointerArguments; }
  /// Returns the name of an argument, or an empty text if it is unknown.
  std::string argumentName(size_t index) const {
    return index < arguments.size() ? arguments[index] : std::string();
  }
  bool isOpenCl() const { return openCl; }
  /// Returns the formats that the code prints with SPIR-V instructions, or null.
  const std::shared_ptr<const std::vector<executable::PrintfFormat>> &printfs() const {
    return formats;
  }
  Device &device() const { return *owner; }

protected:
  Kernel(Ref<Device> owner, const KernelSource &source);
  ~Kernel() override;
  std::shared_ptr<const std::vector<executable::PrintfFormat>> formats; // set by drivers

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

//===- BareKernel.h - launches SPIR-V without an executable -----------------===//
// A launch passes arguments by position, but a bare module has descriptors and push constants. The
// memrefs of a launch are the module's buffers in the order of (set, binding). Its scalars are the
// members of the push constants in the order of their offsets.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/SpirvReflection.h"
#include "runtime/hal/Device.h"

#include <map>
#include <memory>

namespace pumice::run {

class BareKernel {
public:
  /// One argument: a range of a buffer, or bytes.
  struct Argument {
    hal::BufferRange range; // if it has no buffer, the argument is a scalar
    std::span<const std::byte> scalar;
    std::string_view type; // its type, or that of the buffer's elements, in MLIR's form; empty: any
  };

  /// Creates a kernel. `label` is for errors and profiles. Errors: DataCorrupt for code that is not
  /// valid SPIR-V; NotFound; Unsupported for descriptors that are not buffers.
  static Result<std::unique_ptr<BareKernel>>
  create(Ref<hal::Device> device, std::shared_ptr<const std::vector<uint8_t>> code,
         std::shared_ptr<const executable::SpirvModule> module, const std::string &entryPoint,
         std::string label);

  /// Returns how the kernel accesses argument number `index`. For scalars this is ReadWrite.
  executable::Access accessOf(size_t index) const;
  Status launch(hal::Queue &queue, std::array<uint32_t, 3> groups,
                std::array<uint32_t, 3> workgroupSize, std::span<const Argument> arguments,
                uint32_t printBytes);

private:
  BareKernel() = default;
  Result<hal::Kernel *> kernelFor(std::array<uint32_t, 3> workgroupSize);

  Ref<hal::Device> device;
  std::shared_ptr<const std::vector<uint8_t>> code;
  std::shared_ptr<const executable::SpirvModule> module;
  const executable::SpirvEntryPoint *entry = nullptr;
  std::string label;
  std::vector<const executable::SpirvDescriptor *> buffers; // sorted by set and binding
  std::vector<executable::SpirvMember> scalars;             // sorted by offset
  std::vector<executable::Access> accesses;                 // by the last launch, for each argument
  std::map<std::array<uint32_t, 3>, Ref<hal::Kernel>> kernels;
};

} // namespace pumice::run

//===- Kernel.h - one kernel, ready to run ----------------------------------===//
#pragma once

#include "executable/MslLayout.h"
#include "runtime/drivers/metal/Device.h"

namespace pumice::metal_driver {

class MetalKernel final : public hal::Kernel {
public:
  /// Compiles the source. Errors: DataCorrupt for MSL without a layout; InvalidArgument with the
  /// messages of Metal's compiler, or for bindings that the layout lacks; Unsupported for too many
  /// threads.
  static Result<Ref<hal::Kernel>> create(MetalDevice &device, const hal::KernelSource &source);

  Object pipeline() const { return state.get(); }
  const Size &threads() const { return size; }
  /// Returns the buffer index of each binding, in the order of `bindings()`.
  std::span<const uint32_t> indices() const { return bufferIndices; }
  std::optional<uint32_t> parameterIndex() const { return layout.parameters; }
  std::optional<uint32_t> sizesIndex() const { return layout.sizes; }

private:
  MetalKernel(MetalDevice &device, const hal::KernelSource &source, executable::MslLayout layout);
  ~MetalKernel() override;
  static Result<Ref<hal::Kernel>> compile(MetalDevice &device, const hal::KernelSource &source);
  Status placeBindings();
  Status chooseSize(const hal::KernelSource &source);

  executable::MslLayout layout;
  std::vector<uint32_t> bufferIndices;
  Size size;
  Owned state; // the MTLComputePipelineState
};

} // namespace pumice::metal_driver

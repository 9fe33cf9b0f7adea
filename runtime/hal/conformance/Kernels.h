//===- Kernels.h - the kernels of the suite ---------------------------------===//
// The kernels of the suite are GLSL and OpenCL C, compiled by the reference compiler and by clang,
// so they do not depend on our compiler. The files in `kernels/` describe them. The functions here
// create the kernels, and compute the expected results on the host.
//
// A device that only runs OpenCL's kernels has no descriptors and no push constants. Its kernels
// have the buffers as their first parameters, in the order of the bindings, and then what the push
// constants hold.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Device.h"

namespace pumice::hal::conformance {

/// Returns the code of `kernels/NAME.comp`.
std::span<const uint8_t> codeOf(std::string_view name);
/// Returns the code of `kernels/NAME.cl`.
std::span<const uint8_t> openClCodeOf(std::string_view name);
/// Returns the kind of code that the suite gives the device, and that code.
executable::VariantKind kindFor(const DeviceInfo &info);
std::span<const uint8_t> codeFor(const DeviceInfo &info, std::string_view name);
/// The names of the entry points of all kernels.
inline constexpr char shaderSymbol[] = "main", openClSymbol[] = "run", mslSymbol[] = "main0";

/// Describes the kernel `kernels/NAME.comp` with these descriptors and push constants. For a device
/// that only runs OpenCL's kernels, describes `kernels/NAME.cl`. The constants that give the size
/// of a workgroup (WorkgroupSize) or of its memory (Shared) then do so without the code.
KernelSource sourceOf(const DeviceInfo &info, std::string_view name,
                      std::vector<BindingSlot> bindings, uint32_t pushConstantBytes = 0,
                      std::vector<SpecializationConstant> constants = {});
/// Creates that kernel.
Result<Ref<Kernel>> makeKernel(Device &device, std::string_view name,
                               std::vector<BindingSlot> bindings, uint32_t pushConstantBytes = 0,
                               std::vector<SpecializationConstant> constants = {});

/// Dispatches the work. If its kernel is OpenCL's, passes the bindings and the push constants as
/// the kernel's arguments.
Status submit(Queue &queue, Dispatch work);

/// The kernel `Mix`, which combines two buffers into a third. It accesses them through descriptors
/// or by addresses.
class Mix {
public:
  enum class Addressing : uint8_t { Descriptors, Addresses };

  static Result<Mix> make(Device &device, Addressing addressing = Addressing::Descriptors);

  /// Computes result[i] = of(a[i], b[i]) for the first `count` words. A larger `spin` makes it
  /// slower.
  Status dispatch(Queue &queue, Buffer &result, Buffer &a, Buffer &b, uint32_t count,
                  uint32_t factor = 3, uint32_t spin = 0) const;

  /// Returns the expected value of one word.
  static uint32_t of(uint32_t a, uint32_t b, uint32_t index, uint32_t factor = 3,
                     uint32_t spin = 0);
  static std::vector<uint32_t> of(std::span<const uint32_t> a, std::span<const uint32_t> b,
                                  uint32_t factor = 3, uint32_t spin = 0);

  const Ref<Kernel> &kernel() const { return code; }

private:
  Mix(Ref<Kernel> code, Addressing addressing) : code(std::move(code)), addressing(addressing) {}

  Ref<Kernel> code;
  Addressing addressing;
};

} // namespace pumice::hal::conformance

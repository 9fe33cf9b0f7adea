//===- FragmentProbe.h - measures where a device keeps a matrix's elements --===//
// Vulkan does not define which invocation of a subgroup holds which element of a cooperative
// matrix. The probe is a small module, which this code builds word by word. It loads a matrix of
// numbers, and stores the numbers that each invocation holds. The layout is linear if each bit of
// the invocation's and the component's number moves the element by an exclusive or. Compilers may
// rely on a linear layout. docs/targets.md describes its text form.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Device.h"

namespace pumice::hal {

/// A result matrix in one of the device's shapes, for example "16x16 f32".
struct FragmentKind {
  uint32_t rows = 0, columns = 0;
  std::string type; // f16, f32, s32 or u32
  auto operator<=>(const FragmentKind &) const = default;
};

/// Returns the kinds of results in the shapes that a device lists ("16x16x16 f16 f16 f32 f32
/// subgroup"), without duplicates. Only shapes of subgroups are included, and only if the probe
/// supports their sizes and types.
std::vector<FragmentKind> fragmentKinds(const std::vector<std::string> &shapes);

/// Returns the SPIR-V of the probe for subgroups of `lanes` invocations. Binding 0 is the matrix,
/// row by row. Binding 1 receives the components of invocation 0, then those of invocation 1, and
/// so on.
std::vector<uint32_t> fragmentProbe(const FragmentKind &kind, uint32_t lanes);

/// Returns the map as text, or an empty text if it is not linear. `elements[lane · components +
/// component]` is the number of the element at that place.
std::string fragmentMap(const FragmentKind &kind, uint32_t lanes,
                        std::span<const uint32_t> elements);

/// Runs the probe for every kind that the device lists. Omits maps that are not linear or cannot be
/// measured. With a disk cache, maps are measured only once for each device, driver and build.
std::vector<std::string> measureFragments(Device &device);

} // namespace pumice::hal

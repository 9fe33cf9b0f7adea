//===- FragmentProbe.h - where a device keeps a matrix's elements -----------===//
// Vulkan leaves open which invocation of a subgroup holds which element of a cooperative matrix. A
// small module, made here word by word, loads a matrix of numbers and stores what each invocation
// holds. If that is linear (each bit of the invocation's and the component's number moves the
// element by an exclusive or), compilers may rely on it: as text, docs/targets.md has the form.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Device.h"

namespace pumice::hal {

/// A result matrix that a device lists a shape for: "16x16 f32".
struct FragmentKind {
  uint32_t rows = 0, columns = 0;
  std::string type; // f16, f32, s32 or u32
  auto operator<=>(const FragmentKind &) const = default;
};

/// Of the shapes that a device lists ("16x16x16 f16 f16 f32 f32 subgroup"), the results of those
/// that subgroups multiply: each kind once, with sizes and types that the probe knows.
std::vector<FragmentKind> fragmentKinds(const std::vector<std::string> &shapes);

/// The probe's SPIR-V for subgroups of so many invocations. Binding 0 holds the matrix row by row,
/// binding 1 gets the components of invocation 0, of invocation 1, ….
std::vector<uint32_t> fragmentProbe(const FragmentKind &kind, uint32_t lanes);

/// The map's text: `elements[lane · components + component]` is the number of the element there.
/// Empty where the map is not linear.
std::string fragmentMap(const FragmentKind &kind, uint32_t lanes,
                        std::span<const uint32_t> elements);

/// Runs the probe for every kind that the device lists; what is not linear, or fails, is left out.
/// Measured once for each device, driver and build, where the disk cache may keep it.
std::vector<std::string> measureFragments(Device &device);

} // namespace pumice::hal

//===- Generator.h - vk's random numbers: a seed and a position -------------===//
#pragma once

#include <ATen/core/Generator.h>
#include <c10/core/Device.h>

namespace pumice::vk {

/// Returns a device's own generator.
const at::Generator &defaultGenerator(c10::DeviceIndex device);
/// Sets the seed of all devices' own generators. It does not look for devices.
void seedAll(uint64_t seed);
at::Generator newGenerator(c10::DeviceIndex device);

/// Takes the next `count` positions of vk's generator. Returns its seed and the first position.
std::pair<uint64_t, uint64_t> takeNumbers(const at::Generator &generator, uint64_t count);

/// Returns a CPU generator that continues vk's. Its numbers depend on the seed and on the position,
/// which it advances.
at::Generator cpuGeneratorFor(const at::Generator &generator);

} // namespace pumice::vk

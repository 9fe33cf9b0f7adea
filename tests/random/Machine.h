//===- Machine.h - the ways to run a program --------------------------------===//
#pragma once

#include "tests/random/Memory.h"

#include "runtime/hal/Device.h"

#include <map>
#include <span>

namespace pumice::random_programs {

/// One way: Pumice's CPU device, or a Vulkan device.
struct Way {
  std::string device;     // "cpu:0", "vulkan:0"
  uint32_t lanes = 0;     // of the CPU's subgroups; 0: as many as suit it
  std::string level;      // "x86-64-v3"; empty: the device as it is
  unsigned threads = 0;   // of the CPU device; 0: as many as there are
  bool optimised = false; // after spirv-opt -O

  std::string name() const;
};

class Machine {
public:
  /// Opens the CPU device and every Vulkan device of this machine.
  static Result<std::unique_ptr<Machine>> open(bool peers);

  /// Ids of the Vulkan devices.
  const std::vector<std::string> &peers() const { return peerIds; }
  const hal::DeviceInfo &info(const std::string &device) const {
    return devices.at(device).device->info();
  }

  /// Returns the levels of x86-64 that the CPU device runs, lowest first, or its own name
  /// elsewhere.
  std::vector<std::string> levels() const;

  /// Errors: Unsupported if a Vulkan device lacks a feature that the code needs.
  Result<Memory> run(const Program &program, std::span<const uint32_t> code, const Way &way);

private:
  struct Opened {
    Ref<hal::Device> device;
    Ref<hal::Queue> queue;
    std::array<Ref<hal::Buffer>, 4> buffers; // by binding
  };
  Result<Memory> launch(const Program &program, Opened &on, const hal::KernelSource &source);

  std::map<std::string, Opened> devices;
  std::vector<std::string> peerIds;
};

/// Returns the message of spirv-val, or an empty text if the code is valid.
std::string validate(std::span<const uint32_t> code);
std::string disassemble(std::span<const uint32_t> code);
Result<std::vector<uint32_t>> optimise(std::span<const uint32_t> code);

} // namespace pumice::random_programs

//===- ArgumentMap.h - the memory of a launch's arguments -------------------===//
#pragma once

#include "runtime/drivers/cpu/Faults.h"
#include "runtime/drivers/cpu/Kernel.h"
#include "runtime/drivers/cpu/LiveMemory.h"
#include "runtime/hal/Queue.h"

namespace pumice::cpu_driver {

/// The memory of one argument.
struct ArgumentRange {
  const hal::PointerArgument *argument = nullptr;
  uint64_t address = 0; // the address that the kernel got
  uint64_t begin = 0, end = 0;
};

/// The parts of a launch that show where the memory of its arguments is.
struct LaunchedArguments {
  const CpuKernel &kernel;
  const executable::NativeLaunch &launch;
  const hal::ArgumentMemoryQuery *memory; // null: the buffers describe all memory
  LiveMemory &buffers;
};

/// Returns the memory of each argument, as far as it is known. It comes from the caller's answer,
/// from the binding, or from the buffer that contains the address of the argument.
std::vector<ArgumentRange> findArguments(const LaunchedArguments &launched);

/// Returns an error that says where and why a kernel was ended. An example is "kernel 'add':
/// add.py:7:13: program (3, 0, 0): invalid read at address 0x7f0000001040: 'x' + 4160: 64 bytes
/// past the end of its storage of 4096 bytes".
Status describeFault(const CpuKernel &kernel, const executable::NativeLaunch &launch,
                     const Fault &fault, uint64_t group, std::span<const ArgumentRange> arguments);

/// Returns the beginning of the error that `describeFault` returns: "kernel 'add': add.py:7:13:
/// program (3, 0, 0): ". If the instruction is unknown, it is 0. If the program is unknown, it is
/// `noGroupPlace`.
std::string describePlace(const CpuKernel &kernel, const executable::NativeLaunch &launch,
                          uint64_t instruction, uint64_t group);

} // namespace pumice::cpu_driver

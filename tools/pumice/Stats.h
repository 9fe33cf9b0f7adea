//===- Stats.h - pumice compile --stats -------------------------------------===//
// Reports how large each compiled kernel is, in SPIR-V and in the code that drivers make of it. For
// Triton's kernels, reports where the values of each load are kept. A driver that rejects a kernel
// is part of the answer, not an error.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/lower/tile/LoadPlaces.h"
#include "executable/Executable.h"

#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <vector>

namespace pumice::tools {

/// One driver's statistics for one kernel.
struct DriverAnswer {
  std::string driver; // for people: "RADV gfx1201 (Mesa 25)"
  std::string device; // the device's own name
  uint32_t subgroupSize = 0;
  std::optional<uint64_t> vectorRegisters, scalarRegisters, spilledRegisters, workgroupMemoryBytes,
      scratchBytes, codeBytes, instructions;
  Status rejected; // the reason, if the driver rejected the kernel
};

/// One kernel as compiled for one target.
struct KernelStats {
  std::string kernel, target;
  uint64_t words = 0, instructions = 0; // size of the SPIR-V module
  std::vector<DriverAnswer> answers;
};

/// The loads of one Triton kernel as compiled for one target.
struct KernelLoads {
  std::string kernel, target;
  std::vector<lower::tiles::LoadPlace> loads;
};

struct Stats {
  std::vector<KernelStats> kernels;
  std::vector<KernelLoads> loads;
  std::vector<std::string> notes; // drivers that are missing, and what to install
};

/// Asks the drivers that `drivers` names about each kernel. A name is an AMD architecture or GPU
/// family of RADV's null devices ("rdna2"), or a driver's ICD file. "device" is the first device
/// that the loader finds. "device:TEXT" is the first whose name contains TEXT. Without names,
/// kernels for AMD use RADV's null device of their own target. Errors: a named driver that does not
/// exist.
Result<Stats> collectStats(const executable::Executable &contents,
                           const std::vector<std::string> &drivers);

void printStats(const Stats &stats, llvm::raw_ostream &out);
std::string statsJson(const Stats &stats);

} // namespace pumice::tools

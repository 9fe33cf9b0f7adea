//===- Stats.h - pumice compile --stats -------------------------------------===//
// How large each compiled kernel is: in SPIR-V, and in what drivers make of it; of Triton's
// kernels, where the values of each load are kept. A driver that refuses a kernel is part of the
// answer, not an error.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/lower/tile/LoadPlaces.h"
#include "executable/Executable.h"

#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <vector>

namespace pumice::tools {

/// What one driver says about one kernel.
struct DriverAnswer {
  std::string driver; // for people: "RADV gfx1201 (Mesa 25)"
  std::string device; // as it names itself
  uint32_t subgroupSize = 0;
  std::optional<uint64_t> vectorRegisters, scalarRegisters, spilledRegisters, workgroupMemoryBytes,
      scratchBytes, codeBytes, instructions;
  Status refused; // why, where the driver did not take the kernel
};

/// One kernel as compiled for one target.
struct KernelStats {
  std::string kernel, target;
  uint64_t words = 0, instructions = 0; // of the SPIR-V module
  std::vector<DriverAnswer> answers;
};

/// The loads of one kernel of Triton's as compiled for one target.
struct KernelLoads {
  std::string kernel, target;
  std::vector<lower::tiles::LoadPlace> loads;
};

struct Stats {
  std::vector<KernelStats> kernels;
  std::vector<KernelLoads> loads;
  std::vector<std::string> notes; // drivers that would have been asked, and what to install
};

/// Asks, about each kernel, the drivers that `drivers` names: an AMD architecture or GPU family of
/// RADV's null devices ("rdna2"), a driver's ICD file, or "device" (the first that the loader
/// finds) and "device:TEXT" (the first whose name holds TEXT). Where none is named: RADV's null
/// device of the kernel's own target, for AMD's. Errors: a named driver that is not there.
Result<Stats> collectStats(const executable::Executable &contents,
                           const std::vector<std::string> &drivers);

void printStats(const Stats &stats, llvm::raw_ostream &out);
std::string statsJson(const Stats &stats);

} // namespace pumice::tools

//===- Interpreter.h - runs a compiled MSL kernel on the host ---------------===//
// Each thread of a threadgroup is a fibre. Threadgroups run one after the other. Fibres change at
// barriers and at operations of a SIMD group, where lanes wait for those that come to the same
// place in the same turns of the loops around it.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"
#include "tests/metal/shim/Simt.h"

#include <array>
#include <span>

namespace pumice::msl {

struct Grid {
  std::array<uint32_t, 3> groups{1, 1, 1}, threads{1, 1, 1};
  uint32_t lanes = 32; // in a SIMD group
};

/// Counts the threads, exchanges and barriers of a launch.
struct Counts {
  uint64_t threads = 0, exchanges = 0, barriers = 0;
};

/// Runs all threadgroups. `buffers` are the addresses by buffer index. `needsFibres` says whether
/// the kernel has barriers or operations of SIMD groups. Errors: Internal for a barrier that some
/// threads do not reach.
Result<Counts> run(const shim::Kernel &kernel, bool needsFibres, std::span<void *const> buffers,
                   const Grid &grid);

} // namespace pumice::msl

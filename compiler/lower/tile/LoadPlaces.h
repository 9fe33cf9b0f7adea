//===- LoadPlaces.h - where the values of a kernel's loads are kept ---------===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mlir::gpu {
class GPUFuncOp;
}

namespace pumice::lower::tiles {

/// A load of a Triton kernel, as pumice-place-loads finds it.
struct LoadPlace {
  std::string location; // "kernel.py:12:16", with the callers that it was inlined into
  std::string form;     // "pointer", "pointers", "descriptor", "rows of a descriptor"
  std::string type;     // "128x64xf16"
  uint64_t elements = 1;
  /// elements that one access moves: for a lane on GPUs, for neighbouring lanes on CPUs
  uint64_t atOnce = 1;
  /// loaded elements that a lane holds at once
  uint64_t registers = 0;
  /// The number of loops, or pieces of straight code, that load all of it.
  unsigned times = 0;
  bool isAhead = false;        // one iteration of its loop ahead
  uint64_t arrayBytes = 0;     // of a lane's own arrays that keep it
  uint64_t workgroupBytes = 0; // of workgroup memory, at the moment when it takes most
  std::string fragments;       // "factor" or "accumulator" of cooperative matrices, or neither
};

/// Removes the load places that the pass left on the kernel, and returns them.
std::vector<LoadPlace> takeLoadPlaces(mlir::gpu::GPUFuncOp kernel);

} // namespace pumice::lower::tiles

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
  /// That one access moves: of a lane on GPUs, of neighbouring lanes on CPUs.
  uint64_t atOnce = 1;
  /// That a lane holds at once of what is loaded.
  uint64_t registers = 0;
  /// How many loops, or pieces of straight code, load it, each all of it.
  unsigned times = 0;
  bool isAhead = false;        // by a turn of its loop
  uint64_t arrayBytes = 0;     // of a lane's own arrays that keep it
  uint64_t workgroupBytes = 0; // that it takes of workgroup memory, at most at once
  std::string fragments;       // "factor" or "accumulator" of cooperative matrices, or neither
};

/// Removes the load places that the pass left on the kernel, and returns them.
std::vector<LoadPlace> takeLoadPlaces(mlir::gpu::GPUFuncOp kernel);

} // namespace pumice::lower::tiles
